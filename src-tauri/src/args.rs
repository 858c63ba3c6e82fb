mod routine;
mod serve;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use self::routine::{NewRoutineArgs, Routine};
pub(crate) use self::serve::{Serve, ServedEffect, ServedTo};

/// A desktop chat whose every capability is a skill, working over your Obsidian vault.
#[derive(Debug, Parser)]
#[command(name = "nova", version, after_help = "Without a command, nova opens its window.")]
pub struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Folder with nova.config.json and permissions.yaml.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) config: Option<PathBuf>,

    /// Folder for sessions and history.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Vault to use.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) vault: Option<PathBuf>,

    /// Read the passphrase of the encrypted credentials from this open file descriptor.
    #[arg(long, global = true, value_name = "N")]
    pub(crate) passphrase_fd: Option<u32>,

    /// Print JSON on stdout.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Args {
    /// Whether stdout carries a protocol, so that nothing else may be printed there.
    pub(crate) fn stdout_is_taken(&self) -> bool {
        matches!(self.command, Some(Command::Mcp(Mcp::Serve(Serve { http: None, .. }))))
    }
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
    /// Show what is on and due on a day.
    Today {
        /// The day, YYYY-MM-DD; today by default.
        #[arg(long, value_name = "DATE")]
        date: Option<String>,
    },
    /// Routines, which run by themselves: list, add, run, remove, serve.
    #[command(subcommand)]
    Routine(Routine),
    /// Changes made by Nova: list, show, undo, finish, prune.
    #[command(subcommand)]
    Changes(Changes),
    /// Model providers: list, allow, revoke.
    #[command(subcommand)]
    Provider(Provider),
    /// Folders that the assistant may work in: list, add, remove.
    #[command(subcommand)]
    Workspace(Workspace),
    /// MCP servers: list, add, remove, import, review, probe, serve.
    #[command(subcommand)]
    Mcp(Mcp),
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
    /// Print every event as it happens, one JSON line each.
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
    /// Branch the session after this turn, or at its `start`.
    #[arg(long, value_name = "TURN", requires = "session", requires = "prompt")]
    pub(crate) after: Option<String>,
    /// Activate this skill; may be repeated.
    #[arg(long = "skill", value_name = "ID")]
    pub(crate) skills: Vec<String>,
    /// Tell the model to use this tool.
    #[arg(long, value_name = "SKILL.TOOL")]
    pub(crate) tool: Option<String>,
    /// Attach this image (PNG, JPEG, WebP, GIF; 3.9 MB); may be repeated.
    #[arg(long = "image", value_name = "FILE", requires = "prompt")]
    pub(crate) images: Vec<PathBuf>,
    /// Model to use, as provider/model.
    #[arg(long)]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) approve: Approve,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Approve {
    /// Who answers approval questions; default `ask` at a terminal, else `none`.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) approve: Option<ApproveHow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApproveHow {
    /// You, at the terminal.
    Ask,
    /// Nobody: calls that would ask are denied.
    None,
    /// Allow everything except sending to a person and what a rule denies.
    All,
    /// A program, with one JSON line on stdin per question: {"call","decision","revision"?,"args"?}.
    Stdio,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// List the servers of nova.config.json with their state.
    List,
    /// Add a server; it does not start before you agree to it.
    Add {
        name: String,
        /// The program that is the server; its arguments follow after `--`.
        #[arg(long, value_name = "C", required_unless_present = "url")]
        command: Option<String>,
        /// The address of a server that speaks Streamable HTTP.
        #[arg(long, value_name = "U", conflicts_with = "command")]
        url: Option<String>,
        /// A variable of the server's environment, NAME=VALUE; a secret as ${credentials:service/key}.
        #[arg(long, value_name = "NAME=VALUE", requires = "command")]
        env: Vec<String>,
        /// A header, NAME=VALUE; a secret as ${credentials:service/key}.
        #[arg(long, value_name = "NAME=VALUE", requires = "url")]
        header: Vec<String>,
        /// The folder that the server starts in.
        #[arg(long, value_name = "DIR", requires = "command")]
        cwd: Option<PathBuf>,
        #[arg(last = true, requires = "command")]
        args: Vec<String>,
    },
    /// Remove a server from nova.config.json.
    Remove { name: String },
    /// Add the servers of another program's configuration; without a file, list what is found on this machine.
    ///
    /// Reads the files of Claude Desktop, Claude Code, Cursor, VS Code, Codex, Zed, goose, Gemini CLI and LM Studio,
    /// and `.mcp.json` and `.vscode/mcp.json` of the folder you are in.
    /// Nothing starts before you agree to it; secrets move from the file to your credentials.
    Import {
        file: Option<PathBuf>,
        /// Only this server of the file; may be repeated.
        #[arg(long, value_name = "NAME", requires = "file")]
        only: Vec<String>,
    },
    /// Show what a server runs, and which of its tools changed; with --accept agree to it.
    Review {
        name: String,
        /// Agree to it as printed, and start it.
        #[arg(long)]
        accept: bool,
        /// Agree only if its fingerprint is still H.
        #[arg(long, value_name = "H", requires = "accept")]
        fingerprint: Option<String>,
    },
    /// Start a server, list its tools as JSON, and end it. Probing a configured server counts as agreeing to it.
    Probe {
        #[arg(value_name = "URL-OR-NAME")]
        server: String,
        /// Call each tool with the defaults of its schema.
        #[arg(long)]
        call: bool,
        /// Sign in if the server requires it: prints the address to open, and waits. With `follow`, Nova requests the
        /// address itself, for servers that consent without a user.
        #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "print")]
        auth: Option<Auth>,
    },
    /// Serve skills to another program: be an MCP server on stdin and stdout.
    Serve(Serve),
}

/// Who goes to the address of a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Auth {
    Print,
    Follow,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Skill {
    /// List skills with their state.
    List {
        /// Include hidden skills.
        #[arg(long)]
        all: bool,
    },
    /// Make a skill available; first reports which requests it would take from other skills.
    Enable { id: String },
    /// Make a skill and its tools unavailable.
    Disable { id: String },
    /// Activate a skill from the first message of every new chat.
    Pin { id: String },
    /// Activate a skill only when it is needed.
    Unpin { id: String },
    /// Rank the tools that match a request, best first, without a model.
    Route {
        text: String,
        /// Maximum number of tools.
        #[arg(short = 'k', value_name = "N", default_value_t = 8)]
        limit: u32,
    },
    /// Run the routing examples of all enabled skills.
    Test,
    /// Show what a skill from elsewhere contains; --accept agrees to it.
    Review {
        id: String,
        /// Agree to it as printed, and enable it.
        #[arg(long)]
        accept: bool,
        /// Agree only if its fingerprint is still H.
        #[arg(long, value_name = "H", requires = "accept")]
        fingerprint: Option<String>,
    },
    /// Find notes that could be a skill's records under other names.
    Fields {
        id: String,
        /// Write these names to nova.config.json; notes stay unchanged.
        #[arg(long)]
        apply: bool,
    },
    /// Print an empty record of a skill, for Obsidian's templates folder.
    Template {
        id: String,
        /// Type of record, such as contact.
        #[arg(value_name = "TYPE")]
        record_type: String,
        /// Print a table of all such records instead, as a .base file.
        #[arg(long)]
        base: bool,
    },
    /// Check a skill folder; reports problems with file and line.
    Check { path: PathBuf },
    /// Create a skill or a single tool that works at once.
    New {
        /// Letters, digits, - and _.
        id: String,
        #[arg(long, value_enum, default_value_t = NewKind::Folder)]
        kind: NewKind,
        /// Begin with an example instead.
        #[arg(long, value_enum, conflicts_with = "kind")]
        from: Option<SkillExample>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SkillExample {
    /// Records without code: books to read.
    ReadingList,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewKind {
    /// A folder with SKILL.md and a tool.
    Folder,
    /// One TypeScript file.
    Tool,
    /// A Rust crate in the checkout of Nova that the current folder is in.
    Native,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tool {
    /// List all tools, including those of unavailable skills.
    List,
    /// List tools that the assistant wrote and nobody has approved.
    Pending,
    /// Enable a pending tool; this approves its first call.
    Promote {
        name: String,
        /// Only if its hash is still the one that `pending` showed.
        #[arg(long)]
        hash: Option<String>,
    },
    /// Delete a pending tool.
    Discard {
        name: String,
        /// Only if its hash is still the one that `pending` showed.
        #[arg(long)]
        hash: Option<String>,
    },
    /// Allow or deny TypeScript tools on a system without Landlock and seccomp to confine them.
    Unconfined { answer: UnconfinedAnswer },
    /// Run one tool.
    Call {
        /// SKILL.TOOL
        tool: String,
        /// Arguments as a JSON object.
        #[arg(long, value_name = "JSON", conflicts_with = "args_file")]
        args: Option<String>,
        /// File with the arguments as a JSON object.
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
    /// Show counts and file system capabilities.
    Status,
    /// List every problem with its line.
    Check,
    #[command(flatten)]
    Ask(Question),
}

/// Options that concern notes only.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// Search notes for lines that contain a text, ignoring case.
    Search {
        text: String,
        /// Treat the text as a regular expression.
        #[arg(long)]
        regex: bool,
        /// Find notes that contain every word of the text.
        #[arg(long, conflicts_with = "regex")]
        words: bool,
        /// Maximum number of lines.
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Query notes by their properties.
    Query {
        /// Only records of this type.
        #[arg(long = "type", value_name = "T")]
        record_type: Option<String>,
        /// Condition such as "value >= 1000" or "tags contains lead"; may be repeated, all must hold.
        #[arg(long = "where", value_name = "KEY OP VALUE")]
        conditions: Vec<String>,
        /// Properties to sort by, separated by commas; "-" before one sorts descending.
        #[arg(long, value_name = "KEY,-KEY", allow_hyphen_values = true)]
        sort: Vec<String>,
        /// Maximum number of notes.
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Show links and backlinks of a note.
    Links {
        /// Path or name of the note.
        note: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Changes {
    /// List change sets, newest first.
    List,
    /// Show a change set with its diffs.
    Show { id: String },
    /// Undo a change set, or one of its notes or calls.
    Undo {
        id: String,
        #[arg(long, value_name = "PATH")]
        note: Option<String>,
        #[arg(long, value_name = "CALL", conflicts_with = "note")]
        call: Option<String>,
    },
    /// Write the rest of an interrupted change set.
    Finish { id: String },
    /// Discard expired change sets.
    Prune,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Provider {
    /// List providers with their host and your agreement.
    List,
    /// Agree that a remote provider receives your messages and the notes that tools read.
    Allow { id: String },
    /// Revoke this agreement.
    Revoke { id: String },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Workspace {
    /// List the folders with the names by which the assistant calls them.
    List,
    /// Let the assistant read a folder.
    Add {
        dir: PathBuf,
        /// Let it change files there, too, after it has asked.
        #[arg(long)]
        write: bool,
    },
    /// Close a folder to the assistant; nothing in it changes.
    Remove { dir: PathBuf },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Permission {
    /// List rules, policies, and approved tools that did not come with Nova.
    List,
    /// Run matching calls without asking, unless a deny or ask rule matches.
    Allow {
        /// SKILL__TOOL, where * matches anything; argument patterns in brackets.
        pattern: String,
    },
    /// Ask about each matching call.
    Ask {
        /// SKILL__TOOL, where * matches anything; argument patterns in brackets.
        pattern: String,
    },
    /// Deny matching calls.
    Deny {
        /// SKILL__TOOL, where * matches anything; argument patterns in brackets.
        pattern: String,
    },
    /// Remove a rule, the approval of a tool SKILL.TOOL, or of its host SKILL.TOOL@HOST.
    Remove { pattern: String },
    /// Show whether a call by the assistant would run, ask or be denied, and why. Nothing runs.
    Try {
        /// SKILL.TOOL
        tool: String,
        /// Arguments as a JSON object.
        #[arg(long, value_name = "JSON")]
        args: Option<String>,
        /// Caller's relationship: owner, delegate, known or unknown; or mcp_client, a program over MCP.
        #[arg(long = "as", value_name = "RELATIONSHIP")]
        relationship: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Session {
    /// List sessions, newest first.
    List {
        /// List deleted sessions instead.
        #[arg(long)]
        deleted: bool,
    },
    /// Show messages and calls.
    Show { id: String },
    /// Find sessions that contain every word, in messages or title; parts of words match.
    Search {
        text: String,
        /// Maximum number of sessions.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
    },
    /// Export a session as Markdown, to stdout unless --out is given.
    Export {
        id: String,
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Include inactive branches.
        #[arg(long)]
        all: bool,
        /// Replace an existing file, but never a note.
        #[arg(long, requires = "out")]
        force: bool,
    },
    /// Change the title of a session.
    Rename { id: String, title: String },
    /// List a session before the others.
    Pin { id: String },
    /// List a session in order again.
    Unpin { id: String },
    /// Hide a session from the list; searches still find it.
    Archive { id: String },
    /// Show an archived session in the list again.
    Unarchive { id: String },
    /// Switch to the branch that begins with this turn.
    Branch { id: String, turn: String },
    /// Move a session to the trash for 30 days.
    Delete { id: String },
    /// Restore a session from the trash.
    Restore { id: String },
    /// Delete everything in the trash permanently.
    Purge,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Credential {
    /// Store a secret, entered without echo or read from stdin.
    Set {
        /// SERVICE/KEY
        name: String,
        /// Refused: every process on this machine can read arguments.
        #[arg(hide = true)]
        more: Vec<String>,
    },
    /// List credentials with their state, never their values.
    List,
    /// Delete a secret and all its grants.
    Remove { name: String },
    /// Grant a secret to a provider, skill or tool, for its current destination.
    Grant {
        name: String,
        /// provider:ID, skill:ID, server:NAME or tool:SKILL.TOOL
        #[arg(long, value_name = "WHO")]
        to: String,
    },
    /// Revoke a grant.
    Revoke {
        name: String,
        /// provider:ID, skill:ID, server:NAME or tool:SKILL.TOOL
        #[arg(long, value_name = "WHO")]
        to: String,
    },
    /// List grants: who may use which credential, for which destination.
    Grants,
    /// Sign in with the browser, as configured in nova.config.json.
    SignIn { name: String },
}
