use ts_rs::{Config, ExportError, TS, TypeVisitor};

use crate::{
    AppStatus, Envelope, UserError, command::typescript_rows, credentials, glance, mailboxes, panel, view,
};

/// Generates the window's TypeScript file: every type of this crate and the list of commands.
///
/// # Errors
/// If a type cannot be expressed in TypeScript.
pub fn typescript() -> Result<String, ExportError> {
    let cfg = Config::default();
    let mut declarations = Declarations { cfg: &cfg, seen: Default::default(), texts: Default::default() };
    declarations.visit::<Envelope>();
    declarations.visit::<UserError>();
    declarations.visit::<AppStatus>();
    declarations.visit::<panel::PanelView>();
    declarations.visit::<glance::GlanceView>();
    macro_rules! visit { ($($name:ident),+ $(,)?) => { $( declarations.visit::<mailboxes::$name>(); )+ } }
    visit!(
        MailboxesView,
        MailboxRow,
        MailboxEntry,
        MailboxPassword,
        MailboxTest,
        MailboxStep,
        MailboxStepKind,
        MailboxProblem,
        MailAddress,
        FoundMailServers,
        ProposedMailServers,
        AskedHost,
        SaveMailbox,
        SavedMailbox,
        SetMailbox,
        TestMailbox,
        RemoveMailbox,
        WatchMail,
    );
    declarations.visit::<crate::RoutineRow>();
    declarations.visit::<crate::RoutineRun>();
    declarations.visit::<crate::RoutineEnd>();
    declarations.visit::<crate::RoutineRef>();
    declarations.visit::<crate::SwitchRoutine>();
    declarations.visit::<crate::NewRoutine>();
    declarations.visit::<crate::EditRoutine>();
    macro_rules! visit { ($($name:ident),+ $(,)?) => { $( declarations.visit::<view::$name>(); )+ } }
    visit!(
        Nothing,
        Appearance,
        Background,
        DraftView,
        DraftImage,
        KeepDraftImage,
        DraftImageRef,
        WindowLayout,
        FirstRunOptions,
        PickedFolder,
        ChooseFile,
        ChosenFile,
        GiveFile,
        GivenFileView,
        OpenVault,
        VaultSummary,
        SessionRow,
        SessionRef,
        SessionView,
        CallRef,
        ContextView,
        RenameSession,
        SetSession,
        PurgeSessions,
        PurgedSessions,
        SearchSessions,
        FoundSession,
        ExportSession,
        ExportedSession,
        ChooseBranch,
        SendMessage,
        TurnRef,
        DecideApproval,
        ReviseApproval,
        ProviderRow,
        ListProviders,
        ProviderRef,
        NewProvider,
        CheckedProvider,
        SetModel,
        SetFavourite,
        SetContext,
        SkillRow,
        SkillDetail,
        CatalogView,
        RouterView,
        SetSkill,
        EnableSkill,
        DropSkill,
        SkillRef,
        TakenExample,
        SuggestTools,
        ToolSuggestion,
        SkillReview,
        AcceptSkill,
        CreateSkill,
        CreatedSkill,
        SkillManual,
        ToolRow,
        CallTool,
        ToolResult,
        ImageRef,
        ImageData,
        RecordTypeRow,
        RecordFormRef,
        RecordFormView,
        SaveRecord,
        SavedRecord,
        SuggestNotes,
        UsualCurrency,
        FieldsOfRecords,
        ValuesInUse,
        NoteSuggestion,
        FieldProposal,
        PreviewRecords,
        RecordsPreview,
        MarkRecord,
        RunRef,
        PendingToolRow,
        PendingToolRef,
        DryRunTool,
        DryRunResult,
        PromotedTool,
        PermissionsView,
        AddRule,
        RuleRef,
        ApprovedHostRef,
        ApprovedToolRef,
        TryRule,
        TriedRule,
        NoteRef,
        LinkRef,
        NoteView,
        RecordOf,
        ListChanges,
        ChangeSetView,
        UndoChanges,
        UndoResult,
        FinishChanges,
        FinishResult,
        PruneChanges,
        PruneResult,
        VaultPage,
        VaultRef,
        SetPrivate,
        SetRoot,
        KeepHistory,
        NotePrivacy,
        Workspaces,
        AddWorkspace,
        WorkspaceRef,
        ResolveConflict,
        ResolvedConflict,
    );

    declarations.visit::<crate::ServersView>();
    declarations.visit::<crate::ServerDetail>();
    declarations.visit::<crate::ServerRef>();
    declarations.visit::<crate::SetServer>();
    declarations.visit::<crate::AgreeToServer>();
    declarations.visit::<crate::ApproveServerTool>();
    declarations.visit::<crate::ReadServers>();
    declarations.visit::<crate::AddServers>();
    declarations.visit::<crate::ServerFile>();
    declarations.visit::<crate::ImportServers>();
    declarations.visit::<crate::ServerSignIn>();
    declarations.visit::<crate::ServerEntry>();
    declarations.visit::<crate::EditServer>();
    declarations.visit::<crate::ServerPrompt>();
    declarations.visit::<crate::FillPrompt>();
    declarations.visit::<crate::CompletePrompt>();
    declarations.visit::<crate::SuggestResources>();
    declarations.visit::<crate::ResourceSuggestion>();
    declarations.visit::<crate::ServerMediaRef>();
    declarations.visit::<credentials::CredentialsView>();
    declarations.visit::<credentials::SetCredential>();
    declarations.visit::<credentials::CredentialRef>();
    declarations.visit::<credentials::SignIn>();
    declarations.visit::<credentials::GrantCredential>();
    declarations.visit::<credentials::UnlockCredentials>();

    let mut out =
        String::from("// Generated from the crate nova-protocol by `make generate`. Do not edit.\n\n");
    for declaration in declarations.texts.values() {
        out.push_str("export ");
        out.push_str(declaration);
        out.push_str("\n\n");
    }
    out.push_str("export type Commands = {\n");
    for (name, params, result) in typescript_rows(&cfg) {
        out.push_str(&format!("  {name}: {{ params: {params}; result: {result} }};\n"));
    }
    out.push_str("};\n");
    Ok(out)
}

struct Declarations<'a> {
    cfg: &'a Config,
    seen: std::collections::HashSet<std::any::TypeId>,
    texts: std::collections::BTreeMap<String, String>,
}

impl TypeVisitor for Declarations<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(std::any::TypeId::of::<T>()) {
            return;
        }
        // Types without a declaration (string, Vec, tuple) only refer to others.
        if T::output_path().is_some() {
            self.texts.insert(T::ident(self.cfg), T::decl(self.cfg));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}
