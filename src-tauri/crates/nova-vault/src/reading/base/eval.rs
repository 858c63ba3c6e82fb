//! Evaluates an expression for one file.

mod functions;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rust_decimal::Decimal;

use super::duration::Duration;
use super::expression::{Binary, Expr, Step, Unary};
use super::val::{Day, Val};
use crate::disk::Disk;
use crate::note::{Document, VaultPath};
use crate::reading::links::LazyLinks;
use crate::reading::query::{FileFacts, Number, extension};

/// Maximum nesting during evaluation, including formulas.
const MAX_DEPTH: usize = 64;

/// Maximum size of one value, in bytes.
pub(super) const MAX_WEIGHT: usize = 256 * 1024;

/// Maximum number of steps per answer, plus a number per file. A plain filter takes about ten per file.
const MAX_EFFORT: usize = 1_000_000;
const MAX_EFFORT_PER_FILE: usize = 500;

/// Context shared by all files of an answer.
pub(super) struct World<'a> {
    pub(super) disk: &'a Disk,
    pub(super) zone: &'a TimeZone,
    /// Local time of the user.
    pub(super) now: DateTime,
    /// All files visible to the reader.
    pub(super) files: &'a HashMap<VaultPath, Arc<Document>>,
    /// The file that `this` refers to.
    pub(super) this: &'a VaultPath,
    /// The tags of a file, without `#`.
    pub(super) tags: &'a dyn Fn(&VaultPath) -> Vec<String>,
    pub(super) links: &'a LazyLinks<'a>,
    pub(super) formulas: &'a IndexMap<String, Result<Expr, String>>,
    pub(super) effort: Cell<usize>,
}

/// Why there is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Applies to this file: `a number has no lower()`.
    Here(String),
    /// Applies to every file.
    Everywhere(String),
}

pub(super) type Evaluated = Result<Val, Fault>;

/// The evaluation for one file.
pub(super) struct Evaluation<'a> {
    pub(super) world: &'a World<'a>,
    file: &'a VaultPath,
    formulas: RefCell<HashMap<String, Evaluated>>,
    running: RefCell<HashSet<String>>,
    depth: Cell<usize>,
    /// Other files whose content was read.
    others: RefCell<BTreeSet<VaultPath>>,
}

/// The variables inside a list function.
#[derive(Clone, Default)]
pub(super) struct Scope {
    variables: Option<Variables>,
}

#[derive(Clone)]
struct Variables {
    value: Val,
    index: Val,
    acc: Option<Val>,
}

impl Scope {
    pub(super) fn of_item(value: Val, index: usize, acc: Option<Val>) -> Scope {
        let index = Val::Number(Number::from(i64::try_from(index).unwrap_or(i64::MAX)));
        Scope { variables: Some(Variables { value, index, acc }) }
    }

    fn get(&self, name: &str) -> Option<Val> {
        let variables = self.variables.as_ref()?;
        match name {
            "value" => Some(variables.value.clone()),
            "index" => Some(variables.index.clone()),
            "acc" => variables.acc.clone(),
            _ => None,
        }
    }
}

pub(super) fn here(reason: impl Into<String>) -> Fault {
    Fault::Here(reason.into())
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(world: &'a World<'a>, file: &'a VaultPath) -> Evaluation<'a> {
        Evaluation {
            world,
            file,
            formulas: RefCell::default(),
            running: RefCell::default(),
            depth: Cell::new(0),
            others: RefCell::default(),
        }
    }

    /// The file itself and the other files that its values depend on.
    pub(super) fn into_read(self) -> BTreeSet<VaultPath> {
        let mut read = self.others.into_inner();
        read.insert(self.file.clone());
        read
    }

    /// A file's content, if the reader may see it.
    pub(super) fn document(&self, path: &VaultPath) -> Option<&'a Arc<Document>> {
        self.record_read(path);
        self.world.files.get(path)
    }

    fn record_read(&self, path: &VaultPath) {
        if path != self.file && !self.others.borrow().contains(path) {
            self.others.borrow_mut().insert(path.clone());
        }
    }

    pub(super) fn file(&self) -> &'a VaultPath {
        self.file
    }

    pub(super) fn value(&self, expr: &Expr) -> Evaluated {
        self.eval(expr, &Scope::default())
    }

    pub(super) fn eval(&self, expr: &Expr, scope: &Scope) -> Evaluated {
        self.spend(1)?;
        if self.depth.get() >= MAX_DEPTH {
            return Err(Fault::Everywhere(format!("it is nested more than {MAX_DEPTH} deep")));
        }
        self.depth.set(self.depth.get() + 1);
        let value = self.eval_inner(expr, scope);
        self.depth.set(self.depth.get() - 1);
        let value = value?;
        let weight = value.weight(MAX_WEIGHT + 1);
        self.spend(weight / 64)?;
        if weight > MAX_WEIGHT {
            return Err(here("a value is larger than 256 KiB"));
        }
        Ok(value)
    }

    fn eval_inner(&self, expr: &Expr, scope: &Scope) -> Evaluated {
        match expr {
            Expr::Null => Ok(Val::Null),
            Expr::Bool(value) => Ok(Val::Bool(*value)),
            Expr::Number(number) => Ok(Val::Number(number.clone())),
            Expr::Text(text) => Ok(Val::Text(text.clone())),
            Expr::List(items) => self.eval_all(items, scope).map(Val::List),
            Expr::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| Ok((key.clone(), self.eval(value, scope)?)));
                entries.collect::<Result<_, _>>().map(Val::Object)
            }
            Expr::Name(name) => self.name(name, scope),
            Expr::Call(name, arguments) => functions::call(self, name, arguments, scope),
            Expr::Postfix(base, steps) => self.postfix(base, steps, scope),
            Expr::Unary(operators, operand) => {
                let operand = self.eval(operand, scope)?;
                operators.iter().rev().try_fold(operand, |operand, operator| match operator {
                    Unary::Not => Ok(Val::Bool(!operand.is_truthy())),
                    Unary::Minus => self.minus(&Val::Number(Number::from(0)), &operand),
                })
            }
            Expr::Chain(first, rest) => self.chain(first, rest, scope),
        }
    }

    pub(super) fn eval_all(&self, exprs: &[Expr], scope: &Scope) -> Result<Vec<Val>, Fault> {
        exprs.iter().map(|expr| self.eval(expr, scope)).collect()
    }

    fn name(&self, name: &str, scope: &Scope) -> Evaluated {
        if let Some(value) = scope.get(name) {
            return Ok(value);
        }
        Ok(match name {
            "file" => Val::File(self.file.clone()),
            "this" => Val::File(self.world.this.clone()),
            "note" => self.properties(self.file),
            "formula" => return Err(here("`formula` needs the name of a formula")),
            name => self.property(self.file, name),
        })
    }

    fn postfix(&self, base: &Expr, steps: &[Step], scope: &Scope) -> Evaluated {
        // Look up `note.x` and `formula.x` directly, without building the whole object.
        let (mut value, rest) = match (base, steps) {
            (Expr::Name(name), [first, rest @ ..]) if matches!(name.as_str(), "note" | "formula") => {
                let key = match first {
                    Step::Field(key) => Some(key.clone()),
                    Step::Index(index) => match self.eval(index, scope)? {
                        Val::Text(key) => Some(key),
                        _ => None,
                    },
                    Step::Method(..) => None,
                };
                match key {
                    Some(key) if name == "note" => (self.property(self.file, &key), rest),
                    Some(key) => (self.formula(&key)?, rest),
                    None => (self.name(name, scope)?, steps),
                }
            }
            _ => (self.eval(base, scope)?, steps),
        };
        for step in rest {
            self.spend(1)?;
            value = match step {
                Step::Field(name) => self.field(&value, name)?,
                Step::Index(index) => self.index(&value, &self.eval(index, scope)?)?,
                Step::Method(name, arguments) => functions::method(self, value, name, arguments, scope)?,
            };
        }
        Ok(value)
    }

    fn index(&self, value: &Val, index: &Val) -> Evaluated {
        match (value, index) {
            (Val::List(items), Val::Number(number)) => {
                let at = number.to_string().parse::<usize>().ok();
                Ok(at.and_then(|at| items.get(at)).cloned().unwrap_or(Val::Null))
            }
            (value, Val::Text(name)) => self.field(value, name),
            (Val::Null, _) => Ok(Val::Null),
            (value, index) => Err(here(format!("a {} has no element [{}]", value.kind(), index.text()))),
        }
    }

    pub(super) fn field(&self, value: &Val, name: &str) -> Evaluated {
        let number = |number: i64| Ok(Val::Number(Number::from(number)));
        let count = |count: usize| number(i64::try_from(count).unwrap_or(i64::MAX));
        match value {
            Val::Null => Ok(Val::Null),
            Val::Text(text) if name == "length" => count(text.chars().count()),
            Val::List(items) if name == "length" => count(items.len()),
            Val::Object(entries) => Ok(entries.get(name).cloned().unwrap_or(Val::Null)),
            Val::File(path) => self.file_field(path, name),
            Val::Date(day) => match name {
                "year" => number(day.at.year().into()),
                "month" => number(day.at.month().into()),
                "day" => number(day.at.day().into()),
                "hour" => number(day.at.hour().into()),
                "minute" => number(day.at.minute().into()),
                "second" => number(day.at.second().into()),
                "millisecond" => number(day.at.millisecond().into()),
                _ => Err(here(format!("a date has no `{name}`"))),
            },
            // A difference of dates is a number of milliseconds; newer versions of Obsidian give it these
            // fields.
            Val::Number(_) | Val::Duration(_) => {
                let unit: i64 = match name {
                    "days" => 86_400_000,
                    "hours" => 3_600_000,
                    "minutes" => 60_000,
                    "seconds" => 1_000,
                    "milliseconds" => 1,
                    _ => return Err(here(format!("a {} has no `{name}`", value.kind()))),
                };
                let length = self.decimal(value)?;
                Ok(Val::Number(Number::from(length / Decimal::from(unit))))
            }
            other => Err(here(format!("a {} has no `{name}`", other.kind()))),
        }
    }

    fn file_field(&self, path: &VaultPath, name: &str) -> Evaluated {
        let text = |text: &str| Ok(Val::Text(text.to_owned()));
        let facts =
            || FileFacts::of(self.world.disk, path).ok_or_else(|| here(format!("`{path}` no longer exists")));
        let date = |at| Ok(Val::Date(Day { at: self.world.zone.to_datetime(at), has_time: true }));
        let file_name = path.as_str().rsplit('/').next().unwrap_or_default();
        match name {
            "name" => text(file_name),
            "basename" => match extension(path) {
                "" => text(file_name),
                extension => text(
                    file_name
                        .strip_suffix(extension)
                        .map_or(file_name, |stem| stem.strip_suffix('.').unwrap_or(stem)),
                ),
            },
            "path" => text(path.as_str()),
            "folder" => text(path.folder()),
            "ext" => text(extension(path)),
            "file" => Ok(Val::File(path.clone())),
            "size" => Ok(Val::Number(Number::from(i64::try_from(facts()?.size).unwrap_or(i64::MAX)))),
            "mtime" => date(facts()?.modified),
            "ctime" => date(facts()?.created),
            "tags" => Ok(Val::List(self.tags(path).into_iter().map(Val::Tag).collect())),
            "properties" => Ok(self.properties(path)),
            "links" => {
                let found = self.links_of(path)?;
                Ok(Val::List(found.into_iter().map(Val::File).collect()))
            }
            "backlinks" | "embeds" => Err(Fault::Everywhere(format!("file.{name} is not computed"))),
            name => Ok(self.property(path, name)),
        }
    }

    /// The files that `file` links to, if visible to the reader.
    pub(super) fn links_of(&self, file: &VaultPath) -> Result<Vec<VaultPath>, Fault> {
        self.record_read(file);
        self.world.links.links_of(file).map_err(|error| Fault::Everywhere(error.message()))
    }

    /// The target of a link in this file, if visible to the reader.
    pub(super) fn resolve(&self, link: &str) -> Option<VaultPath> {
        self.world.links.resolve(super::val::target(link), self.file)
    }

    pub(super) fn tags(&self, path: &VaultPath) -> Vec<String> {
        self.record_read(path);
        (self.world.tags)(path)
    }

    pub(super) fn property(&self, path: &VaultPath, name: &str) -> Val {
        let document = self.document(path);
        let value = document.and_then(|document| document.property(name));
        value.map_or(Val::Null, |value| Val::of(value, self.world.zone))
    }

    fn properties(&self, path: &VaultPath) -> Val {
        let properties = self.document(path).map(|document| {
            let entries = document.properties().iter();
            entries.map(|(key, property)| (key.clone(), Val::of(&property.value, self.world.zone))).collect()
        });
        Val::Object(properties.unwrap_or_default())
    }

    pub(super) fn formula(&self, name: &str) -> Evaluated {
        if let Some(known) = self.formulas.borrow().get(name) {
            return known.clone();
        }
        let expr = match self.world.formulas.get(name) {
            Some(Ok(expr)) => expr,
            Some(Err(reason)) => return Err(Fault::Everywhere(format!("formula.{name}: {reason}"))),
            None => return Err(Fault::Everywhere(format!("there is no formula `{name}`"))),
        };
        if !self.running.borrow_mut().insert(name.to_owned()) {
            return Err(Fault::Everywhere(format!("formula.{name} refers to itself")));
        }
        let value = self.eval(expr, &Scope::default());
        self.running.borrow_mut().remove(name);
        self.formulas.borrow_mut().insert(name.to_owned(), value.clone());
        value
    }

    fn chain(&self, first: &Expr, rest: &[(Binary, Expr)], scope: &Scope) -> Evaluated {
        let mut left = self.eval(first, scope)?;
        for (operator, right) in rest {
            self.spend(1)?;
            left = match operator {
                Binary::Or if left.is_truthy() => Val::Bool(true),
                Binary::And if !left.is_truthy() => Val::Bool(false),
                Binary::Or | Binary::And => Val::Bool(self.eval(right, scope)?.is_truthy()),
                operator => self.binary(&left, *operator, &self.eval(right, scope)?)?,
            };
            // Repeated concatenation grows without bound.
            if left.weight(MAX_WEIGHT + 1) > MAX_WEIGHT {
                return Err(here("a value is larger than 256 KiB"));
            }
        }
        Ok(left)
    }

    fn binary(&self, left: &Val, operator: Binary, right: &Val) -> Evaluated {
        let ordered = |test: fn(std::cmp::Ordering) -> bool| {
            Ok(Val::Bool(left.order(right, self.world.zone).is_some_and(test)))
        };
        match operator {
            Binary::Equal => Ok(Val::Bool(self.equal(left, right)?)),
            Binary::NotEqual => Ok(Val::Bool(!self.equal(left, right)?)),
            Binary::Less => ordered(std::cmp::Ordering::is_lt),
            Binary::AtMost => ordered(std::cmp::Ordering::is_le),
            Binary::Greater => ordered(std::cmp::Ordering::is_gt),
            Binary::AtLeast => ordered(std::cmp::Ordering::is_ge),
            Binary::Plus => self.plus(left, right),
            Binary::Minus => self.minus(left, right),
            Binary::Times => match (left, right) {
                (Val::Duration(duration), Val::Number(factor)) => {
                    let product = factor.to_string().parse().ok().and_then(|factor| duration.times(factor));
                    product
                        .map(Val::Duration)
                        .ok_or_else(|| here("a duration is multiplied by whole numbers only"))
                }
                _ => self.arithmetic(left, right, |a, b| a.checked_mul(b)),
            },
            Binary::Over => self.arithmetic(left, right, |a, b| a.checked_div(b)),
            Binary::Modulo => self.arithmetic(left, right, |a, b| a.checked_rem(b)),
            Binary::Or | Binary::And => Ok(Val::Null),
        }
    }

    pub(super) fn equal(&self, left: &Val, right: &Val) -> Result<bool, Fault> {
        self.spend((left.weight(MAX_WEIGHT) + right.weight(MAX_WEIGHT)) / 64)?;
        Ok(left.equals(right, self.world.zone, &|link| self.resolve(link)))
    }

    fn plus(&self, left: &Val, right: &Val) -> Evaluated {
        match (left, right) {
            (Val::Duration(a), Val::Duration(b)) => {
                a.plus(*b).map(Val::Duration).ok_or_else(|| here("a duration is too long"))
            }
            (Val::Date(day), Val::Duration(duration)) => later(day, *duration),
            (Val::Date(day), Val::Text(text)) if Duration::parse(text).is_some() => {
                later(day, Duration::parse(text).unwrap_or_default())
            }
            (Val::Text(_), _) | (_, Val::Text(_)) => Ok(Val::Text(left.text() + &right.text())),
            _ => self.arithmetic(left, right, |a, b| a.checked_add(b)),
        }
    }

    fn minus(&self, left: &Val, right: &Val) -> Evaluated {
        let back = |duration: Duration| duration.times(-1).ok_or_else(|| here("a duration is too long"));
        match (left, right) {
            (Val::Date(a), Val::Date(b)) => {
                let difference = a.at.duration_since(b.at).as_millis();
                Ok(Val::Number(Number::from(i64::try_from(difference).unwrap_or(i64::MAX))))
            }
            (Val::Date(day), Val::Duration(duration)) => later(day, back(*duration)?),
            (Val::Date(day), Val::Text(text)) => match Duration::parse(text) {
                Some(duration) => later(day, back(duration)?),
                None => Err(here(format!("`{text}` is not a duration"))),
            },
            (Val::Duration(a), Val::Duration(b)) => {
                a.plus(back(*b)?).map(Val::Duration).ok_or_else(|| here("a duration is too long"))
            }
            _ => self.arithmetic(left, right, |a, b| a.checked_sub(b)),
        }
    }

    /// `null` on either side gives `null`.
    fn arithmetic(
        &self,
        left: &Val,
        right: &Val,
        apply: fn(Decimal, Decimal) -> Option<Decimal>,
    ) -> Evaluated {
        if matches!((left, right), (Val::Null, _) | (_, Val::Null)) {
            return Ok(Val::Null);
        }
        let (left, right) = (self.decimal(left)?, self.decimal(right)?);
        let result = apply(left, right);
        result
            .map(|result| Val::Number(Number::from(result)))
            .ok_or_else(|| here("the result is not a number of at most 28 digits"))
    }

    pub(super) fn decimal(&self, val: &Val) -> Result<Decimal, Fault> {
        match val {
            Val::Number(number) => number
                .decimal()
                .ok_or_else(|| here(format!("{number} is too large or too fine to compute with"))),
            Val::Duration(duration) => {
                let length = duration.milliseconds().map(Decimal::from);
                length.ok_or_else(|| here("a month has no fixed length"))
            }
            other => Err(here(format!("a {} is not a number", other.kind()))),
        }
    }

    pub(super) fn spend(&self, effort: usize) -> Result<(), Fault> {
        let spent = self.world.effort.get().saturating_add(effort);
        self.world.effort.set(spent);
        if spent > MAX_EFFORT + MAX_EFFORT_PER_FILE * self.world.files.len() {
            return Err(Fault::Everywhere("it takes too long to compute".to_owned()));
        }
        Ok(())
    }
}

fn later(day: &Day, duration: Duration) -> Evaluated {
    match duration.after(day.at) {
        Some(at) => Ok(Val::Date(Day { at, has_time: day.has_time || duration.has_time() })),
        None => Err(here("a date is beyond the year 9999")),
    }
}
