//! Where an output came from and what its figures rest on, as the plain data of events.

use foldhash::{HashMap, HashMapExt};
use nova_protocol::{FigurePartView, FigureView, SourceView};
use nova_skill::{Figure, Output, Source};
use serde_json::Value;

use crate::view::source_view;

/// Every source once: those the tool names, those of its figures, those that were heard of over the
/// web. The figures name them by their place in that list; a figure whose number is not in the value
/// is left out, since nobody could find it there.
pub(crate) fn sources_and_figures(output: &Output, heard: &[Source]) -> (Vec<SourceView>, Vec<FigureView>) {
    let mut listed = Listed {
        views: Vec::with_capacity(output.sources.len()),
        places: HashMap::with_capacity(output.sources.len()),
    };
    for source in output.sources.iter().chain(heard) {
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
    (listed.views, figures)
}

/// Everything the output says it was drawn from.
pub(crate) fn all_sources(output: &Output) -> impl Iterator<Item = &Source> {
    output.sources.iter().chain(output.figures.iter().flat_map(|figure| &figure.sources))
}

struct Listed<'a> {
    views: Vec<SourceView>,
    places: HashMap<&'a Source, u32>,
}

impl<'a> Listed<'a> {
    fn place(&mut self, source: &'a Source) -> u32 {
        let next = u32::try_from(self.views.len()).unwrap_or(u32::MAX);
        *self.places.entry(source).or_insert_with(|| {
            self.views.push(source_view(source));
            next
        })
    }
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
    use nova_skill::{Decimal, NotePath, json};

    use super::*;

    fn note(path: &str) -> NotePath {
        NotePath::parse(path).expect("a path")
    }

    #[test]
    fn a_figure_names_its_sources_by_place_and_each_source_is_listed_once() {
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
    fn a_figure_that_does_not_stand_where_it_says_is_left_out() {
        let wrong = |at: &str| Figure::new(at, "Total", Decimal::new(350, 2), "EUR");
        let output = Output::new(json!({ "total": "3.51", "other": ["3.50"] }))
            .figure(wrong("/total"))
            .figure(wrong("/nothing"))
            .figure(wrong("/other/0"));
        let (_, figures) = sources_and_figures(&output, &[]);
        assert_eq!(figures.iter().map(|figure| figure.at.as_str()).collect::<Vec<_>>(), ["/other/0"]);
    }
}
