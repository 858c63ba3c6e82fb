use crate::arguments::month as month_argument;
use std::collections::BTreeSet;
use std::sync::Arc;

use nova_skill::figures::{Days, Month, Sums, minus, money, plus};
use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Decimal, Description, Effect, Figure, JsonSchema, NativeTool, NotePath, Output, OwnFields,
    RecordUse, ToolContext, ToolError, ToolFields, ToolOutput, Value, async_trait, date_argument, json,
    schemars,
};
use serde::Deserialize;

use crate::arguments::{invalid_argument, line};
use crate::ledger::{EXPENSE, Entry, INCOME, Ledger, RULE, TRANSFER, UNCATEGORISED};
use crate::rules::Rule;
use crate::transfer::{self, Transfer};

/// The record types listed.
const RECORD_TYPES: [&str; 4] = [EXPENSE, INCOME, TRANSFER, RULE];

/// The default number of rows; totals and count cover all matches.
const DEFAULT_ROWS: usize = 200;

pub(crate) struct List;

// Explicit parameters: a period, a search in payee and memo, and a kind, which means a record type here.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists budget entries."))]
pub(crate) struct Filters {
    /// The first day, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "The first day"))]
    from: Option<String>,
    /// The last day, YYYY-MM-DD; default: the end of this month.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "End of this month if left empty"))]
    to: Option<String>,
    /// Only this month, YYYY-MM, instead of the two days.
    #[schemars(extend("x-help" = "YYYY-MM, instead of from and to"))]
    month: Option<String>,
    /// Only those whose payee or memo contains this.
    #[schemars(extend("x-help" = "A part of payee or memo"))]
    #[schemars(extend("x-values-from" = ["expense.payee", "income.payee"], "x-values" = "part"))]
    payee: Option<String>,
    /// Only these, such as transfer; rule lists the rules for categories instead.
    #[schemars(extend("x-help" = "Only these"))]
    kind: Option<Kind>,
    /// How many rows to show, newest first; default: 200. Count and sums are of all.
    #[schemars(extend("x-label" = "Rows", "x-help" = "200 if left empty"))]
    limit: Option<usize>,
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Income,
    Expense,
    Refund,
    Transfer,
    Rule,
}

/// A row of the list.
#[derive(Clone, Copy)]
enum Line<'a> {
    Entry(&'a Entry),
    Transfer(&'a Transfer),
}

#[async_trait]
impl NativeTool for List {
    type Args = Filters;
    const ID: &'static str = "list";
    const EFFECT: Effect = Effect::Read;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::ListsEach(&RECORD_TYPES));
    const FIELDS: ToolFields<'static> = ToolFields::Only(&["category"]);

    fn description(&self) -> Description {
        Description::purpose(
            "Lists incomes, expenses and transfers, newest first, with their count and sums so far; upcoming ones and \
             transfers are summed apart. A recurring entry is listed on each of its days.",
        )
        .use_when("single payments, incomes or expenses are to be listed or looked up")
        .not_when("a month as a whole is asked about", "budget.month_summary")
        .cite("the period")
        .example("List my payments to Corner Market in October")
    }

    fn refine_parameters(&self, parameters: &mut Value) {
        // Categories match as a whole, unlike the other filters.
        let category = &mut parameters["properties"]["category"];
        let without = format!("Only this category; \"{UNCATEGORISED}\" finds entries without one.");
        category["description"] = json!(without);
        category["x-help"] = json!(format!("Or “{UNCATEGORISED}”"));
        category["x-values"] = json!("only");
        category["x-values-also"] = json!([UNCATEGORISED]);
    }

    async fn run(&self, mut filters: Filters, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let today = ctx.clock().today();
        let days = filters.days(today)?;
        let category = filters.fields.shift_remove("category");
        let category = category.as_ref().and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let category = line("category", category)?;
        let category = category.as_deref().map(nova_skill::figures::folded);
        let payee =
            filters.payee.as_deref().map(nova_skill::figures::folded).filter(|payee| !payee.is_empty());
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let own = OwnFields::read(ctx.as_ref(), &RECORD_TYPES, &filters.fields).await?;
        if filters.kind == Some(Kind::Rule) {
            return Ok(rules(&ledger, category.as_deref(), payee.as_deref(), &own).into());
        }
        let is_wanted = |line: &Line| {
            filters.kind.is_none_or(|kind| kind == line.kind())
                && category.as_deref().is_none_or(|key| line.has_category(key))
                && payee.as_deref().is_none_or(|payee| line.names(payee))
                && own.fit(line.path())
        };
        let entries = ledger.entries.iter().map(Line::Entry);
        let lines = entries.chain(ledger.transfers.iter().map(Line::Transfer)).filter(is_wanted);
        let mut rows: Vec<(Date, Line)> =
            lines.flat_map(|line| line.days(days).into_iter().map(move |day| (day, line))).collect();
        rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.path().cmp(b.1.path())));

        let totals = Totals::of(&rows, today)?;
        let limit = filters.limit.unwrap_or(DEFAULT_ROWS);
        let lines: Vec<Value> =
            rows.iter().take(limit).map(|(day, line)| line.row(*day, today, &own)).collect();
        let mut value = json!({
            "to": days.last, "count": rows.len(), "totals": totals.to_json()?,
            "upcoming": rows.iter().filter(|(day, _)| *day > today).count(),
            "entries": lines, "unreadable": ledger.unreadable_rows(),
        });
        if days.first > Date::MIN {
            value["from"] = json!(days.first);
        }
        if rows.len() > limit {
            value["not_shown"] = json!(rows.len() - limit);
        }
        let mut output = Output::new(value).from_notes(paths(rows.iter().map(|(_, line)| line.path())));
        output.figures = totals.figures(&rows, &ledger)?;
        Ok(output.into())
    }
}

/// The category rules in the order in which they are tried.
fn rules(ledger: &Ledger, category: Option<&str>, payee: Option<&str>, own: &OwnFields) -> Output {
    let has = |text: &str, wanted: Option<&str>| {
        wanted.is_none_or(|wanted| nova_skill::figures::folded(text).contains(wanted))
    };
    let fits =
        |rule: &&Rule| has(&rule.category, category) && has(&rule.pattern_text, payee) && own.fit(&rule.path);
    let rules: Vec<&Rule> = ledger.rules.iter().filter(fits).collect();
    let row = |rule: &&Rule| {
        let mut row = json!({
            "match": rule.pattern_text, "category": rule.category,
            "priority": rule.priority, "path": rule.path,
        });
        own.add_to(&mut row, &rule.path);
        row
    };
    let rows: Vec<Value> = rules.iter().map(row).collect();
    let value = json!({ "count": rows.len(), "rules": rows, "unreadable": ledger.unreadable_rows() });
    Output::new(value).from_notes(paths(rules.iter().map(|rule| &rule.path)))
}

/// The totals of all matches, up to today and after.
#[derive(Default)]
struct Totals {
    today: Date,
    income: Sums,
    spent: Sums,
    upcoming_income: Sums,
    upcoming_spent: Sums,
    /// Between the user's own accounts; in no other total.
    transferred: Sums,
    upcoming_transferred: Sums,
}

/// The keys of a currency's totals, with label and formula.
const TOTALS: [(&str, &str, &str); 8] = [
    ("income", "Income", "Σ incomes"),
    ("spent", "Spent", "Σ expenses − refunds"),
    ("left", "Left", "income − spent"),
    ("upcoming_income", "Upcoming income", "Σ incomes"),
    ("upcoming_spent", "Upcoming spent", "Σ expenses − refunds"),
    ("left_with_upcoming", "Left with upcoming", "left + upcoming income − upcoming spent"),
    ("transferred", "Transferred", "Σ transfers"),
    ("upcoming_transferred", "Upcoming transfers", "Σ transfers"),
];

impl Totals {
    fn of(rows: &[(Date, Line)], today: Date) -> Result<Self, ToolError> {
        let mut totals = Self { today, ..Self::default() };
        for (day, line) in rows {
            let is_upcoming = *day > today;
            let (sums, amount) = match line {
                Line::Entry(entry) => (totals.of_entry(entry.is_income, is_upcoming), entry.counted()),
                Line::Transfer(transfer) => {
                    let sums =
                        if is_upcoming { &mut totals.upcoming_transferred } else { &mut totals.transferred };
                    (sums, transfer.out.amount)
                }
            };
            sums.add(line.currency(), amount)?;
        }
        Ok(totals)
    }

    fn of_entry(&mut self, is_income: bool, is_upcoming: bool) -> &mut Sums {
        match (is_income, is_upcoming) {
            (true, false) => &mut self.income,
            (false, false) => &mut self.spent,
            (true, true) => &mut self.upcoming_income,
            (false, true) => &mut self.upcoming_spent,
        }
    }

    fn currencies(&self) -> BTreeSet<&str> {
        let entries = [&self.income, &self.spent, &self.upcoming_income, &self.upcoming_spent];
        let transfers = [&self.transferred, &self.upcoming_transferred];
        entries.into_iter().chain(transfers).flat_map(Sums::currencies).collect()
    }

    /// In the order of [`TOTALS`].
    fn amounts(&self, currency: &str) -> Result<[Decimal; 8], ToolError> {
        let of = |sums: &Sums| sums.money(currency);
        let (income, spent) = (of(&self.income), of(&self.spent));
        let (upcoming_income, upcoming_spent) = (of(&self.upcoming_income), of(&self.upcoming_spent));
        let left = money(minus(income, spent)?, currency);
        let with_upcoming = money(minus(plus(left, upcoming_income)?, upcoming_spent)?, currency);
        let (transferred, upcoming) = (of(&self.transferred), of(&self.upcoming_transferred));
        Ok([income, spent, left, upcoming_income, upcoming_spent, with_upcoming, transferred, upcoming])
    }

    fn to_json(&self) -> Result<Vec<Value>, ToolError> {
        let row = |currency| {
            let mut row = json!({ "currency": currency });
            for ((key, ..), amount) in TOTALS.iter().zip(self.amounts(currency)?) {
                row[*key] = json!(amount);
            }
            Ok(row)
        };
        self.currencies().into_iter().map(row).collect()
    }

    fn figures(&self, rows: &[(Date, Line)], ledger: &Ledger) -> Result<Vec<Figure>, ToolError> {
        let mut figures = Vec::new();
        for (at, currency) in self.currencies().into_iter().enumerate() {
            let amounts = self.amounts(currency)?;
            for ((key, label, formula), amount) in TOTALS.iter().zip(amounts) {
                let is_behind = |day: Date, line: &Line| {
                    let (is_upcoming, kind) = (day > self.today, line.kind());
                    let (is_transfer, is_income) = (kind == Kind::Transfer, line.is_income());
                    match *key {
                        "income" => is_income && !is_upcoming,
                        "spent" => !is_income && !is_transfer && !is_upcoming,
                        "left" => !is_transfer && !is_upcoming,
                        "upcoming_income" => is_income && is_upcoming,
                        "upcoming_spent" => !is_income && !is_transfer && is_upcoming,
                        "transferred" => is_transfer && !is_upcoming,
                        "upcoming_transferred" => is_transfer && is_upcoming,
                        _ => !is_transfer,
                    }
                };
                let own =
                    rows.iter().filter(|(day, line)| line.currency() == currency && is_behind(*day, line));
                let mut figure = Figure::new(format!("/totals/{at}/{key}"), *label, amount, currency)
                    .formula(*formula)
                    .caution(ledger.caution())
                    .from_notes(paths(own.map(|(_, line)| line.path())));
                let parts: &[usize] = match *key {
                    "left" => &[0, 1],
                    "left_with_upcoming" => &[2, 3, 4],
                    _ => &[],
                };
                for part in parts {
                    figure = figure.part(TOTALS[*part].1, amounts[*part], currency);
                }
                figures.push(figure);
            }
        }
        Ok(figures)
    }
}

impl Filters {
    fn days(&self, today: Date) -> Result<Days, ToolError> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let (from, to) = (given(&self.from), given(&self.to));
        if let Some(month) = given(&self.month) {
            if from.is_some() || to.is_some() {
                return Err(invalid_argument("month", "cannot be combined with from or to".into()));
            }
            return Ok(month_argument("month", &month, today)?.days());
        }
        let first = from.map_or(Ok(Date::MIN), |from| date_argument("from", &from))?;
        let last = match to {
            Some(to) => date_argument("to", &to)?,
            None => Month::of(today.max(first)).days().last,
        };
        if last < first {
            return Err(invalid_argument("to", format!("is before {first}")));
        }
        Ok(Days { first, last })
    }
}

impl<'a> Line<'a> {
    fn path(&self) -> &'a NotePath {
        match self {
            Self::Entry(entry) => &entry.path,
            Self::Transfer(transfer) => &transfer.path,
        }
    }

    fn currency(&self) -> &'a str {
        match self {
            Self::Entry(entry) => &entry.currency,
            Self::Transfer(transfer) => &transfer.out.currency,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Transfer(_) => Kind::Transfer,
            Self::Entry(entry) if entry.is_refund => Kind::Refund,
            Self::Entry(entry) if entry.is_income => Kind::Income,
            Self::Entry(_) => Kind::Expense,
        }
    }

    fn is_income(&self) -> bool {
        matches!(self, Self::Entry(entry) if entry.is_income)
    }

    fn has_category(&self, category: &str) -> bool {
        matches!(self, Self::Entry(entry) if entry.has_category(category))
    }

    fn names(&self, wanted: &str) -> bool {
        let has = |text: &str| nova_skill::figures::folded(text).contains(wanted);
        match self {
            Self::Entry(entry) => has(entry.payee()) || entry.memo.as_deref().is_some_and(has),
            Self::Transfer(Transfer { out, into, .. }) => [out, into].into_iter().any(|side| {
                let texts = [&side.account, &side.payee, &side.memo];
                texts.into_iter().flatten().any(|text| has(text))
            }),
        }
    }

    fn days(&self, days: Days) -> Vec<Date> {
        match self {
            Self::Entry(entry) => entry.days(days),
            Self::Transfer(transfer) => {
                Some(transfer.out.date).filter(|day| days.contain(*day)).into_iter().collect()
            }
        }
    }

    fn row(&self, day: Date, today: Date, own: &OwnFields) -> Value {
        let mut row = match self {
            Self::Entry(entry) => entry_row(day, entry),
            Self::Transfer(transfer) => transfer_row(transfer),
        };
        if day > today {
            row["upcoming"] = json!(true);
            let due = format!("due {}", day.strftime("%-d %b"));
            row["detail"] = match row["detail"].as_str() {
                Some(detail) => json!(format!("{detail}, {due}")),
                None => json!(due),
            };
        }
        own.add_to(&mut row, self.path());
        row
    }
}

fn transfer_row(transfer: &Transfer) -> Value {
    let mut row = transfer::row(&transfer.out, &transfer.into);
    row["payee"] = json!(transfer.title());
    row["category"] = json!("transfer");
    row["kind"] = json!("transfer");
    row["signed"] = row["amount"].clone();
    row["account"] = json!("between accounts");
    row["path"] = json!(transfer.path);
    if let (Some(amount), Some(currency)) = (row["to_amount"].as_str(), row["to_currency"].as_str()) {
        row["detail"] = json!(format!("{amount} {currency} reached"));
    }
    if let Some(memo) = &transfer.out.memo {
        row["memo"] = json!(memo);
    }
    row
}

fn entry_row(day: Date, entry: &Entry) -> Value {
    let kind = match (entry.is_income, entry.is_refund) {
        (true, false) => "income",
        (false, false) => "expense",
        (_, true) => "refund",
    };
    let mut row = json!({
        "date": day,
        "payee": entry.payee(),
        "category": entry.category.as_deref().unwrap_or(UNCATEGORISED),
        "kind": kind,
        "amount": entry.rounded(),
        "signed": money(entry.signed(), &entry.currency),
        "currency": entry.currency,
        "path": entry.path,
    });
    let refund = entry.is_refund.then(|| "refund".to_owned());
    if let Some(every) = entry.every {
        row["repeats"] = json!(every.word());
    }
    let repeats = entry.every.map(|every| format!("repeats {}", every.word()));
    let details: Vec<String> = refund.into_iter().chain(repeats).collect();
    if !details.is_empty() {
        row["detail"] = json!(details.join(", "));
    }
    for (key, value) in [("account", &entry.account), ("memo", &entry.memo)] {
        if let Some(value) = value {
            row[key] = json!(value);
        }
    }
    row
}

/// Deduplicates the paths and sorts them.
pub(crate) fn paths<'a>(paths: impl Iterator<Item = &'a NotePath>) -> Vec<NotePath> {
    let mut paths: Vec<_> = paths.cloned().collect();
    paths.sort();
    paths.dedup();
    paths
}
