use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use nova_skill::figures::{TooLarge, currency_code, near_currency_codes};
use nova_skill::serde_json::Map;
use nova_skill::{Date, Decimal, NotePath, Problem, Record, ToolContext, ToolError, Value};

use crate::money::{Money, share};
use crate::records::{DEAL, Entry, Records, or_problem, problem_row};
use crate::stages::{Stage, Stages};

/// A snapshot of all deals in the vault.
pub(crate) struct Deals {
    pub(crate) records: Records,
    pub(crate) stages: Stages,
    /// The configured default.
    configured_currency: Option<&'static str>,
    /// Computed on the first value without a currency, as hardly any deal has one.
    default_currency: OnceLock<Result<&'static str, NoDefaultCurrency>>,
}

/// A deal, with the fields that could be read.
pub(crate) struct Deal<'a> {
    pub(crate) entry: Entry<'a>,
    /// `None` if it is missing or not one of the stages: the deal is then not on the board.
    pub(crate) stage: Option<&'a Stage>,
    pub(crate) value: Option<Money>,
    /// In percent: the deal's own or else the stage's; `None` if its own cannot be read.
    pub(crate) probability: Option<Decimal>,
    /// Value × probability, if both are known.
    pub(crate) weighted: Option<Result<Decimal, TooLarge>>,
    pub(crate) close_date: Option<Date>,
    /// The fields that could not be read; no figure uses them.
    problems: Vec<Problem>,
}

/// Why there is no default currency.
#[derive(Debug, Clone, PartialEq, Eq)]
enum NoDefaultCurrency {
    /// No deal has a currency.
    Unknown,
    /// These currencies are equally frequent.
    Tied(Vec<&'static str>),
}

impl Deals {
    pub(crate) async fn read(ctx: &dyn ToolContext) -> Result<Self, ToolError> {
        let records = Records::read(ctx, DEAL).await?;
        let configured_currency = ctx.config()["currency"].as_str().and_then(currency_code);
        Ok(Self { configured_currency, default_currency: OnceLock::new(), stages: Stages::of(ctx)?, records })
    }

    /// All deals by path, with their problems.
    pub(crate) fn all(&self) -> Result<Vec<Deal<'_>>, ToolError> {
        self.each().into_iter().collect()
    }

    /// Like [`Deals::all`], with a result for each deal.
    pub(crate) fn each(&self) -> Vec<Result<Deal<'_>, ToolError>> {
        self.records.par_map(|entry| Deal::read(entry, self))
    }

    /// The default currency for an amount without one.
    ///
    /// # Errors
    /// `InvalidArguments` if there is no default.
    pub(crate) fn default_currency(&self) -> Result<&str, ToolError> {
        self.default_or_reason().as_ref().copied().map_err(ToolError::from)
    }

    /// Like [`Deals::default_currency`], as if the deal at `path` had this currency.
    ///
    /// # Errors
    /// As [`Deals::default_currency`].
    pub(crate) fn default_currency_after(
        &self,
        path: &NotePath,
        currency: Option<&str>,
    ) -> Result<&'static str, ToolError> {
        let default = self
            .configured_currency
            .map_or_else(|| most_frequent_currency(&self.records, Some((Some(path), currency))), Ok);
        default.map_err(|none| ToolError::from(&none))
    }

    /// Checks that giving this currency to the deal at `path`, or to a new one, does not change the
    /// currency of another deal: the default, for values without a currency, is the most frequent one.
    ///
    /// # Errors
    /// `InvalidArguments`, saying what to do first.
    pub(crate) fn check_other_currencies(
        &self,
        path: Option<&NotePath>,
        currency: Option<&str>,
    ) -> Result<(), ToolError> {
        let others = self.without_own_currency(path);
        let Some((other, more)) = others.split_first().filter(|_| self.configured_currency.is_none()) else {
            return Ok(());
        };
        let Ok(now) = self.default_currency() else { return Ok(()) };
        if most_frequent_currency(&self.records, Some((path, currency))) == Ok(now) {
            return Ok(());
        }
        let rule = match currency {
            None => format!("is needed: {other} names none and uses this one"),
            Some(_) => {
                let and =
                    if more.is_empty() { String::new() } else { format!(" (and of {} more)", more.len()) };
                format!(
                    "decides the currency of {other}{and}, which names none; write {now} there first, or set the \
                     currency of the skill crm"
                )
            }
        };
        Err(invalid(rule))
    }

    /// Checks that a value keeps its currency when the explicit `currency` is removed from its note.
    ///
    /// # Errors
    /// `InvalidArguments` with the currency that would apply instead.
    pub(crate) fn check_currency_removal(&self, path: &NotePath, currency: &str) -> Result<(), ToolError> {
        let default = self.default_currency_after(path, None)?;
        if currency_code(currency).is_some_and(|code| code != default) {
            let why = format!("without it the value counts in {default}; name the currency");
            return Err(invalid(format!("is needed: {why}")));
        }
        Ok(())
    }

    /// The deals with a value but no currency, except the one at `path`.
    fn without_own_currency(&self, path: Option<&NotePath>) -> Vec<&NotePath> {
        let open = |deal: &Record| {
            let has = |field| !matches!(deal.text_there(field), Ok(None));
            Some(&deal.note().path) != path && has("value") && !has("currency")
        };
        self.records.each().filter(open).map(|deal| &deal.note().path).collect()
    }

    /// The currency of a value without one.
    fn default_or_reason(&self) -> &Result<&'static str, NoDefaultCurrency> {
        self.default_currency.get_or_init(|| {
            self.configured_currency.map_or_else(|| most_frequent_currency(&self.records, None), Ok)
        })
    }
}

fn invalid(rule: String) -> ToolError {
    ToolError::InvalidArguments { path: "/currency".into(), rule, allowed: Vec::new() }
}

impl From<&NoDefaultCurrency> for ToolError {
    fn from(none: &NoDefaultCurrency) -> Self {
        let (rule, allowed) = match none {
            NoDefaultCurrency::Unknown => {
                ("is needed: no deal has one yet, and none is configured", Vec::new())
            }
            NoDefaultCurrency::Tied(several) => (
                "is needed: several are used equally often, and none is configured",
                several.iter().map(|code| (*code).to_owned()).collect(),
            ),
        };
        Self::InvalidArguments { path: "/currency".into(), rule: rule.into(), allowed }
    }
}

impl<'a> Deal<'a> {
    fn read(entry: Entry<'a>, deals: &'a Deals) -> Result<Self, ToolError> {
        let record = &entry.record;
        let mut problems = Vec::new();
        let (stage, wrong) = stage_of(&entry, deals)?;
        let value = value_of(&entry, deals, &mut problems)?;
        let probability = match record.decimal("probability") {
            Ok(None) => stage.and_then(|stage| stage.probability),
            own => or_problem(own, &mut problems)?,
        };
        let weighted = value.as_ref().zip(probability).map(|(value, percent)| share(value.amount, percent));
        let close_date = or_problem(record.date("close_date"), &mut problems)?;
        for problem in &mut problems {
            problem.problem = format!("{} is not counted in full: {}", entry.name, problem.problem);
        }
        problems.splice(0..0, wrong);
        Ok(Self { stage, value, probability, weighted, close_date, problems, entry })
    }

    /// Whether the stage is neither won nor lost.
    pub(crate) fn is_open(&self) -> bool {
        self.stage.is_some_and(Stage::is_open)
    }

    /// Unwraps a result computed from this deal.
    ///
    /// # Errors
    /// If the result cannot be exact, which takes an absurdly large value.
    pub(crate) fn exactly<T>(&self, computed: Result<T, TooLarge>) -> Result<T, ToolError> {
        computed.map_err(|TooLarge| {
            ToolError::failed(
                format!(
                    "{}: with its value, sums have more than 28 digits and cannot be exact.",
                    self.entry.path()
                ),
                "Correct the value in this note.",
            )
        })
    }

    pub(crate) fn problem_rows(&self) -> impl Iterator<Item = Value> {
        self.problems.iter().map(|problem| problem_row(problem, problem.problem.clone()))
    }

    /// The deal's row in an answer, without unknown fields. `late` if it is open and its close date has
    /// passed.
    pub(crate) fn row(&self, today: Date) -> Result<Value, ToolError> {
        let mut row = Map::new();
        row.insert("title".into(), self.entry.name.clone().into());
        if let Some(stage) = self.stage {
            row.insert("stage".into(), stage.name.clone().into());
        }
        for field in ["contact", "company"] {
            if let Some(name) = self.entry.record.text(field)? {
                row.insert(field.into(), name.into());
            }
        }
        if let Some(money) = &self.value {
            row.insert("value".into(), money.rounded().to_string().into());
            row.insert("currency".into(), money.currency.into());
        }
        if let Some(probability) = self.probability {
            row.insert("probability".into(), probability.to_string().into());
        }
        if let Some(date) = self.close_date {
            row.insert("close_date".into(), date.to_string().into());
            if self.is_open() && date < today {
                row.insert("late".into(), true.into());
            }
        }
        row.extend(self.entry.record.own_fields());
        row.insert("path".into(), self.entry.path().into());
        Ok(Value::Object(row))
    }
}

/// The stage, or a problem if the deal has no valid one.
fn stage_of<'a>(
    entry: &Entry<'a>,
    deals: &'a Deals,
) -> Result<(Option<&'a Stage>, Option<Problem>), ToolError> {
    let names = || deals.stages.iter().map(|stage| stage.name.as_str()).collect::<Vec<_>>().join(", ");
    let off = |line, why: String, remedy| Problem {
        path: entry.path().to_owned(),
        line,
        problem: format!("{} is not on the board: {why}", entry.name),
        remedy,
    };
    match entry.record.choice("stage") {
        Ok(Some(name)) => Ok((deals.stages.position(name).map(|at| &deals.stages[at]), None)),
        Ok(None) => {
            let remedy = format!("Add `stage:` with one of {}.", names());
            Ok((None, Some(off(1, "it has no stage".into(), remedy))))
        }
        Err(ToolError::BrokenRecord(problem)) => {
            let why = match entry.record.text("stage") {
                Ok(Some(name)) => format!("stage \"{name}\" is not one of the stages"),
                _ => problem.problem,
            };
            Ok((None, Some(off(problem.line, why, problem.remedy))))
        }
        Err(error) => Err(error),
    }
}

fn value_of(entry: &Entry, deals: &Deals, problems: &mut Vec<Problem>) -> Result<Option<Money>, ToolError> {
    let Some(amount) = or_problem(entry.record.decimal("value"), problems)? else { return Ok(None) };
    let property = deals.records.declared.fields["currency"].property();
    let line = entry.note().document.entry(property).map_or(1, |(_, property)| property.line);
    let wrong =
        |problem: String, remedy: String| Problem { path: entry.path().to_owned(), line, problem, remedy };
    match entry.record.text_there("currency")? {
        Some(text) => match currency_code(&text) {
            Some(code) => return Ok(Some(Money { amount, currency: code })),
            None => {
                let near = near_currency_codes(&text);
                let remedy = match near.as_slice() {
                    [] => "Write a code of ISO 4217, such as EUR.".to_owned(),
                    near => format!("Write a code of ISO 4217, such as {}.", near.join(" or ")),
                };
                problems.push(wrong(format!("`{property}` is `{text}`, which is not a currency"), remedy));
            }
        },
        None => match deals.default_or_reason() {
            Ok(currency) => return Ok(Some(Money { amount, currency })),
            Err(_) => {
                let remedy = format!("Add `{property}:`, such as EUR.");
                problems.push(wrong(format!("`{property}` is missing beside its value {amount}"), remedy));
            }
        },
    }
    Ok(None)
}

/// The currency that most deals name; `changed` overrides that of one deal, or adds that of a new one.
fn most_frequent_currency(
    deals: &Records,
    changed: Option<(Option<&NotePath>, Option<&str>)>,
) -> Result<&'static str, NoDefaultCurrency> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    if let Some((None, Some(currency))) = changed
        && let Some(code) = currency_code(currency)
    {
        counts.insert(code, 1);
    }
    for deal in deals.each() {
        let currency = match changed {
            Some((Some(path), currency)) if deal.note().path == *path => currency.map(Cow::Borrowed),
            // An unreadable currency does not count.
            _ => deal.text_there("currency").ok().flatten(),
        };
        if let Some(code) = currency.as_deref().and_then(currency_code) {
            *counts.entry(code).or_default() += 1;
        }
    }
    let most = counts.values().max().copied().unwrap_or_default();
    let several: Vec<&str> =
        counts.into_iter().filter(|(_, count)| *count == most).map(|(code, _)| code).collect();
    match several.as_slice() {
        [] => Err(NoDefaultCurrency::Unknown),
        [one] => Ok(*one),
        _ => Err(NoDefaultCurrency::Tied(several)),
    }
}
