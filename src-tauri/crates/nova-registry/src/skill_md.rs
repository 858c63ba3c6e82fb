use std::collections::BTreeMap;

use gray_matter::engine::Engine;
use gray_matter::{Matter, Pod};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::finding::{line_of_key, value_of_key, yaml_fault};
use crate::{Finding, Severity};

/// Maximum size of the front matter, in bytes.
const MAX_FRONT_MATTER: usize = 64 * 1024;
/// In characters, as specified by agentskills.io.
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;
/// Maximum size of instructions that a model receives at once, in bytes.
const MAX_INSTRUCTIONS: usize = 48 * 1024;
const KEYS: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const FILE: &str = "SKILL.md";
/// Framed letters that Unicode does not decompose to the plain letter.
const LETTERS_IN_FRAMES: std::ops::RangeInclusive<char> = '\u{1f150}'..='\u{1f189}';

/// A `SKILL.md` as defined by agentskills.io.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillMd {
    pub name: String,
    /// On one line, at most 1024 characters.
    pub description: String,
    pub license: Option<String>,
    /// Requirements on its environment, as prose.
    pub compatibility: Option<String>,
    pub metadata: BTreeMap<String, String>,
    /// Tools that it would like to use without approval. Shown, but grants nothing.
    pub allowed_tools: Option<String>,
    /// The Markdown below the front matter.
    pub instructions: String,
}

/// Why a `SKILL.md` cannot be used at all.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum SkillMdError {
    #[error("SKILL.md has no front matter. Start it with --- and the keys name and description.")]
    NoFrontMatter,
    #[error("The front matter of SKILL.md has no end. Put a line --- below it.")]
    NotClosed,
    #[error("The front matter of SKILL.md is larger than 64 KiB. Shorten it.")]
    TooLarge,
    #[error("The front matter of SKILL.md cannot be read: {what}. Correct it.")]
    Unreadable { line: Option<u32>, what: String },
    #[error("SKILL.md has no description. Describe what the skill does and when to use it.")]
    NoDescription,
}

impl SkillMd {
    /// # Errors
    /// If the front matter is missing, too large, unreadable, or lacks a description.
    pub fn parse(text: &str) -> Result<Self, SkillMdError> {
        Self::read(text, None).map(|(skill, _)| skill)
    }

    /// Parses as leniently as the standard's guide for clients requires: violations of the standard are
    /// reported as findings if the text can be interpreted. `folder` is the name of the file's folder.
    ///
    /// # Errors
    /// If the front matter is missing, too large, unreadable, or lacks a description.
    pub fn read(text: &str, folder: Option<&str>) -> Result<(Self, Vec<Finding>), SkillMdError> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut findings = Vec::new();
        let bare = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if bare.len() < text.len() {
            findings.push(Finding::error(
                FILE,
                Some(1),
                "It begins with a byte order mark. Save it as UTF-8 without one.",
            ));
        }
        let (front, below) = front_matter(bare)?;
        if front.contains("---") {
            findings.push(Finding::warning(
                FILE,
                None,
                "There is --- within the front matter, which some \
                programs read as its end. Replace it.",
            ));
        }
        let (root, body) = parse(front, &below, &mut findings)?;
        let skill = Self::of(&root, front, &body, folder, &mut findings)?;
        Ok((skill, findings))
    }

    fn of(
        root: &Root,
        front: &str,
        body: &str,
        folder: Option<&str>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, SkillMdError> {
        for key in root.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            let key: String = key.chars().take(60).collect();
            findings.push(Finding::error(
                FILE,
                line_of_key(front, &key, 1),
                format!("The key {key} is not one of the standard's ({}). Put it under metadata, or into manifest.yaml.", KEYS.join(", ")),
            ));
        }
        let mut fields = Fields { root, front, findings };
        let description = fields.text("description", MAX_DESCRIPTION).ok_or(SkillMdError::NoDescription)?;
        let name = fields.text("name", usize::MAX);
        if name.is_none() {
            fields.error("name", "It has no name. Write `name:` and the name of the folder.");
        }
        if let Some(name) = &name {
            for rule in broken_rules(name, folder) {
                fields.error("name", &rule);
            }
        }
        let skill = Self {
            license: fields.text("license", usize::MAX),
            compatibility: fields.text("compatibility", MAX_COMPATIBILITY),
            allowed_tools: fields.list("allowed-tools"),
            metadata: fields.metadata(),
            description: cut(&description, MAX_DESCRIPTION),
            name: name.or_else(|| folder.map(str::to_owned)).unwrap_or_default(),
            instructions: body.to_owned(),
        };
        if skill.instructions.is_empty() {
            findings.push(Finding::warning(
                FILE,
                None,
                "There are no instructions below the front matter. Write what the model should know.",
            ));
        }
        let bytes = skill.instructions.len();
        if bytes > MAX_INSTRUCTIONS {
            findings.push(Finding::warning(
                FILE,
                None,
                format!(
                    "The instructions are {} KB long, of which a model gets at most 48 KB. Move what is not always needed into files in references/.",
                    bytes.div_ceil(1024)
                ),
            ));
        }
        Ok(skill)
    }
}

impl SkillMdError {
    /// 1-based, in SKILL.md.
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::Unreadable { line, .. } => *line,
            Self::NoFrontMatter | Self::NotClosed => Some(1),
            Self::TooLarge | Self::NoDescription => None,
        }
    }
}

/// Returns the lines between the two `---`, and the text below. The first may be followed by a comment. Some
/// files end the front matter with a line that only starts with `---`; this line counts if the text up to it
/// is a list of keys and the text up to the next plain `---` is not.
fn front_matter(text: &str) -> Result<(&str, String), SkillMdError> {
    let (first, rest) = text.split_once('\n').ok_or(SkillMdError::NoFrontMatter)?;
    let behind = first.strip_prefix("---").ok_or(SkillMdError::NoFrontMatter)?;
    let comment = behind.trim_start();
    let is_comment = comment.len() < behind.len() && comment.starts_with('#');
    if !comment.is_empty() && !is_comment {
        return Err(SkillMdError::NoFrontMatter);
    }
    let mut odd: Option<(usize, &str)> = None;
    let mut end = 0;
    let mut plain = None;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            plain = Some((end, line));
            break;
        }
        if odd.is_none() && line.trim_start_matches(' ').starts_with("---") {
            odd = Some((end, line));
        }
        end += line.len();
        if end > MAX_FRONT_MATTER {
            break;
        }
    }
    let is_keys = |end: usize| matches!(yaml(&rest[..end]), Ok(Value::Object(_)));
    let odd = odd.filter(|(at, _)| is_keys(*at) && plain.is_none_or(|(end, _)| !is_keys(end)));
    let (end, line) = match odd.or(plain) {
        Some(found) => found,
        None if end > MAX_FRONT_MATTER => return Err(SkillMdError::TooLarge),
        None => return Err(SkillMdError::NotClosed),
    };
    let behind = line.trim().trim_start_matches('-').trim_start();
    let behind = if behind.starts_with('#') { "" } else { behind };
    Ok((&rest[..end], format!("{behind}\n{}", &rest[end + line.len()..])))
}

type Root = serde_json::Map<String, Value>;

/// Returns the front matter's keys, and the text below.
fn parse(front: &str, below: &str, findings: &mut Vec<Finding>) -> Result<(Root, String), SkillMdError> {
    // A line that is not trimmed precedes the first key, whose indent matters.
    let text = format!("---\n#\n{front}\n---\n{below}");
    let fault = match Matter::<BudgetedYaml>::new().parse::<Value>(&text) {
        Ok(parsed) => match parsed.data {
            Some(Value::Object(mut root)) => {
                as_written(&mut root, front);
                return Ok((root, parsed.content.trim().to_owned()));
            }
            None | Some(Value::Null) => (None, "it is empty".to_owned()),
            Some(_) => (None, "it is not a mapping of keys to values".to_owned()),
        },
        Err(error) => match yaml(front) {
            Err(error) => yaml_fault(&error, 1),
            Ok(_) => (None, error.to_string()),
        },
    };
    // The most common error in hand-written skills: a colon in an unquoted description.
    if let Some(Value::Object(mut root)) = quoted(front).and_then(|front| yaml(&front).ok()) {
        findings.push(Finding::error(
            FILE,
            fault.0,
            format!(
                "It is not valid YAML ({}). Put the value in quotation marks; until then Nova reads it \
                     as if it were quoted.",
                fault.1
            ),
        ));
        as_written(&mut root, front);
        return Ok((root, below.trim().to_owned()));
    }
    Err(SkillMdError::Unreadable { line: fault.0, what: fault.1.trim_end_matches('.').to_owned() })
}

/// Restores numbers and booleans to their source text: `0x1f` is not 31, and version 1.10 is not 1.1. Names
/// and descriptions are text even if YAML reads them as null.
fn as_written(root: &mut Root, front: &str) {
    for (key, value) in &mut *root {
        if value.is_number()
            || value.is_boolean()
            || (value.is_null() && ["name", "description"].contains(&key.as_str()))
        {
            let written = front.lines().find_map(|line| value_of_key(front, line, key));
            take_plain(value, written);
        }
    }
    let Some(metadata) = root.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let below = |line: &&str| value_of_key(front, line, "metadata").is_none();
    let lines: Vec<&str> = front.lines().skip_while(below).skip(1).collect();
    let block = lines.join("\n");
    for (key, value) in metadata.iter_mut().filter(|(_, value)| value.is_number() || value.is_boolean()) {
        take_plain(value, lines.iter().find_map(|line| value_of_key(&block, line, key)));
    }
}

/// Replaces a value by the text on the line of its key.
fn take_plain(value: &mut Value, written: Option<&str>) {
    let Some(written) = written else { return };
    let plain = written.split(" #").next().unwrap_or_default().trim();
    if !plain.is_empty() && !plain.starts_with(['#', '&', '*', '!', '~']) {
        *value = Value::from(plain);
    }
}

/// The front matter with its unquoted one-line values quoted; `None` if there are none.
fn quoted(front: &str) -> Option<String> {
    let mut any = false;
    let lines: Vec<String> = front
        .lines()
        .map(|line| {
            let Some((key, value)) = line.split_once(": ") else { return line.to_owned() };
            let value = value.trim();
            let plain = KEYS.contains(&key.trim_start_matches(' '))
                && value.contains(": ")
                && !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!']);
            any |= plain;
            if plain { format!("{key}: {}", Value::from(value)) } else { line.to_owned() }
        })
        .collect();
    any.then(|| lines.join("\n"))
}

/// Naming rules that this name violates, each with its remedy.
fn broken_rules(name: &str, folder: Option<&str>) -> Vec<String> {
    let name: String = name.nfkc().collect();
    let shown: String = name.chars().take(MAX_NAME).collect();
    let mut broken = Vec::new();
    let count = name.chars().count();
    if count > MAX_NAME {
        broken.push(format!("The name is {count} characters long. Use at most {MAX_NAME}."));
    }
    if name.chars().flat_map(char::to_lowercase).ne(name.chars()) {
        broken.push(format!("The name {shown} has capital letters. Write it in lower case."));
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        broken.push(format!("The name {shown} has a hyphen at its start or end, or two together. Use single ones between words."));
    }
    // The standard does not count combining marks and circled letters as letters, although Unicode calls both
    // alphabetic.
    let is_letter = |c: char| c.is_alphanumeric() && !is_combining_mark(c) && !LETTERS_IN_FRAMES.contains(&c);
    if !name.chars().all(|c| is_letter(c) || c == '-') {
        broken.push(format!(
            "The name {} may have only letters, digits and hyphens. Remove the others.",
            shown.escape_debug()
        ));
    }
    if let Some(folder) = folder
        && folder.nfkc().ne(name.chars())
    {
        let folder: String = folder.chars().take(200).collect();
        broken.push(format!(
            "SKILL.md says name: {shown}, its folder is {folder}. Use the same name for \
                             both."
        ));
    }
    broken
}

/// Whether the standard allows it as a name.
pub fn is_skill_name(name: &str) -> bool {
    !name.is_empty() && broken_rules(name, None).is_empty()
}

/// The keys of the front matter, removed as they are read.
struct Fields<'a> {
    root: &'a Root,
    front: &'a str,
    findings: &'a mut Vec<Finding>,
}

impl Fields<'_> {
    fn error(&mut self, key: &str, message: &str) {
        self.report(Severity::Error, key, message.to_owned());
    }

    fn report(&mut self, severity: Severity, key: &str, message: String) {
        let line = line_of_key(self.front, key, 1);
        self.findings.push(Finding { severity, ..Finding::error(FILE, line, message) });
    }

    /// A text value, collapsed to one line.
    fn text(&mut self, key: &str, most: usize) -> Option<String> {
        let value = self.root.get(key)?;
        let Some(text) = scalar(value) else {
            let severity = match key {
                "name" | "description" | "compatibility" => Severity::Error,
                _ => Severity::Warning,
            };
            self.report(severity, key, format!("{key} is not a string. Write it as one."));
            return None;
        };
        let count = text.chars().count();
        if count > most {
            self.error(key, &format!("{key} is {count} characters long. Use at most {most}."));
        }
        let words = text.split(is_space).filter(|word| !word.is_empty());
        let text = words.collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            let severity = match key {
                "name" | "description" => Severity::Error,
                _ => Severity::Warning,
            };
            self.report(severity, key, format!("{key} is empty. Fill it in, or remove the key."));
            return None;
        }
        Some(text)
    }

    /// Words separated by spaces, or a list.
    fn list(&mut self, key: &str) -> Option<String> {
        match self.root.get(key)? {
            Value::Array(items) => Some(items.iter().filter_map(scalar).collect::<Vec<_>>().join(" ")),
            _ => self.text(key, usize::MAX),
        }
    }

    fn metadata(&mut self) -> BTreeMap<String, String> {
        match self.root.get("metadata") {
            None | Some(Value::Null) => BTreeMap::new(),
            Some(Value::Object(map)) => map
                .iter()
                .map(|(key, value)| (key.clone(), scalar(value).unwrap_or_else(|| value.to_string())))
                .collect(),
            Some(_) => {
                let message = "metadata is not a mapping, and is not read. Write keys with values under it.";
                self.report(Severity::Warning, "metadata", message.to_owned());
                BTreeMap::new()
            }
        }
    }
}

/// The characters that the standard's validator trims: Unicode white space and four more separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// gray_matter's own YAML engine has no budget: 245 bytes of aliases can hang it.
struct BudgetedYaml;

impl Engine for BudgetedYaml {
    fn parse(content: &str) -> gray_matter::Result<Pod> {
        yaml(content).map(pod).map_err(|error| gray_matter::Error::deserialize_error(&error.to_string()))
    }
}

fn yaml(text: &str) -> Result<Value, serde_saphyr::Error> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
}

fn pod(value: Value) -> Pod {
    match value {
        Value::Null => Pod::Null,
        Value::Bool(value) => Pod::Boolean(value),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Pod::Integer(whole),
            None => Pod::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Pod::String(text),
        Value::Array(items) => Pod::Array(items.into_iter().map(pod).collect()),
        Value::Object(map) => Pod::Hash(map.into_iter().map(|(key, value)| (key, pod(value))).collect()),
    }
}

#[cfg(test)]
mod tests;
