//! What a base says: its YAML read into filters, formulas, names and views.

use indexmap::IndexMap;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::BaseError;
use super::expression::{self, Expr, Refused};
use crate::index::folded;
use crate::note::{Properties, Value, VaultPath, read_yaml};

/// One `.base` file, or one block in a note.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) filters: Filter,
    /// Those that cannot be read, with the reason.
    pub(super) formulas: IndexMap<String, Result<Expr, String>>,
    /// By the property's id.
    pub(super) display_names: IndexMap<String, String>,
    pub(super) views: Vec<BaseView>,
    /// What is in the file and is not followed.
    pub(super) unsupported: Vec<String>,
}

#[derive(Debug)]
pub(super) struct BaseView {
    pub(super) name: String,
    pub(super) filters: Filter,
    pub(super) columns: Vec<PropertyId>,
    pub(super) sort: Vec<Order>,
    pub(super) group_by: Option<Order>,
    pub(super) limit: Option<usize>,
    pub(super) unsupported: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    /// True when none of them is.
    None(Vec<Filter>),
    Statement {
        text: String,
        expr: Expr,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) property: PropertyId,
    pub(super) descending: bool,
}

/// What a column shows: `note.price`, `file.name`, `formula.total`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PropertyId {
    Note(String),
    File(String),
    Formula(String),
}

impl PropertyId {
    /// Without a prefix, a property of the note is meant.
    pub(super) fn parse(id: &str) -> PropertyId {
        match id.split_once('.') {
            Some(("note", name)) => PropertyId::Note(name.to_owned()),
            Some(("file", name)) => PropertyId::File(name.to_owned()),
            Some(("formula", name)) => PropertyId::Formula(name.to_owned()),
            _ => PropertyId::Note(id.to_owned()),
        }
    }

    pub(super) fn id(&self) -> String {
        match self {
            PropertyId::Note(name) => format!("note.{name}"),
            PropertyId::File(name) => format!("file.{name}"),
            PropertyId::Formula(name) => format!("formula.{name}"),
        }
    }

    /// What is shown where the base gives no name.
    pub(super) fn default_name(&self) -> String {
        match self {
            PropertyId::Note(name) | PropertyId::Formula(name) => name.clone(),
            PropertyId::File(_) => self.id(),
        }
    }
}

/// The bases of a file: that of a `.base` file, or those in the ```` ```base ```` blocks of a
/// note.
pub(super) fn bases(path: &VaultPath, text: &str, body_start: usize) -> Result<Vec<Base>, BaseError> {
    if !path.is_note() {
        return Ok(vec![base(path, text, 0)?]);
    }
    let bases: Vec<Base> = blocks(text, body_start)
        .into_iter()
        .map(|(lines_before, block)| base(path, &block, lines_before))
        .collect::<Result<_, _>>()?;
    if bases.is_empty() {
        return Err(BaseError::None { path: path.clone() });
    }
    Ok(bases)
}

/// What is wrong with each base of a note, in order.
pub(super) fn broken_blocks(path: &VaultPath, text: &str, body_start: usize) -> Vec<BaseError> {
    let blocks = blocks(text, body_start).into_iter();
    blocks.filter_map(|(lines_before, block)| base(path, &block, lines_before).err()).collect()
}

/// Whether a note may have a base in it: a fence with its name. Costs far less than to find the blocks.
pub(crate) fn may_hold_base(text: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), "base").any(|at| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        before.ends_with("```") || before.ends_with("~~~")
    })
}

/// The ```` ```base ```` blocks of a note, each with how many lines of the file come before it.
pub(super) fn blocks(text: &str, body_start: usize) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let body = text.get(body_start..).unwrap_or_default();
    let mut block: Option<(usize, String)> = None;
    for (event, range) in Parser::new(body).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                if info.split_whitespace().next() == Some("base") =>
            {
                // The fence's own line is line 1, so that the block begins with line 2.
                let before = &text[..body_start + range.start];
                block = Some((before.matches('\n').count() + 1, String::new()));
            }
            Event::Text(part) => {
                if let Some((_, text)) = &mut block {
                    text.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(block.take()),
            _ => {}
        }
    }
    blocks
}

/// Reads one base; `lines_before` it there are in the file.
fn base(path: &VaultPath, text: &str, lines_before: usize) -> Result<Base, BaseError> {
    let line_in_file = |line: u32| line.saturating_add(u32::try_from(lines_before).unwrap_or(u32::MAX));
    let broken = |line: u32, reason: String| BaseError::Broken {
        path: path.clone(),
        line: line_in_file(line),
        reason,
    };
    let entries = read_yaml(text).map_err(|(line, reason)| broken(line, reason))?;
    let line = |key: &str| entries.get(key).map_or(1, |entry| entry.line);
    let at = |key: &'static str| {
        move |problem: Problem| match problem {
            Problem::Shape(reason) => broken(line(key), reason),
            Problem::Expression { text: expression, refused } => BaseError::Filter {
                path: path.clone(),
                line: match refused {
                    Refused::NotComputed(_) => None,
                    Refused::Unreadable(_) => Some(line_in_file(line_of(text, line(key), &expression))),
                },
                reason: refused.to_string(),
                expression,
            },
        }
    };
    let mut unsupported: Vec<String> = entries
        .keys()
        .filter(|key| !["filters", "formulas", "properties", "summaries", "views"].contains(&key.as_str()))
        .map(|key| format!("{key}: not known"))
        .collect();
    if let Some(summaries) = value(&entries, "summaries") {
        let names = map(summaries, "summaries").map_err(at("summaries"))?;
        unsupported.extend(names.keys().map(|name| format!("summaries.{name}: summaries are not computed")));
    }
    let mut views = Vec::new();
    if let Some(listed) = value(&entries, "views") {
        let Value::List(listed) = listed else {
            return Err(at("views")(Problem::shape("`views` is not a list")));
        };
        for view in listed {
            views.push(self::view(view).map_err(at("views"))?);
        }
    }
    if views.is_empty() {
        // Obsidian shows a base without views as a table of its files.
        views.push(self::view(&Value::map([])).map_err(at("views"))?);
    }
    Ok(Base {
        filters: value(&entries, "filters")
            .map_or(Ok(Filter::All(Vec::new())), filter)
            .map_err(at("filters"))?,
        formulas: formulas(value(&entries, "formulas")).map_err(at("formulas"))?,
        display_names: display_names(value(&entries, "properties")).map_err(at("properties"))?,
        views,
        unsupported,
    })
}

/// Why a part of a base cannot be followed.
enum Problem {
    Shape(String),
    Expression { text: String, refused: Refused },
}

impl Problem {
    fn shape(reason: impl Into<String>) -> Problem {
        Problem::Shape(reason.into())
    }
}

/// The line, 1-based, of an expression that stands below the key of this line; that of the key where it
/// is written in another way, as with escapes.
fn line_of(text: &str, key: u32, expression: &str) -> u32 {
    let below = (1u32..).zip(text.lines()).skip_while(|(number, _)| *number < key);
    let wanted = expression.lines().next().unwrap_or_default().trim();
    let mut found = below.filter(|(_, line)| line.contains(wanted)).map(|(number, _)| number);
    found.next().unwrap_or(key)
}

/// An entry that holds something.
fn value<'a>(entries: &'a Properties, key: &str) -> Option<&'a Value> {
    entries.get(key).map(|entry| &entry.value).filter(|value| **value != Value::Null)
}

fn map<'a>(value: &'a Value, what: &str) -> Result<&'a IndexMap<String, Value>, Problem> {
    match value {
        Value::Map(entries) => Ok(entries),
        _ => Err(Problem::shape(format!("`{what}` is not a list of `key: value` lines"))),
    }
}

fn filter(value: &Value) -> Result<Filter, Problem> {
    let entries = match value {
        Value::Null => return Ok(Filter::All(Vec::new())),
        Value::Map(entries) => entries,
        Value::List(_) => {
            return Err(Problem::shape("a list of filters needs `and:`, `or:` or `not:` before it"));
        }
        statement => return self::statement(statement),
    };
    let Some((key, parts)) = entries.first().filter(|_| entries.len() == 1) else {
        return Err(Problem::shape("a filter has one of `and`, `or` and `not`"));
    };
    let parts = match parts {
        Value::Null => Vec::new(),
        Value::List(parts) => parts.iter().map(filter).collect::<Result<_, _>>()?,
        single => vec![filter(single)?],
    };
    match key.as_str() {
        "and" => Ok(Filter::All(parts)),
        // Without an alternative nothing is asked.
        "or" if parts.is_empty() => Ok(Filter::All(parts)),
        "or" => Ok(Filter::Any(parts)),
        "not" => Ok(Filter::None(parts)),
        other => Err(Problem::shape(format!("`{other}` is not one of `and`, `or` and `not`"))),
    }
}

fn statement(value: &Value) -> Result<Filter, Problem> {
    let text = value.display();
    if text.trim().is_empty() {
        return Ok(Filter::All(Vec::new()));
    }
    match expression::parse(&text) {
        Ok(expr) => Ok(Filter::Statement { text, expr }),
        Err(refused) => Err(Problem::Expression { text, refused }),
    }
}

fn formulas(value: Option<&Value>) -> Result<IndexMap<String, Result<Expr, String>>, Problem> {
    let Some(value) = value else { return Ok(IndexMap::new()) };
    let entries = map(value, "formulas")?.iter();
    Ok(entries
        .map(|(name, text)| {
            (name.clone(), expression::parse(&text.display()).map_err(|refused| refused.to_string()))
        })
        .collect())
}

fn display_names(value: Option<&Value>) -> Result<IndexMap<String, String>, Problem> {
    let Some(value) = value else { return Ok(IndexMap::new()) };
    let mut names = IndexMap::new();
    for (id, options) in map(value, "properties")? {
        if let Value::Map(options) = options
            && let Some(name) = options.get("displayName").filter(|name| **name != Value::Null)
        {
            names.insert(folded(&PropertyId::parse(id).id()), name.display());
        }
    }
    Ok(names)
}

/// Of the looks of a view, which change no row.
const LOOKS: [&str; 16] = [
    "cardSize",
    "columnSize",
    "image",
    "imageFit",
    "imageAspectRatio",
    "rowHeight",
    "indentProperties",
    "markers",
    "separator",
    "coordinates",
    "markerIcon",
    "markerColor",
    "defaultZoom",
    "minZoom",
    "maxZoom",
    "center",
];

fn view(value: &Value) -> Result<BaseView, Problem> {
    let options = map(value, "views")?;
    let get = |key: &str| options.get(key).filter(|value| **value != Value::Null);
    let kind = get("type").map_or_else(|| "table".to_owned(), Value::display);
    let name = get("name").map_or_else(|| kind.clone(), Value::display);
    let mut unsupported = Vec::new();
    if !["table", "cards", "list", "map", "kanban"].contains(&kind.as_str()) {
        unsupported.push(format!("view type {kind}: not known, its rows are those of a table"));
    }
    for (key, value) in options {
        match key.as_str() {
            "type" | "name" | "filters" | "order" | "sort" | "groupBy" | "limit" => {}
            "summaries" => {
                for (property, summary) in map(value, "summaries")? {
                    let summary = summary.display();
                    unsupported.push(format!("summary {summary} of {property}: summaries are not computed"));
                }
            }
            key if LOOKS.contains(&key) => {}
            key => unsupported.push(format!("{key}: not known, it may change the rows")),
        }
    }
    let columns = match get("order") {
        None => vec![PropertyId::parse("file.name")],
        Some(Value::List(ids)) => ids.iter().map(|id| PropertyId::parse(&id.display())).collect(),
        Some(_) => return Err(Problem::shape("`order` is not a list of properties")),
    };
    let sort = match get("sort") {
        None => Vec::new(),
        Some(Value::List(keys)) => keys.iter().map(order).collect::<Result<_, _>>()?,
        Some(_) => return Err(Problem::shape("`sort` is not a list")),
    };
    let limit = match get("limit") {
        None => None,
        Some(limit) => match limit.display().parse() {
            Ok(limit) => Some(limit),
            Err(_) => return Err(Problem::shape("`limit` is not a whole number")),
        },
    };
    Ok(BaseView {
        name,
        filters: get("filters").map_or(Ok(Filter::All(Vec::new())), filter)?,
        columns,
        sort,
        group_by: get("groupBy").map(order).transpose()?,
        limit,
        unsupported,
    })
}

/// `{property, direction}`, or the property alone.
fn order(value: &Value) -> Result<Order, Problem> {
    let options = match value {
        Value::Map(options) => options,
        Value::Text(id) => return Ok(Order { property: PropertyId::parse(id), descending: false }),
        _ => return Err(Problem::shape("an entry of `sort` or `groupBy` has no `property`")),
    };
    // Older bases say `column`.
    let Some(property) = options.get("property").or_else(|| options.get("column")) else {
        return Err(Problem::shape("an entry of `sort` or `groupBy` has no `property`"));
    };
    let direction = options.get("direction").map(Value::display).unwrap_or_default();
    let descending = match direction.to_ascii_uppercase().as_str() {
        "" | "ASC" => false,
        "DESC" => true,
        _ => return Err(Problem::shape(format!("`{direction}` is neither ASC nor DESC"))),
    };
    Ok(Order { property: PropertyId::parse(&property.display()), descending })
}
