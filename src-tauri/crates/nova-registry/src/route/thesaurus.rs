//! Words that people use for one thing when they talk to an assistant. English, everyday, of no
//! particular skill.

use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashMap;

/// A word leads to the others of each of its lines.
const GROUPS: &[&str] = &[
    "mail email message inbox",
    "message dm text chat",
    "contact person lead customer client acquaintance",
    "phone number call telephone ring mobile",
    "buy purchase acquire",
    "buy sell trade",
    "share stock equity position",
    "hold own possess position",
    "spend cost pay expense expenditure",
    "earn income salary wage revenue",
    "money budget expense",
    "bill invoice",
    "limit budget cap maximum",
    "note jot memo",
    "search find look seek",
    "list show which",
    "delete remove trash discard erase",
    "create make new add",
    "open read show view",
    "write draft compose",
    "reply answer respond",
    "rename move",
    "change update edit modify set",
    "picture photo image pic snapshot",
    "song track music tune",
    "loud volume quiet",
    "stop pause halt",
    "light lamp bulb",
    "heat thermostat temperature warm cold heating",
    "weather rain sun snow wind storm umbrella cold hot temperature degree",
    "forecast weather",
    "meeting appointment event call",
    "calendar agenda schedule diary event",
    "cancel call-off",
    "free available",
    "task todo chore to-do",
    "remind reminder forget remember",
    "done finish complete tick",
    "postpone delay push defer",
    "flight fly plane airline",
    "train railway",
    "hotel stay room accommodation",
    "trip travel journey booking",
    "reserve booking book",
    "map route direction drive walk",
    "near nearest nearby around close",
    "place address location",
    "recipe cook dish meal ingredient",
    "buy shopping grocery",
    "language translate translation",
    "spelling grammar",
    "run jog workout exercise train",
    "distance far kilometre mile",
    "weigh weight",
    "error bug crash exception failure",
    "bug issue ticket",
    "pr pull-request",
    "repo repository",
    "ci build workflow pipeline",
    "deploy ship release rollout",
    "rollback revert undo",
    "sprint cycle iteration",
    "file document pdf",
    "folder directory",
    "disk space storage size",
    "page site website web url",
    "web online internet google",
    "price quote cost worth value",
    "chart graph panel",
    "headline news article",
    "loser winner mover gainer",
    "scan screen screener filter",
    "test backtest",
    "return performance gain profit loss",
    "parcel package delivery shipment",
    "arrive expected delivery",
    "timer countdown",
    "alarm wake",
    "book novel",
    "quote highlight passage",
    "paper article study publication",
    "newsletter campaign subscriber",
    "table column row database",
    "sql query select",
    "employee colleague hire joiner newcomer",
    "laptop computer equipment monitor",
    "decide decision conclusion",
    "transcript recording said",
    "summary summarize sum total",
    "unread new",
    "send forward transfer",
    "transfer income receive",
    "throw delete",
    "pipeline deal opportunity",
    "inbox archive",
];

/// By stem: stems of the same meaning.
pub(super) fn synonyms() -> HashMap<String, Vec<String>> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    for group in GROUPS {
        let stems: Vec<String> = group.split(' ').map(|word| stemmer.stem(word).into_owned()).collect();
        for stem in &stems {
            let others = all.entry(stem.clone()).or_default();
            for other in &stems {
                if other != stem && !others.contains(other) {
                    others.push(other.clone());
                }
            }
        }
    }
    all
}
