//! The router's knowledge of English: everyday vocabulary, not specific to any skill.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// Stems with the same meaning, by stem.
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

/// Inflections that no stemmer conflates.
pub(super) fn base_form(word: &str) -> &str {
    match word {
        "bought" => "buy",
        "sold" => "sell",
        "spent" => "spend",
        "paid" => "pay",
        "sent" => "send",
        "wrote" | "written" => "write",
        "met" => "meet",
        "made" => "make",
        "found" => "find",
        "ran" => "run",
        "slept" => "sleep",
        "said" => "say",
        "told" => "tell",
        "heard" => "hear",
        "began" | "begun" => "begin",
        "kept" => "keep",
        "held" => "hold",
        "got" => "get",
        "went" | "gone" => "go",
        "took" | "taken" => "take",
        "gave" | "given" => "give",
        "drove" | "driven" => "drive",
        "flew" | "flown" => "fly",
        "rode" | "ridden" => "ride",
        "swam" | "swum" => "swim",
        "spoke" | "spoken" => "speak",
        "forgot" | "forgotten" => "forget",
        "left" => "leave",
        "men" | "women" | "people" => "person",
        "children" => "child",
        other => other,
    }
}

/// Stop words.
pub(super) fn is_common(word: &str) -> bool {
    const COMMON: &[&str] = &[
        "a",
        "about",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "d",
        "did",
        "do",
        "does",
        "doing",
        "else",
        "for",
        "from",
        "get",
        "give",
        "had",
        "has",
        "have",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "id",
        "if",
        "ill",
        "im",
        "in",
        "into",
        "is",
        "it",
        "its",
        "ive",
        "just",
        "let",
        "lets",
        "like",
        "ll",
        "m",
        "may",
        "me",
        "mine",
        "more",
        "much",
        "must",
        "my",
        "no",
        "not",
        "now",
        "of",
        "off",
        "on",
        "one",
        "or",
        "our",
        "out",
        "over",
        "please",
        "s",
        "shall",
        "she",
        "should",
        "so",
        "some",
        "such",
        "t",
        "than",
        "that",
        "thats",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "too",
        "up",
        "us",
        "use",
        "user",
        "users",
        "want",
        "wants",
        "was",
        "we",
        "were",
        "what",
        "whats",
        "when",
        "where",
        "wheres",
        "whether",
        "which",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "got",
        "ask",
        "asks",
        "something",
        "somebody",
        "anything",
        "every",
    ];
    word.len() == 1 && word.is_ascii() || COMMON.contains(&word)
}

/// Words that occur in any context: they count, but little.
pub(super) fn is_light(word: &str) -> bool {
    const LIGHT: &[&str] = &[
        "make",
        "made",
        "put",
        "say",
        "said",
        "tell",
        "told",
        "show",
        "know",
        "see",
        "look",
        "go",
        "going",
        "went",
        "take",
        "took",
        "keep",
        "kept",
        "set",
        "let",
        "need",
        "help",
        "think",
        "thing",
        "things",
        "new",
        "add",
        "find",
        "found",
        "open",
        "list",
        "write",
        "read",
        "work",
        "works",
        "time",
        "day",
        "week",
        "month",
        "year",
        "last",
        "next",
        "back",
        "today",
        "tomorrow",
        "yesterday",
        "first",
        "latest",
        "call",
        "called",
        "name",
        "move",
        "start",
        "stop",
        "still",
        "many",
        "time",
        "been",
        "way",
        "check",
        "again",
        "text",
    ];
    LIGHT.contains(&word)
}

/// Whether the text asks for information, not for an action.
pub(super) fn is_question(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "what", "which", "who", "when", "where", "how", "did", "does", "do", "is", "are", "am", "was", "any",
        "anything", "has", "have", "show", "list", "tell", "find",
    ];
    let first: String = text.trim_start().chars().take_while(|c| c.is_alphabetic()).take(12).collect();
    BEGINNINGS.contains(&&*first.to_lowercase())
}

/// Whether the text begins like small talk or a general question, for which no skill is certain.
pub(super) fn is_talk(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "explain ",
        "tell me a joke",
        "tell me something",
        "write a poem",
        "write a haiku",
        "write a limerick",
        "write a story",
        "write a short story",
        "write a function",
        "write a song",
        "write a python",
        "what is a ",
        "what is an ",
        "what is the difference",
        "what's the difference",
        "what makes ",
        "what would you",
        "how does ",
        "why do ",
        "why does ",
        "why is ",
        "why are ",
        "who was ",
        "who invented ",
        "compare ",
        "should i ",
        "is a ",
        "what does the word ",
        "suggest a name",
        "say that again",
    ];
    let start: String = text.trim_start().chars().take(40).flat_map(char::to_lowercase).collect();
    BEGINNINGS.iter().any(|beginning| start.starts_with(beginning))
}

/// Whether the text begins like a general question: `how do I`, `what is`, `is it safe`.
pub(super) fn is_general_question(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "what", "whats", "which", "who", "whos", "whose", "when", "where", "wheres", "how", "hows", "why",
        "is", "isnt", "are", "was", "were", "did", "does", "do", "can", "could", "should", "would", "will",
        "has", "have", "may", "if",
    ];
    words_of(text).next().is_some_and(|first| BEGINNINGS.contains(&&*first))
}

/// Whether the user refers to themselves. `How do I` and `what should I` ask for advice, unless about
/// something of theirs.
pub(super) fn is_mine(text: &str) -> bool {
    const USER: &[&str] = &["i", "ive", "im", "id", "we", "weve", "us"];
    const ADVICE: &[&str] = &["can", "could", "should", "would", "must", "may", "to"];
    let words: Vec<String> = words_of(text).collect();
    let first = words.first().map_or("", String::as_str);
    let second = words.get(1).map_or("", String::as_str);
    if ADVICE.contains(&second) && first != "when" {
        return false;
    }
    let asks_advice = matches!(first, "how" | "should" | "can");
    is_possessive(text) || !asks_advice && words.iter().any(|word| USER.contains(&&**word))
}

/// Whether the text refers to something of the user's: `my portfolio`.
pub(super) fn is_possessive(text: &str) -> bool {
    words_of(text).any(|word| matches!(&*word, "my" | "our" | "mine" | "ours"))
}

/// Whether the text contains a possessive name: `Mara's number`.
pub(super) fn is_of_somebody(text: &str) -> bool {
    const NOBODY: &[&str] = &["what", "who", "where", "when", "how", "it", "that", "there", "here", "let"];
    text.split_whitespace().any(|word| {
        let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        let owner = owner.or_else(|| word.strip_suffix("s'")).or_else(|| word.strip_suffix("s’"));
        owner.is_some_and(|owner| {
            owner.starts_with(char::is_uppercase) && !NOBODY.contains(&&*owner.to_lowercase())
        })
    })
}

/// Whether the text refers to the assistant's output: `change the tone of your answer`.
pub(super) fn is_to_the_assistant(text: &str) -> bool {
    words_of(text).any(|word| word == "your" || word == "you")
        && !words_of(text).take(2).any(|word| word == "can" || word == "could" || word == "would")
}

/// The words at the start of a text, in lower case and without apostrophes.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let words = text.split_whitespace().take(200).map(|word| {
        let plain = word.chars().filter(|c| c.is_alphanumeric()).take(40);
        plain.flat_map(char::to_lowercase).collect::<String>()
    });
    words.filter(|word| !word.is_empty())
}

/// Synonyms in requests to an assistant.
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
