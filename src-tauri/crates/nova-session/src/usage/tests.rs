#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use sqlx::SqlitePool;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqlitePoolOptions;

use super::*;
use crate::used::{UseMeter, What};

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// An in-memory database, migrated up to this version.
async fn database(version: i64) -> SqlitePool {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let mut migrations = Migrator { locking: false, ..Migrator::DEFAULT };
    migrations.migrations =
        MIGRATIONS.migrations.iter().filter(|one| one.version <= version).cloned().collect();
    migrations.run(&pool).await.unwrap();
    pool
}

/// Sessions with the events of their logs.
async fn write_logs(pool: &SqlitePool, logs: &[(&str, &[Value])]) {
    for (session, events) in logs {
        sqlx::query("INSERT INTO sessions (id, title, created_at, updated_at) VALUES (?, '', '', '')")
            .bind(session)
            .execute(pool)
            .await
            .unwrap();
        for (seq, event) in (0_i64..).zip(*events) {
            sqlx::query("INSERT INTO log VALUES (?, ?, 'event', ?)")
                .bind(session)
                .bind(seq)
                .bind(event.to_string())
                .execute(pool)
                .await
                .unwrap();
        }
    }
}

fn activated(at: &str) -> Value {
    json!({"v": 1, "seq": 0, "at": at, "type": "skill_activated", "skill": "crm", "by": "model", "lifetime": "session"})
}

fn began(at: &str, call: &str, tool: &str) -> Value {
    json!({"v": 1, "seq": 0, "at": at, "type": "tool_call_started", "call": call, "tool": tool,
        "args": {}, "effect": "read", "principal": {"kind": "user", "name": "owner"}})
}

fn ended(at: &str, call: &str, ok: bool, output: &Value, ms: u64) -> Value {
    json!({"v": 1, "seq": 0, "at": at, "type": "tool_call_completed", "call": call, "ok": ok, "output": output,
        "sources": [], "ms": ms, "changes": [], "change_set": null, "merged": []})
}

/// Two days of two sessions.
fn logs() -> (Vec<Value>, Vec<Value>) {
    let failed = |message: &str| json!({"code": "tool_failed", "message": message, "hint": ""});
    let one = vec![
        activated("2026-11-20T08:00:00Z"),
        began("2026-11-20T08:00:01Z", "a", "crm.get_contact"),
        began("2026-11-20T08:00:02Z", "b", "crm.find"),
        ended("2026-11-20T08:00:03Z", "b", false, &failed("No contact is called Ann."), 30),
        ended("2026-11-20T08:00:04Z", "a", true, &json!("Jürgen"), 5),
        began("2026-11-20T08:00:05Z", "c", "crm.get_contact"),
    ];
    let unknown = json!({"code": "unknown_tool", "message": "There is no tool.", "hint": ""});
    let two = vec![
        began("2026-11-21T09:00:00Z", "a", "crm.get_contact"),
        ended("2026-11-21T09:00:01Z", "a", false, &failed("Nobody is called Bob."), 7),
        began("2026-11-21T09:00:02Z", "d", "crm.nothing"),
        ended("2026-11-21T09:00:03Z", "d", false, &unknown, 0),
        began("2026-11-21T09:00:04Z", "e", "nonsense"),
        ended("2026-11-21T09:00:05Z", "e", false, &unknown, 0),
        ended("2026-11-21T09:00:06Z", "f", true, &json!({}), 1),
    ];
    (one, two)
}

/// The usage in `logs`.
fn counted() -> SkillUse {
    let failed = |message: &str| format!(r#"{{"code":"tool_failed","hint":"","message":"{message}"}}"#);
    let bytes = "\"Jürgen\"".len()
        + failed("No contact is called Ann.").len()
        + failed("Nobody is called Bob.").len();
    SkillUse {
        activations: 1,
        calls: 3,
        errors: 2,
        ms: 42,
        output_bytes: bytes as u64,
        last_used: Some("2026-11-21T09:00:01Z".into()),
        days: [("2026-11-20".into(), 2), ("2026-11-21".into(), 1)].into(),
        last_error: Some(LastError {
            at: "2026-11-21T09:00:01Z".into(),
            tool: "get_contact".into(),
            message: "Nobody is called Bob.".into(),
        }),
        tools: [
            ("find".into(), ToolUse { calls: 1, errors: 1, ms: 30 }),
            ("get_contact".into(), ToolUse { calls: 2, errors: 1, ms: 12 }),
        ]
        .into(),
    }
}

#[tokio::test]
async fn logs_of_an_earlier_version_are_counted_once() {
    let pool = database(2).await;
    let (one, two) = logs();
    write_logs(&pool, &[("one", &one), ("two", &two)]).await;

    MIGRATIONS.run(&pool).await.unwrap();
    MIGRATIONS.run(&pool).await.unwrap();

    assert_eq!(Store::over(pool).usage().await.unwrap(), HashMap::from([("crm".into(), counted())]));
}

#[tokio::test]
async fn events_count_like_logs() {
    let store = Store::over(database(i64::MAX).await);
    let (one, two) = logs();
    for events in [one, two] {
        let mut meter = UseMeter::default();
        let heard = events.into_iter().map(|event| serde_json::from_value(event).unwrap());
        let used: Vec<Used> = heard.filter_map(|envelope| meter.observe(&envelope)).collect();
        store.count(&used).await.unwrap();
    }
    assert_eq!(store.usage().await.unwrap(), HashMap::from([("crm".into(), counted())]));
}

#[tokio::test]
async fn only_the_last_days_are_listed() {
    let store = Store::over(database(i64::MAX).await);
    for day in 1..=30 {
        for month in ["10", "11"] {
            let at = format!("2026-{month}-{day:02}T12:00:00Z");
            let what = What::Call { tool: "find".into(), ms: 1, output_bytes: 1, error: None };
            store.count(&[Used { skill: "crm".into(), at, what }]).await.unwrap();
        }
    }
    let used = store.usage().await.unwrap().remove("crm").unwrap();
    assert_eq!((used.calls, used.days.len()), (60, 31));
    assert_eq!(used.days.keys().next().unwrap(), "2026-10-30");
}

#[tokio::test]
async fn active_sessions_follow_the_last_activation_in_the_log() {
    let pool = database(i64::MAX).await;
    let event = |kind: &str, skill: &str| json!({"v": 1, "seq": 0, "at": "2026-03-01T12:00:00Z", "type": kind, "skill": skill});
    let on = |skill| event("skill_activated", skill);
    let off = |skill| event("skill_deactivated", skill);
    let logs: [(&str, &[Value]); 4] = [
        ("a", &[on("crm"), off("crm"), on("mail"), on("crm")]),
        ("b", &[on("crm"), on("mail"), off("mail")]),
        ("c", &[on("crm"), off("crm")]),
        ("d", &[]),
    ];
    write_logs(&pool, &logs).await;
    let store = Store::over(pool.clone());
    let active = async || store.active_in().await.unwrap();
    assert_eq!(active().await, [("crm".to_owned(), 2), ("mail".to_owned(), 1)].into());
    sqlx::query("UPDATE sessions SET deleted_at = '2026' WHERE id = 'a'").execute(&pool).await.unwrap();
    assert_eq!(active().await, [("crm".to_owned(), 1)].into());
    sqlx::query("UPDATE sessions SET deleted_at = NULL WHERE id = 'a'").execute(&pool).await.unwrap();
    sqlx::query("DELETE FROM sessions WHERE id = 'a'").execute(&pool).await.unwrap();
    assert_eq!(active().await, [("crm".to_owned(), 1)].into());
}
