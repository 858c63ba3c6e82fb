//! Parses a base's YAML into filters, formulas, names and views.

use indexmap::IndexMap;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::diagnostic::{Cause, Diagnostic};
use super::expression::{self, Expr, Refused};
use crate::note::{Part, Value, VaultPath, folded, read_yaml};
use crate::problem::Problem;

/// One `.base` file, or one block in a note.
#[derive(Debug, Default)]
pub(super) struct Base {
    pub(super) filters: Filter,
    /// An unreadable formula has its reason.
    pub(super) formulas: IndexMap<String, Result<Expr, String>>,
    /// By property id.
    pub(super) display_names: IndexMap<String, String>,
    pub(super) views: Vec<BaseView>,
    /// Features of the file that Nova does not support.
    pub(super) unsupported: Vec<String>,
    /// Problems outside of the views; any of them prevents all results.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Reported only in the results of views that use them.
    pub(super) unreadable_formulas: Vec<Diagnostic>,
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
    /// Why it has no result.
    pub(super) diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
pub(super) enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    /// True if none matches.
    None(Vec<Filter>),
    Statement {
        text: String,
        expr: Expr,
    },
}

impl Default for Filter {
    /// Matches every file.
    fn default() -> Filter {
        Filter::All(Vec::new())
    }
}

#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) property: PropertyId,
    pub(super) descending: bool,
}

/// The source of a column: `note.price`, `file.name`, `formula.total`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PropertyId {
    Note(String),
    File(String),
    Formula(String),
}

impl PropertyId {
    /// Without a prefix it is a note's property.
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

    /// The heading if the base gives no name.
    pub(super) fn default_name(&self) -> String {
        match self {
            PropertyId::Note(name) | PropertyId::Formula(name) => name.clone(),
            PropertyId::File(_) => self.id(),
        }
    }
}

/// Problems in the bases of a file.
pub(super) fn problems_in(path: &VaultPath, text: &str, body_start: usize) -> Vec<Problem> {
    let bases = bases(path, text, body_start);
    bases.iter().flat_map(Base::diagnostics).filter_map(|diagnostic| diagnostic.problem(path)).collect()
}

/// The bases of a file: the one of a `.base` file, or those in the ```` ```base ```` blocks of a note, of
/// which there may be none.
pub(super) fn bases(path: &VaultPath, text: &str, body_start: usize) -> Vec<Base> {
    if !path.is_note() {
        return vec![base(text, 0)];
    }
    let blocks = blocks(text, body_start).into_iter();
    blocks.map(|(lines_before, block)| base(&block, lines_before)).collect()
}

/// Whether a note may contain a base: it has a fence named `base`. Much cheaper than finding the blocks.
pub(crate) fn may_hold_base(text: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), "base").any(|at| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        before.ends_with("```") || before.ends_with("~~~")
    })
}

/// The ```` ```base ```` blocks of a note, each with the number of preceding lines in the file.
pub(super) fn blocks(text: &str, body_start: usize) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let body = text.get(body_start..).unwrap_or_default();
    let mut block: Option<(usize, String)> = None;
    for (event, range) in Parser::new(body).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                if info.split_whitespace().next() == Some("base") =>
            {
                // The fence is line 1 of the block, so its content begins at line 2.
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

/// Parses one base, preceded by `lines_before` lines in the file. Parsing continues after a problem, so
/// that all of them are reported.
fn base(text: &str, lines_before: usize) -> Base {
    let mut reader =
        Reader { lines_before: u32::try_from(lines_before).unwrap_or(u32::MAX), diagnostics: Vec::new() };
    let mut base = Base::default();
    let yaml = match read_yaml(text) {
        Ok(yaml) => yaml,
        Err((line, reason)) => {
            reader.add(line, Cause::Shape(reason));
            return Base { diagnostics: reader.diagnostics, ..base };
        }
    };
    let root = yaml.root();
    for (key, _) in root.entries().into_iter().flatten() {
        if !["filters", "formulas", "properties", "summaries", "views"].contains(&key) {
            base.unsupported.push(format!("{key}: not known"));
        }
    }
    if let Some(summaries) = root.get("summaries") {
        for (name, _) in reader.entries(summaries, "summaries") {
            base.unsupported.push(format!("summaries.{name}: summaries are not computed"));
        }
    }
    if let Some(views) = root.get("views") {
        match views.items() {
            Some(views) => base.views.extend(views.map(|view| reader.apart(|reader| reader.view(view)))),
            None => reader.shape(views, "`views` is not a list"),
        }
    }
    if base.views.is_empty() {
        // Obsidian shows a base without views as a table of its files.
        base.views.push(BaseView::named("table".to_owned()));
    }
    base.filters = root.get("filters").map_or_else(Filter::default, |filters| reader.filter(filters));
    if let Some(names) = root.get("properties") {
        base.display_names = reader.display_names(names);
    }
    if let Some(formulas) = root.get("formulas") {
        for (name, text) in reader.entries(formulas, "formulas") {
            let expression = text.value.display();
            let formula = match expression::parse(&expression) {
                _ if text.is_tag() => Err(Refused::Unreadable(no_value("formula"))),
                formula => formula,
            };
            // An empty formula is unfinished, not wrong.
            let is_written = text.is_tag() || !expression.trim().is_empty();
            if let (Err(Refused::Unreadable(reason)), true) = (&formula, is_written) {
                let cause = Cause::Formula { name: name.to_owned(), expression, reason: reason.clone() };
                base.unreadable_formulas.push(Diagnostic { line: reader.in_file(text.line()), cause });
            }
            let formula = formula.map_err(|refused| refused.to_string());
            base.formulas.insert(name.to_owned(), formula);
        }
    }
    base.diagnostics = reader.in_order();
    base
}

impl Base {
    /// All its problems, by line.
    pub(super) fn diagnostics(&self) -> Vec<&Diagnostic> {
        let of_views = self.views.iter().flat_map(|view| &view.diagnostics);
        let mut all: Vec<&Diagnostic> =
            self.diagnostics.iter().chain(of_views).chain(&self.unreadable_formulas).collect();
        all.sort_by_key(|diagnostic| diagnostic.line);
        all
    }
}

impl BaseView {
    fn named(name: String) -> BaseView {
        BaseView {
            name,
            filters: Filter::default(),
            columns: vec![PropertyId::parse("file.name")],
            sort: Vec::new(),
            group_by: None,
            limit: None,
            unsupported: Vec::new(),
            diagnostics: Vec::new(),
        }
    }
}

/// Parses as much as possible and collects problems.
struct Reader {
    lines_before: u32,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn in_file(&self, line: u32) -> u32 {
        line.saturating_add(self.lines_before)
    }

    fn add(&mut self, line: u32, cause: Cause) {
        let line = self.in_file(line);
        self.diagnostics.push(Diagnostic { line, cause });
    }

    /// The problems found, by line.
    fn in_order(&mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
        std::mem::take(&mut self.diagnostics)
    }

    fn shape(&mut self, part: Part<'_>, reason: impl Into<String>) {
        self.add(part.line(), Cause::Shape(reason.into()));
    }

    /// Parses a view, keeping its problems separate.
    fn apart(&mut self, read: impl FnOnce(&mut Reader) -> BaseView) -> BaseView {
        let before = std::mem::take(&mut self.diagnostics);
        let view = read(self);
        let diagnostics = self.in_order();
        self.diagnostics = before;
        BaseView { diagnostics, ..view }
    }

    fn entries<'a>(&mut self, part: Part<'a>, what: &str) -> Vec<(&'a str, Part<'a>)> {
        match part.entries() {
            Some(entries) => entries.collect(),
            None => {
                self.shape(part, format!("`{what}` is not a list of `key: value` lines"));
                Vec::new()
            }
        }
    }

    fn filter(&mut self, part: Part<'_>) -> Filter {
        if part.is_tag() {
            self.shape(part, no_value("filter"));
            return Filter::default();
        }
        match part.value {
            Value::Null => return Filter::default(),
            Value::Map(_) => {}
            Value::List(_) => {
                self.shape(part, "a list of filters needs `and:`, `or:` or `not:` before it");
                return Filter::default();
            }
            _ => return self.statement(part),
        }
        let mut entries = part.entries().into_iter().flatten();
        let (Some((key, listed)), None) = (entries.next(), entries.next()) else {
            self.shape(part, "a filter has one of `and`, `or` and `not`");
            return Filter::default();
        };
        let parts: Vec<Filter> = match (listed.value, listed.items()) {
            (Value::Null, _) => Vec::new(),
            (_, Some(parts)) => parts.map(|part| self.filter(part)).collect(),
            _ => vec![self.filter(listed)],
        };
        match key {
            "and" => Filter::All(parts),
            // An empty `or` matches everything.
            "or" if parts.is_empty() => Filter::All(parts),
            "or" => Filter::Any(parts),
            "not" => Filter::None(parts),
            other => {
                self.shape(part, format!("`{other}` is not one of `and`, `or` and `not`"));
                Filter::default()
            }
        }
    }

    fn statement(&mut self, part: Part<'_>) -> Filter {
        let text = part.value.display();
        if text.trim().is_empty() {
            return Filter::default();
        }
        match expression::parse(&text) {
            Ok(expr) => Filter::Statement { text, expr },
            Err(refused) => {
                self.add(part.line(), Cause::Filter { expression: text, refused });
                Filter::default()
            }
        }
    }

    fn display_names(&mut self, part: Part<'_>) -> IndexMap<String, String> {
        let entries = self.entries(part, "properties").into_iter();
        let named = entries.filter_map(|(id, options)| {
            Some((folded(&PropertyId::parse(id).id()), options.get("displayName")?.value.display()))
        });
        named.collect()
    }

    fn view(&mut self, part: Part<'_>) -> BaseView {
        let options = self.entries(part, "views");
        let kind = part.get("type").map_or_else(|| "table".to_owned(), |kind| kind.value.display());
        let name = part.get("name").map_or_else(|| kind.clone(), |name| name.value.display());
        let mut view = BaseView::named(name);
        if !["table", "cards", "list", "map", "kanban"].contains(&kind.as_str()) {
            view.unsupported.push(format!("view type {kind}: not known, its rows are those of a table"));
        }
        for (key, part) in options {
            match key {
                "type" | "name" | "filters" | "order" | "sort" | "groupBy" | "limit" => {}
                "summaries" => {
                    for (property, summary) in self.entries(part, "summaries") {
                        let summary = summary.value.display();
                        view.unsupported
                            .push(format!("summary {summary} of {property}: summaries are not computed"));
                    }
                }
                key if APPEARANCE.contains(&key) => {}
                key => view.unsupported.push(format!("{key}: not known, it may change the rows")),
            }
        }
        if let Some(order) = part.get("order") {
            match order.items() {
                Some(ids) => view.columns = ids.map(|id| PropertyId::parse(&id.value.display())).collect(),
                None => self.shape(order, "`order` is not a list of properties"),
            }
        }
        if let Some(sort) = part.get("sort") {
            match sort.items() {
                Some(keys) => view.sort = keys.filter_map(|key| self.order(key)).collect(),
                None => self.shape(sort, "`sort` is not a list"),
            }
        }
        if let Some(limit) = part.get("limit") {
            view.limit = limit.value.display().parse().ok();
            if view.limit.is_none() {
                self.shape(limit, "`limit` is not a whole number");
            }
        }
        view.filters = part.get("filters").map_or_else(Filter::default, |filters| self.filter(filters));
        view.group_by = part.get("groupBy").and_then(|order| self.order(order));
        view
    }

    /// `{property, direction}`, or only the property.
    fn order(&mut self, part: Part<'_>) -> Option<Order> {
        if let Value::Text(id) = part.value {
            return Some(Order { property: PropertyId::parse(id), descending: false });
        }
        // Older bases use `column`.
        let Some(property) = part.get("property").or_else(|| part.get("column")) else {
            self.shape(part, "an entry of `sort` or `groupBy` has no `property`");
            return None;
        };
        let direction = part.get("direction").map(|direction| direction.value.display()).unwrap_or_default();
        let descending = match direction.to_ascii_uppercase().as_str() {
            "" | "ASC" => false,
            "DESC" => true,
            _ => {
                self.shape(part, format!("`{direction}` is neither ASC nor DESC"));
                return None;
            }
        };
        Some(Order { property: PropertyId::parse(&property.value.display()), descending })
    }
}

/// YAML reads an unquoted `!done` as a tag without a value.
fn no_value(what: &str) -> String {
    format!("it is not a {what} in YAML; one that begins with `!` needs quotes")
}

/// Keys for the appearance of a view, which do not affect rows.
const APPEARANCE: [&str; 16] = [
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
