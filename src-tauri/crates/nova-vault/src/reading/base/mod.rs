//! Obsidian's bases: the files a `.base` file, or a ```` ```base ```` block of a note, asks for.
//!
//! The format is that of Obsidian's help, "Bases syntax", "Functions" and "Views"
//! (<https://help.obsidian.md/bases/syntax>, <https://help.obsidian.md/bases/functions>,
//! <https://help.obsidian.md/bases/views>). Numbers are exact decimals of up to 28 digits.
//! Where the help is silent, Nova decides so:
//!
//! - A property that a file does not have is `null`. `null` is less or greater than nothing,
//!   equals only `null`, contains nothing, and makes a sum with it `null`.
//! - A text that is a date compares as a date. Values of different kinds are equal when one is
//!   the text of the other (`5 == "5"`), and have no order otherwise. A link equals the text of
//!   the link or of its target.
//! - Empty texts, lists and objects are falsy.
//! - A limit takes the first rows after sorting, groups are made of these. A missing value
//!   comes last in both directions, and equal rows follow each other by their paths.
//! - The column `file.name` shows a note's name without `.md`, as Obsidian's tables do.
//!
//! What is not computed is named in the answer. A filter that cannot be read is an error: wrong
//! rows would be worse than none. A file for which a filter makes no sense (`lower()` of a
//! number) is left out, as Obsidian does, and the answer says so.

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

/// What a view of a base shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseAnswer {
    /// The `.base` file, or the note with the block.
    pub base: VaultPath,
    /// The view's name.
    pub view: String,
    /// All views of the base, in its order.
    pub views: Vec<String>,
    /// What the cells of each row are, in order.
    pub columns: Vec<BaseColumn>,
    /// The rows; one group without a key where the view does not group.
    pub groups: Vec<BaseGroup>,
    /// How many rows there are without the view's limit.
    pub total: usize,
    /// What the base asks for and the answer does not have, a line each.
    pub unsupported: Vec<String>,
    /// The base and the notes that the rows say something of, with what they held: their own, and those
    /// that a formula followed a link to.
    #[serde(skip)]
    pub read: BTreeMap<VaultPath, ContentHash>,
}

/// A column of a base's view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseColumn {
    /// `note.price`, `file.name`, `formula.total`.
    pub id: String,
    /// What stands above it.
    pub name: String,
}

/// Rows that have one value in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseGroup {
    /// That value; `None` for files without one.
    pub key: Option<Value>,
    /// In the view's order.
    pub rows: Vec<BaseRow>,
}

/// A file in a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseRow {
    /// Where it lies.
    pub path: VaultPath,
    /// As many as there are columns.
    pub cells: Vec<Value>,
}

impl View {
    /// The rows of a view of a base, the first view where none is named, as the files are on
    /// the disk now and without hidden ones. `path` is a `.base` file, or a note with bases in
    /// it; then the views of all of them are asked.
    pub fn query_base(&self, path: &VaultPath, view: Option<&str>) -> Result<BaseAnswer, VaultError> {
        let file = self.read(path)?;
        let bases = definition::bases(path, &file.text, file.document.body_start());
        let views: Vec<String> =
            bases.iter().flat_map(|base| base.views.iter().map(|view| view.name.clone())).collect();
        let all = || bases.iter().flat_map(|base| base.views.iter().map(move |view| (base, view)));
        let chosen = match view {
            None => bases.first().and_then(|base| Some((base, base.views.first()?))),
            // Exactly that name first: two may differ in case only.
            Some(name) => all()
                .find(|(_, view)| view.name == name)
                .or_else(|| all().find(|(_, view)| folded(&view.name) == folded(name))),
        };
        let Some((base, chosen)) = chosen else {
            // Of a base that cannot be read no view is known.
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
        let (mut answer, told) = rows(path, &world, base, chosen, &files)?;
        answer.views = views;
        let unread = bases.iter().filter(|base| base.views.is_empty()).flat_map(|base| &base.diagnostics);
        answer.unsupported.extend(unread.map(|diagnostic| diagnostic.error(path).to_string()));
        let hash = |path: VaultPath| {
            let at = listing.heads.binary_search_by(|head| head.path.cmp(&path)).ok()?;
            Some((path, listing.heads[at].hash()?))
        };
        answer.read = told.into_iter().filter_map(hash).collect();
        answer.read.insert(file.path, file.hash);
        Ok(answer)
    }

    /// What cannot be read in the bases of files and notes, all of it, each with the line and what is wrong
    /// there.
    pub(crate) fn base_problems(&self, listing: &Listing) -> Vec<Problem> {
        let is_base = |path: &&VaultPath| extension(path).eq_ignore_ascii_case("base");
        let bases = listing.files.iter().filter(is_base);
        let in_file = |path: &VaultPath| match self.read(path) {
            Ok(file) => problems_in(path, &file.text, file.document.body_start()),
            // Deleted in between.
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

    /// A note is scanned once for as long as it stays as it is.
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

    /// Every file outside dot-folders that the reader may see, in order of the paths.
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

/// The bases of a note, each with how many lines of the file come before it.
pub(crate) fn base_blocks(text: &str) -> Vec<(usize, String)> {
    definition::blocks(text, Document::parse(text).body_start())
}

/// A file that passed the filters.
struct Passed<'a> {
    evaluation: Evaluation<'a>,
    path: &'a VaultPath,
    sort_keys: Vec<Vec<Scalar>>,
}

/// The answer, and the files that it says something of.
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
    // Stable, and the files come in order of their paths.
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
    let told = passed.into_iter().flat_map(|row| row.evaluation.into_read()).collect();
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
    Ok((answer, told))
}

/// Whether a file passes; a fault comes with the statement it is in. YAML's reader bounds the
/// depth.
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

/// A cell that shows what is written: `1180.00` keeps its zeros.
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

/// What could not be computed: each remark once, with how many files it is about.
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

    /// The value, or nothing and a remark.
    fn taken(&mut self, property: &PropertyId, value: Evaluated, file: &VaultPath) -> Val {
        match value {
            Ok(value) => value,
            Err(Fault::Everywhere(reason) | Fault::Here(reason)) => {
                // A formula's own fault names it already.
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
