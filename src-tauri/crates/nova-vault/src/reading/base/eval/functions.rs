//! Implements the documented functions.

use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};

use super::super::duration::Duration;
use super::super::expression::Expr;
use super::super::format;
use super::super::val::{Day, Val};
use super::{Evaluated, Evaluation, Fault, MAX_WEIGHT, Scope, here};
use crate::note::{VaultPath, folded};
use crate::reading::query::Number;

/// A global function.
pub(super) fn call(e: &Evaluation, name: &str, arguments: &[Expr], scope: &Scope) -> Evaluated {
    if name == "if" {
        let [condition, then, otherwise @ ..] = arguments else { return Ok(Val::Null) };
        return match (e.eval(condition, scope)?.is_truthy(), otherwise.first()) {
            (true, _) => e.eval(then, scope),
            (false, Some(otherwise)) => e.eval(otherwise, scope),
            (false, None) => Ok(Val::Null),
        };
    }
    let arguments = e.eval_all(arguments, scope)?;
    let first = arguments.first().unwrap_or(&Val::Null);
    match name {
        "now" => Ok(Val::Date(Day { at: e.world.now, has_time: true })),
        "today" => Ok(Val::Date(Day {
            at: e.world.now.date().to_datetime(jiff::civil::Time::midnight()),
            has_time: false,
        })),
        "date" => match first {
            Val::Null => Ok(Val::Null),
            Val::Date(day) => Ok(Val::Date(*day)),
            Val::Text(text) => Day::parse(text.trim(), e.world.zone)
                .map(Val::Date)
                .ok_or_else(|| here(format!("`{}` is not a date", short(text)))),
            other => Err(not_for("date", other)),
        },
        "duration" => match first {
            Val::Null => Ok(Val::Null),
            Val::Duration(duration) => Ok(Val::Duration(*duration)),
            Val::Text(text) => Duration::parse(text)
                .map(Val::Duration)
                .ok_or_else(|| here(format!("`{}` is not a duration", short(text)))),
            other => Err(not_for("duration", other)),
        },
        "number" => number(first),
        "min" | "max" => {
            let numbers = arguments.iter().map(|val| match val {
                Val::Number(number) => Ok(number.clone()),
                other => Err(not_for(name, other)),
            });
            let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
            let found = if name == "min" { numbers.into_iter().min() } else { numbers.into_iter().max() };
            Ok(found.map_or(Val::Null, Val::Number))
        }
        "list" => Ok(match first {
            Val::List(items) => Val::List(items.clone()),
            single => Val::List(vec![single.clone()]),
        }),
        "link" => {
            let target = match first {
                Val::Link(inner) => super::super::val::target(inner).to_owned(),
                Val::File(path) => path.as_str().to_owned(),
                other => match crate::note::Value::from_text(&other.text()) {
                    crate::note::Value::Link(inner) => inner,
                    _ => other.text(),
                },
            };
            Ok(Val::Link(match arguments.get(1) {
                Some(display) => format!("{target}|{}", display.text()),
                None => target,
            }))
        }
        "file" => match first {
            Val::File(path) => Ok(Val::File(path.clone())),
            other => file_of(e, other),
        },
        "escapeHTML" => Ok(Val::Text(
            first
                .text()
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;")
                .replace('\'', "&#39;"),
        )),
        _ => Err(Fault::Everywhere(format!("there is no function {name}()"))),
    }
}

/// A method of a value.
pub(super) fn method(e: &Evaluation, value: Val, name: &str, arguments: &[Expr], scope: &Scope) -> Evaluated {
    if let (Val::List(items), "filter" | "map" | "reduce") = (&value, name) {
        return over_items(e, items, name, arguments, scope);
    }
    let arguments =
        if matches!(name, "filter" | "map" | "reduce") { Vec::new() } else { e.eval_all(arguments, scope)? };
    match name {
        "isTruthy" => return Ok(Val::Bool(value.is_truthy())),
        "isEmpty" => return Ok(Val::Bool(value.is_empty())),
        "toString" => return Ok(Val::Text(value.text())),
        "isType" => return Ok(Val::Bool(arguments.first().is_some_and(|kind| kind.text() == value.kind()))),
        _ => {}
    }
    match &value {
        // `null` contains nothing; all other methods of it give `null`.
        Val::Null => Ok(match name {
            "contains" | "containsAny" | "containsAll" | "startsWith" | "endsWith" => Val::Bool(false),
            _ => Val::Null,
        }),
        Val::Text(text) => of_text(e, text, name, &arguments),
        Val::Tag(_) => of_text(e, &value.text(), name, &arguments),
        Val::Number(number) => of_number(e, number, name, &arguments),
        Val::Date(day) => of_date(e, day, name, &arguments),
        Val::List(items) => of_list(e, items, name, &arguments),
        Val::Link(inner) => of_link(e, inner, name, &arguments),
        Val::File(path) => of_file(e, path, name, &arguments),
        Val::Object(entries) => match name {
            "keys" => Ok(Val::List(entries.keys().cloned().map(Val::Text).collect())),
            "values" => Ok(Val::List(entries.values().cloned().collect())),
            _ => Err(not_for(name, &value)),
        },
        Val::Bool(_) | Val::Duration(_) => Err(not_for(name, &value)),
    }
}

fn over_items(e: &Evaluation, items: &[Val], name: &str, arguments: &[Expr], scope: &Scope) -> Evaluated {
    let [body, rest @ ..] = arguments else { return Ok(Val::Null) };
    if name == "reduce" {
        let mut acc = match rest.first() {
            Some(start) => e.eval(start, scope)?,
            None => Val::Null,
        };
        for (index, item) in items.iter().enumerate() {
            acc = e.eval(body, &Scope::of_item(item.clone(), index, Some(acc)))?;
        }
        return Ok(acc);
    }
    let mut kept = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let result = e.eval(body, &Scope::of_item(item.clone(), index, None))?;
        match name {
            "filter" if result.is_truthy() => kept.push(item.clone()),
            "filter" => {}
            _ => kept.push(result),
        }
    }
    Ok(Val::List(kept))
}

fn of_text(e: &Evaluation, text: &str, name: &str, arguments: &[Val]) -> Evaluated {
    let argument = |at: usize| arguments.get(at).map(Val::text).unwrap_or_default();
    let boolean = |value: bool| Ok(Val::Bool(value));
    let new = |text: String| Ok(Val::Text(text));
    match name {
        "contains" => boolean(text.contains(&argument(0))),
        "containsAny" => boolean(arguments.iter().any(|part| text.contains(&part.text()))),
        "containsAll" => boolean(arguments.iter().all(|part| text.contains(&part.text()))),
        "startsWith" => boolean(text.starts_with(&argument(0))),
        "endsWith" => boolean(text.ends_with(&argument(0))),
        "lower" => new(text.to_lowercase()),
        "trim" => new(text.trim().to_owned()),
        "title" => new(title(text)),
        "reverse" => new(text.chars().rev().collect()),
        "replace" => {
            let (old, replacement) = (argument(0), argument(1));
            let grown = text.matches(&old).count().saturating_mul(replacement.len());
            fits(text.len().saturating_add(grown))?;
            new(text.replace(&old, &replacement))
        }
        "repeat" => {
            let count = whole(e, arguments.first())?;
            let count = usize::try_from(count).map_err(|_| here("repeat() needs a count of 0 or more"))?;
            fits(text.len().saturating_mul(count))?;
            new(text.repeat(count))
        }
        "slice" => {
            let chars: Vec<char> = text.chars().collect();
            let range = range(e, chars.len(), arguments)?;
            new(chars.get(range).unwrap_or_default().iter().collect())
        }
        "split" => {
            let separator = argument(0);
            let limit = match arguments.get(1) {
                Some(limit) => usize::try_from(whole(e, Some(limit))?).unwrap_or(0),
                None => usize::MAX,
            };
            // An empty separator splits into characters.
            let parts: Vec<String> = if separator.is_empty() {
                text.chars().take(limit).map(String::from).collect()
            } else {
                text.split(&separator).take(limit).map(str::to_owned).collect()
            };
            fits(parts.len().saturating_mul(16))?;
            Ok(Val::List(parts.into_iter().map(Val::Text).collect()))
        }
        _ => Err(not_for(name, &Val::Text(String::new()))),
    }
}

fn of_number(e: &Evaluation, number: &Number, name: &str, arguments: &[Val]) -> Evaluated {
    let val = Val::Number(number.clone());
    let digits = || match arguments.first() {
        Some(digits) => {
            u32::try_from(whole(e, Some(digits))?).map_err(|_| here("the number of digits must be 0 or more"))
        }
        None => Ok(0),
    };
    // JavaScript, and so Obsidian, rounds halves towards positive infinity.
    let rounded = |decimal: Decimal, digits: u32| {
        let strategy = if decimal.is_sign_negative() {
            RoundingStrategy::MidpointTowardZero
        } else {
            RoundingStrategy::MidpointAwayFromZero
        };
        decimal.round_dp_with_strategy(digits, strategy)
    };
    let result = match name {
        "abs" => e.decimal(&val)?.abs(),
        "ceil" => e.decimal(&val)?.ceil(),
        "floor" => e.decimal(&val)?.floor(),
        "round" => rounded(e.decimal(&val)?, digits()?),
        "toFixed" => {
            let digits = digits()?;
            if digits > 28 {
                return Err(here("toFixed() gives at most 28 digits"));
            }
            let fixed = rounded(e.decimal(&val)?, digits);
            return Ok(Val::Text(format!("{fixed:.0$}", usize::try_from(digits).unwrap_or(0))));
        }
        _ => return Err(not_for(name, &val)),
    };
    Ok(Val::Number(Number::from(result)))
}

fn of_date(e: &Evaluation, day: &Day, name: &str, arguments: &[Val]) -> Evaluated {
    match name {
        "date" => Ok(Val::Date(Day {
            at: day.at.date().to_datetime(jiff::civil::Time::midnight()),
            has_time: false,
        })),
        "time" => Ok(Val::Text(day.at.strftime("%H:%M:%S").to_string())),
        "format" => {
            let pattern = arguments.first().map(Val::text).unwrap_or_default();
            format::format(day.at, &pattern).map(Val::Text).map_err(here)
        }
        // A text that happens to be a date still has the methods of texts.
        _ => of_text(e, &Val::Date(*day).text(), name, arguments).map_err(|fault| match fault {
            Fault::Here(_) => not_for(name, &Val::Date(*day)),
            other => other,
        }),
    }
}

fn of_list(e: &Evaluation, items: &[Val], name: &str, arguments: &[Val]) -> Evaluated {
    let contains = |wanted: &Val| {
        for item in items {
            if e.equal(item, wanted)? {
                return Ok(true);
            }
        }
        Ok::<bool, Fault>(false)
    };
    let first = arguments.first().unwrap_or(&Val::Null);
    Ok(match name {
        "contains" => Val::Bool(contains(first)?),
        "containsAny" | "containsAll" => {
            let found = arguments.iter().map(contains).collect::<Result<Vec<_>, _>>()?;
            Val::Bool(if name == "containsAny" { found.contains(&true) } else { !found.contains(&false) })
        }
        "join" => {
            let separator = first.text();
            fits(separator.len().saturating_mul(items.len()))?;
            Val::Text(items.iter().map(Val::text).collect::<Vec<_>>().join(&separator))
        }
        "flat" => Val::List(
            items
                .iter()
                .flat_map(|item| match item {
                    Val::List(inner) => inner.clone(),
                    single => vec![single.clone()],
                })
                .collect(),
        ),
        "reverse" => Val::List(items.iter().rev().cloned().collect()),
        "slice" => {
            let range = range(e, items.len(), arguments)?;
            Val::List(items.get(range).unwrap_or_default().to_vec())
        }
        "sort" => {
            let mut keyed: Vec<_> = items.iter().map(|item| (item.sort_key(), item.clone())).collect();
            keyed.sort_by(|(a, _), (b, _)| a.is_empty().cmp(&b.is_empty()).then_with(|| a.cmp(b)));
            Val::List(keyed.into_iter().map(|(_, item)| item).collect())
        }
        "unique" => {
            let mut kept: Vec<Val> = Vec::new();
            'items: for item in items {
                for known in &kept {
                    e.spend(1)?;
                    if e.equal(known, item)? {
                        continue 'items;
                    }
                }
                kept.push(item.clone());
            }
            Val::List(kept)
        }
        _ => return Err(not_for(name, &Val::List(Vec::new()))),
    })
}

fn of_link(e: &Evaluation, inner: &str, name: &str, arguments: &[Val]) -> Evaluated {
    match name {
        "asFile" => file_of(e, &Val::Link(inner.to_owned())),
        "linksTo" => match e.resolve(inner) {
            Some(path) => of_file(e, &path, "hasLink", arguments),
            None => Ok(Val::Bool(false)),
        },
        _ => of_text(e, super::super::val::target(inner), name, arguments),
    }
}

fn of_file(e: &Evaluation, path: &VaultPath, name: &str, arguments: &[Val]) -> Evaluated {
    let first = arguments.first().unwrap_or(&Val::Null);
    Ok(match name {
        "hasTag" => {
            let tags: Vec<String> = e.tags(path).iter().map(|tag| folded(tag)).collect();
            Val::Bool(arguments.iter().any(|wanted| {
                let wanted = folded(wanted.text().trim().trim_start_matches('#'));
                let is_nested =
                    |tag: &str| tag.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('/'));
                tags.iter().any(|tag| *tag == wanted || is_nested(tag))
            }))
        }
        "inFolder" => {
            let folder = first.text();
            let folder = folder.trim_matches('/');
            let below = |rest: &str| rest.starts_with('/');
            Val::Bool(folder.is_empty() || path.as_str().strip_prefix(folder).is_some_and(below))
        }
        "hasProperty" => {
            let document = e.document(path);
            let found = document.and_then(|document| document.property(&first.text()));
            Val::Bool(found.is_some())
        }
        "hasLink" => {
            let links = e.links_of(path)?;
            let wanted = match first {
                Val::File(path) => Some(path.clone()),
                Val::Link(inner) => e.resolve(inner),
                other => e.resolve(&other.text()),
            };
            Val::Bool(wanted.is_some_and(|wanted| links.contains(&wanted)))
        }
        "asLink" => Val::Link(match arguments.first() {
            Some(display) => format!("{path}|{}", display.text()),
            None => path.as_str().to_owned(),
        }),
        _ => return Err(not_for(name, &Val::File(path.clone()))),
    })
}

fn file_of(e: &Evaluation, named: &Val) -> Evaluated {
    let link = match named {
        Val::Link(inner) => inner.clone(),
        other => match crate::note::Value::from_text(&other.text()) {
            crate::note::Value::Link(inner) => inner,
            _ => other.text(),
        },
    };
    Ok(e.resolve(&link).map_or(Val::Null, Val::File))
}

fn number(val: &Val) -> Evaluated {
    Ok(match val {
        Val::Null => Val::Null,
        Val::Number(number) => Val::Number(number.clone()),
        Val::Bool(value) => Val::Number(Number::from(i64::from(*value))),
        // By local time: the zone is the user's.
        Val::Date(day) => {
            let since = day.at.duration_since(jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0));
            Val::Number(Number::from(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
        }
        Val::Text(text) => match Number::parse(text.trim()) {
            Some(number) => Val::Number(number),
            None => return Err(here(format!("`{}` is not a number", short(text)))),
        },
        other => return Err(not_for("number", other)),
    })
}

fn title(text: &str) -> String {
    let mut begins = true;
    text.chars()
        .flat_map(|c| {
            let first = begins && c.is_alphanumeric();
            begins = c.is_whitespace();
            if first { c.to_uppercase().collect::<Vec<_>>() } else { vec![c] }
        })
        .collect()
}

fn whole(e: &Evaluation, val: Option<&Val>) -> Result<i64, Fault> {
    let decimal = e.decimal(val.unwrap_or(&Val::Null))?;
    decimal.trunc().to_i64().ok_or_else(|| here(format!("{decimal} is too large a count")))
}

/// As in JavaScript: negative indices count from the end; clamped to the length.
fn range(e: &Evaluation, length: usize, arguments: &[Val]) -> Result<std::ops::Range<usize>, Fault> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let place = |at: i64| if at < 0 { length.saturating_add(at).max(0) } else { at.min(length) };
    let start = place(whole(e, arguments.first())?);
    let end = match arguments.get(1) {
        Some(end) => place(whole(e, Some(end))?),
        None => length,
    };
    let index = |at: i64| usize::try_from(at).unwrap_or(0);
    Ok(index(start)..index(end.max(start)))
}

fn fits(bytes: usize) -> Result<(), Fault> {
    if bytes > MAX_WEIGHT { Err(here("a value is larger than 256 KiB")) } else { Ok(()) }
}

fn not_for(name: &str, val: &Val) -> Fault {
    here(format!("{name}() does not exist for a {}", val.kind()))
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
