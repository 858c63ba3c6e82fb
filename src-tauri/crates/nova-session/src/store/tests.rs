#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use super::*;
use crate::message::{DetachedRef, LateEnd, LogMessage, Notes};
use crate::{Branches, Session};

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// A database file as left by the given version, with two sessions.
async fn left_by(version: i64, folder: &Path) {
    let options = SqliteConnectOptions::new()
        .filename(folder.join("nova.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    let mut migrations = Migrator { locking: false, ..Migrator::DEFAULT };
    migrations.migrations =
        MIGRATIONS.migrations.iter().filter(|one| one.version <= version).cloned().collect();
    migrations.run(&pool).await.unwrap();
    for (id, title) in [("s1", "Trip to Lisbon"), ("s2", "")] {
        let insert = "INSERT INTO sessions (id, title, created_at, updated_at, model) VALUES (?, ?, '2026-11-01', ?, 'a/b')";
        sqlx::query(insert)
            .bind(id)
            .bind(title)
            .bind(format!("2026-11-2{}", &id[1..]))
            .execute(&pool)
            .await
            .unwrap();
    }
    for (session, seq, kind, body) in log() {
        sqlx::query("INSERT INTO log VALUES (?, ?, ?, ?)")
            .bind(session)
            .bind(seq)
            .bind(kind)
            .bind(body.to_string())
            .execute(&pool)
            .await
            .unwrap();
    }
    pool.close().await;
}

/// In the format of the first version: turns do not name their predecessor. Notes were read in the first
/// session.
fn log() -> Vec<(&'static str, i64, &'static str, Value)> {
    let event = |session: &'static str, seq: i64, turn: &str, event: Value| {
        let mut envelope =
            json!({"v": 1, "seq": seq, "at": "2026-11-20T08:00:00Z", "session": session, "turn": turn});
        envelope.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        (session, seq, "event", envelope)
    };
    let asked =
        |text| json!({"type": "turn_started", "text": text, "model": "a/b", "skills": [], "tool": null});
    let said = |text| json!({"type": "message_completed", "message": "m", "text": text});
    let output = json!({"role": "tool_output", "call_id": "c", "content": "x", "notes": {}});
    vec![
        event("s1", 0, "t1", asked("Where is the harbour?")),
        ("s1", 1, "message", json!({"role": "system", "text": "You are Nova."})),
        ("s1", 2, "message", json!({"role": "user", "text": "Where is the harbour?"})),
        event(
            "s1",
            3,
            "t1",
            json!({"type": "skill_activated", "skill": "crm", "by": "model", "lifetime": "session"}),
        ),
        (
            "s1",
            4,
            "message",
            json!({"role": "assistant", "text": "", "calls": [{"id": "c", "name": "x", "arguments": "{}"}], "provider_data": null}),
        ),
        ("s1", 5, "message", output),
        event("s1", 6, "t1", said("The diary says: in Alfama.")),
        event("s1", 7, "t1", json!({"type": "turn_completed", "text": "The diary says: in Alfama."})),
        event("s1", 8, "t2", asked("Thanks")),
        event("s2", 0, "t1", asked("What is a fado?")),
        event("s2", 1, "t1", said("A song of longing.")),
    ]
}

#[tokio::test]
async fn database_of_every_earlier_version_opens_without_loss() {
    let newest = MIGRATIONS.migrations.iter().map(|one| one.version).max().unwrap();
    assert_eq!(newest, i64::try_from(MIGRATIONS.migrations.len()).unwrap(), "versions start at 1");
    for version in 1..newest {
        let folder = tempfile::tempdir().unwrap();
        left_by(version, folder.path()).await;
        let store = Store::open(folder.path()).await.unwrap();

        let list = store.list().await.unwrap();
        let rows: Vec<_> =
            list.iter().map(|info| (info.id.as_str(), info.title.as_str(), info.pinned)).collect();
        assert_eq!(rows, [("s2", "", false), ("s1", "Trip to Lisbon", false)], "version {version}");
        assert_eq!(list[1].model.as_deref(), Some("a/b"));
        let events = store.events("s1").await.unwrap();
        let kept: Vec<Value> = events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        let written: Vec<Value> = log()
            .into_iter()
            .filter(|(session, _, kind, _)| (*session, *kind) == ("s1", "event"))
            .map(|row| row.3)
            .collect();
        assert_eq!(kept, written, "version {version}");

        // A log without branches is linear, and can be continued.
        let mut branches = Branches::default();
        events.iter().for_each(|event| branches.observe(event));
        assert_eq!(branches.in_force(), ["t1", "t2"], "version {version}");
        let session = Session::load(&store, "s1").await.unwrap();
        assert_eq!(session.active_skills(), ["crm"], "version {version}");

        if version < 4 {
            for (query, ids) in [
                ("harbour", vec!["s1"]),
                ("longing", vec!["s2"]),
                ("fado", vec!["s2"]),
                ("Lisb", vec!["s1"]),
                ("á fádo", vec!["s2"]),
                // It may quote a private note, which was not recorded then.
                ("Alfama", vec![]),
            ] {
                let found = store.search(query, 9).await.unwrap();
                let found: Vec<_> = found.iter().map(|found| found.session.id.as_str()).collect();
                assert_eq!(found, ids, "version {version}: {query}");
            }
        }
    }
}

#[tokio::test]
async fn one_turn_at_a_time_per_session() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Store::open(folder.path()).await.unwrap(), Store::open(folder.path()).await.unwrap());
    one.create("s", "2026-11-22T08:00:00Z").await.unwrap();
    let lease = one.lease("s").unwrap();
    assert!(matches!(other.lease("s"), Err(SessionError::Busy)));
    assert!(matches!(other.delete("s", "2026-11-22T08:00:00Z").await, Err(SessionError::Busy)));
    assert!(other.lease("t").is_ok());
    drop(lease);
    assert!(other.lease("s").is_ok());
}

/// It keeps the notes it read, even if its branch was not current when it ended.
#[tokio::test]
async fn late_end_is_found_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    store.create("s", "2026-11-22T08:00:00Z").await.unwrap();
    let late = |call: &str| LateEnd {
        of: DetachedRef { number: 1, call: call.into(), tool: "vault.search".into() },
        content: "zanzibar".into(),
        notes: Notes::new(),
        drawn_from: None,
        cut: None,
        local_only: true,
        from_outside: false,
    };
    sqlx::query("INSERT INTO log VALUES ('s', 0, 'message', '{\"role\": \"late_e')")
        .execute(&store.pool)
        .await
        .unwrap();
    let entries = ["other", "wanted"].map(|call| Entry::Message(LogMessage::LateEnd(Box::new(late(call)))));
    let entries: Vec<_> = (1..).zip(entries).collect();
    store.append("s", "2026-11-22T08:00:00Z", &entries, &[]).await.unwrap();
    assert_eq!(store.late_end("s", "wanted").await.unwrap(), Some(late("wanted")));
    assert_eq!(store.late_end("s", "missing").await.unwrap(), None);
}

#[tokio::test]
async fn deleted_session_is_hidden_until_restored() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    store.create("s", "2026-11-22T08:00:00Z").await.unwrap();
    store.pin("s", true).await.unwrap();
    store.delete("s", "2026-11-22T09:00:00Z").await.unwrap();

    assert_eq!(store.list().await.unwrap(), []);
    assert_eq!(store.list_deleted().await.unwrap()[0].deleted_at.as_deref(), Some("2026-11-22T09:00:00Z"));
    for refused in [
        store.info("s").await.err(),
        store.events("s").await.err(),
        store.delete("s", "2026-11-22T10:00:00Z").await.err(),
        store.archive("s", true).await.err(),
        Session::load(&store, "s").await.err(),
    ] {
        assert!(matches!(refused, Some(SessionError::Unknown(_))), "{refused:?}");
    }
    let back = store.restore("s").await.unwrap();
    assert!(back.pinned && back.deleted_at.is_none());
    assert_eq!(store.purge(None).await.unwrap().sessions, Vec::<String>::new(), "only the trash is purged");
}

#[tokio::test]
async fn purge_one_deletes_only_from_the_trash() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    for id in ["kept", "deleted", "purged"] {
        store.create(id, "2026-11-22T08:00:00Z").await.unwrap();
    }
    store.delete("deleted", "2026-11-22T09:00:00Z").await.unwrap();
    store.delete("purged", "2026-11-22T09:00:00Z").await.unwrap();

    store.purge_one("purged").await.unwrap();
    for unknown in ["kept", "purged", "never"] {
        assert!(matches!(store.purge_one(unknown).await, Err(SessionError::Unknown(_))), "{unknown}");
    }
    let ids = |list: Vec<SessionInfo>| list.into_iter().map(|info| info.id).collect::<Vec<_>>();
    assert_eq!(ids(store.list().await.unwrap()), ["kept"]);
    assert_eq!(ids(store.list_deleted().await.unwrap()), ["deleted"]);
}

/// Whether the database's files contain the text.
fn is_on_disk(folder: &Path, text: &str) -> bool {
    let files = ["nova.db", "nova.db-wal"].map(|name| std::fs::read(folder.join(name)).unwrap_or_default());
    files.iter().any(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
}

#[tokio::test]
async fn purge_reports_text_left_in_the_log() {
    const CANARY: &str = "the-canary-sings";
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    for id in ["one", "other"] {
        store.create(id, "2026-11-22T08:00:00Z").await.unwrap();
        store.rename(id, CANARY).await.unwrap();
        store.delete(id, "2026-11-22T09:00:00Z").await.unwrap();
    }
    let mut connections = Vec::new();
    for _ in 0..4 {
        let mut connection = store.pool().acquire().await.unwrap();
        sqlx::query("PRAGMA busy_timeout = 0").execute(&mut *connection).await.unwrap();
        connections.push(connection);
    }
    drop(connections);
    // Another program is reading, so the log must keep what it may read.
    let options = SqliteConnectOptions::new().filename(folder.path().join("nova.db"));
    let reader = SqlitePool::connect_with(options).await.unwrap();
    let mut reading = reader.begin().await.unwrap();
    sqlx::query("SELECT * FROM sessions").fetch_all(&mut *reading).await.unwrap();

    let purged = store.purge_one("one").await;
    assert!(matches!(purged, Err(SessionError::LogKept)), "{purged:?}");
    let purged = store.purge(None).await.unwrap();
    assert_eq!((purged.sessions, purged.log_emptied), (vec!["other".to_owned()], false));
    assert!(is_on_disk(folder.path(), CANARY));

    reading.rollback().await.unwrap();
    // Nothing is left to delete, but the log is emptied anyway.
    assert!(store.purge(None).await.unwrap().log_emptied);
    assert!(!is_on_disk(folder.path(), CANARY));
}

#[tokio::test]
async fn newer_database_is_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    sqlx::query("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, 'x', TRUE, x'00', 0)")
        .execute(store.pool())
        .await
        .unwrap();
    assert!(matches!(Store::open(folder.path()).await, Err(SessionError::Newer)));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_starts_all_open_the_database() {
    for version in [None, Some(3)] {
        let data = tempfile::tempdir().unwrap();
        if let Some(version) = version {
            left_by(version, data.path()).await;
        }
        let opening = (0..4).map(|_| {
            let folder = data.path().to_owned();
            tokio::spawn(async move { Store::open(&folder).await.map(|_| ()) })
        });
        for opened in futures::future::join_all(opening).await {
            opened.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn trash_is_read_only_and_purged_sessions_leave_no_trace() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::open(data.path()).await.unwrap();
    // Another Nova process keeps the write-ahead log in use.
    let _other = Store::open(data.path()).await.unwrap();
    store.create("s1", "2026-11-20T08:00:00Z").await.unwrap();
    store.rename("s1", "zanzibar-canary").await.unwrap();
    store.delete("s1", "2026-11-21T08:00:00Z").await.unwrap();

    assert!(matches!(store.rename("s1", "other").await, Err(SessionError::Unknown(_))));
    assert!(matches!(store.pin("s1", true).await, Err(SessionError::Unknown(_))));
    let trash = store.list_deleted().await.unwrap();
    assert_eq!((trash[0].title.as_str(), trash[0].pinned), ("zanzibar-canary", false));

    assert_eq!(store.purge(None).await.unwrap().sessions, ["s1"]);
    for entry in std::fs::read_dir(data.path()).unwrap().flatten().filter(|e| e.path().is_file()) {
        let bytes = std::fs::read(entry.path()).unwrap();
        assert!(!bytes.windows(15).any(|part| part == b"zanzibar-canary"), "{:?}", entry.path());
    }
}

#[cfg(unix)]
#[tokio::test]
async fn other_users_cannot_read_the_chats() {
    use std::os::unix::fs::PermissionsExt as _;
    let data = tempfile::tempdir().unwrap();
    std::fs::set_permissions(data.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let store = Store::open(data.path()).await.unwrap();
    store.create("s1", "2026-11-20T08:00:00Z").await.unwrap();
    for name in ["nova.db", "nova.db-wal", "nova.db-shm", "leases"] {
        let mode = std::fs::metadata(data.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}: {mode:o}");
    }
}

#[tokio::test]
async fn text_is_folded_while_another_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    store.create("s1", "2026-11-20T08:00:00Z").await.unwrap();
    let say = "INSERT INTO said (session, turn, speaker, at, text) VALUES ('s1', 't', 'user', '', ?)";
    sqlx::query(say).bind("Wo ist der Hafen?").execute(&store.pool).await.unwrap();

    // It holds the write lock a little longer than the first process needs to read.
    let other = SqliteConnectOptions::new().filename(folder.path().join("nova.db"));
    let other = SqlitePool::connect_with(other).await.unwrap();
    let mut writing = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    sqlx::query(say).bind("Und der Bahnhof?").execute(&mut *writing).await.unwrap();
    let folding = tokio::spawn({
        let store = store.clone();
        async move { store.fold_said().await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    writing.commit().await.unwrap();

    folding.await.unwrap().unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM said WHERE folded IS NULL")
        .fetch_one(&store.pool)
        .await
        .unwrap();
    assert_eq!(left, 0, "also the other process's entry");
}
