use nova_skill::figures::folded;
use nova_skill::{Decimal, RecordType, ToolContext, ToolError, Value};

use crate::records::DEAL;

/// The stages of a deal in order, from the configuration or else from the manifest.
pub(crate) struct Stages(Vec<Stage>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stage {
    pub(crate) name: String,
    /// The default probability of a deal at this stage, in percent.
    pub(crate) probability: Option<Decimal>,
    /// The outcome of reaching it; `None` if a deal at this stage is open.
    pub(crate) outcome: Option<Outcome>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Won,
    Lost,
}

/// The default probabilities in percent, by stage.
const DEFAULT_PROBABILITIES: [(&str, i64); 6] =
    [("lead", 10), ("contacted", 20), ("qualified", 40), ("proposal", 60), ("won", 100), ("lost", 0)];

impl Stages {
    /// # Errors
    /// [`ToolError::NotDeclared`] if the manifest declares no deals.
    pub(crate) fn of(ctx: &dyn ToolContext) -> Result<Self, ToolError> {
        let configured = ctx.config().get("stages").and_then(Value::as_array);
        Ok(Self::new(ctx.records().get(DEAL)?, configured.map_or(&[], Vec::as_slice)))
    }

    /// Takes the names from the declared choices, so that reading and writing accept the same stages.
    fn new(deal: &RecordType, configured: &[Value]) -> Self {
        let names = deal.fields.get("stage").map(|field| field.choices.as_slice()).unwrap_or_default();
        Self(names.iter().map(|name| Stage::new(name, configured)).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Stage> {
        self.0.iter()
    }

    /// The index of the stage of that name, ignoring case.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|stage| stage.name == name).or_else(|| {
            let wanted = folded(name);
            self.0.iter().position(|stage| folded(&stage.name) == wanted)
        })
    }

    /// The stage of that name.
    ///
    /// # Errors
    /// `InvalidArguments` with the existing stages.
    pub(crate) fn named(&self, name: &str) -> Result<&Stage, ToolError> {
        self.position(name).map(|at| &self.0[at]).ok_or_else(|| ToolError::InvalidArguments {
            path: "/stage".into(),
            rule: format!("\"{}\" is not one of the stages", name.trim()),
            allowed: self.0.iter().map(|stage| stage.name.clone()).collect(),
        })
    }
}

impl std::ops::Index<usize> for Stages {
    type Output = Stage;

    fn index(&self, at: usize) -> &Stage {
        &self.0[at]
    }
}

impl Stage {
    fn new(name: &str, configured: &[Value]) -> Self {
        let same = |other: &str| folded(other) == folded(name);
        let own = configured.iter().find(|stage| stage["name"].as_str().is_some_and(same));
        let known = DEFAULT_PROBABILITIES.iter().find(|(known, _)| same(known));
        let outcome = match own.and_then(|stage| stage["closes"].as_str()) {
            Some("won") => Some(Outcome::Won),
            Some("lost") => Some(Outcome::Lost),
            _ if same("won") => Some(Outcome::Won),
            _ if same("lost") => Some(Outcome::Lost),
            _ => None,
        };
        let probability = match own.map(|stage| &stage["probability"]) {
            Some(Value::Number(number)) => number.to_string().parse().ok(),
            _ => known.map(|(_, percent)| Decimal::from(*percent)),
        };
        Self { name: name.to_owned(), probability, outcome }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.outcome.is_none()
    }
}
