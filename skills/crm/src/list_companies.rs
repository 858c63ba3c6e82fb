use std::collections::HashMap;
use std::sync::Arc;

use nova_skill::figures::{Sums, folded};
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, Figure, JsonSchema, NativeTool, NotePath, Output, RecordUse, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::deals::Deals;
use crate::find::without_md;
use crate::records::{COMPANY, CONTACT, Entry, Records};

/// Longer lists carry no figures: users do not quote single rows of them.
const ROWS_WITH_FIGURES: usize = 100;

pub(crate) struct ListCompanies;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your companies."))]
pub(crate) struct Filter {
    /// Only companies whose name, domain or tags have all of these words.
    #[schemars(extend("x-label" = "Search", "x-help" = "Words in the note"))]
    query: Option<String>,
    /// Fields that the user added.
    #[serde(flatten)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for ListCompanies {
    type Args = Filter;
    const ID: &'static str = "list_companies";
    const EFFECT: Effect = Effect::Read;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Lists(COMPANY));

    fn description(&self) -> Description {
        Description::purpose(
            "Lists the companies that have a note: its people and open deals, and the sum of their values.",
        )
        .use_when("the user asks for a list of companies, or what is open with them")
        .not_when("who is known at a company is asked for", "crm.list_contacts")
        .example("List the companies in logistics")
    }

    async fn run(&self, filter: Filter, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let companies = Records::read(ctx.as_ref(), COMPANY).await?;
        let contacts = Records::read(ctx.as_ref(), CONTACT).await?;
        let deals = Deals::read(ctx.as_ref()).await?;
        let words = filter.query.as_deref().map(folded).unwrap_or_default();
        let own = companies.declared.filters(&filter.own)?;
        let mut fitting = Vec::new();
        for company in companies.iter() {
            if fits(&company, &words)? && own.fit(&company.record) {
                fitting.push(company);
            }
        }
        fitting.sort_by_cached_key(|company| (folded(&company.name), company.path()));

        let data = company_data(&fitting, &contacts, &deals)?;

        let mut figures = Vec::new();
        let mut rows = Vec::new();
        for (at, (company, of)) in fitting.iter().zip(&data).enumerate() {
            rows.push(row(company, of)?);
            for (nth, (currency, amount)) in of.open.iter().enumerate().filter(|_| at < ROWS_WITH_FIGURES) {
                let label = format!("Open with {}", company.name);
                figures.push(
                    Figure::new(format!("/companies/{at}/open/{nth}/amount"), label, amount, currency)
                        .formula("Σ value of the open deals")
                        .from_notes(of.notes_in(currency)),
                );
            }
        }
        let mut out = json!({"companies": rows, "count": fitting.len()});
        let mut unreadable = companies.unreadable_rows();
        unreadable.extend(contacts.unreadable_rows());
        unreadable.extend(deals.records.unreadable_rows());
        if !unreadable.is_empty() {
            out["unreadable"] = unreadable.into();
        }
        let mut output =
            Output::new(out).from_notes(fitting.iter().map(|company| company.note().path.clone()));
        output.figures = figures;
        Ok(output.into())
    }
}

/// The data about a company in other notes.
#[derive(Default)]
struct CompanyData {
    people: usize,
    open_deals: usize,
    open: Sums,
    /// The open deals with a value, by currency.
    notes: Vec<(&'static str, NotePath)>,
}

impl CompanyData {
    fn notes_in(&self, currency: &str) -> impl Iterator<Item = NotePath> {
        self.notes.iter().filter(move |(other, _)| *other == currency).map(|(_, path)| path.clone())
    }
}

/// Returned in the order of `companies`.
fn company_data(
    companies: &[Entry],
    contacts: &Records,
    deals: &Deals,
) -> Result<Vec<CompanyData>, ToolError> {
    // A link has the note's name or path, a person writes the company's name; all resolve.
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, company) in companies.iter().enumerate() {
        places.insert(folded(without_md(company.path())), at);
    }
    for (at, company) in companies.iter().enumerate() {
        for name in [company.name.as_ref(), company.note().path.name()] {
            places.entry(folded(name)).or_insert(at);
        }
    }
    let place = |entry: &Entry| -> Result<Option<usize>, ToolError> {
        let company = entry.record.text("company")?;
        Ok(company.and_then(|company| places.get(&folded(&company)).copied()))
    };
    let mut data: Vec<CompanyData> = companies.iter().map(|_| CompanyData::default()).collect();
    for contact in contacts.iter() {
        if let Some(at) = place(&contact)? {
            data[at].people += 1;
        }
    }
    for deal in deals.all()?.iter().filter(|deal| deal.is_open()) {
        let Some(at) = place(&deal.entry)? else { continue };
        data[at].open_deals += 1;
        if let Some(money) = &deal.value {
            deal.exactly(data[at].open.add(money.currency, money.amount))?;
            data[at].notes.push((money.currency, deal.entry.note().path.clone()));
        }
    }
    Ok(data)
}

fn fits(company: &Entry, words: &str) -> Result<bool, ToolError> {
    let mut all = vec![company.name.clone().into_owned()];
    all.extend(company.record.text("domain")?);
    all.extend(company.record.list("tags")?);
    let all = folded(&all.join(" "));
    Ok(words.split(' ').all(|word| all.contains(word)))
}

fn row(company: &Entry, of: &CompanyData) -> Result<Value, ToolError> {
    let mut row = Map::new();
    row.insert("name".into(), company.name.clone().into());
    if let Some(domain) = company.record.text("domain")? {
        row.insert("domain".into(), domain.into());
    }
    let tags = company.record.list("tags")?;
    if !tags.is_empty() {
        row.insert("tags".into(), tags.into());
    }
    row.insert("people".into(), of.people.into());
    row.insert("open_deals".into(), of.open_deals.into());
    row.insert("open".into(), of.open.to_json());
    for (field, value) in company.record.own_fields() {
        row.entry(field).or_insert(value);
    }
    row.insert("path".into(), company.path().into());
    Ok(Value::Object(row))
}
