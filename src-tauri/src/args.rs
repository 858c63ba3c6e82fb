use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// A desktop chat whose every capability is a skill, working over your Obsidian vault.
#[derive(Debug, Parser)]
#[command(name = "nova", version, after_help = "Without a command, nova opens its window.")]
pub struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Folder of nova.config.json and permissions.yaml.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) config: Option<PathBuf>,

    /// Folder of sessions and history.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// The vault to work on.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) vault: Option<PathBuf>,

    /// Read the passphrase of the encrypted credentials from this open file descriptor.
    #[arg(long, global = true, value_name = "N")]
    pub(crate) passphrase_fd: Option<u32>,

    /// Machine output: JSON on stdout.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Talk to the assistant: one turn with -p, else interactively.
    Chat(Chat),
    /// Skills: list, enable, disable, pin, unpin, review, fields, check, route, test, new, template.
    #[command(subcommand)]
    Skill(Skill),
    /// Tools: list, pending, promote, discard, call.
    #[command(subcommand)]
    Tool(Tool),
    /// The vault: status, check, search, query, links.
    #[command(subcommand)]
    Vault(Vault),
    /// What Nova changed: list, show, undo, finish, prune.
    #[command(subcommand)]
    Changes(Changes),
    /// Model providers: list, allow, revoke.
    #[command(subcommand)]
    Provider(Provider),
    /// Rules: list, allow, ask, deny, remove, try.
    #[command(subcommand)]
    Permission(Permission),
    /// Sessions: list, show, search, export, rename, pin, archive, branch, delete, restore, purge.
    #[command(subcommand)]
    Session(Session),
    /// Secrets in the keychain or the encrypted file: set, list, remove, grant, revoke, grants, sign-in.
    #[command(subcommand)]
    Credential(Credential),
    /// Print changes of notes as they happen, one JSON line each.
    Watch,
    /// Print every event of the program as it happens, one JSON line each.
    Events,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Chat {
    /// The message; without it the chat is interactive.
    #[arg(short = 'p', long = "prompt", value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Continue this session.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Say it after this turn, or at the `start`: the session goes on from there in a branch.
    #[arg(long, value_name = "TURN", requires = "session", requires = "prompt")]
    pub(crate) after: Option<String>,
    /// Activate this skill; may be repeated.
    #[arg(long = "skill", value_name = "ID")]
    pub(crate) skills: Vec<String>,
    /// Point at this tool.
    #[arg(long, value_name = "SKILL.TOOL")]
    pub(crate) tool: Option<String>,
    /// Show this image (PNG, JPEG, WebP, GIF; 3.9 MB) with the message; may be repeated.
    #[arg(long = "image", value_name = "FILE", requires = "prompt")]
    pub(crate) images: Vec<PathBuf>,
    /// provider/model
    #[arg(long)]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) approve: Approve,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Approve {
    /// Who answers when a call asks; `ask` at a terminal, else `none`.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) approve: Option<ApproveHow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApproveHow {
    /// At the terminal.
    Ask,
    /// Nobody: what would ask is denied.
    None,
    /// Allow everything but sending and what a rule denies.
    All,
    /// One JSON line on stdin per question: {"call","decision","revision"?,"args"?}.
    Stdio,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Skill {
    /// Every skill with its state.
    List {
        /// With those that are hidden.
        #[arg(long)]
        all: bool,
    },
    /// Let the assistant use it. Says first which examples of other skills it would take.
    Enable { id: String },
    /// Take it and its tools away from the assistant.
    Disable { id: String },
    /// Have it active from the first message of every new chat.
    Pin { id: String },
    /// Have it active only when it is needed.
    Unpin { id: String },
    /// The tools that a request may be about, best first. Asks no model.
    Route {
        text: String,
        /// So many at most.
        #[arg(short = 'k', value_name = "N", default_value_t = 8)]
        limit: u32,
    },
    /// Run the routing examples of all enabled skills over all of them.
    Test,
    /// Show what a skill from elsewhere brings, and agree to it with --accept.
    Review {
        id: String,
        /// Agree to it as it is printed, and switch it on.
        #[arg(long)]
        accept: bool,
        /// Agree only if it is still the one with this fingerprint.
        #[arg(long, value_name = "H", requires = "accept")]
        fingerprint: Option<String>,
    },
    /// Look in the vault for notes that could be a skill's records under other names.
    Fields {
        id: String,
        /// Use those names: written into nova.config.json; no note is changed.
        #[arg(long)]
        apply: bool,
    },
    /// Print an empty note of a skill's records, for Obsidian's templates folder.
    Template {
        id: String,
        /// The type of record: contact.
        #[arg(value_name = "TYPE")]
        record_type: String,
        /// A table of all of them instead, as a .base file.
        #[arg(long)]
        base: bool,
    },
    /// Look over a skill folder: what is wrong with it, by file and line.
    Check { path: PathBuf },
    /// Write the first files of a skill, or of a single tool; they work at once.
    New {
        /// Letters, digits, - and _.
        id: String,
        #[arg(long, value_enum, default_value_t = NewKind::Folder)]
        kind: NewKind,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewKind {
    /// A folder with SKILL.md and a tool.
    Folder,
    /// One TypeScript file.
    Tool,
    /// A crate compiled into Nova, in a checkout of Nova.
    Native,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tool {
    /// Every tool, also of skills that are not available.
    List,
    /// What the assistant wrote and nobody has approved.
    Pending,
    /// Put a pending tool in force; this counts as the approval of its first call.
    Promote {
        name: String,
        /// Only if it is still the one with this hash, as `pending` shows it.
        #[arg(long)]
        hash: Option<String>,
    },
    /// Delete a pending tool.
    Discard {
        name: String,
        /// Only if it is still the one with this hash, as `pending` shows it.
        #[arg(long)]
        hash: Option<String>,
    },
    /// Whether TypeScript tools may run where the system has neither Landlock nor seccomp to confine them.
    Unconfined { answer: UnconfinedAnswer },
    /// Run one tool.
    Call {
        /// SKILL.TOOL
        tool: String,
        /// The arguments as a JSON object.
        #[arg(long, value_name = "JSON", conflicts_with = "args_file")]
        args: Option<String>,
        /// A file with the arguments.
        #[arg(long, value_name = "F")]
        args_file: Option<PathBuf>,
        #[command(flatten)]
        approve: Approve,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum UnconfinedAnswer {
    Allow,
    Deny,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Vault {
    /// Counts, and what the file system can do.
    Status,
    /// Every problem with its line.
    Check,
    #[command(flatten)]
    Ask(Question),
}

/// What is asked of the notes alone.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// Lines of notes that hold a text, whatever its case.
    Search {
        text: String,
        /// The text is a regular expression.
        #[arg(long)]
        regex: bool,
        /// Notes that hold every word of the text.
        #[arg(long, conflicts_with = "regex")]
        words: bool,
        /// At most so many lines.
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Notes by their properties.
    Query {
        /// Records of this type.
        #[arg(long = "type", value_name = "T")]
        record_type: Option<String>,
        /// A condition, such as "value >= 1000" or "tags contains lead"; all of them must hold.
        #[arg(long = "where", value_name = "KEY OP VALUE")]
        conditions: Vec<String>,
        /// Properties to sort by, separated by commas; "-" before one sorts downwards.
        #[arg(long, value_name = "KEY,-KEY", allow_hyphen_values = true)]
        sort: Vec<String>,
        /// At most so many notes.
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// What a note links to, and what links to it.
    Links {
        /// Its path or name.
        note: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Changes {
    /// Newest first.
    List,
    Show {
        id: String,
    },
    /// Undo a change set, or one note or call of it.
    Undo {
        id: String,
        #[arg(long, value_name = "PATH")]
        note: Option<String>,
        #[arg(long, value_name = "CALL", conflicts_with = "note")]
        call: Option<String>,
    },
    /// Write what an interrupted change set had announced and not written.
    Finish {
        id: String,
    },
    /// Forget change sets past their time.
    Prune,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Provider {
    List,
    /// Agree that a remote provider sees your messages and the notes that tools read.
    Allow {
        id: String,
    },
    /// Take that back.
    Revoke {
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Permission {
    /// Rules, policies, and what was approved of tools that did not come with Nova.
    List,
    /// Let calls run without being asked about. Deny and ask go before.
    Allow {
        /// SKILL__TOOL, with * for any letters; in brackets what arguments must be.
        pattern: String,
    },
    /// Be asked about each call.
    Ask {
        /// SKILL__TOOL, with * for any letters; in brackets what arguments must be.
        pattern: String,
    },
    /// Let no call run.
    Deny {
        /// SKILL__TOOL, with * for any letters; in brackets what arguments must be.
        pattern: String,
    },
    /// Take a rule back, or what was approved of the tool SKILL.TOOL, or its host SKILL.TOOL@HOST.
    Remove { pattern: String },
    /// What would become of a call of the assistant, and which rule says so. Nothing runs.
    Try {
        /// SKILL.TOOL
        tool: String,
        /// The arguments as a JSON object.
        #[arg(long, value_name = "JSON")]
        args: Option<String>,
        /// On behalf of whom: owner, delegate, known or unknown.
        #[arg(long = "as", value_name = "RELATIONSHIP")]
        relationship: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Session {
    /// Newest first.
    List {
        /// Those in the trash.
        #[arg(long)]
        deleted: bool,
    },
    /// What was said, and called for.
    Show {
        id: String,
    },
    /// Sessions in which every word was said, or is in the title; parts of words count.
    Search {
        text: String,
        /// At most so many sessions.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
    },
    /// Write a session as Markdown, to stdout where no file is named.
    Export {
        id: String,
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// With the branches that are not in force.
        #[arg(long)]
        all: bool,
        /// In the place of a file that is there. A note is never replaced.
        #[arg(long, requires = "out")]
        force: bool,
    },
    Rename {
        id: String,
        title: String,
    },
    /// Keep it before the others.
    Pin {
        id: String,
    },
    Unpin {
        id: String,
    },
    /// Put it away; a search finds it.
    Archive {
        id: String,
    },
    Unarchive {
        id: String,
    },
    /// Put another branch in force: a turn, and what came after it.
    Branch {
        id: String,
        turn: String,
    },
    /// Move it to the trash, where it is kept for 30 days.
    Delete {
        id: String,
    },
    /// Take it out of the trash.
    Restore {
        id: String,
    },
    /// Forget what is in the trash for good.
    Purge,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Credential {
    /// Keep a secret: typed without being shown, or read from stdin.
    Set {
        /// SERVICE/KEY
        name: String,
        /// Nothing: arguments can be read by every process of this machine.
        #[arg(hide = true)]
        more: Vec<String>,
    },
    /// Every credential with its state, never a value.
    List,
    /// Forget a secret and all its grants.
    Remove { name: String },
    /// Let a provider, skill or tool have it, as it is now and for where it sends it.
    Grant {
        name: String,
        /// provider:ID, skill:ID, server:NAME or tool:SKILL.TOOL
        #[arg(long, value_name = "WHO")]
        to: String,
    },
    /// Take it back.
    Revoke {
        name: String,
        /// provider:ID, skill:ID, server:NAME or tool:SKILL.TOOL
        #[arg(long, value_name = "WHO")]
        to: String,
    },
    /// Who may have what, for where.
    Grants,
    /// Sign in with the browser, where nova.config.json describes how.
    SignIn { name: String },
}
