//! Measures ranking a thousand tools for a request.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nova_registry::{LoadedSkill, Registry, Router, Scan, Settings, SkillMd, Source, SourceKind};
use nova_skill::{
    CallToken, Description, Effect, Hints, Manifest, NotWhen, Routing, Tool, ToolContext, ToolError,
    ToolOutput, ToolSpec, Value, async_trait, json,
};

const SKILLS: usize = 100;
const TOOLS_EACH: usize = 10;
const REQUESTS: usize = 2000;
const GOAL: Duration = Duration::from_millis(10);

fn main() -> ExitCode {
    let mut words = Words(1);
    let skills = (0..SKILLS).map(|at| skill(&mut words, at)).collect();
    let made_up = MadeUp(Scan { skills, problems: Vec::new() });
    let snapshot = Registry::new(vec![Box::new(made_up)], &Settings::default()).snapshot();

    let begin = Instant::now();
    let router = Router::new(&snapshot);
    println!("{SKILLS} skills, {} tools: router built in {:.1?}", SKILLS * TOOLS_EACH, begin.elapsed());

    let mut fits = true;
    for length in [4, 12, 40] {
        let requests: Vec<String> = (0..REQUESTS).map(|_| words.some(length)).collect();
        let mut times: Vec<Duration> = requests
            .iter()
            .map(|request| {
                let begin = Instant::now();
                black_box(router.route(request, 10));
                begin.elapsed()
            })
            .collect();
        times.sort();
        let [half, p95, most] = [REQUESTS / 2, REQUESTS * 95 / 100, REQUESTS - 1].map(|at| times[at]);
        println!("requests of {length:>2} words: median {half:.2?}, p95 {p95:.2?}, longest {most:.2?}");
        fits &= p95 < GOAL;
    }
    let endless = words.some(150_000);
    let begin = Instant::now();
    black_box(router.route(&endless, 10));
    println!("a request of {:.1} MB: {:.2?}", endless.len() as f64 / 1e6, begin.elapsed());

    println!("p95 below {GOAL:?}: {}", if fits { "yes" } else { "NO" });
    if fits { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct MadeUp(Scan);

impl Source for MadeUp {
    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn scan(&self) -> Scan {
        self.0.clone()
    }
}

struct Idle(ToolSpec);

#[async_trait]
impl Tool for Idle {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _: CallToken, _: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::failed("It is only looked at.", "Look at it."))
    }
}

/// Generates words from syllables, few of them frequent; deterministic.
struct Words(u64);

impl Words {
    fn next(&mut self) -> String {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = (self.0 >> 40) as usize;
        // The product of two draws favours small numbers, like word frequencies in a language.
        let at = (drawn % 64) * ((drawn / 64) % 64);
        let syllables = ["ba", "ler", "mo", "tin", "su", "ped", "ka", "rin"];
        [at % 8, at / 8 % 8, at / 64 % 8, at / 512 % 8].iter().map(|syllable| syllables[*syllable]).collect()
    }

    fn some(&mut self, count: usize) -> String {
        (0..count).map(|_| self.next()).collect::<Vec<_>>().join(" ")
    }

    fn phrases(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.some(7)).collect()
    }
}

fn skill(words: &mut Words, at: usize) -> LoadedSkill {
    let tools = (0..TOOLS_EACH).map(|tool| {
        let properties: serde_json::Map<String, Value> =
            (0..5).map(|_| (words.next(), json!({"type": "string"}))).collect();
        let id = format!("{}_{tool}", words.next());
        let description = Description::purpose(words.some(15)).use_when(words.some(8)).example(words.some(6));
        let parameters = json!({"type": "object", "properties": properties});
        let spec = ToolSpec::new(id, description, parameters, Effect::Read);
        (Arc::new(Idle(spec)) as Arc<dyn Tool>).into()
    });
    let tools = tools.collect();
    let instead = format!("skill-{}", (at + 1) % SKILLS);
    let not_when = words.phrases(3).into_iter();
    let id = format!("skill-{at}");
    let skill_md = SkillMd { name: id.clone(), description: words.some(40), ..SkillMd::default() };
    let manifest = Manifest {
        hints: Hints {
            use_when: words.phrases(5),
            not_when: not_when.map(|phrase| NotWhen { phrase, instead: instead.clone() }).collect(),
        },
        routing: Routing { examples: words.phrases(10), near_misses: words.phrases(5) },
        ..Manifest::default()
    };
    LoadedSkill::new(id, skill_md, manifest, tools)
}
