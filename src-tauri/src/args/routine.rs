use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Routine {
    /// List routines with their next time and how they last ended.
    List,
    /// Write the note of a new routine.
    Add(Box<NewRoutineArgs>),
    /// Run a routine now; it ends at the first question.
    Run {
        /// Its name, or the path of its note.
        name: String,
    },
    /// Delete the note of a routine.
    Remove {
        /// Its name, or the path of its note.
        name: String,
    },
    /// Run routines as they come due, until this program is ended.
    Serve {
        /// Offer to write a systemd user service that does so, and end.
        #[arg(long)]
        install: bool,
        /// Write it without asking.
        #[arg(long, requires = "install")]
        yes: bool,
        /// Write it into this folder.
        #[arg(long, value_name = "DIR", requires = "install")]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct NewRoutineArgs {
    pub(crate) name: String,
    /// Such as "weekdays 07:30", "monthly 1 09:00", "every 2 hours", "at start"; may be repeated.
    #[arg(long, value_name = "WHEN", required = true)]
    pub(crate) when: Vec<String>,
    /// The zone of its times, such as Europe/Berlin; default this machine's.
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
    /// What is sent to the assistant.
    #[arg(short = 'p', long = "message", value_name = "TEXT", required_unless_present = "tool")]
    pub(crate) message: Option<String>,
    /// Run this tool instead.
    #[arg(long, value_name = "SKILL.TOOL", conflicts_with = "message")]
    pub(crate) tool: Option<String>,
    /// The tool's arguments as a JSON object.
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) args: Option<String>,
    /// Rule for a tool that it may run without asking, such as vault.append_to_note; may be repeated.
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,
    /// Activate this skill; may be repeated.
    #[arg(long = "skill", value_name = "ID")]
    pub(crate) skills: Vec<String>,
    /// Model to use, as provider/model.
    #[arg(long)]
    pub(crate) model: Option<String>,
}
