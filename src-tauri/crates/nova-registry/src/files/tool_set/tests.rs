#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use super::*;
use crate::not_ready::NotReady;

/// Versions persisted across runs.
#[derive(Default, Clone)]
struct LastGoodMap(Arc<Mutex<BTreeMap<String, LastGoodTool>>>);

impl LastGood for LastGoodMap {
    fn get(&self, file: &str) -> Option<LastGoodTool> {
        self.0.lock().unwrap().get(file).cloned()
    }
    fn keep(&self, file: &str, good: &LastGoodTool) {
        self.0.lock().unwrap().insert(file.to_owned(), good.clone());
    }
    fn forget(&self, file: &str) {
        self.0.lock().unwrap().remove(file);
    }
    fn remove_others(&self, folder: &str, there: &dyn Fn(&str) -> bool) {
        let of_folder = |file: &str| {
            file.rsplit_once('/').filter(|(of, _)| *of == folder).map(|(_, name)| name.to_owned())
        };
        self.0.lock().unwrap().retain(|file, _| of_folder(file).is_none_or(|name| there(&name)));
    }
}

/// A folder with a simulated clock.
struct Folder {
    tools: ToolSet,
    store: LastGoodMap,
    start: Instant,
}

impl Folder {
    fn new() -> Self {
        Self::after(&LastGoodMap::default())
    }

    /// The folder in a new run of the program.
    fn after(store: &LastGoodMap) -> Self {
        let tools = ToolSet::new("/tools".into(), Owner::EachFile);
        Self { tools, store: store.clone(), start: Instant::now() }
    }

    /// A complete run: scans the files and loads everything, including follow-up loads.
    fn run(store: &LastGoodMap, files: &[(&str, &str)]) -> Vec<String> {
        let mut folder = Self::after(store);
        let mut wanted = folder.see(0, files);
        while !wanted.is_empty() {
            wanted = wanted.iter().filter_map(|file| folder.load_one(file)).collect();
        }
        for (file, good) in folder.tools.take_changed() {
            match good {
                Some(good) => store.keep(&file, &good),
                None => store.forget(&file),
            }
        }
        folder.shown(9000)
    }

    /// The files to load after a scan at this time, in milliseconds since the start.
    fn see(&mut self, at: u64, files: &[(&str, &str)]) -> Vec<ToolFile> {
        let sources = files.iter().map(|(name, text)| ((*name).to_owned(), FileText::Text((*text).into())));
        let now = self.start + Duration::from_millis(at);
        self.tools.observe(ToolSources { files: sources.collect(), left_out: 0 }, &self.store, now, true)
    }

    fn load(&mut self, files: &[ToolFile]) {
        for file in files {
            self.load_one(file);
        }
    }

    /// Loads a file; returns the file to load next.
    fn load_one(&mut self, file: &ToolFile) -> Option<ToolFile> {
        let name = file.path.file_name().unwrap().to_str().unwrap();
        // Any tool will do: none is called here.
        let id = file.source.lines().next().and_then(|line| line.strip_prefix("name: "));
        let read =
            id.map(|id| Arc::new(NotReady::new(id, State::Broken, "")) as Arc<dyn Tool>).ok_or_else(|| {
                let (line, column) = (Some(1), Some(1));
                ToolFileError { file: name.to_owned(), line, column, message: "no tool.".into() }
            });
        self.tools.loaded(name, &file.source, read)
    }

    /// `id` of callable tools, `id: reason` of the others; the reason of a callable tool is in parentheses.
    fn shown(&mut self, at: u64) -> Vec<String> {
        let now = self.start + Duration::from_millis(at);
        self.tools.settle(now);
        let tools = self.tools.tools(now).into_iter();
        tools
            .map(|tool| match tool {
                LoadedTool::Ready { tool, note: None } => tool.spec().id.clone(),
                LoadedTool::Ready { tool, note: Some(note) } => format!("{} ({note})", tool.spec().id),
                LoadedTool::NotReady { id, reason, .. } => format!("{id}: {reason}"),
            })
            .collect()
    }
}

#[test]
fn half_written_file_is_reported_only_after_the_grace_period() {
    let mut folder = Folder::new();
    let new = folder.see(0, &[("a.ts", "name: a\n")]);
    folder.load(&new);
    assert_eq!(folder.shown(0), ["a"]);

    let half = folder.see(1000, &[("a.ts", "nam")]);
    folder.load(&half);
    assert_eq!(folder.shown(1149), ["a"]);
    assert_eq!(folder.shown(1150), ["a (a.ts:1:1: no tool. The last good version stays in use.)"]);
    let whole = folder.see(1200, &[("a.ts", "name: a\ngives: more\n")]);
    folder.load(&whole);
    assert_eq!(folder.shown(1200), ["a"], "valid files apply at once");
}

#[test]
fn file_missing_briefly_is_not_dropped() {
    let mut folder = Folder::new();
    let new = folder.see(0, &[("a.ts", "name: a\n")]);
    folder.load(&new);
    assert_eq!(folder.see(1000, &[]), []);
    assert_eq!(folder.shown(1149), ["a"]);
    assert_eq!(folder.see(1149, &[("a.ts", "name: a\n")]), [], "nothing is reloaded");
    assert_eq!(folder.shown(9000), ["a"]);
    folder.see(9000, &[]);
    assert_eq!(folder.shown(9150), [""; 0]);
}

#[test]
fn file_deleted_between_runs_does_not_return() {
    let store = LastGoodMap::default();
    assert_eq!(Folder::run(&store, &[("w.ts", "name: w\n")]), ["w"]);
    assert_eq!(Folder::run(&store, &[]), [""; 0]);
    assert_eq!(Folder::run(&store, &[("w.ts", "broken")]), ["w: w.ts:1:1: no tool."]);
}

#[test]
fn persisted_version_does_not_take_a_name_in_force() {
    let store = LastGoodMap::default();
    assert_eq!(Folder::run(&store, &[("a.ts", "name: x\n")]).len(), 1);
    assert_eq!(
        Folder::run(&store, &[("b.ts", "name: x\n\n")]),
        ["x (b.ts defines the tool x. Name the file x.ts, so that it is found.)"]
    );
    let shown = Folder::run(&store, &[("a.ts", "broken"), ("b.ts", "name: x\n\n")]);
    assert_eq!(shown.iter().filter(|row| row.starts_with("x")).count(), 1, "{shown:?}");
}

#[test]
fn renamed_to_a_taken_name_keeps_old_version_after_restart() {
    let store = LastGoodMap::default();
    let as_named = |shown: Vec<String>| -> Vec<String> {
        shown.iter().map(|row| row.split([' ', ':']).next().unwrap().to_owned()).collect()
    };
    assert_eq!(as_named(Folder::run(&store, &[("a.ts", "name: a\n"), ("b.ts", "name: b\n")])), ["a", "b"]);
    let renamed = [("a.ts", "name: a\n"), ("b.ts", "name: a\n\n")];
    assert_eq!(as_named(Folder::run(&store, &renamed)), ["a", "b"]);
}

#[test]
fn new_files_with_one_name_are_both_refused_in_any_order() {
    for order in [[0, 1], [1, 0]] {
        let mut folder = Folder::new();
        let both = folder.see(0, &[("a.ts", "name: x\n"), ("b.ts", "name: x\n\n")]);
        folder.load(&order.map(|at: usize| both[at].clone()));
        let why = |other: &str| {
            format!("the tool x is defined in {other} too, so neither is used. Rename or delete one.")
        };
        assert_eq!(
            folder.shown(150),
            [format!("a: a.ts: {}", why("b.ts")), format!("b: b.ts: {}", why("a.ts"))]
        );
    }
}

#[test]
fn new_file_cannot_take_the_name_of_a_broken_file() {
    let mut folder = Folder::new();
    let new = folder.see(0, &[("a.ts", "name: x\n")]);
    folder.load(&new);
    let second = folder.see(1000, &[("a.ts", "broken"), ("b.ts", "name: X\n")]);
    folder.load(&second);
    let shown = folder.shown(2000);
    assert!(shown[0].starts_with("x (a.ts:1:1:"), "{shown:?}");
    assert_eq!(shown[1], "b: b.ts: the tool X is defined in a.ts already. Give this one another name.");
    // Once the first file gives up the name, it is free.
    let third = folder.see(3000, &[("a.ts", "name: a\n"), ("b.ts", "name: X\n")]);
    folder.load(&third);
    assert_eq!(folder.shown(3000).len(), 2);
    assert_eq!(folder.tools.file_of("x"), Some("b.ts"));
}

#[test]
fn line_of_a_literal_tool_name_is_found() {
    let source = "// says the weather\nexport default defineTool({\n  name: 'weather',\n  description: 'Says it.',\n})\n";
    assert_eq!(line_of_name(source, "weather"), Some(3));
    assert_eq!(line_of_name(&source.replace('\'', "\""), "weather"), Some(3));
    assert_eq!(line_of_name("const name = 'wea' + 'ther'", "weather"), None);
}
