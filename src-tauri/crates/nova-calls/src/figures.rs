//! Converts the sources of an output and of its figures to the plain data of events.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use nova_protocol::{FigurePartView, FigureView, SourceView};
use nova_skill::{Figure, Output, Source, VaultPath};
use serde_json::Value;

use crate::view::source_view;

/// Collects each source once: those named by the tool, those of its figures, and those of web responses.
/// Figures refer to sources by index; a figure whose number is not in the value is omitted, since readers
/// could not find it.
pub(crate) fn sources_and_figures(
    output: &Output,
    recorded: &[Source],
) -> (Vec<SourceView>, Vec<FigureView>) {
    let mut listed = Listed::with_room_for(output.sources.len());
    let unnamed = recorded.iter().filter(|recorded| !names(output, recorded));
    for source in output.sources.iter().chain(unnamed) {
        listed.place(source);
    }
    let figures = output
        .figures
        .iter()
        .filter(|figure| stands_in(&output.value, figure))
        .map(|figure| FigureView {
            at: figure.at.clone(),
            label: figure.label.clone(),
            value: figure.value.clone(),
            unit: figure.unit.clone(),
            formula: figure.formula.clone(),
            parts: figure
                .parts
                .iter()
                .map(|part| FigurePartView {
                    label: part.label.clone(),
                    value: part.value.clone(),
                    unit: part.unit.clone(),
                    caution: part.caution.clone(),
                })
                .collect(),
            sources: figure.sources.iter().map(|source| listed.place(source)).collect(),
            caution: figure.caution.clone(),
        })
        .collect();
    (listed.sources.into_iter().map(source_view).collect(), figures)
}

/// Whether the tool itself names the page of a response; the URL of a response has no query.
fn names(output: &Output, recorded: &Source) -> bool {
    let Source::Web(recorded) = recorded else { return false };
    output.sources.iter().any(|source| match source {
        Source::Web(page) => {
            page.title.is_some() && page.url.split('?').next() == Some(recorded.url.as_str())
        }
        Source::Note(_) => false,
    })
}

/// The notes among the sources of an output and of its figures, deduplicated, sorted by path.
pub(crate) fn notes_named(output: &Output) -> Vec<&VaultPath> {
    let mut known = HashSet::with_capacity(output.sources.len());
    let is_new = |path: &&VaultPath| known.insert(address_of(path));
    let mut notes: Vec<&VaultPath> = all_sources(output).filter_map(note_of).filter(is_new).collect();
    notes.sort();
    notes.dedup();
    notes
}

/// All sources of an output and of its figures.
fn all_sources(output: &Output) -> impl Iterator<Item = &Source> {
    output.sources.iter().chain(output.figures.iter().flat_map(|figure| &figure.sources))
}

fn note_of(source: &Source) -> Option<&VaultPath> {
    match source {
        Source::Note(path) => Some(path),
        Source::Web(_) => None,
    }
}

/// Deduplicated sources, in the order in which they were first named.
struct Listed<'a> {
    sources: Vec<&'a Source>,
    /// The indices of notes, by [`address_of`] their paths: many figures may each name the same thousands of
    /// notes.
    by_address: HashMap<*const u8, u32>,
    /// The indices of all sources, created when one arrives that is not the next note by path. Until then
    /// nothing is hashed: most tools list notes in the order of the vault.
    places: Option<HashMap<&'a Source, u32>>,
}

impl<'a> Listed<'a> {
    fn with_room_for(sources: usize) -> Self {
        Self {
            sources: Vec::with_capacity(sources),
            by_address: HashMap::with_capacity(sources),
            places: None,
        }
    }

    fn place(&mut self, source: &'a Source) -> u32 {
        let Some(path) = note_of(source) else { return self.hashed(source) };
        if let Some(known) = self.by_address.get(&address_of(path)) {
            return *known;
        }
        // Until this map exists, all sources are notes in order.
        let last = self.sources.last().copied().and_then(note_of);
        let is_next = self.places.is_none() && last.is_none_or(|last| last < path);
        let place = if is_next { self.push(source) } else { self.hashed(source) };
        self.by_address.insert(address_of(path), place);
        place
    }

    fn hashed(&mut self, source: &'a Source) -> u32 {
        let known = || self.sources.iter().copied().zip(0..).collect();
        let places = self.places.get_or_insert_with(known);
        if let Some(known) = places.get(source) {
            return *known;
        }
        places.insert(source, place_at(self.sources.len()));
        self.push(source)
    }

    fn push(&mut self, source: &'a Source) -> u32 {
        self.sources.push(source);
        place_at(self.sources.len() - 1)
    }
}

fn place_at(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The address of a path in memory. Clones of a path share one address, and no two others do while both are
/// borrowed and neither is empty, so the address identifies the path.
fn address_of(path: &VaultPath) -> *const u8 {
    path.as_str().as_ptr()
}

fn stands_in(value: &Value, figure: &Figure) -> bool {
    match value.pointer(&figure.at) {
        Some(Value::String(text)) => *text == figure.value,
        Some(Value::Number(number)) => number.to_string() == figure.value,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use nova_skill::{Decimal, NotePath, WebSource, json};

    use super::*;

    fn note(path: &str) -> NotePath {
        NotePath::parse(path).expect("a path")
    }

    #[test]
    fn figures_refer_to_deduplicated_sources_by_index() {
        let total = Figure::new("/total", "Total", Decimal::new(350, 2), "EUR")
            .from_notes([note("B.md"), note("A.md")])
            .part("of A", "1.50", "EUR");
        let output = Output::new(json!({ "total": "3.50" })).from_notes([note("A.md")]).figure(total);
        let (sources, figures) = sources_and_figures(&output, &[]);
        assert_eq!(
            sources,
            [SourceView::Note { path: "A.md".into() }, SourceView::Note { path: "B.md".into() }]
        );
        assert_eq!(figures[0].sources, [1, 0]);
        assert_eq!(figures[0].parts[0].value, "1.50");
    }

    #[test]
    fn sources_are_deduplicated_by_value_in_any_order() {
        let web = |url: &str| Source::Web(WebSource::new(url, "2026-11-21T09:00:00Z"));
        let (a, b, c) = (note("A.md"), note("B.md"), note("C.md"));
        // The same notes, as clones and as separate values; sorted and unsorted.
        let named = [
            vec![a.clone(), b.clone(), c.clone()],
            vec![a.clone(), c.clone(), b.clone(), note("C.md"), note("A.md")],
            vec![note("B.md"), a.clone(), note("B.md"), b.clone()],
        ];
        for names in named {
            for more in [vec![], vec![web("https://x.example/"), web("https://x.example/")]] {
                let figure = Figure::new("/total", "Total", Decimal::ONE, "EUR")
                    .from_notes([note("C.md"), a.clone(), note("0.md")])
                    .from_sources(more.clone());
                let output = Output::new(json!({"total": "1"})).from_notes(names.clone()).figure(figure);
                let (sources, figures) = sources_and_figures(&output, &more);
                let mut expected: Vec<&Source> = Vec::new();
                let all = output.sources.iter().chain(&more).chain(&output.figures[0].sources);
                all.for_each(|source| {
                    if !expected.contains(&source) {
                        expected.push(source)
                    }
                });
                let views: Vec<SourceView> = expected.iter().map(|source| source_view(source)).collect();
                assert_eq!(sources, views);
                let place = |source| expected.iter().position(|other| *other == source);
                let places: Vec<u32> =
                    output.figures[0].sources.iter().filter_map(place).map(place_at).collect();
                assert_eq!(figures[0].sources, places);
                let mut notes: Vec<VaultPath> = names.clone();
                notes.extend([a.clone(), c.clone(), note("0.md")]);
                notes.sort();
                notes.dedup();
                assert_eq!(notes_named(&output), notes.iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn figure_that_is_not_at_its_path_is_omitted() {
        let wrong = |at: &str| Figure::new(at, "Total", Decimal::new(350, 2), "EUR");
        let output = Output::new(json!({ "total": "3.51", "other": ["3.50"] }))
            .figure(wrong("/total"))
            .figure(wrong("/nothing"))
            .figure(wrong("/other/0"));
        let (_, figures) = sources_and_figures(&output, &[]);
        assert_eq!(figures.iter().map(|figure| figure.at.as_str()).collect::<Vec<_>>(), ["/other/0"]);
    }
}
