//! Queries of notes, which need only the vault.

use nova_app::{Condition, Query, QueryError, Questions, Search, SearchMode, SortKey};
use nova_protocol::{ErrorCode, UserError};

use crate::args::{Args, Question};
use crate::command::lists;
use crate::{print, start};

/// Answers one query and returns the exit code.
pub(super) async fn run(args: &Args, question: &Question) -> Result<u8, UserError> {
    let notes = start::questions(args).await?;
    let problem = notes.settings_problem();
    super::print_problem(problem);
    let answer = super::until_interrupted(answer(&notes, question, args.json)).await;
    let result = super::unless_reported(answer, problem, args.json);
    if super::unmerged(&notes.unmerged().await) { result.map(super::failed) } else { result }
}

async fn answer(notes: &Questions, question: &Question, json: bool) -> Result<u8, UserError> {
    match question {
        Question::Search { text, regex, words, limit } => {
            let mode = match (regex, words) {
                (true, _) => SearchMode::Regex,
                (false, true) => SearchMode::Words,
                (false, false) => SearchMode::Text,
            };
            let search = Search { query: text.clone(), mode, limit: limit.unwrap_or(usize::MAX) };
            let answer = notes.search_notes(search).await?;
            for problem in &answer.skipped {
                print::note(&format!("nova: {}: {}", problem.path, problem.problem));
            }
            if json {
                print::json(&answer.hits)
            } else {
                lists::hits(&answer.hits)
            }
            Ok(print::DONE)
        }
        Question::Query { record_type, conditions, sort, limit } => {
            let query = query(record_type.clone(), conditions, sort, *limit).map_err(|error| {
                UserError::new(
                    ErrorCode::InvalidArguments,
                    error.to_string(),
                    "See: nova vault query --help.",
                )
            })?;
            let answer = notes.query_notes(query).await?;
            if answer.not_comparable > 0 {
                let (notes, hold) = match answer.not_comparable {
                    1 => ("1 note is".to_owned(), "it holds"),
                    several => (format!("{several} notes are"), "they hold"),
                };
                print::note(&format!(
                    "nova: {notes} excluded: the value that {hold} cannot be compared with the condition's."
                ));
            }
            if json {
                print::json(&answer.rows)
            } else {
                lists::notes(&answer.rows)
            }
            Ok(print::DONE)
        }
        Question::Links { note } => {
            let links = notes.links_of(note).await?;
            if json {
                print::json(&links)
            } else {
                lists::links(&links)
            }
            Ok(print::DONE)
        }
    }
}

fn query(
    record_type: Option<String>,
    conditions: &[String],
    sort: &[String],
    limit: Option<usize>,
) -> Result<Query, QueryError> {
    Ok(Query {
        record_types: record_type.into_iter().collect(),
        conditions: conditions.iter().map(|text| Condition::parse(text)).collect::<Result<_, _>>()?,
        sort: sort.iter().map(|text| SortKey::parse_list(text)).collect::<Result<Vec<_>, _>>()?.concat(),
        limit,
        ..Query::default()
    })
}
