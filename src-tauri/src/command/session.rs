use std::io::IsTerminal as _;

use nova_app::App;
use nova_protocol::{
    ChooseBranch, Commands as _, FoundSession, Nothing, PurgeSessions, RenameSession, SearchSessions,
    SessionRef, SetSession, TextPart, UserError,
};
use serde_json::json;

use super::lists;
use crate::args::Session;
use crate::print;

pub(crate) async fn run(app: &App, session: &Session, json: bool) -> Result<u8, UserError> {
    let of = |id: &String| SessionRef { session: id.clone() };
    let set = |id: &String| SetSession { session: id.clone(), ..SetSession::default() };
    let row = match session {
        Session::List { deleted } => {
            let rows = match deleted {
                true => app.list_deleted_sessions(Nothing {}).await?,
                false => app.list_sessions(Nothing {}).await?,
            };
            if json {
                print::json(&rows)
            } else {
                lists::sessions(&rows)
            }
            return Ok(print::DONE);
        }
        Session::Show { id } => {
            let view = app.open_session(of(id)).await?;
            if json {
                print::json(&view)
            } else {
                lists::session(&view)
            }
            return Ok(print::DONE);
        }
        Session::Search { text, limit } => {
            let search = SearchSessions { query: text.clone(), limit: Some(*limit) };
            let found = app.search_sessions(search).await?;
            if json {
                print::json(&found)
            } else {
                print_found(&found)
            }
            return Ok(print::DONE);
        }
        Session::Export { id, out, all, force } => {
            let text = app.session_as_markdown(id, *all).await?;
            match out {
                Some(file) => {
                    let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
                    app.write_export(&file, text, *force).await?;
                    let file = file.display().to_string();
                    if json { print::json(&json!({"ok": true, "file": file})) } else { print::line(&file) }
                }
                None if json => print::json(&json!({"ok": true, "markdown": text})),
                // Untrusted text must not control the terminal; a file gets it unmodified.
                None if std::io::stdout().is_terminal() => print::line(print::visible(&text).trim_end()),
                None => print::line(text.trim_end()),
            }
            return Ok(print::DONE);
        }
        Session::Rename { id, title } => {
            app.rename_session(RenameSession { session: id.clone(), title: title.clone() }).await?
        }
        Session::Pin { id } => app.set_session(SetSession { pinned: Some(true), ..set(id) }).await?,
        Session::Unpin { id } => app.set_session(SetSession { pinned: Some(false), ..set(id) }).await?,
        Session::Archive { id } => app.set_session(SetSession { archived: Some(true), ..set(id) }).await?,
        Session::Unarchive { id } => app.set_session(SetSession { archived: Some(false), ..set(id) }).await?,
        Session::Restore { id } => app.restore_session(of(id)).await?,
        Session::Branch { id, turn } => {
            app.choose_branch(ChooseBranch { session: id.clone(), turn: turn.clone() }).await?;
            return done(json);
        }
        Session::Delete { id } => {
            app.delete_session(of(id)).await?;
            if !json {
                print::note(&format!(
                    "nova: the session is in the trash. Restore it: nova session restore {id}"
                ));
            }
            return done(json);
        }
        Session::Purge => {
            let purged = app.purge_sessions(PurgeSessions::default()).await?;
            if json {
                print::json(&purged)
            } else {
                print::line(&format!("{} purged", purged.purged))
            }
            return Ok(print::DONE);
        }
    };
    if json {
        print::json(&row)
    } else {
        lists::sessions(&[row])
    }
    Ok(print::DONE)
}

fn done(json: bool) -> Result<u8, UserError> {
    if json {
        print::json(&json!({"ok": true}));
    }
    Ok(print::DONE)
}

/// One line per session, followed by the matches in it.
fn print_found(found: &[FoundSession]) {
    let text = |parts: &[TextPart]| parts.iter().map(|part| part.text.as_str()).collect::<String>();
    for one in found {
        print::line(&print::visible(&format!("{}  {}", one.row.id, one.row.title)));
        for said in &one.said {
            print::line(&print::visible(&format!("  {}: {}", said.turn, text(&said.snippet))));
        }
    }
    if found.is_empty() {
        print::line("nothing found");
    }
}
