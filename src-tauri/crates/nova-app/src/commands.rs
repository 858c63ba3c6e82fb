use std::path::PathBuf;

use nova_protocol::*;
use nova_registry::ToolLookup;
use nova_session::UserMessage;
use serde_json::Value;

use crate::app::App;
use crate::author_files::SKILL_MANUAL;
use crate::blocking::blocking;
use crate::chat::unknown_skill;
use crate::credentials::signed_out_reason;
use crate::first_run::picked;
use crate::images;
use crate::new_skill::NewSkill;
use crate::panels::panels;
use crate::skill_rows::{reason, state_view};

impl Commands for App {
    async fn app_status(&self, _: Nothing) -> Result<AppStatus, UserError> {
        let (config_problem, appearance, configured) = {
            let settings = self.inner.settings.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            (settings.problem.clone(), settings.config.appearance.clone(), settings.config.vault.is_some())
        };
        let gone = self.gone().await;
        Ok(AppStatus {
            version: env!("CARGO_PKG_VERSION").into(),
            platform: std::env::consts::OS.into(),
            first_run: !configured && self.places().vault.is_none(),
            vault: self.vault_summary().await.ok(),
            vault_problem: gone.vault,
            gone_roots: gone.roots.into_values().collect(),
            config_problem,
            model: self.default_model().await,
            appearance,
            today: self.inner.options.clock.today().to_string(),
        })
    }

    async fn set_appearance(&self, appearance: Appearance) -> Result<Nothing, UserError> {
        let value = serde_json::to_value(appearance)
            .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))?;
        self.change_config(|config| {
            config.insert("appearance".into(), value.clone());
        })?;
        Ok(Nothing {})
    }

    async fn window_layout(&self, _: Nothing) -> Result<WindowLayout, UserError> {
        let app = self.clone();
        blocking(move || Ok(app.layout())).await
    }

    async fn keep_layout(&self, layout: WindowLayout) -> Result<Nothing, UserError> {
        let app = self.clone();
        self.inner.options.desktop.zoom(layout.zoom_factor());
        blocking(move || app.keep_window_layout(&layout)).await?;
        Ok(Nothing {})
    }

    async fn list_drafts(&self, _: Nothing) -> Result<Vec<DraftView>, UserError> {
        let app = self.clone();
        let drafts = blocking(move || app.drafts()).await?;
        self.without_sent(drafts).await
    }

    async fn keep_draft(&self, draft: DraftView) -> Result<Nothing, UserError> {
        let app = self.clone();
        blocking(move || app.keep_draft_of(&draft)).await?;
        Ok(Nothing {})
    }

    async fn keep_draft_image(&self, kept: KeepDraftImage) -> Result<DraftImage, UserError> {
        let app = self.clone();
        blocking(move || app.keep_image_of_draft(&kept)).await
    }

    async fn read_draft_image(&self, image: DraftImageRef) -> Result<NewImage, UserError> {
        let app = self.clone();
        blocking(move || app.image_of_draft(&image)).await
    }

    async fn show_config_file(&self, _: Nothing) -> Result<Nothing, UserError> {
        let broken = self.settings_problem().map(|problem| PathBuf::from(problem.file));
        self.show_in_file_manager(broken.unwrap_or_else(|| self.places().config_file())).await?;
        Ok(Nothing {})
    }

    async fn first_run_options(&self, _: Nothing) -> Result<FirstRunOptions, UserError> {
        self.first_run().await
    }

    async fn pick_folder(&self, _: Nothing) -> Result<PickedFolder, UserError> {
        let path = self.inner.options.desktop.pick_folder().await;
        let places = self.places().clone();
        blocking(move || Ok(picked(path, &places))).await
    }

    async fn choose_file(&self, choose: ChooseFile) -> Result<ChosenFile, UserError> {
        self.choose(choose).await
    }

    async fn give_file(&self, file: GiveFile) -> Result<GivenFileView, UserError> {
        let app = self.clone();
        blocking(move || app.give(&file)).await
    }

    async fn open_vault(&self, choice: OpenVault) -> Result<VaultSummary, UserError> {
        self.open_first(choice).await?;
        self.vault_summary().await
    }

    async fn vault_page(&self, _: Nothing) -> Result<VaultPage, UserError> {
        self.page_of_vault().await
    }

    async fn show_vault_folder(&self, _: Nothing) -> Result<Nothing, UserError> {
        self.show_in_file_manager(self.vault()?.root().to_owned()).await?;
        Ok(Nothing {})
    }

    async fn forget_vault(&self, vault: VaultRef) -> Result<VaultPage, UserError> {
        self.forget_recent_vault(&vault.path)?;
        self.page_of_vault().await
    }

    async fn set_private(&self, set: SetPrivate) -> Result<VaultPage, UserError> {
        self.list_private(set).await?;
        self.page_of_vault().await
    }

    async fn check_private(&self, note: NoteRef) -> Result<NotePrivacy, UserError> {
        self.privacy_of(note.path).await
    }

    async fn set_root(&self, set: SetRoot) -> Result<VaultPage, UserError> {
        self.list_root(set).await?;
        self.page_of_vault().await
    }

    async fn keep_history(&self, keep: KeepHistory) -> Result<VaultPage, UserError> {
        self.limit_history(keep)?;
        self.page_of_vault().await
    }

    async fn list_sessions(&self, _: Nothing) -> Result<Vec<SessionRow>, UserError> {
        let sessions = self.inner.store.list().await?;
        Ok(sessions.into_iter().map(|info| self.session_row(info)).collect())
    }

    async fn create_session(&self, _: Nothing) -> Result<SessionRow, UserError> {
        Ok(self.session_row(self.new_session().await?))
    }

    async fn open_session(&self, session: SessionRef) -> Result<SessionView, UserError> {
        let info = self.inner.store.info(&session.session).await?;
        let open = self.chats().get(&session.session).cloned();
        let mut running_calls = Vec::new();
        if let Some(chat) = open {
            running_calls = chat.session.running_calls();
            chat.session.flush().await?;
        }
        let events = self.inner.store.events_since(&session.session, 0).await;
        let events = events?;
        let row = self.session_row(info);
        if row.running && !self.runs_here(&row.id) {
            self.follow_elsewhere(&row.id, events.last().map_or(0, |(last, _)| last + 1));
        }
        let events =
            blocking(move || Ok(with_blocks(events.into_iter().map(|(_, envelope)| envelope)))).await?;
        Ok(SessionView { row, events, running_calls })
    }

    async fn rename_session(&self, rename: RenameSession) -> Result<SessionRow, UserError> {
        let title = rename.title.trim();
        if title.is_empty() {
            return Err(UserError::new(ErrorCode::BadRequest, "The title is empty.", "Write a title."));
        }
        let info = self.inner.store.rename(&rename.session, title).await?;
        self.emit(Event::SessionChanged { id: rename.session });
        Ok(self.session_row(info))
    }

    async fn set_session(&self, set: SetSession) -> Result<SessionRow, UserError> {
        self.set_session_as(&set).await
    }

    async fn delete_session(&self, session: SessionRef) -> Result<Nothing, UserError> {
        self.end_calls(&session.session).await;
        self.move_to_trash(&session.session).await?;
        Ok(Nothing {})
    }

    async fn restore_session(&self, session: SessionRef) -> Result<SessionRow, UserError> {
        let info = self.inner.store.restore(&session.session).await?;
        self.emit(Event::SessionChanged { id: session.session });
        Ok(self.session_row(info))
    }

    async fn list_deleted_sessions(&self, _: Nothing) -> Result<Vec<SessionRow>, UserError> {
        let sessions = self.inner.store.list_deleted().await?;
        Ok(sessions.into_iter().map(|info| self.session_row(info)).collect())
    }

    async fn purge_sessions(&self, purge: PurgeSessions) -> Result<PurgedSessions, UserError> {
        let purged = match purge.session {
            Some(session) => self.purge_session(&session).await.map(|()| 1)?,
            None => self.purge_trash(None).await?,
        };
        Ok(PurgedSessions { purged: u32::try_from(purged).unwrap_or(u32::MAX) })
    }

    async fn search_sessions(&self, search: SearchSessions) -> Result<Vec<FoundSession>, UserError> {
        self.search_in_sessions(&search).await
    }

    async fn export_session(&self, export: ExportSession) -> Result<ExportedSession, UserError> {
        self.save_session(&export).await
    }

    async fn choose_branch(&self, choose: ChooseBranch) -> Result<Nothing, UserError> {
        self.put_branch_in_force(&choose.session, &choose.turn).await?;
        Ok(Nothing {})
    }

    async fn send_message(&self, message: SendMessage) -> Result<TurnRef, UserError> {
        let after = self.said_after(&message.session, message.after).await?;
        let images = message.images;
        let images = blocking(move || images::received(images)).await?;
        let said =
            UserMessage { text: message.text, skills: message.skills, tool: message.tool, after, images };
        let turn = self.start_turn(&message.session, message.turn, message.model.as_deref(), said).await?;
        Ok(TurnRef { turn })
    }

    async fn read_image(&self, image: ImageRef) -> Result<ImageData, UserError> {
        self.image_of(&image).await
    }

    async fn stop_turn(&self, session: SessionRef) -> Result<Nothing, UserError> {
        self.stop_here(&session.session)?;
        Ok(Nothing {})
    }

    async fn stop_call(&self, call: CallRef) -> Result<Nothing, UserError> {
        self.stop_call_here(&call)?;
        Ok(Nothing {})
    }

    async fn context(&self, session: SessionRef) -> Result<ContextView, UserError> {
        let info = self.inner.store.info(&session.session).await?;
        let chat = self.open_chat(&session.session).await?;
        let model = match info.model {
            Some(model) => Some(model),
            None => self.config().model,
        };
        let limit = model.and_then(|model| self.context_of(&model));
        Ok(chat.session.context(&self.inner.registry.snapshot(), limit))
    }

    async fn drop_skill(&self, drop: DropSkill) -> Result<Nothing, UserError> {
        self.drop_active(&drop.session, &drop.skill).await?;
        Ok(Nothing {})
    }

    async fn decide_approval(&self, decide: DecideApproval) -> Result<Nothing, UserError> {
        self.waiting(&decide.session)?.decide(
            &decide.call,
            Some(decide.revision),
            decide.decision,
            decide.args,
            decide.reason,
            "you",
        )?;
        Ok(Nothing {})
    }

    async fn revise_approval(&self, revise: ReviseApproval) -> Result<Nothing, UserError> {
        self.waiting(&revise.session)?.revise(&revise.call, revise.args)?;
        Ok(Nothing {})
    }

    async fn list_providers(&self, list: ListProviders) -> Result<Vec<ProviderRow>, UserError> {
        if list.again {
            self.inner.models.forget_lists();
        }
        Ok(self.list_provider_rows().await)
    }

    async fn check_provider(&self, new: NewProvider) -> Result<CheckedProvider, UserError> {
        self.check_new_provider(&new).await
    }

    async fn add_provider(&self, new: NewProvider) -> Result<CheckedProvider, UserError> {
        self.add_new_provider(new).await
    }

    async fn agree_provider(&self, provider: ProviderRef) -> Result<Nothing, UserError> {
        match &provider.host {
            Some(host) => self.agree_to_host(&provider.provider, host).await?,
            None => self.agree_to_provider(&provider.provider).await?,
        }
        Ok(Nothing {})
    }

    async fn revoke_provider(&self, provider: ProviderRef) -> Result<Nothing, UserError> {
        self.revoke_provider_agreement(&provider.provider, provider.host.as_deref())?;
        Ok(Nothing {})
    }

    async fn set_model(&self, set: SetModel) -> Result<Nothing, UserError> {
        match set.session {
            Some(session) => {
                self.inner.store.set_model(&session, &set.model).await?;
                self.emit(Event::SessionChanged { id: session });
            }
            None => self.change_config(|config| {
                config.insert("model".into(), Value::String(set.model.clone()));
            })?,
        }
        Ok(Nothing {})
    }

    async fn set_favourite(&self, set: SetFavourite) -> Result<Nothing, UserError> {
        if !set.model.contains('/') {
            return Err(UserError::new(
                ErrorCode::UnknownModel,
                format!("\"{}\" is not a model.", set.model),
                "Write it as provider/model.",
            ));
        }
        self.change_config(|config| {
            let favourites = config.entry("favourites").or_insert_with(|| Value::Array(Vec::new()));
            if let Some(favourites) = favourites.as_array_mut() {
                favourites.retain(|model| model.as_str() != Some(&set.model));
                if set.favourite {
                    favourites.push(Value::String(set.model.clone()));
                }
            }
        })?;
        Ok(Nothing {})
    }

    async fn set_context(&self, set: SetContext) -> Result<Nothing, UserError> {
        self.set_context_of(&set.provider, set.context)?;
        Ok(Nothing {})
    }

    async fn list_skills(&self, _: Nothing) -> Result<Vec<SkillRow>, UserError> {
        self.skill_rows().await
    }

    async fn skill_detail(&self, skill: SkillRef) -> Result<SkillDetail, UserError> {
        self.detail_of(&skill.skill).await
    }

    async fn skill_catalog(&self, _: Nothing) -> Result<CatalogView, UserError> {
        let model = self.default_model().await;
        Ok(self.catalog_view(model.as_deref()))
    }

    async fn set_skill(&self, set: SetSkill) -> Result<Vec<SkillRow>, UserError> {
        self.set_skill_as(&set)?;
        self.skill_rows().await
    }

    async fn enable_skill(&self, enable: EnableSkill) -> Result<Vec<SkillRow>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(&enable.skill).ok_or_else(|| unknown_skill(&snapshot, &enable.skill))?;
        let id = skill.id.clone();
        if enable.enabled && skill.foreign && !self.agreed_to(skill) {
            return Err(crate::foreign_skills::needs_review(&id));
        }
        self.set_enabled(&id, enable.enabled)?;
        self.list_skills(Nothing {}).await
    }

    async fn review_skill(&self, skill: SkillRef) -> Result<SkillReview, UserError> {
        self.review_of(&skill.skill).await
    }

    async fn accept_skill(&self, accept: AcceptSkill) -> Result<Vec<SkillRow>, UserError> {
        self.agree_to_skill(&accept.skill, &accept.fingerprint).await?;
        self.list_skills(Nothing {}).await
    }

    async fn create_skill(&self, create: CreateSkill) -> Result<CreatedSkill, UserError> {
        let files = self.new_skill(&create.name, NewSkill::Folder).await?;
        let folder = files.first().and_then(|first| first.parent()?.file_name());
        let skill = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(CreatedSkill { skill, files: files.iter().map(|file| self.places().shown(file)).collect() })
    }

    async fn show_skills_folder(&self, _: Nothing) -> Result<Nothing, UserError> {
        self.show_in_file_manager(self.places().tool_folders().skills).await?;
        Ok(Nothing {})
    }

    async fn skill_manual(&self, _: Nothing) -> Result<SkillManual, UserError> {
        Ok(SkillManual { html: nova_session::html(SKILL_MANUAL) })
    }

    async fn taken_by_skill(&self, skill: SkillRef) -> Result<Vec<TakenExample>, UserError> {
        self.taken_by(&skill.skill).await
    }

    async fn suggest_tools(&self, request: SuggestTools) -> Result<Vec<ToolSuggestion>, UserError> {
        let limit = request.limit.unwrap_or(8);
        if request.example == Some(true) {
            return self.route_example(&request.text, limit).await;
        }
        self.route(&request.text, limit).await
    }

    async fn list_panels(&self, _: Nothing) -> Result<Vec<PanelView>, UserError> {
        Ok(panels(&self.inner.registry.snapshot()))
    }

    async fn list_glances(&self, _: Nothing) -> Result<Vec<GlanceView>, UserError> {
        Ok(self.glances().await)
    }

    async fn list_record_types(&self, _: Nothing) -> Result<Vec<RecordTypeRow>, UserError> {
        Ok(self.record_types())
    }

    async fn record_form(&self, form: RecordFormRef) -> Result<RecordFormView, UserError> {
        self.record_form_of(form).await
    }

    async fn save_record(&self, save: SaveRecord) -> Result<SavedRecord, UserError> {
        self.save_record_of(save).await
    }

    async fn usual_currency(&self, skill: SkillRef) -> Result<UsualCurrency, UserError> {
        self.usual_currency_of(&skill.skill).await
    }

    async fn values_in_use(&self, wanted: FieldsOfRecords) -> Result<Vec<ValuesInUse>, UserError> {
        self.values_in_use_of(wanted).await
    }

    async fn suggest_notes(&self, wanted: SuggestNotes) -> Result<Vec<NoteSuggestion>, UserError> {
        self.notes_like(wanted).await
    }

    async fn propose_fields(&self, skill: SkillRef) -> Result<FieldProposal, UserError> {
        self.fields_of_vault(&skill.skill).await
    }

    async fn list_tools(&self, _: Nothing) -> Result<Vec<ToolRow>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let rows = snapshot.skills().iter().flat_map(|skill| {
            skill.tools.iter().chain(&skill.tools_not_ready).map(|tool| ToolRow {
                wire_name: tool.wire_name.clone(),
                name: tool.shown_name(),
                skill: skill.id.clone(),
                effect: nova_calls::effect_view(tool.effect()),
                description: tool.spec().description.to_string(),
                input_schema: tool.spec().parameters.clone(),
                state: state_view(if skill.is_available() { tool.state } else { skill.state }),
                reason: if skill.is_available() { tool.reason.clone() } else { reason(skill) },
            })
        });
        let rows = rows.map(|mut row| {
            let ToolLookup::Found { tool, .. } = snapshot.tool(&row.name) else { return row };
            if row.state == SkillState::Available
                && let Some(why) = signed_out_reason(&self.inner, &tool.spec().credentials)
            {
                (row.state, row.reason) = (SkillState::NeedsSignIn, Some(why));
            }
            row
        });
        Ok(rows.collect())
    }

    async fn call_tool(&self, call: CallTool) -> Result<ToolResult, UserError> {
        self.run_form(call.run, call.tool, call.args).await
    }

    async fn stop_tool(&self, run: RunRef) -> Result<Nothing, UserError> {
        if let Some(run) = self.runs().get(&run.run) {
            run.cancel.cancel();
        }
        Ok(Nothing {})
    }

    async fn list_pending_tools(&self, _: Nothing) -> Result<Vec<PendingToolRow>, UserError> {
        self.inner.pending_tools.list().await
    }

    async fn dry_run_tool(&self, run: DryRunTool) -> Result<DryRunResult, UserError> {
        self.inner.pending_tools.dry_run(&run.name, &run.hash, run.args).await
    }

    async fn promote_tool(&self, pending: PendingToolRef) -> Result<PromotedTool, UserError> {
        let promoted = self.inner.pending_tools.promote(&pending.name, &pending.hash).await?;
        // It works from now on, whether or not this Nova watches the folder.
        self.tools_loaded(Self::CALL_LIMIT).await;
        self.emit(Event::PendingToolsChanged {});
        Ok(promoted)
    }

    async fn discard_tool(&self, pending: PendingToolRef) -> Result<Nothing, UserError> {
        self.inner.pending_tools.discard(&pending.name, &pending.hash).await?;
        self.emit(Event::PendingToolsChanged {});
        Ok(Nothing {})
    }

    async fn list_servers(&self, _: Nothing) -> Result<ServersView, UserError> {
        self.servers_view().await
    }

    async fn server_detail(&self, server: ServerRef) -> Result<ServerDetail, UserError> {
        self.detail_of_server(&server.server).await
    }

    async fn set_server(&self, set: SetServer) -> Result<ServersView, UserError> {
        self.set_server_as(&set)?;
        self.servers_view().await
    }

    async fn agree_to_server(&self, agree: AgreeToServer) -> Result<ServersView, UserError> {
        self.agree_to_mcp_server(&agree.server, &agree.fingerprint).await?;
        self.servers_view().await
    }

    async fn approve_server_tool(&self, approve: ApproveServerTool) -> Result<ServersView, UserError> {
        self.approve_changed_tool(&approve).await?;
        self.servers_view().await
    }

    async fn restart_server(&self, server: ServerRef) -> Result<Nothing, UserError> {
        self.restart(&server.server).await?;
        Ok(Nothing {})
    }

    async fn stop_server(&self, server: ServerRef) -> Result<Nothing, UserError> {
        self.inner.mcp.stop(&server.server).await;
        Ok(Nothing {})
    }

    async fn remove_server(&self, server: ServerRef) -> Result<ServersView, UserError> {
        self.remove_mcp_server(&server.server)?;
        self.servers_view().await
    }

    async fn read_servers(&self, pasted: ReadServers) -> Result<Vec<OfferedServer>, UserError> {
        self.offered_servers(&pasted.text.take()).await
    }

    async fn add_servers(&self, add: AddServers) -> Result<ServersView, UserError> {
        self.add_pasted(&add.text.take(), &add.names, add.enabled).await?;
        self.servers_view().await
    }

    async fn list_server_files(&self, _: Nothing) -> Result<Vec<ServerFile>, UserError> {
        self.server_files().await
    }

    async fn import_servers(&self, import: ImportServers) -> Result<ServersView, UserError> {
        let known = self.places().server_files().into_iter().map(|(_, file)| file);
        let file = known.into_iter().find(|file| file.display().to_string() == import.file);
        let file = file.ok_or_else(|| {
            UserError::new(
                ErrorCode::BadRequest,
                format!("{} is no configuration that was offered.", import.file),
                "Import it with: nova mcp import FILE.",
            )
        })?;
        self.import_from(&file, &import.names).await?;
        self.servers_view().await
    }

    async fn list_credentials(&self, _: Nothing) -> Result<CredentialsView, UserError> {
        Ok(self.credentials().await)
    }

    async fn set_credential(&self, set: SetCredential) -> Result<CredentialsView, UserError> {
        self.set_credential_value(&set.name, set.value, set.grant_to.as_deref()).await?;
        Ok(self.credentials().await)
    }

    async fn remove_credential(&self, credential: CredentialRef) -> Result<CredentialsView, UserError> {
        self.remove_credential_named(&credential.name).await?;
        Ok(self.credentials().await)
    }

    async fn grant_credential(&self, grant: GrantCredential) -> Result<CredentialsView, UserError> {
        self.grant_credential_to(&grant.name, &grant.to)?;
        Ok(self.credentials().await)
    }

    async fn revoke_credential(&self, grant: GrantCredential) -> Result<CredentialsView, UserError> {
        self.revoke_credential_from(&grant.name, &grant.to)?;
        Ok(self.credentials().await)
    }

    async fn unlock_credentials(&self, unlock: UnlockCredentials) -> Result<CredentialsView, UserError> {
        self.unlock(unlock.passphrase).await?;
        Ok(self.credentials().await)
    }

    async fn sign_in(&self, credential: CredentialRef) -> Result<CredentialsView, UserError> {
        self.sign_in_at_desktop(&credential.name).await?;
        Ok(self.credentials().await)
    }

    async fn list_rules(&self, _: Nothing) -> Result<PermissionsView, UserError> {
        Ok(self.permissions())
    }

    async fn add_rule(&self, rule: AddRule) -> Result<PermissionsView, UserError> {
        self.put_rule(&rule)?;
        Ok(self.permissions())
    }

    async fn remove_rule(&self, rule: RuleRef) -> Result<PermissionsView, UserError> {
        self.take_rule_back(&rule.pattern)?;
        Ok(self.permissions())
    }

    async fn revoke_tool(&self, approved: ApprovedToolRef) -> Result<PermissionsView, UserError> {
        self.revoke_approved_tool(&approved.tool)?;
        Ok(self.permissions())
    }

    async fn revoke_host(&self, approved: ApprovedHostRef) -> Result<PermissionsView, UserError> {
        self.revoke_approved_host(&approved.tool, &approved.host)?;
        Ok(self.permissions())
    }

    async fn try_rule(&self, wanted: TryRule) -> Result<TriedRule, UserError> {
        self.try_call(&wanted)
    }

    async fn read_note(&self, note: NoteRef) -> Result<NoteView, UserError> {
        self.note_view(&note.path).await
    }

    async fn open_note(&self, note: NoteRef) -> Result<Nothing, UserError> {
        let address = self.obsidian_address(&note.path).await?;
        self.inner.options.desktop.open_url(&address).map_err(|reason| {
            tracing::warn!("{address} was not opened: {reason}");
            UserError::new(
                ErrorCode::Io,
                "Obsidian is not installed, or did not open.",
                "Install it from obsidian.md, or read the note in Nova.",
            )
        })?;
        Ok(Nothing {})
    }

    async fn show_skill_files(&self, skill: SkillRef) -> Result<Nothing, UserError> {
        self.show_files_of(&skill.skill).await?;
        Ok(Nothing {})
    }

    async fn open_link(&self, link: LinkRef) -> Result<Nothing, UserError> {
        // What a parser would take out, such as a line break, another program may read otherwise; and a
        // name before the host is there to be taken for it.
        let plain = !link.url.chars().any(char::is_control);
        let web = url::Url::parse(&link.url)
            .ok()
            .filter(|url| plain && matches!(url.scheme(), "http" | "https"))
            .filter(|url| url.username().is_empty() && url.password().is_none());
        let Some(url) = web else {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                "Only web addresses are opened.",
                "Copy the address instead.",
            ));
        };
        self.inner.options.desktop.open_url(url.as_str()).map_err(|reason| {
            UserError::new(
                ErrorCode::Io,
                format!("The browser could not be opened: {reason}."),
                "Copy the address instead.",
            )
        })?;
        Ok(Nothing {})
    }

    async fn list_changes(&self, list: ListChanges) -> Result<Vec<ChangeSetView>, UserError> {
        self.change_sets(list.session.as_deref(), list.state, list.limit.map(|limit| limit as usize)).await
    }

    async fn undo_changes(&self, undo: UndoChanges) -> Result<UndoResult, UserError> {
        self.undo(&undo.change_set, undo.note.as_deref(), undo.call.as_deref()).await
    }

    async fn finish_changes(&self, finish: FinishChanges) -> Result<FinishResult, UserError> {
        self.finish(&finish.change_set).await
    }

    async fn prune_changes(&self, prune: PruneChanges) -> Result<PruneResult, UserError> {
        let forgotten = self.prune_history(prune.days).await?;
        Ok(PruneResult { forgotten: u32::try_from(forgotten.len()).unwrap_or(u32::MAX) })
    }

    async fn resolve_conflict(&self, resolve: ResolveConflict) -> Result<ResolvedConflict, UserError> {
        self.resolve(&resolve).await
    }

    async fn list_problems(&self, _: Nothing) -> Result<Vec<ProblemView>, UserError> {
        self.vault_problems().await
    }
}

impl App {
    fn waiting(&self, session: &str) -> Result<std::sync::Arc<nova_session::WaitingApprovals>, UserError> {
        let chat = self.chats().get(session).map(|chat| chat.waiting.clone());
        let run = || self.runs().get(session).map(|run| run.waiting.clone());
        chat.or_else(run).ok_or_else(|| {
            UserError::new(
                ErrorCode::UnknownApproval,
                "No approval is pending there.",
                "It was already answered, or its turn has ended.",
            )
        })
    }
}

/// The log keeps a message's text; its rendered blocks are made again for the window.
pub(crate) fn with_blocks(events: impl IntoIterator<Item = Envelope>) -> Vec<Envelope> {
    let mut all = Vec::new();
    for envelope in events {
        if let Event::MessageCompleted { message, text, .. } = &envelope.event {
            for (index, block) in nova_session::blocks(text).into_iter().enumerate() {
                let event = Event::MessageBlock {
                    message: message.clone(),
                    index: u32::try_from(index).unwrap_or(u32::MAX),
                    html: block.html,
                    done: true,
                };
                all.push(Envelope { event, ..envelope.clone() });
            }
        }
        all.push(envelope);
    }
    all
}
