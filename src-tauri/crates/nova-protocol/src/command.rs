//! The commands the window may send, declared once.
//!
//! [`Commands`] has one method per command; the backend implements it, so a command
//! without an answer does not compile. [`dispatch`] is the one door for `rpc(method, params)`.

use std::future::Future;

use serde_json::Value;

use crate::{
    AttachedFile, ErrorCode, UserError, credentials::*, glance::*, mailboxes::*, panel::*, routines::*,
    server_offers::*, servers::*, view::*,
};

macro_rules! commands {
    ($d:tt $( $(#[doc = $doc:literal])* $name:ident($params:ty) -> $result:ty; )+) => {
        /// Answers every command.
        pub trait Commands: Send + Sync {
            $( $(#[doc = $doc])*
            fn $name(&self, params: $params) -> impl Future<Output = Result<$result, UserError>> + Send; )+
        }

        /// Implements [`Commands`] for a type that has a method of the name of each command. A command without
        /// one does not compile.
        #[macro_export]
        macro_rules! answered_by {
            ($d to:ty) => {
                const _: () = {
                    use $d crate::*;

                    impl $d crate::Commands for $d to {
                        $( async fn $name(&self, params: $params) -> Result<$result, UserError> {
                            <$d to>::$name(self, params).await
                        } )+
                    }
                };
            };
        }

        /// Finds the command named `method`, reads its parameters and answers with its result.
        ///
        /// # Errors
        /// `bad_request` for an unknown method or parameters of the wrong shape; else the command's.
        pub async fn dispatch<C: Commands>(to: &C, method: &str, params: Value) -> Result<Value, UserError> {
            match method {
                $( stringify!($name) => {
                    let params: $params = read_params(method, params)?;
                    write_result(method, to.$name(params).await?)
                } )+
                _ => Err(UserError::new(
                    ErrorCode::BadRequest,
                    format!("There is no command {method:?}."),
                    "Update the window and the program together.",
                )),
            }
        }

        /// `(name, parameters, result)` of every command, as TypeScript.
        pub(crate) fn typescript_rows(cfg: &ts_rs::Config) -> Vec<(&'static str, String, String)> {
            use ts_rs::TS;
            vec![ $( (stringify!($name), <$params as TS>::name(cfg), <$result as TS>::name(cfg)), )+ ]
        }
    };
}

commands! { $
    /// What the window shows before anything else.
    app_status(Nothing) -> AppStatus;
    /// Theme, text size and the like, kept in `nova.config.json`.
    set_appearance(Appearance) -> Nothing;
    set_reminders(Reminders) -> Nothing;
    /// How the window was left.
    window_layout(Nothing) -> WindowLayout;
    keep_layout(WindowLayout) -> Nothing;
    /// The messages that were being written, of all chats.
    list_drafts(Nothing) -> Vec<DraftView>;
    /// Keeps what is being written in a chat, on the disk when this answers; an empty one is forgotten.
    keep_draft(DraftView) -> Nothing;
    /// Keeps an image that a draft is going to name.
    keep_draft_image(KeepDraftImage) -> DraftImage;
    read_draft_image(DraftImageRef) -> NewImage;
    /// Shows the file whose settings are not in force, else `nova.config.json`, in the system's file manager.
    show_config_file(Nothing) -> Nothing;

    /// What the first start can offer on this machine. Writes nothing.
    first_run_options(Nothing) -> FirstRunOptions;
    /// Lets the user pick a folder in the system's dialog.
    pick_folder(Nothing) -> PickedFolder;
    /// Lets the user choose a file from anywhere, for a tool to read.
    choose_file(ChooseFile) -> ChosenFile;
    /// Hands over a file that was dropped on the window, for a tool to read.
    give_file(GiveFile) -> GivenFileView;
    /// Opens a vault and remembers it.
    open_vault(OpenVault) -> VaultSummary;

    /// What the page about the vault shows.
    vault_page(Nothing) -> VaultPage;
    /// Shows the vault's folder in the system's file manager.
    show_vault_folder(Nothing) -> Nothing;
    /// Removes a vault from the recent ones; its folder stays as it is.
    forget_vault(VaultRef) -> VaultPage;
    /// Lists a note or folder as private, or removes it from the list.
    set_private(SetPrivate) -> VaultPage;
    /// Whether a note, by path or name, is private.
    check_private(NoteRef) -> NotePrivacy;
    /// Lists a folder outside the vault that a link at its top may lead to, or removes it from the list.
    set_root(SetRoot) -> VaultPage;
    /// Sets how much of the history is kept.
    keep_history(KeepHistory) -> VaultPage;

    /// The folders outside of the vault that the assistant may work in.
    list_workspaces(Nothing) -> Workspaces;
    add_workspace(AddWorkspace) -> Workspaces;
    /// Removes a folder from the list; nothing in it changes.
    remove_workspace(WorkspaceRef) -> Workspaces;

    /// All sessions that are not deleted, newest first.
    list_sessions(Nothing) -> Vec<SessionRow>;
    create_session(Nothing) -> SessionRow;
    open_session(SessionRef) -> SessionView;
    rename_session(RenameSession) -> SessionRow;
    /// Pins, archives, or takes that back.
    set_session(SetSession) -> SessionRow;
    /// Moves a session to the trash; it can be restored until it is purged.
    delete_session(SessionRef) -> Nothing;
    restore_session(SessionRef) -> SessionRow;
    /// The sessions in the trash, newest first.
    list_deleted_sessions(Nothing) -> Vec<SessionRow>;
    /// Forgets what is in the trash for good: one session of it, or all.
    purge_sessions(PurgeSessions) -> PurgedSessions;
    /// What the user and Nova said, and titles. Titles first, then newest first.
    search_sessions(SearchSessions) -> Vec<FoundSession>;
    /// Has the user choose where to save a session as Markdown.
    export_session(ExportSession) -> ExportedSession;
    /// Puts a turn and what came after it in force, where another was begun in its place.
    choose_branch(ChooseBranch) -> Nothing;
    /// Starts a turn; what happens next arrives as events.
    send_message(SendMessage) -> TurnRef;
    /// The bytes of an image that was sent in a session.
    read_image(ImageRef) -> ImageData;
    /// Stops the running turn, its tools and their processes.
    stop_turn(SessionRef) -> Nothing;
    /// Stops a call that runs on by itself.
    stop_call(CallRef) -> Nothing;
    /// How much of its model's context a session takes.
    context(SessionRef) -> ContextView;
    /// Deactivates a skill from the session's next step on.
    drop_skill(DropSkill) -> Nothing;
    /// Answers an approval of a turn or of a form run.
    decide_approval(DecideApproval) -> Nothing;
    /// Edits the arguments of a waiting call; its diff is made anew.
    revise_approval(ReviseApproval) -> Nothing;

    list_providers(ListProviders) -> Vec<ProviderRow>;
    /// Asks a provider for one word with the key that was pasted. Writes nothing.
    check_provider(NewProvider) -> CheckedProvider;
    /// Asks the same and then adds the provider to the configuration and its key to the credentials.
    add_provider(NewProvider) -> CheckedProvider;
    /// The user agrees to send notes to a remote provider.
    agree_provider(ProviderRef) -> Nothing;
    revoke_provider(ProviderRef) -> Nothing;
    set_model(SetModel) -> Nothing;
    /// Marks a model, or takes the mark away.
    set_favourite(SetFavourite) -> Nothing;
    /// Sets how much a request to a provider may take.
    set_context(SetContext) -> Nothing;

    list_skills(Nothing) -> Vec<SkillRow>;
    enable_skill(EnableSkill) -> Vec<SkillRow>;
    /// Its tools with their switches, its configuration, how it did.
    skill_detail(SkillRef) -> SkillDetail;
    /// What the list of skills costs every chat with the default model.
    skill_catalog(Nothing) -> CatalogView;
    /// Whether a message that is plainly about one skill activates it before the model answers.
    router(Nothing) -> RouterView;
    set_router(RouterView) -> RouterView;
    /// Changes how a skill is loaded, shown and configured.
    set_skill(SetSkill) -> Vec<SkillRow>;
    /// Shows the files of a broken skill in the system's file manager.
    show_skill_files(SkillRef) -> Nothing;
    /// Writes the first files of a skill of the user's own.
    create_skill(CreateSkill) -> CreatedSkill;
    /// Shows the folder of the user's own skills in the system's file manager.
    show_skills_folder(Nothing) -> Nothing;
    /// How skills are written.
    skill_manual(Nothing) -> SkillManual;
    /// The requests that would go astray once the skill is enabled; nothing is changed.
    taken_by_skill(SkillRef) -> Vec<TakenExample>;
    /// The tools that a request may be about, best first. Asks no model.
    suggest_tools(SuggestTools) -> Vec<ToolSuggestion>;
    /// What a skill from elsewhere brings, to be looked at before the user agrees to it.
    review_skill(SkillRef) -> SkillReview;
    /// The user agrees to a skill from elsewhere as they looked at it; that switches it on.
    accept_skill(AcceptSkill) -> Vec<SkillRow>;
    /// The panels of the available skills, in the order of the skills.
    list_panels(Nothing) -> Vec<PanelView>;
    /// What the available skills say without being asked, read now. Asks nobody: a tool that would have to is left out.
    list_glances(Nothing) -> Vec<GlanceView>;
    /// What Nova runs by itself, by name.
    list_routines(Nothing) -> Vec<RoutineRow>;
    /// Writes the note of a new routine.
    add_routine(NewRoutine) -> RoutineRow;
    /// Switches a routine on or off, in its note.
    switch_routine(SwitchRoutine) -> RoutineRow;
    /// Starts a routine now; it ends later.
    run_routine(RoutineRef) -> RoutineRow;
    /// The user has seen how the newest run ended.
    see_routine(RoutineRef) -> Nothing;
    /// The kinds of records of the available skills.
    list_record_types(Nothing) -> Vec<RecordTypeRow>;
    /// The form of a new record, or of an existing one.
    record_form(RecordFormRef) -> RecordFormView;
    /// Writes what a form of a record holds, as one change set of the user's own.
    save_record(SaveRecord) -> SavedRecord;
    /// The currency that a skill's new records begin with.
    usual_currency(SkillRef) -> UsualCurrency;
    /// Notes that a field which links to one may mean, best first.
    suggest_notes(SuggestNotes) -> Vec<NoteSuggestion>;
    /// The values that fields of records have, for a form to offer.
    values_in_use(FieldsOfRecords) -> Vec<ValuesInUse>;
    /// Looks in the vault for notes that could be a skill's records under other names. Changes nothing.
    propose_fields(SkillRef) -> FieldProposal;
    /// Reads the vault with settings of records that are not in force yet. Changes nothing.
    preview_records(PreviewRecords) -> RecordsPreview;
    /// Writes into a note what makes it a record, as one change set of the user's own.
    mark_record(MarkRecord) -> ToolResult;
    list_tools(Nothing) -> Vec<ToolRow>;
    /// Runs one tool from its form; its events carry `run` as their session.
    call_tool(CallTool) -> ToolResult;
    stop_tool(RunRef) -> Nothing;
    /// Tools that the assistant wrote and nobody has approved. None of them can be called.
    list_pending_tools(Nothing) -> Vec<PendingToolRow>;
    /// Runs a pending tool without any effect: nothing leaves the machine.
    dry_run_tool(DryRunTool) -> DryRunResult;
    /// Puts a pending tool in force as it was looked at.
    promote_tool(PendingToolRef) -> PromotedTool;
    discard_tool(PendingToolRef) -> Nothing;

    /// The MCP servers of the configuration. Starts none.
    list_servers(Nothing) -> ServersView;
    /// What the user agrees to of a server, its tools, the end of its standard error.
    server_detail(ServerRef) -> ServerDetail;
    /// Switches a server or one of its tools, or says what a tool does.
    set_server(SetServer) -> ServersView;
    /// The user agrees to a server as they looked at it, with the credentials that it names; that starts it.
    agree_to_server(AgreeToServer) -> ServersView;
    /// The user approves a changed tool as they looked at it.
    approve_server_tool(ApproveServerTool) -> ServersView;
    /// Where the user of a server would sign in. Opens nothing.
    server_sign_in(ServerRef) -> ServerSignIn;
    /// The command or address of a server as the configuration has it.
    server_entry(ServerRef) -> ServerEntry;
    /// Changes that; the user has to agree to what it starts or contacts then.
    edit_server(EditServer) -> ServersView;
    /// Ends a server and starts it again; answers when it runs, or why it does not.
    restart_server(ServerRef) -> Nothing;
    /// Ends a server, also while it starts.
    stop_server(ServerRef) -> Nothing;
    /// Takes a server out of the configuration, with what was agreed to of it.
    remove_server(ServerRef) -> ServersView;
    /// What a pasted text would add. Writes and starts nothing.
    read_servers(ReadServers) -> Vec<OfferedServer>;
    /// Adds servers of a pasted text; their secrets become credentials. None starts before the user agrees to it.
    add_servers(AddServers) -> ServersView;
    /// The servers that other programs on this machine are configured with. Reads only.
    list_server_files(Nothing) -> Vec<ServerFile>;
    /// As `add_servers`, from a file of `list_server_files`.
    import_servers(ImportServers) -> ServersView;
    /// The prompts of the servers that the user agreed to, as they were last listed. Starts none.
    list_server_prompts(Nothing) -> Vec<ServerPrompt>;
    /// Asks a server for a prompt with these arguments: a text that a message can take along.
    fill_server_prompt(FillPrompt) -> AttachedFile;
    /// Values that a server suggests for an argument of a prompt.
    complete_server_prompt(CompletePrompt) -> Vec<String>;
    /// An image of a server's answer, by the id in its value.
    read_server_media(ServerMediaRef) -> ImageData;
    /// Saves a sound or file of a server's answer and shows it in the system's file manager.
    show_server_media(ServerMediaRef) -> Nothing;
    /// Resources of servers whose name or address has these words. Starts none.
    suggest_resources(SuggestResources) -> Vec<ResourceSuggestion>;

    /// The mailboxes of the configuration, as they were last tested. Contacts no server.
    list_mailboxes(Nothing) -> MailboxesView;
    /// Asks the domain of an address, then Thunderbird's database, for its mail servers. Stores nothing.
    find_mail_servers(MailAddress) -> FoundMailServers;
    /// Tests a mailbox and stores it, its password in the credentials; nothing where the test fails.
    save_mailbox(SaveMailbox) -> SavedMailbox;
    /// Switches sending or changing in a mailbox.
    set_mailbox(SetMailbox) -> MailboxesView;
    /// Signs in to the servers of a mailbox and lists its folders. Sends and changes nothing.
    test_mailbox(TestMailbox) -> MailboxesView;
    /// Takes a mailbox out of the configuration; its mail stays where it is.
    remove_mailbox(RemoveMailbox) -> MailboxesView;

    /// Names, states and grants; never a value.
    list_credentials(Nothing) -> CredentialsView;
    /// Keeps a value, in the place of an older one.
    set_credential(SetCredential) -> CredentialsView;
    /// Removes a credential and all its grants.
    remove_credential(CredentialRef) -> CredentialsView;
    /// Lets a provider, skill or tool, as it is now, have a credential for where it sends it.
    grant_credential(GrantCredential) -> CredentialsView;
    revoke_credential(GrantCredential) -> CredentialsView;
    /// Opens the encrypted file of the credentials for as long as this Nova runs.
    unlock_credentials(UnlockCredentials) -> CredentialsView;
    /// Has the user sign in with the browser; answers when they have, or have not.
    sign_in(SignIn) -> CredentialsView;
    /// Rules, policies, and what was approved of tools that did not come with Nova.
    list_rules(Nothing) -> PermissionsView;
    /// Writes a rule; it is the only answer to its pattern from now on, at once.
    add_rule(AddRule) -> PermissionsView;
    /// Takes a rule back, at once, with what running chats were granted by it.
    remove_rule(RuleRef) -> PermissionsView;
    /// Takes back what was approved of a tool: its next call asks as the first did.
    revoke_tool(ApprovedToolRef) -> PermissionsView;
    /// Takes back that every call of a tool may contact a host: its next request there asks.
    revoke_host(ApprovedHostRef) -> PermissionsView;
    /// What would become of a call, and which rule says so. Nothing runs.
    try_rule(TryRule) -> TriedRule;

    read_note(NoteRef) -> NoteView;
    /// Opens the note in Obsidian.
    open_note(NoteRef) -> Nothing;
    /// Opens a link of a message in the system's browser; only http and https.
    open_link(LinkRef) -> Nothing;
    list_changes(ListChanges) -> Vec<ChangeSetView>;
    undo_changes(UndoChanges) -> UndoResult;
    /// Writes what an interrupted change set had announced and not written.
    finish_changes(FinishChanges) -> FinishResult;
    /// Forgets change sets past their time, or past a shorter one.
    prune_changes(PruneChanges) -> PruneResult;
    /// Keeps one side of a note that was changed twice.
    resolve_conflict(ResolveConflict) -> ResolvedConflict;
    /// Everything in the vault that a person should put right.
    list_problems(Nothing) -> Vec<ProblemView>;
}

/// Commands whose parameters appear in no error.
const HOLD_SECRETS: [&str; 6] =
    ["set_credential", "unlock_credentials", "give_file", "read_servers", "add_servers", "save_mailbox"];

fn read_params<T: serde::de::DeserializeOwned>(method: &str, params: Value) -> Result<T, UserError> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    serde_json::from_value(params).map_err(|error| {
        UserError::new(
            ErrorCode::BadRequest,
            match HOLD_SECRETS.contains(&method) {
                // What serde says may quote what it has read.
                true => format!("Invalid parameters of {method}."),
                false => format!("Invalid parameters of {method}: {error}."),
            },
            "Update the window and the program together.",
        )
    })
}

fn write_result<T: serde::Serialize>(method: &str, result: T) -> Result<Value, UserError> {
    serde_json::to_value(result).map_err(|error| {
        UserError::new(
            ErrorCode::Internal,
            format!("The answer of {method} cannot be serialised: {error}."),
            "",
        )
    })
}
