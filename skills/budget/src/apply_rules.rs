use crate::arguments::month as month_argument;
use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, edit_properties, json, schemars,
};
use serde::Deserialize;

use crate::ledger::{EXPENSE, Entry, INCOME, Ledger};
use crate::rules::{Rule, first_match};

pub(crate) struct ApplyRules;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Sets categories by your rules."))]
pub(crate) struct Which {
    /// Only entries that fall into this month, YYYY-MM; default: all.
    #[schemars(extend("x-help" = "YYYY-MM; all if left empty"))]
    month: Option<String>,
    /// Only show what would change.
    #[schemars(extend("x-label" = "Only show changes"))]
    dry_run: Option<bool>,
    /// Also change entries whose category differs from the rules'.
    #[schemars(extend("x-label" = "Also change existing categories"))]
    recategorise: Option<bool>,
}

#[async_trait]
impl NativeTool for ApplyRules {
    type Args = Which;
    const ID: &'static str = "apply_rules";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose(
            "Gives entries without a category the one of the first rule that fits, the highest priority first. A category \
             that is there stays, unless recategorise is set. With dry_run nothing is changed.",
        )
        .use_when("entries that are there are to be sorted into categories by the rules")
        .not_when("a rule is to be made", "budget.add_rule")
        .example("Apply the rules to the entries of October")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let month = which.month.as_deref().filter(|month| !month.trim().is_empty());
        let month = month.map(|month| month_argument("month", month, ctx.clock().today())).transpose()?;
        let dry_run = which.dry_run.unwrap_or_default();
        let recategorise = which.recategorise.unwrap_or_default();
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let of_month = |entry: &&Entry| month.is_none_or(|month| !entry.days(month.days()).is_empty());

        let (mut rows, mut paths, mut unmatched) = (Vec::new(), Vec::new(), 0_usize);
        for entry in ledger.entries.iter().filter(of_month) {
            let fits =
                first_match(&ledger.rules, entry.payee.as_deref().unwrap_or_default(), entry.memo.as_deref());
            match (fits, &entry.category) {
                (None, None) => unmatched += 1,
                (Some(rule), None) => rows.push((entry, rule)),
                (Some(rule), Some(own)) if recategorise && folded(own) != folded(&rule.category) => {
                    rows.push((entry, rule));
                }
                _ => {}
            }
        }
        // A note that cannot be edited does not block the others.
        let (mut changed, mut refused) = (Vec::new(), Vec::new());
        for (entry, rule) in rows {
            let declared = ctx.records().get(if entry.is_income { INCOME } else { EXPENSE })?;
            let note = ctx.vault().read(&entry.path).await?;
            let values = Map::from_iter([("category".to_owned(), Value::from(rule.category.as_str()))]);
            let edits = declared.edits(&note, &values)?;
            let mut problem = edit_properties(&note.text, &edits).err().map(|why| why.to_string());
            if problem.is_none() && !dry_run {
                match ctx.vault().set_properties(&entry.path, &edits).await {
                    Err(ToolError::Vault(error)) => problem = Some(error.to_string()),
                    done => done?,
                }
            }
            paths.push(entry.path.clone());
            let mut row = row(entry, rule);
            match problem {
                None => changed.push(row),
                Some(problem) => {
                    row["problem"] = problem.into();
                    refused.push(row);
                }
            }
        }
        let word = if dry_run { "to change" } else { "changed" };
        let cannot = match refused.len() {
            0 => String::new(),
            count => format!(", {count} that cannot be changed"),
        };
        let summary = format!("{} {word}, {unmatched} without a rule{cannot}", changed.len());
        let value = json!({
            "dry_run": dry_run,
            "summary": summary,
            "count": changed.len(),
            "changed": changed,
            "not_changed": refused,
            "without_a_rule": unmatched,
            "unreadable": ledger.unreadable_rows(),
        });
        Ok(Output::new(value).from_notes(paths).into())
    }
}

fn row(entry: &Entry, rule: &Rule) -> Value {
    json!({
        "date": entry.date,
        "payee": entry.payee(),
        "from": entry.category,
        "to": rule.category,
        "rule": rule.path,
        "path": entry.path,
    })
}
