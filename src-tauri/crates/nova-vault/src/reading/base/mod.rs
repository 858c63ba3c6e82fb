//! Obsidian's bases: the files selected by a `.base` file or a ```` ```base ```` block of a note.
//!
//! The format is that of Obsidian's help, "Bases syntax", "Functions" and "Views"
//! (<https://help.obsidian.md/bases/syntax>, <https://help.obsidian.md/bases/functions>,
//! <https://help.obsidian.md/bases/views>). Numbers are exact decimals of up to 28 digits.
//! Where the help is silent, these rules apply:
//!
//! - A missing property is `null`. `null` has no order, equals only `null`, contains nothing, and makes a
//!   sum with it `null`.
//! - A text that is a date compares as a date. Values of different kinds are equal if one is the text of
//!   the other (`5 == "5"`), and otherwise have no order. A link equals the text of the link or of its
//!   target.
//! - Empty texts, lists and objects are falsy.
//! - A limit takes the first rows after sorting, and groups are made of these. A missing value sorts last
//!   in both directions; ties are sorted by path.
//! - The column `file.name` shows a note's name without `.md`, as Obsidian's tables do.
//!
//! Unsupported features are named in the answer. An unreadable filter is an error: wrong rows would be
//! worse than none. A file for which a filter fails (`lower()` of a number) is excluded, as in Obsidian,
//! and the answer says so.

mod definition;
mod diagnostic;
mod duration;
mod eval;
mod expression;
mod format;
mod names;
mod val;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;
use serde::Serialize;

pub(crate) use definition::may_hold_base;
use definition::{Base, BaseView, Filter, PropertyId, problems_in};
use eval::{Evaluated, Evaluation, Fault, World};
use val::Val;

use crate::disk::{in_parallel, threads};
use crate::error::{BaseError, VaultError};
use crate::note::{ContentHash, Document, Value, VaultPath, folded};
use crate::problem::Problem;
use crate::reading::index::{Head, Listing, Texts};
use crate::reading::links::LazyLinks;
use crate::reading::query::{Scalar, compare_rows, extension};
use crate::view::View;

/// The result of a view of a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseAnswer {
    /// The `.base` file, or the note with the block.
    pub base: VaultPath,
    /// The view's name.
    pub view: String,
    /// All views of the base, in its order.
    pub views: Vec<String>,
    /// The columns of each row, in order.
    pub columns: Vec<BaseColumn>,
    /// The rows; a single group without a key if the view does not group.
    pub groups: Vec<BaseGroup>,
    /// Number of rows without the view's limit.
    pub total: usize,
    /// Requested features that the answer lacks, one per line.
    pub unsupported: Vec<String>,
    /// The base and the notes that the rows depend on, with their hashes: the rows' own, and those reached
    /// by formulas through links.
    #[serde(skip)]
    pub read: BTreeMap<VaultPath, ContentHash>,
}

/// A column of a base's view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseColumn {
    /// `note.price`, `file.name`, `formula.total`.
    pub id: String,
    /// Its heading.
    pub name: String,
}

/// Rows with a common value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseGroup {
    /// The value; `None` for files without one.
    pub key: Option<Value>,
    /// In the view's order.
    pub rows: Vec<BaseRow>,
}

/// A file in a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseRow {
    pub path: VaultPath,
    /// One per column.
    pub cells: Vec<Value>,
}

impl View {
    /// The rows of a base's view (default: the first view), for the files on disk now, without hidden ones.
    /// `path` is a `.base` file, or a note whose blocks are all searched for the view.
    pub fn query_base(&self, path: &VaultPath, view: Option<&str>) -> Result<BaseAnswer, VaultError> {
        let file = self.read(path)?;
        let bases = definition::bases(path, &file.text, file.document.body_start());
        let views: Vec<String> =
            bases.iter().flat_map(|base| base.views.iter().map(|view| view.name.clone())).collect();
        let all = || bases.iter().flat_map(|base| base.views.iter().map(move |view| (base, view)));
        let chosen = match view {
            None => bases.first().and_then(|base| Some((base, base.views.first()?))),
            // An exact match first: two names may differ in case only.
            Some(name) => all()
                .find(|(_, view)| view.name == name)
                .or_else(|| all().find(|(_, view)| folded(&view.name) == folded(name))),
        };
        let Some((base, chosen)) = chosen else {
            // The views of an unreadable base are unknown.
            let unread =
                bases.iter().find(|base| base.views.is_empty()).and_then(|base| base.diagnostics.first());
            let view = view.unwrap_or_default().to_owned();
            return Err(match unread {
                Some(diagnostic) => diagnostic.error(path),
                None if bases.is_empty() => BaseError::None { path: path.clone() },
                None => BaseError::NoView { path: path.clone(), view, views },
            }
            .into());
        };
        if let Some(diagnostic) = base.diagnostics.first().or(chosen.diagnostics.first()) {
            return Err(diagnostic.error(path).into());
        }

        let core = self.vault().core();
        let listing = self.vault().index().listing(&core.disk, Texts::All)?;
        let files = self.all_files(&listing);
        let documents: HashMap<VaultPath, Arc<Document>> = files.iter().cloned().collect();
        let tags = |file: &VaultPath| {
            let at = listing.heads.binary_search_by(|head| head.path.cmp(file));
            at.map_or_else(|_| Vec::new(), |at| self.vault().tags_of(&listing.heads[at]))
        };
        let links = LazyLinks::of(self);
        let world = World {
            disk: &core.disk,
            zone: &core.zone,
            now: core.zone.to_datetime(core.now()),
            files: &documents,
            this: path,
            tags: &tags,
            links: &links,
            formulas: &base.formulas,
            effort: Cell::new(0),
        };
        let (mut answer, read) = rows(path, &world, base, chosen, &files)?;
        answer.views = views;
        let unread = bases.iter().filter(|base| base.views.is_empty()).flat_map(|base| &base.diagnostics);
        answer.unsupported.extend(unread.map(|diagnostic| diagnostic.error(path).to_string()));
        let hash = |path: VaultPath| {
            let at = listing.heads.binary_search_by(|head| head.path.cmp(&path)).ok()?;
            Some((path, listing.heads[at].hash()?))
        };
        answer.read = read.into_iter().filter_map(hash).collect();
        answer.read.insert(file.path, file.hash);
        Ok(answer)
    }

    /// All problems in the bases of files and notes, each with its line.
    pub(crate) fn base_problems(&self, listing: &Listing) -> Vec<Problem> {
        let is_base = |path: &&VaultPath| extension(path).eq_ignore_ascii_case("base");
        let bases = listing.files.iter().filter(is_base);
        let in_file = |path: &VaultPath| match self.read(path) {
            Ok(file) => problems_in(path, &file.text, file.document.body_start()),
            // Deleted concurrently.
            Err(VaultError::NotFound { .. }) => Vec::new(),
            Err(error) => vec![Problem {
                path: path.to_string(),
                line: 1,
                problem: error.to_string(),
                remedy: error.hint(),
            }],
        };
        let mut problems: Vec<Problem> = bases.flat_map(in_file).collect();
        problems.extend(self.problems_in_blocks(listing));
        problems
    }

    /// A note is scanned once until it changes.
    fn problems_in_blocks(&self, listing: &Listing) -> Vec<Problem> {
        const AT_ONCE: usize = 256;
        let disk = &self.vault().core().disk;
        let text = |head: &Head| -> Option<Arc<str>> {
            let known = head.text().cloned();
            known.or_else(|| disk.text(&head.path).ok().flatten().map(Arc::from))
        };
        let problems = |found: &mut Vec<Problem>, heads: &[Arc<Head>], _: &mut Vec<&[Arc<Head>]>| {
            for head in heads.iter().filter(|head| head.is_readable() && !head.is_hidden_by(self.privacy())) {
                if !head.may_hold_base(|| Some(definition::may_hold_base(&text(head)?))) {
                    continue;
                }
                let Some(text) = text(head) else { continue };
                let body_start = Document::parse(&text).body_start();
                found.extend(problems_in(&head.path, &text, body_start));
            }
        };
        let chunks: Vec<&[Arc<Head>]> = listing.heads.chunks(AT_ONCE).collect();
        in_parallel(threads(Some(listing.heads.len())), chunks, Vec::new, problems)
            .into_iter()
            .flatten()
            .collect()
    }

    /// Every visible file outside dot-folders, sorted by path.
    fn all_files(&self, listing: &Listing) -> Vec<(VaultPath, Arc<Document>)> {
        let none = Arc::new(Document::parse(""));
        let notes = listing
            .heads
            .iter()
            .filter(|head| !self.hides_head(head))
            .map(|head| (head.path.clone(), Arc::clone(head.document())));
        let others = listing.files.iter().filter(|path| !self.privacy().lists(path));
        let mut files: Vec<_> = notes.chain(others.map(|path| (path.clone(), Arc::clone(&none)))).collect();
        files.sort_by(|(a, _), (b, _)| a.cmp(b));
        files
    }
}

/// The bases of a note, each with the number of preceding lines in the file.
pub(crate) fn base_blocks(text: &str) -> Vec<(usize, String)> {
    definition::blocks(text, Document::parse(text).body_start())
}

/// A file that matches the filters.
struct Passed<'a> {
    evaluation: Evaluation<'a>,
    path: &'a VaultPath,
    sort_keys: Vec<Vec<Scalar>>,
}

/// The answer, and the files it depends on.
fn rows<'a>(
    path: &VaultPath,
    world: &'a World<'a>,
    base: &Base,
    view: &BaseView,
    files: &'a [(VaultPath, Arc<Document>)],
) -> Result<(BaseAnswer, BTreeSet<VaultPath>), BaseError> {
    let mut remarks = Remarks::default();
    let mut passed = Vec::new();
    for (file, _) in files {
        let evaluation = Evaluation::new(world, file);
        let passes = [&base.filters, &view.filters].into_iter().try_fold(true, |passes, filter| {
            if passes { self::passes(filter, &evaluation) } else { Ok(false) }
        });
        match passes {
            Ok(true) => {}
            Ok(false) => continue,
            Err((text, Fault::Here(reason))) => {
                remarks.add(format!("filter {text}: {reason}; left out"), file);
                continue;
            }
            Err((expression, Fault::Everywhere(reason))) => {
                return Err(BaseError::Filter { path: path.clone(), line: None, expression, reason });
            }
        }
        let sort_keys = view
            .sort
            .iter()
            .map(|order| {
                remarks.taken(&order.property, value_of(&evaluation, &order.property), file).sort_key()
            })
            .collect();
        passed.push(Passed { evaluation, path: file, sort_keys });
    }
    let directions: Vec<bool> = view.sort.iter().map(|order| order.descending).collect();
    // Stable; the files are sorted by path.
    passed.sort_by(|a, b| compare_rows(&a.sort_keys, &b.sort_keys, &directions));
    let total = passed.len();
    passed.truncate(view.limit.unwrap_or(total));

    let mut groups: IndexMap<String, (Vec<Scalar>, BaseGroup)> = IndexMap::new();
    for row in &passed {
        let mut take =
            |property: &PropertyId| remarks.taken(property, value_of(&row.evaluation, property), row.path);
        let key = view.group_by.as_ref().map_or(Val::Null, |order| take(&order.property));
        let cells = view
            .columns
            .iter()
            .map(|column| match written(&row.evaluation, column, row.path) {
                Some(value) => value,
                None => take(column).to_value(),
            })
            .collect();
        let group = groups.entry(format!("{} {}", key.kind(), key.text())).or_insert_with(|| {
            let shown = (!key.is_empty()).then(|| key.to_value());
            (key.sort_key(), BaseGroup { key: shown, rows: Vec::new() })
        });
        group.1.rows.push(BaseRow { path: row.path.clone(), cells });
    }
    let read = passed.into_iter().flat_map(|row| row.evaluation.into_read()).collect();
    let mut groups: Vec<(Vec<Scalar>, BaseGroup)> = groups.into_values().collect();
    let descending = view.group_by.as_ref().is_some_and(|order| order.descending);
    groups.sort_by(|(a, _), (b, _)| {
        compare_rows(std::slice::from_ref(a), std::slice::from_ref(b), &[descending])
    });

    let columns = view
        .columns
        .iter()
        .map(|column| {
            let id = column.id();
            let name = base.display_names.get(&folded(&id)).cloned();
            BaseColumn { name: name.unwrap_or_else(|| column.default_name()), id }
        })
        .collect();
    let mut unsupported = base.unsupported.clone();
    unsupported.extend(view.unsupported.iter().cloned());
    unsupported.extend(remarks.lines());
    let answer = BaseAnswer {
        base: path.clone(),
        view: view.name.clone(),
        views: Vec::new(),
        columns,
        groups: groups.into_iter().map(|(_, group)| group).collect(),
        total,
        unsupported,
        read: BTreeMap::new(),
    };
    Ok((answer, read))
}

/// Whether a file matches; a fault is returned with its statement. The YAML parser bounds the depth.
fn passes(filter: &Filter, evaluation: &Evaluation) -> Result<bool, (String, Fault)> {
    match filter {
        Filter::Statement { text, expr } => match evaluation.value(expr) {
            Ok(value) => Ok(value.is_truthy()),
            Err(fault) => Err((text.clone(), fault)),
        },
        Filter::All(parts) => parts
            .iter()
            .try_fold(true, |so_far, part| if so_far { passes(part, evaluation) } else { Ok(false) }),
        Filter::Any(parts) => parts
            .iter()
            .try_fold(false, |so_far, part| if so_far { Ok(true) } else { passes(part, evaluation) }),
        Filter::None(parts) => parts.iter().try_fold(true, |so_far, part| {
            if so_far { passes(part, evaluation).map(|passed| !passed) } else { Ok(false) }
        }),
    }
}

fn value_of(evaluation: &Evaluation, property: &PropertyId) -> Evaluated {
    match property {
        PropertyId::Note(name) => Ok(evaluation.property(evaluation.file(), name)),
        PropertyId::File(name) => {
            names::check_file_field(name).map_err(Fault::Everywhere)?;
            evaluation.field(&Val::File(evaluation.file().clone()), name)
        }
        PropertyId::Formula(name) => evaluation.formula(name),
    }
}

/// The value of a plain property cell as written: `1180.00` keeps its zeros.
fn written(evaluation: &Evaluation, column: &PropertyId, path: &VaultPath) -> Option<Value> {
    match column {
        PropertyId::Note(name) => {
            let document = evaluation.world.files.get(path)?;
            Some(document.property(name).cloned().unwrap_or(Value::Null))
        }
        PropertyId::File(name) if name == "name" => Some(Value::Text(path.name().to_owned())),
        PropertyId::File(_) | PropertyId::Formula(_) => None,
    }
}

/// Values that could not be computed: each remark once, with its number of files.
#[derive(Default)]
struct Remarks {
    seen: IndexMap<String, (VaultPath, usize)>,
}

impl Remarks {
    fn add(&mut self, remark: String, file: &VaultPath) {
        const MANY: usize = 50;
        if let Some((_, count)) = self.seen.get_mut(&remark) {
            *count += 1;
        } else if self.seen.len() < MANY {
            self.seen.insert(remark, (file.clone(), 1));
        }
    }

    /// The value, or `null` with a remark.
    fn taken(&mut self, property: &PropertyId, value: Evaluated, file: &VaultPath) -> Val {
        match value {
            Ok(value) => value,
            Err(Fault::Everywhere(reason) | Fault::Here(reason)) => {
                // A fault inside a formula is already prefixed.
                let id = format!("{}: ", property.id());
                self.add(format!("{id}{}", reason.strip_prefix(&id).unwrap_or(&reason)), file);
                Val::Null
            }
        }
    }

    fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.seen.iter().map(|(remark, (file, count))| match count {
            1 => format!("{remark} (\"{file}\")"),
            count => format!("{remark} (\"{file}\" and {} more)", count - 1),
        })
    }
}
