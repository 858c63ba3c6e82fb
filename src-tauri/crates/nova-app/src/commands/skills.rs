//! Commands for skills, their panels, records and settings.

use nova_protocol::{
    AcceptSkill, CreateSkill, CreatedSkill, EnableSkill, Nothing, PanelView, RecordTypeRow, RouterView,
    SkillManual, SkillRef, SkillRow, SuggestTools, ToolSuggestion, UserError, UsualCurrency,
};

use crate::app::App;
use crate::author_files::SKILL_MANUAL;
use crate::chat::unknown_skill;
use crate::foreign_skills::needs_review;
use crate::new_skill::NewSkill;
use crate::panels::panels;

impl App {
    pub(crate) async fn router(&self, _: Nothing) -> Result<RouterView, UserError> {
        Ok(RouterView { on: !self.config().router_off })
    }

    pub(crate) async fn set_router(&self, wanted: RouterView) -> Result<RouterView, UserError> {
        self.change_config(|config| {
            config.insert("router".into(), wanted.on.into());
        })?;
        self.router(Nothing {}).await
    }

    pub(crate) async fn enable_skill(&self, enable: EnableSkill) -> Result<Vec<SkillRow>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(&enable.skill).ok_or_else(|| unknown_skill(&snapshot, &enable.skill))?;
        let id = skill.id.clone();
        if enable.enabled && skill.foreign && !self.agreed_to(skill) {
            return Err(needs_review(&id));
        }
        self.set_enabled(&id, enable.enabled)?;
        self.list_skills(Nothing {}).await
    }

    pub(crate) async fn accept_skill(&self, accept: AcceptSkill) -> Result<Vec<SkillRow>, UserError> {
        self.agree_to_skill(&accept.skill, &accept.fingerprint).await?;
        self.list_skills(Nothing {}).await
    }

    pub(crate) async fn create_skill(&self, create: CreateSkill) -> Result<CreatedSkill, UserError> {
        let files = self.new_skill(&create.name, NewSkill::Folder).await?;
        let folder = files.first().and_then(|first| first.parent()?.file_name());
        let skill = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(CreatedSkill { skill, files: files.iter().map(|file| self.places().shown(file)).collect() })
    }

    pub(crate) async fn show_skills_folder(&self, _: Nothing) -> Result<Nothing, UserError> {
        self.show_in_file_manager(self.places().tool_folders().skills).await?;
        Ok(Nothing {})
    }

    pub(crate) async fn skill_manual(&self, _: Nothing) -> Result<SkillManual, UserError> {
        Ok(SkillManual { html: nova_session::html(SKILL_MANUAL) })
    }

    pub(crate) async fn suggest_tools(
        &self,
        request: SuggestTools,
    ) -> Result<Vec<ToolSuggestion>, UserError> {
        let limit = request.limit.unwrap_or(8);
        if request.example == Some(true) {
            return self.route_example(&request.text, limit).await;
        }
        self.route(&request.text, limit).await
    }

    pub(crate) async fn list_panels(&self, _: Nothing) -> Result<Vec<PanelView>, UserError> {
        Ok(panels(&self.inner.registry.snapshot()))
    }

    pub(crate) async fn usual_currency(&self, skill: SkillRef) -> Result<UsualCurrency, UserError> {
        self.usual_currency_of(&skill.skill).await
    }

    pub(crate) async fn list_record_types(&self, _: Nothing) -> Result<Vec<RecordTypeRow>, UserError> {
        Ok(self.record_types())
    }
}
