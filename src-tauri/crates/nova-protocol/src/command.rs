//! The commands of the window, declared once.
//!
//! [`Commands`] has one method per command; the backend implements it, so an unhandled command does not
//! compile. [`dispatch`] is the single entry point for `rpc(method, params)`.

use std::future::Future;

use serde_json::Value;

use crate::{
    AttachedFile, ErrorCode, UserError, credentials::*, glance::*, mailboxes::*, panel::*, routines::*,
    server_offers::*, servers::*, view::*,
};

macro_rules! commands {
    ($d:tt $( $(#[doc = $doc:literal])* $name:ident($params:ty) -> $result:ty; )+) => {
        /// Handles every command.
        pub trait Commands: Send + Sync {
            $( $(#[doc = $doc])*
            fn $name(&self, params: $params) -> impl Future<Output = Result<$result, UserError>> + Send; )+
        }

        /// Implements [`Commands`] for a type with a method for each command. A missing method does not
        /// compile.
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

        /// Calls the command named `method` with the parsed parameters and serialises its result.
        ///
        /// # Errors
        /// `bad_request` for an unknown method or invalid parameters; otherwise the command's own error.
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
    /// The state that the window needs at startup.
    app_status(Nothing) -> AppStatus;
    /// Theme, text size and the like, stored in `nova.config.json`.
    set_appearance(Appearance) -> Nothing;
    set_reminders(Reminders) -> Nothing;
    set_background(Background) -> Nothing;
    /// The layout when the window was last closed.
    window_layout(Nothing) -> WindowLayout;
    keep_layout(WindowLayout) -> Nothing;
    /// The drafts of all chats.
    list_drafts(Nothing) -> Vec<DraftView>;
    /// Stores a chat's draft, durable when this returns; an empty draft is deleted.
    keep_draft(DraftView) -> Nothing;
    /// Stores an image for use in a draft.
    keep_draft_image(KeepDraftImage) -> DraftImage;
    read_draft_image(DraftImageRef) -> NewImage;
    /// Reveals the file with the rejected settings, or else `nova.config.json`, in the system's file manager.
    show_config_file(Nothing) -> Nothing;

    /// The choices of the first start on this machine. Writes nothing.
    first_run_options(Nothing) -> FirstRunOptions;
    /// Lets the user pick a folder in the system's dialog.
    pick_folder(Nothing) -> PickedFolder;
    /// Lets the user choose a file from anywhere, for a tool to read.
    choose_file(ChooseFile) -> ChosenFile;
    /// Accepts a file dropped on the window, for a tool to read.
    give_file(GiveFile) -> GivenFileView;
    /// Opens a vault and remembers it.
    open_vault(OpenVault) -> VaultSummary;

    /// The data of the vault's settings page.
    vault_page(Nothing) -> VaultPage;
    /// Reveals the vault's folder in the system's file manager.
    show_vault_folder(Nothing) -> Nothing;
    /// Removes a vault from the recent ones; its folder is unchanged.
    forget_vault(VaultRef) -> VaultPage;
    /// Adds a note or folder to the private ones, or removes it.
    set_private(SetPrivate) -> VaultPage;
    /// Whether a note, by path or name, is private.
    check_private(NoteRef) -> NotePrivacy;
    /// Adds a folder outside the vault to those that a link at the vault's top level may point to, or removes
    /// it.
    set_root(SetRoot) -> VaultPage;
    /// Sets how much of the history is retained.
    keep_history(KeepHistory) -> VaultPage;

    /// The folders outside the vault that the assistant may work in.
    list_workspaces(Nothing) -> Workspaces;
    add_workspace(AddWorkspace) -> Workspaces;
    /// Removes a folder from the list; nothing in it changes.
    remove_workspace(WorkspaceRef) -> Workspaces;

    /// All sessions that are not deleted, newest first.
    list_sessions(Nothing) -> Vec<SessionRow>;
    create_session(Nothing) -> SessionRow;
    open_session(SessionRef) -> SessionView;
    rename_session(RenameSession) -> SessionRow;
    /// Pins, unpins, archives or unarchives a session.
    set_session(SetSession) -> SessionRow;
    /// Moves a session to the trash; it can be restored until it is purged.
    delete_session(SessionRef) -> Nothing;
    restore_session(SessionRef) -> SessionRow;
    /// The sessions in the trash, newest first.
    list_deleted_sessions(Nothing) -> Vec<SessionRow>;
    /// Permanently deletes one session in the trash, or all.
    purge_sessions(PurgeSessions) -> PurgedSessions;
    /// Searches titles and messages. Matches in titles first, then newest first.
    search_sessions(SearchSessions) -> Vec<FoundSession>;
    /// Lets the user choose where to save a session as Markdown.
    export_session(ExportSession) -> ExportedSession;
    /// Switches to the branch of a turn that was replaced by another.
    choose_branch(ChooseBranch) -> Nothing;
    /// Starts a turn; its progress arrives as events.
    send_message(SendMessage) -> TurnRef;
    /// The bytes of an image that was sent in a session.
    read_image(ImageRef) -> ImageData;
    /// Stops the running turn, its tools and their processes.
    stop_turn(SessionRef) -> Nothing;
    /// Stops a call that runs in the background.
    stop_call(CallRef) -> Nothing;
    /// How much of its model's context a session uses.
    context(SessionRef) -> ContextView;
    /// Deactivates a skill from the session's next step on.
    drop_skill(DropSkill) -> Nothing;
    /// Answers an approval of a turn or of a form run.
    decide_approval(DecideApproval) -> Nothing;
    /// Edits the arguments of a pending call and recomputes its diff.
    revise_approval(ReviseApproval) -> Nothing;

    list_providers(ListProviders) -> Vec<ProviderRow>;
    /// Tests a provider with the pasted key by requesting one word. Writes nothing.
    check_provider(NewProvider) -> CheckedProvider;
    /// Tests a provider in the same way, then adds it to the configuration and its key to the credentials.
    add_provider(NewProvider) -> CheckedProvider;
    /// Records the user's consent to send notes to a remote provider.
    agree_provider(ProviderRef) -> Nothing;
    revoke_provider(ProviderRef) -> Nothing;
    set_model(SetModel) -> Nothing;
    /// Marks a model as a favourite, or unmarks it.
    set_favourite(SetFavourite) -> Nothing;
    /// Sets the maximum number of tokens of a request to a provider.
    set_context(SetContext) -> Nothing;

    list_skills(Nothing) -> Vec<SkillRow>;
    enable_skill(EnableSkill) -> Vec<SkillRow>;
    /// A skill's tools with their switches and statistics, its configuration, and its last error.
    skill_detail(SkillRef) -> SkillDetail;
    /// What the list of skills costs in every chat with the default model.
    skill_catalog(Nothing) -> CatalogView;
    /// Whether a message clearly about one skill activates it before the model answers.
    router(Nothing) -> RouterView;
    set_router(RouterView) -> RouterView;
    /// Changes how a skill is loaded, shown and configured.
    set_skill(SetSkill) -> Vec<SkillRow>;
    /// Reveals the files of a broken skill in the system's file manager.
    show_skill_files(SkillRef) -> Nothing;
    /// Creates the files of a user's skill.
    create_skill(CreateSkill) -> CreatedSkill;
    /// Reveals the folder of the user's skills in the system's file manager.
    show_skills_folder(Nothing) -> Nothing;
    /// The manual for writing skills.
    skill_manual(Nothing) -> SkillManual;
    /// The example requests that enabling the skill would misroute. Changes nothing.
    taken_by_skill(SkillRef) -> Vec<TakenExample>;
    /// The tools that a request may be about, best first. Uses no model.
    suggest_tools(SuggestTools) -> Vec<ToolSuggestion>;
    /// The content of a third-party skill, for review before the user accepts it.
    review_skill(SkillRef) -> SkillReview;
    /// Accepts a third-party skill as reviewed, which enables it.
    accept_skill(AcceptSkill) -> Vec<SkillRow>;
    /// The panels of the available skills, in the order of the skills.
    list_panels(Nothing) -> Vec<PanelView>;
    /// The current glances of the available skills. Never prompts: a tool that would need approval is
    /// skipped.
    list_glances(Nothing) -> Vec<GlanceView>;
    /// The routines by name.
    list_routines(Nothing) -> Vec<RoutineRow>;
    /// Writes the note of a new routine.
    add_routine(NewRoutine) -> RoutineRow;
    /// Changes the note of a routine where its form was changed.
    edit_routine(EditRoutine) -> RoutineRow;
    /// Enables or disables a routine in its note.
    switch_routine(SwitchRoutine) -> RoutineRow;
    /// Starts a routine; returns before it ends.
    run_routine(RoutineRef) -> RoutineRow;
    /// Marks the result of the newest run as seen.
    see_routine(RoutineRef) -> Nothing;
    /// The record types of the available skills.
    list_record_types(Nothing) -> Vec<RecordTypeRow>;
    /// The form of a new record, or of an existing one.
    record_form(RecordFormRef) -> RecordFormView;
    /// Saves a record's form as one change set of the user.
    save_record(SaveRecord) -> SavedRecord;
    /// The default currency of a skill's new records.
    usual_currency(SkillRef) -> UsualCurrency;
    /// Notes that a link field may refer to, best first.
    suggest_notes(SuggestNotes) -> Vec<NoteSuggestion>;
    /// The values used in fields of records, as suggestions for a form.
    values_in_use(FieldsOfRecords) -> Vec<ValuesInUse>;
    /// Searches the vault for notes that may be a skill's records under other names. Changes nothing.
    propose_fields(SkillRef) -> FieldProposal;
    /// Reads the vault with unsaved record settings. Changes nothing.
    preview_records(PreviewRecords) -> RecordsPreview;
    /// Turns a note into a record, as one change set of the user.
    mark_record(MarkRecord) -> ToolResult;
    list_tools(Nothing) -> Vec<ToolRow>;
    /// Runs a tool from its form; its events have `run` as their session.
    call_tool(CallTool) -> ToolResult;
    stop_tool(RunRef) -> Nothing;
    /// The tools that the assistant wrote and the user has not approved yet. They cannot be called.
    list_pending_tools(Nothing) -> Vec<PendingToolRow>;
    /// Runs a pending tool without effects and without network access.
    dry_run_tool(DryRunTool) -> DryRunResult;
    /// Enables a pending tool as reviewed.
    promote_tool(PendingToolRef) -> PromotedTool;
    discard_tool(PendingToolRef) -> Nothing;

    /// The configured MCP servers. Starts none.
    list_servers(Nothing) -> ServersView;
    /// A server's definition for consent, its tools, and the tail of its standard error.
    server_detail(ServerRef) -> ServerDetail;
    /// Enables or disables a server or one of its tools, or sets a tool's effect.
    set_server(SetServer) -> ServersView;
    /// Records consent to a server as reviewed, with the credentials it uses, and starts it.
    agree_to_server(AgreeToServer) -> ServersView;
    /// Approves a changed tool as reviewed.
    approve_server_tool(ApproveServerTool) -> ServersView;
    /// The host at which the user would sign in for a server. Opens nothing.
    server_sign_in(ServerRef) -> ServerSignIn;
    /// The configured command or address of a server.
    server_entry(ServerRef) -> ServerEntry;
    /// Changes the command or address of a server, which requires new consent.
    edit_server(EditServer) -> ServersView;
    /// Restarts a server; returns when it is running, or why it failed.
    restart_server(ServerRef) -> Nothing;
    /// Stops a server, even during its start.
    stop_server(ServerRef) -> Nothing;
    /// Removes a server from the configuration, with the user's consent to it.
    remove_server(ServerRef) -> ServersView;
    /// The servers in a pasted text. Writes and starts nothing.
    read_servers(ReadServers) -> Vec<OfferedServer>;
    /// Adds the servers of a pasted text; their secrets become credentials. None starts before the user
    /// consents.
    add_servers(AddServers) -> ServersView;
    /// The MCP servers configured in other programs on this machine. Read-only.
    list_server_files(Nothing) -> Vec<ServerFile>;
    /// Like `add_servers`, from a file of `list_server_files`.
    import_servers(ImportServers) -> ServersView;
    /// The prompts of servers with consent, as last listed. Starts none.
    list_server_prompts(Nothing) -> Vec<ServerPrompt>;
    /// Fetches a server's prompt with these arguments, as an attachment for a message.
    fill_server_prompt(FillPrompt) -> AttachedFile;
    /// A server's suggestions for an argument of a prompt.
    complete_server_prompt(CompletePrompt) -> Vec<String>;
    /// An image in a server's result, by the id in its value.
    read_server_media(ServerMediaRef) -> ImageData;
    /// Saves a sound or file in a server's result and reveals it in the system's file manager.
    show_server_media(ServerMediaRef) -> Nothing;
    /// The resources of servers whose name or address contains these words. Starts none.
    suggest_resources(SuggestResources) -> Vec<ResourceSuggestion>;

    /// The configured mailboxes with the results of their last tests. Contacts no server.
    list_mailboxes(Nothing) -> MailboxesView;
    /// Looks up the mail servers of an address at its domain, then in Thunderbird's database. Stores nothing.
    find_mail_servers(MailAddress) -> FoundMailServers;
    /// Tests a mailbox and stores it, with its password in the credentials. Stores nothing if the test fails.
    save_mailbox(SaveMailbox) -> SavedMailbox;
    /// Enables or disables sending or changing in a mailbox.
    set_mailbox(SetMailbox) -> MailboxesView;
    /// Signs in to the servers of a mailbox and lists its folders. Sends and changes nothing.
    test_mailbox(TestMailbox) -> MailboxesView;
    /// Removes a mailbox from the configuration; its mail is unchanged.
    remove_mailbox(RemoveMailbox) -> MailboxesView;
    /// Reports changes of the inboxes as `mail_changed` while the panel is open. An open panel repeats it every two
    /// minutes; without that, it ends after five.
    watch_mail(WatchMail) -> Nothing;

    /// Names, states and grants, but no values.
    list_credentials(Nothing) -> CredentialsView;
    /// Stores a value, replacing an existing one.
    set_credential(SetCredential) -> CredentialsView;
    /// Removes a credential and all its grants.
    remove_credential(CredentialRef) -> CredentialsView;
    /// Grants a credential to a provider, skill or tool in its present form, for its destination.
    grant_credential(GrantCredential) -> CredentialsView;
    revoke_credential(GrantCredential) -> CredentialsView;
    /// Unlocks the encrypted credentials file for the lifetime of the process.
    unlock_credentials(UnlockCredentials) -> CredentialsView;
    /// Lets the user sign in in the browser; returns when they have succeeded or failed.
    sign_in(SignIn) -> CredentialsView;
    /// Rules, policies, and approvals of tools that are not built in.
    list_rules(Nothing) -> PermissionsView;
    /// Adds a rule, which replaces others of its pattern at once.
    add_rule(AddRule) -> PermissionsView;
    /// Removes a rule at once, with the grants that running chats have from it.
    remove_rule(RuleRef) -> PermissionsView;
    /// Revokes the approval of a tool: its next call asks again.
    revoke_tool(ApprovedToolRef) -> PermissionsView;
    /// Revokes a tool's permanent access to a host: its next request there asks again.
    revoke_host(ApprovedHostRef) -> PermissionsView;
    /// The decision about a call, and the rule behind it. Runs nothing.
    try_rule(TryRule) -> TriedRule;

    read_note(NoteRef) -> NoteView;
    /// Opens the note in Obsidian.
    open_note(NoteRef) -> Nothing;
    /// Opens an http or https link of a message in the system's browser.
    open_link(LinkRef) -> Nothing;
    list_changes(ListChanges) -> Vec<ChangeSetView>;
    undo_changes(UndoChanges) -> UndoResult;
    /// Writes the remaining changes of an interrupted change set.
    finish_changes(FinishChanges) -> FinishResult;
    /// Deletes change sets beyond the retention period, or beyond a shorter one.
    prune_changes(PruneChanges) -> PruneResult;
    /// Resolves a conflict by keeping one side.
    resolve_conflict(ResolveConflict) -> ResolvedConflict;
    /// All problems in the vault that the user should fix.
    list_problems(Nothing) -> Vec<ProblemView>;
}

/// Commands whose parameters must not appear in errors.
const HOLD_SECRETS: [&str; 6] =
    ["set_credential", "unlock_credentials", "give_file", "read_servers", "add_servers", "save_mailbox"];

fn read_params<T: serde::de::DeserializeOwned>(method: &str, params: Value) -> Result<T, UserError> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    serde_json::from_value(params).map_err(|error| {
        UserError::new(
            ErrorCode::BadRequest,
            match HOLD_SECRETS.contains(&method) {
                // serde's error may quote the input.
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
