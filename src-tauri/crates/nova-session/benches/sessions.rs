//! Measures opening a long session, and searching many.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use nova_protocol::Event;
use nova_session::{Session, Store};
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

const TURNS: usize = 1250;
/// Log entries per turn.
const EVENTS_EACH: usize = 8;
const SESSIONS: usize = 1000;
const TURNS_EACH: usize = 10;
const OPENS: Duration = Duration::from_millis(100);
const ANSWERS: Duration = Duration::from_millis(50);
const ROUNDS: usize = 9;

#[tokio::main]
async fn main() -> ExitCode {
    let opens = opening().await;
    let answers = searching().await;
    println!("opens below {OPENS:?}: {}", if opens { "yes" } else { "NO" });
    println!("searches below {ANSWERS:?}: {}", if answers { "yes" } else { "NO" });
    if opens && answers { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn opening() -> bool {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    store.create("long", "2026-11-22T08:00:00Z").await.unwrap();
    let mut log = Log::of(folder.path()).await;
    for at in 0..TURNS {
        log.turn(
            "long",
            at,
            &format!("Question {at}"),
            &format!("Answer {at}. {}", "Some words. ".repeat(40)),
        )
        .await;
    }
    log.write().await;

    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let events = store.events("long").await.unwrap();
        times.push(begin.elapsed());
        assert_eq!(events.len(), TURNS * EVENTS_EACH);
        let last = events.iter().rev().find_map(|envelope| match &envelope.event {
            Event::TurnStarted { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(last, Some("Question 1249"));
    }
    let shown = report("the window reads 10,000 events", times);

    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let session = Session::load(&store, "long").await.unwrap();
        times.push(begin.elapsed());
        assert_eq!(session.active_skills(), ["crm"]);
    }
    let loaded = report("a turn reads them and the messages", times);
    shown < OPENS && loaded < OPENS
}

async fn searching() -> bool {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let mut log = Log::of(folder.path()).await;
    let mut words = Words(1);
    for at in 0..SESSIONS {
        let id = format!("session-{at}");
        store.create(&id, "2026-11-22T08:00:00Z").await.unwrap();
        store.rename(&id, &words.some(6)).await.unwrap();
        for turn in 0..TURNS_EACH {
            let question = words.some(20);
            let mut answer = words.some(150);
            if at == 3 && turn == 0 {
                answer.push_str(" the needle 会議 zq");
            }
            log.turn(&id, turn, &question, &answer).await;
        }
    }
    log.write().await;
    // Opening folds the text that was inserted directly.
    let store = Store::open(folder.path()).await.unwrap();

    let mut fits = true;
    for (query, found) in [
        ("needle", Some(1)),
        ("会議", Some(1)),
        ("zq", Some(1)),
        ("needle zq", Some(1)),
        ("absent-word", Some(0)),
        ("qx", None),
        // A word of every answer.
        ("ka", Some(20)),
        ("kamilo", Some(20)),
    ] {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let results = store.search(query, 20).await.unwrap();
            times.push(begin.elapsed());
            if let Some(found) = found {
                assert_eq!(results.len(), found, "{query}");
            }
        }
        fits &= report(&format!("searching 1,000 sessions for {query:?}"), times) < ANSWERS;
    }
    fits
}

/// Prints the median and the second slowest time, and returns the latter, which excludes one outlier.
fn report(what: &str, mut times: Vec<Duration>) -> Duration {
    times.sort();
    let (half, most) = (times[times.len() / 2], times[times.len() - 2]);
    println!("{what}: median {half:.1?}, slow {most:.1?}");
    most
}

/// Writes logs in the session's format, in bulk.
struct Log {
    pool: SqlitePool,
    rows: Vec<(String, i64, &'static str, Value)>,
    seq: i64,
}

impl Log {
    async fn of(data: &std::path::Path) -> Self {
        let options = SqliteConnectOptions::new().filename(data.join("nova.db"));
        Self { pool: SqlitePool::connect_with(options).await.unwrap(), rows: Vec::new(), seq: 0 }
    }

    async fn turn(&mut self, session: &str, at: usize, question: &str, answer: &str) {
        let turn = format!("turn-{at}");
        let mut event = |event: Value| {
            let mut envelope = json!({"v": 1, "seq": self.seq, "at": "2026-11-22T08:00:00.123456789Z", "session": session, "turn": turn});
            envelope.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
            self.rows.push((session.into(), self.seq, "event", envelope));
            self.seq += 1;
        };
        event(
            json!({"type": "turn_started", "text": question, "model": "test/m", "skills": [], "tool": null}),
        );
        event(json!({"type": "skill_activated", "skill": "crm", "by": "model", "lifetime": "session"}));
        event(
            json!({"type": "step_started", "tools": ["vault__search", "vault__query", "vault__read_note"], "prefix_kept": true, "bytes": 12345}),
        );
        let call = format!("call-{at}");
        event(
            json!({"type": "tool_call_started", "call": call, "tool": "vault.search", "args": {"query": question},
            "effect": "read", "principal": {"kind": "user", "name": "owner"}}),
        );
        event(
            json!({"type": "tool_call_completed", "call": call, "ok": true, "output": [{"path": "A.md", "line": 1, "text": question}],
            "sources": [{"kind": "note", "path": "A.md"}], "ms": 3, "changes": [], "change_set": null, "merged": []}),
        );
        event(json!({"type": "usage", "input": 1000, "cached": 900, "output": 100}));
        event(json!({"type": "message_completed", "message": turn, "text": answer}));
        event(json!({"type": "turn_completed", "text": answer}));
        for message in [
            json!({"role": "user", "text": question}),
            json!({"role": "assistant", "text": answer, "calls": [], "provider_data": null}),
        ] {
            self.rows.push((session.into(), self.seq, "message", message));
            self.seq += 1;
        }
    }

    async fn write(self) {
        let mut transaction = self.pool.begin().await.unwrap();
        for (session, seq, kind, body) in self.rows {
            sqlx::query("INSERT INTO log (session, seq, kind, body) VALUES (?, ?, ?, ?)")
                .bind(session)
                .bind(seq)
                .bind(kind)
                .bind(body.to_string())
                .execute(&mut *transaction)
                .await
                .unwrap();
        }
        transaction.commit().await.unwrap();
        self.pool.close().await;
    }
}

/// Invented words with skewed frequencies.
struct Words(u64);

impl Words {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn some(&mut self, count: usize) -> String {
        let syllables = ["ka", "mi", "lo", "ter", "sun", "ve", "ra", "do", "pin", "est"];
        let mut words = vec!["kamilo".to_owned()];
        for _ in 1..count {
            let length = 1 + self.next(4);
            words.push((0..length).map(|_| syllables[self.next(10) as usize]).collect());
        }
        words.join(" ")
    }
}
