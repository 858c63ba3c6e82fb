use std::ffi::OsString;
use std::path::{Path, PathBuf};

use directories::{ProjectDirs, UserDirs};

/// Paths of Nova's own files and of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub config: PathBuf,
    pub data: PathBuf,
    /// Overrides the configured vault.
    pub vault: Option<PathBuf>,
    /// The parent folder for the sample vault.
    pub documents: PathBuf,
    /// The home folder, shown as `~`.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`: where programs keep their settings on Linux, instead of `.config` in the home
    /// folder.
    pub settings: Option<PathBuf>,
    /// Obsidian's list of vaults, if it exists.
    pub obsidian: Option<PathBuf>,
    /// The desktop's trash, if it is a folder.
    pub trash: Option<PathBuf>,
}

impl Places {
    /// Uses the command line's options, then `NOVA_CONFIG_DIR`, `NOVA_DATA_DIR` and `NOVA_VAULT`, then the
    /// platform's folders. With a config folder but no data folder, data is in `<config>/data`.
    ///
    /// # Errors
    /// When the platform has no home folder and no option replaces it.
    pub fn find(
        config: Option<PathBuf>,
        data: Option<PathBuf>,
        vault: Option<PathBuf>,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, String> {
        let from_env = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let platform = ProjectDirs::from("", "", "nova");
        let given = config.clone().or_else(|| from_env("NOVA_CONFIG_DIR"));
        let nowhere = || "No home folder was found. Choose the folders with --config and --data.".to_owned();
        let config = match &given {
            Some(config) => config.clone(),
            None => platform.as_ref().ok_or_else(nowhere)?.config_dir().to_owned(),
        };
        let data = match data.or_else(|| from_env("NOVA_DATA_DIR")) {
            Some(data) => data,
            None if given.is_some() => config.join("data"),
            None => platform.as_ref().ok_or_else(nowhere)?.data_dir().to_owned(),
        };
        let user = UserDirs::new();
        let documents = user
            .as_ref()
            .and_then(|user| user.document_dir().map(ToOwned::to_owned))
            .or_else(|| user.as_ref().map(|user| user.home_dir().join("Documents")))
            .unwrap_or_else(|| data.join("Documents"));
        let obsidian =
            directories::BaseDirs::new().map(|base| base.config_dir().join("obsidian/obsidian.json"));
        let home = user.as_ref().map(|user| user.home_dir().to_owned());
        let trash = system_trash(home.as_deref(), from_env("XDG_DATA_HOME"));
        let settings = from_env("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
        Ok(Self {
            home,
            settings: settings.filter(|_| cfg!(target_os = "linux")),
            config,
            data,
            vault: vault.or_else(|| from_env("NOVA_VAULT")),
            documents,
            obsidian,
            trash,
        })
    }

    /// A path for display.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match self.home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(below) => Path::new("~").join(below).display().to_string(),
            None => path.display().to_string(),
        }
    }

    /// Configuration files of other programs with MCP servers: program and path.
    pub(crate) fn server_files(&self) -> Vec<(&'static str, PathBuf)> {
        let Some(home) = &self.home else { return Vec::new() };
        // Some use `.config` on every system.
        let dotted = self.settings.clone().unwrap_or_else(|| home.join(".config"));
        let settings = match std::env::consts::OS {
            "macos" => home.join("Library/Application Support"),
            "windows" => home.join("AppData/Roaming"),
            _ => dotted.clone(),
        };
        vec![
            ("Claude Desktop", settings.join("Claude/claude_desktop_config.json")),
            ("Claude Code", home.join(".claude.json")),
            ("Cursor", home.join(".cursor/mcp.json")),
            ("VS Code", settings.join("Code/User/mcp.json")),
            ("Codex", home.join(".codex/config.toml")),
            ("Zed", dotted.join("zed/settings.json")),
            ("goose", dotted.join("goose/config.yaml")),
            ("Gemini CLI", home.join(".gemini/settings.json")),
            ("LM Studio", home.join(".lmstudio/mcp.json")),
        ]
    }

    pub(crate) fn config_file(&self) -> PathBuf {
        self.config.join("nova.config.json")
    }

    pub(crate) fn tool_folders(&self) -> nova_registry::ToolFolders {
        nova_registry::ToolFolders {
            config: self.config.clone(),
            dynamic: self.tools().join("dynamic"),
            pending: self.tools().join("pending"),
            skills: self.config.join("skills"),
        }
    }

    pub(crate) fn tools(&self) -> PathBuf {
        self.config.join("tools")
    }

    pub(crate) fn rules_file(&self) -> PathBuf {
        self.config.join("permissions.yaml")
    }
}

/// The home trash of the FreeDesktop.org Trash specification, on Linux only. The base directory specification
/// ignores a relative `XDG_DATA_HOME`.
fn system_trash(home: Option<&Path>, data: Option<PathBuf>) -> Option<PathBuf> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let data = data.filter(|data| data.is_absolute());
    Some(data.or_else(|| Some(home?.join(".local/share")))?.join("Trash"))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use super::{Places, system_trash};

    #[test]
    fn home_is_shown_as_a_tilde() {
        let mut places = Places::find(Some("/config".into()), None, None, |_| None).expect("places");
        let check = |places: &Places, shown: &str| {
            assert_eq!(places.shown(Path::new("/var/home/jane/Work vault")), shown, "{:?}", places.home);
        };
        places.home = Some("/var/home/jane".into());
        check(&places, "~/Work vault");
        places.home = Some("/var/home/jan".into());
        check(&places, "/var/home/jane/Work vault");
        places.home = None;
        check(&places, "/var/home/jane/Work vault");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn settings_of_other_programs_follow_xdg_config_home() {
        let file = |value: &str| {
            let env = |name: &str| (name == "XDG_CONFIG_HOME").then(|| OsString::from(value));
            let mut places = Places::find(Some("/config".into()), None, None, env).expect("places");
            places.home = Some("/home/jane".into());
            let files = places.server_files();
            ["VS Code", "Zed", "Codex"]
                .map(|wanted| files.iter().find(|(program, _)| *program == wanted).expect("a file").1.clone())
        };
        let moved =
            ["/settings/Code/User/mcp.json", "/settings/zed/settings.json", "/home/jane/.codex/config.toml"];
        assert_eq!(file("/settings"), moved.map(PathBuf::from));
        let usual = ["Code/User/mcp.json", "zed/settings.json"];
        for value in ["", "settings"] {
            let found = file(value);
            assert_eq!(found[..2], usual.map(|file| Path::new("/home/jane/.config").join(file)), "{value}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn trash_follows_xdg_data_home() {
        let check = |home: Option<&str>, data: Option<&str>, trash: Option<&str>| {
            let found = system_trash(home.map(Path::new), data.map(PathBuf::from));
            assert_eq!(found.as_deref(), trash.map(Path::new), "{home:?} {data:?}");
        };
        check(Some("/home/jane"), None, Some("/home/jane/.local/share/Trash"));
        check(Some("/home/jane"), Some("/data"), Some("/data/Trash"));
        check(Some("/home/jane"), Some("data"), Some("/home/jane/.local/share/Trash"));
        check(None, Some("/data"), Some("/data/Trash"));
        check(None, None, None);

        let env = |name: &str| (name == "XDG_DATA_HOME").then(|| OsString::from("/data"));
        let places = Places::find(Some("/config".into()), None, None, env).expect("places");
        assert_eq!(places.trash.as_deref(), Some(Path::new("/data/Trash")));
    }
}
