use gray_matter::engine::Engine;
use gray_matter::{Matter, Pod};
use serde::Deserialize;

/// At most this much front matter is read, in bytes.
const MAX_FRONT_MATTER: usize = 64 * 1024;

/// A `SKILL.md` as agentskills.io defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillMd {
    pub name: String,
    pub description: String,
    /// The Markdown below the front matter.
    pub instructions: String,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SkillMdError {
    #[error("SKILL.md has no front matter. Start it with --- and the keys name and description.")]
    NoFrontMatter,
    #[error("The front matter of SKILL.md is larger than 64 KiB. Shorten it.")]
    TooLarge,
    #[error("The front matter of SKILL.md cannot be read: {0}")]
    Unreadable(String),
}

impl SkillMd {
    /// # Errors
    /// When the front matter is missing, too large, unreadable, or lacks a name or description.
    pub fn parse(text: &str) -> Result<Self, SkillMdError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let front = text.split("\n---").next().unwrap_or(text);
        if !text.starts_with("---") {
            return Err(SkillMdError::NoFrontMatter);
        }
        if front.len() > MAX_FRONT_MATTER {
            return Err(SkillMdError::TooLarge);
        }

        #[derive(Deserialize)]
        struct Front {
            name: String,
            description: String,
        }
        let parsed = Matter::<BudgetedYaml>::new()
            .parse::<Front>(text)
            .map_err(|error| SkillMdError::Unreadable(error.to_string()))?;
        let front = parsed.data.ok_or(SkillMdError::NoFrontMatter)?;
        Ok(Self {
            name: front.name.trim().to_owned(),
            description: front.description.split_whitespace().collect::<Vec<_>>().join(" "),
            instructions: parsed.content.trim().to_owned(),
        })
    }
}

/// gray_matter's own YAML engine has no budget: 245 bytes of aliases can hang it.
struct BudgetedYaml;

impl Engine for BudgetedYaml {
    fn parse(content: &str) -> gray_matter::Result<Pod> {
        let options = serde_saphyr::options! { strict_booleans: true };
        let value: serde_json::Value = serde_saphyr::from_str_with_options(content, options)
            .map_err(|error| gray_matter::Error::deserialize_error(&error.to_string()))?;
        Ok(pod(value))
    }
}

fn pod(value: serde_json::Value) -> Pod {
    use serde_json::Value;
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
mod tests {
    use super::*;

    #[test]
    fn reads_name_description_and_instructions() {
        let skill = SkillMd::parse(
            "---\nname: crm\ndescription: >\n  People and\n  deals.\n---\n\n# CRM\n\nUse it.\n",
        );
        assert_eq!(
            skill,
            Ok(SkillMd {
                name: "crm".into(),
                description: "People and deals.".into(),
                instructions: "# CRM\n\nUse it.".into(),
            })
        );
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(SkillMd::parse("# CRM\n"), Err(SkillMdError::NoFrontMatter));
        assert!(matches!(SkillMd::parse("---\nname: x\n---\n"), Err(SkillMdError::Unreadable(_))));
        assert!(matches!(SkillMd::parse("---\nname: [\n---\n"), Err(SkillMdError::Unreadable(_))));
        let long = format!("---\nname: x\ndescription: {}\n---\n", "y".repeat(MAX_FRONT_MATTER));
        assert_eq!(SkillMd::parse(&long), Err(SkillMdError::TooLarge));
    }

    #[test]
    fn an_alias_bomb_is_refused() {
        let mut bomb = String::from("---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for level in 1..9 {
            let before = format!("*a{}", level - 1);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![before; 10].join(",")));
        }
        bomb.push_str("name: x\ndescription: y\n---\n");
        assert!(matches!(SkillMd::parse(&bomb), Err(SkillMdError::Unreadable(_))));
    }
}
