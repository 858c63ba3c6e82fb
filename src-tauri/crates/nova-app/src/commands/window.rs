//! Commands for the window, its drafts and the desktop.

use std::path::PathBuf;

use nova_protocol::{
    AppStatus, Appearance, Background, DraftView, ErrorCode, LinkRef, Nothing, PickedFolder, Reminders,
    UserError,
};

use crate::app::App;
use crate::blocking::blocking;
use crate::first_run::picked;

impl App {
    pub(crate) async fn app_status(&self, _: Nothing) -> Result<AppStatus, UserError> {
        let (config_problem, appearance, reminders, background, configured) = {
            let settings = self.inner.settings.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            let config = &settings.config;
            let (appearance, reminders) = (config.appearance.clone(), config.reminders.clone());
            let background = Background { keep_running: config.keep_running };
            (settings.problem.clone(), appearance, reminders, background, config.vault.is_some())
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
            reminders: reminders.into(),
            background,
            today: self.inner.options.clock.today().to_string(),
        })
    }

    pub(crate) async fn set_appearance(&self, appearance: Appearance) -> Result<Nothing, UserError> {
        let value = serde_json::to_value(appearance)
            .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))?;
        self.change_config(|config| {
            config.insert("appearance".into(), value.clone());
        })?;
        Ok(Nothing {})
    }

    pub(crate) async fn set_reminders(&self, reminders: Reminders) -> Result<Nothing, UserError> {
        let value = serde_json::to_value(reminders)
            .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))?;
        self.change_config(|config| {
            config.insert("reminders".into(), value.clone());
        })?;
        Ok(Nothing {})
    }

    pub(crate) async fn set_background(&self, background: Background) -> Result<Nothing, UserError> {
        self.change_config(|config| {
            config.insert("keep_running".into(), background.keep_running.into());
        })?;
        Ok(Nothing {})
    }

    pub(crate) async fn list_drafts(&self, _: Nothing) -> Result<Vec<DraftView>, UserError> {
        let app = self.clone();
        let drafts = blocking(move || app.drafts()).await?;
        self.without_sent(drafts).await
    }

    pub(crate) async fn keep_draft(&self, draft: DraftView) -> Result<Nothing, UserError> {
        let app = self.clone();
        blocking(move || app.keep_draft_of(&draft)).await?;
        Ok(Nothing {})
    }

    pub(crate) async fn show_config_file(&self, _: Nothing) -> Result<Nothing, UserError> {
        let broken = self.settings_problem().map(|problem| PathBuf::from(problem.file));
        self.show_in_file_manager(broken.unwrap_or_else(|| self.places().config_file())).await?;
        Ok(Nothing {})
    }

    pub(crate) async fn pick_folder(&self, _: Nothing) -> Result<PickedFolder, UserError> {
        let path = self.inner.options.desktop.pick_folder().await;
        let places = self.places().clone();
        blocking(move || Ok(picked(path, &places))).await
    }

    pub(crate) async fn open_link(&self, link: LinkRef) -> Result<Nothing, UserError> {
        // The URL parser drops characters such as line breaks, which another program may interpret; and user
        // info can be mistaken for the host.
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
}
