//! Compiles TypeScript to JavaScript, and maps positions back to the TypeScript.

use std::path::Path;

use oxc::{
    allocator::Allocator,
    ast::ast::{
        Argument, CallExpression, ExportDefaultDeclaration, Expression, ImportExpression, StringLiteral,
        TemplateLiteral,
    },
    ast_visit::{Visit, walk},
    codegen::{Codegen, CodegenOptions, CommentOptions},
    diagnostics::{Diagnostics, OxcDiagnostic, Severity},
    parser::Parser,
    semantic::SemanticBuilder,
    span::{SourceType, Span},
    transformer::{TransformOptions, Transformer},
};
use url::Url;

use super::{marks, snippet};
use crate::protocol::{Fault, FaultKind};

/// Maximum size of a source, in bytes.
const MAX_SOURCE: usize = 1024 * 1024;
/// Maximum nesting depth of brackets, on which the parser recurses.
const MAX_DEPTH: usize = 500;
/// Modules that a file may import.
pub(super) const IMPORTS: [&str; 3] = ["zod", "@nova/tools", "@nexus/tools"];

/// A compiled file.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) javascript: String,
    /// Hosts of URLs in the source, `name` or `name:port`, sorted.
    pub(super) hosts: Vec<String>,
    /// Credentials requested by name, `service/key`, sorted.
    pub(super) keys: Vec<String>,
    /// Position of `export default`; the end of the file without one.
    pub(super) default_export: Place,
    /// The line at which `execute` begins.
    pub(super) execute: Option<u32>,
    pub(super) places: Places,
}

/// Line and column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

pub(super) fn compile(source: &str) -> Result<Compiled, Fault> {
    compile_whole(source, None)
}

/// Compiles a snippet, with positions relative to its own text.
pub(super) fn compile_snippet(snippet: &str) -> Result<Compiled, Fault> {
    let lines = Lines::of(snippet);
    let end = lines.place(snippet, u32::try_from(snippet.trim_end().len()).unwrap_or_default());
    compile_whole(&snippet::as_file(snippet), Some(end)).map_err(|fault| {
        let place = fault.line.zip(fault.column).map(|(line, column)| within(Place { line, column }, end));
        let (line, column) = (place.map(|place| place.line), place.map(|place| place.column));
        Fault { line, column, ..fault }
    })
}

/// Converts a position in the generated file to one in the snippet.
fn within(place: Place, end: Place) -> Place {
    let Place { line, column } = place;
    let column = if line == 1 { column.saturating_sub(snippet::COLUMNS).max(1) } else { column };
    Place { line, column }.min(end)
}

/// `end_of_snippet` is the end position in the snippet's own text.
fn compile_whole(source: &str, end_of_snippet: Option<Place>) -> Result<Compiled, Fault> {
    if source.len() > MAX_SOURCE {
        let length = source.len();
        return Err(syntax(
            format!("the file is {length} bytes long; a tool has at most {MAX_SOURCE}"),
            None,
        ));
    }
    let lines = Lines::of(source);
    if let Some(at) = too_deep(source) {
        let message = format!("brackets nest deeper than {MAX_DEPTH}");
        return Err(syntax(message, Some(lines.place(source, at))));
    }

    let allocator = Allocator::default();
    let kind = SourceType::ts().with_module(true);
    let parsed = Parser::new(&allocator, source, kind).parse();
    first_error(&parsed.diagnostics, source, &lines)?;
    let mut program = parsed.program;
    // Before types are stripped, because that removes type-only imports.
    for (module, requests) in &parsed.module_record.requested_modules {
        for request in requests.iter().filter(|request| !request.is_type) {
            importable(module, request.span, source, &lines)?;
        }
    }
    let semantic = SemanticBuilder::new().with_check_syntax_error(true).with_enum_eval(true).build(&program);
    first_error(&semantic.diagnostics, source, &lines)?;
    let scoping = semantic.semantic.into_scoping();
    let options = TransformOptions::default();
    let transformed = Transformer::new(&allocator, Path::new("tool.ts"), &options)
        .build_with_scoping(scoping, &mut program);
    first_error(&transformed.diagnostics, source, &lines)?;

    let mut found = Found::default();
    found.visit_program(&program);
    for (module, span) in &found.imports {
        importable(module, *span, source, &lines)?;
    }
    found.hosts.sort();
    found.hosts.dedup();
    found.keys.sort();
    found.keys.dedup();

    if end_of_snippet.is_some() {
        snippet::return_last(&mut program, &allocator);
    }
    let marked = marks::mark(&mut program, &allocator, source, |offset| lines.place(source, offset).line);

    let printed = Codegen::new()
        .with_options(CodegenOptions {
            source_map_path: Some("tool.ts".into()),
            comments: CommentOptions::disabled(),
            ..CodegenOptions::default()
        })
        .build(&program);
    let tokens = printed.map.iter().flat_map(|map| map.get_tokens());
    let places = Places::new(
        source,
        &printed.code,
        tokens.map(|t| ((t.get_dst_line(), t.get_dst_col()), (t.get_src_line(), t.get_src_col()))),
        end_of_snippet,
    );
    let end = u32::try_from(source.trim_end().len()).unwrap_or_default();
    // Appended, so that line numbers do not change.
    let javascript = format!("{}\nimport {{ at as {} }} from '@nova/tools';\n", printed.code, marked.name);
    Ok(Compiled {
        default_export: found
            .default_export
            .map_or_else(|| lines.place(source, end), |span| lines.place(source, span.start)),
        execute: marked.execute.map(|offset| lines.place(source, offset).line),
        hosts: found.hosts,
        keys: found.keys,
        javascript,
        places,
    })
}

/// Maps positions in the JavaScript to the TypeScript.
#[derive(Debug)]
pub(super) struct Places {
    source: Wide,
    printed: Wide,
    /// ((line, column) generated, (line, column) in the source), from 0, columns in UTF-16; sorted.
    tokens: Vec<(At, At)>,
    /// The end of a snippet, in its own text.
    end_of_snippet: Option<Place>,
}

type At = (u32, u32);

impl Places {
    fn new(
        source: &str,
        printed: &str,
        tokens: impl Iterator<Item = (At, At)>,
        end_of_snippet: Option<Place>,
    ) -> Self {
        let mut tokens: Vec<_> = tokens.collect();
        tokens.sort_unstable();
        Self { source: Wide::of(source), printed: Wide::of(printed), tokens, end_of_snippet }
    }

    /// Maps a position as reported by QuickJS: from 1, columns in bytes.
    pub(super) fn find(&self, line: u32, column: u32) -> Option<Place> {
        let line = line.checked_sub(1)?;
        let bytes = column.saturating_sub(1);
        let units = match self.printed.line(line).and_then(|text| text.get(..bytes as usize)) {
            Some(before) => before.encode_utf16().count() as u32,
            None => bytes,
        };
        // The last token that begins at or before the position, otherwise the first of the line.
        let after = self.tokens.partition_point(|(printed, _)| *printed <= (line, units));
        let on_line = |i: usize| self.tokens.get(i).filter(|(printed, _)| printed.0 == line);
        let before = after.checked_sub(1).and_then(on_line);
        let (_, (line, units)) = *before.or_else(|| on_line(after))?;
        let characters = match self.source.line(line) {
            Some(text) => text
                .chars()
                .scan(0, |passed, c| {
                    *passed += c.len_utf16() as u32;
                    (*passed <= units).then_some(())
                })
                .count() as u32,
            None => units,
        };
        let place = Place { line: line + 1, column: characters + 1 };
        Some(self.end_of_snippet.map_or(place, |end| within(place, end)))
    }
}

/// Lines with non-ASCII text, in which byte and UTF-16 columns differ, by number.
#[derive(Debug)]
struct Wide(Vec<(u32, String)>);

impl Wide {
    fn of(text: &str) -> Self {
        let lines = text.split('\n').zip(0..).filter(|(line, _)| !line.is_ascii());
        Self(lines.map(|(line, number)| (number, line.to_owned())).collect())
    }

    fn line(&self, number: u32) -> Option<&str> {
        let found = self.0.binary_search_by_key(&number, |(n, _)| *n).ok()?;
        Some(&self.0[found].1)
    }
}

/// Byte offsets of the line starts.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect())
    }

    fn place(&self, text: &str, offset: u32) -> Place {
        let offset = offset as usize;
        let line = self.0.partition_point(|start| *start <= offset).max(1);
        let before = text.get(self.0[line - 1]..offset).unwrap_or_default();
        Place { line: line as u32, column: before.chars().count() as u32 + 1 }
    }
}

/// Collected from a program without types.
#[derive(Default)]
struct Found {
    hosts: Vec<String>,
    keys: Vec<String>,
    /// Dynamic imports with a literal; others fail at run time.
    imports: Vec<(String, Span)>,
    default_export: Option<Span>,
}

impl<'a> Visit<'a> for Found {
    fn visit_string_literal(&mut self, literal: &StringLiteral<'a>) {
        self.hosts.extend(host_of(&literal.value, true));
    }

    fn visit_template_literal(&mut self, template: &TemplateLiteral<'a>) {
        if let Some(first) = template.quasis.first() {
            let text = first.value.cooked.as_deref().unwrap_or_default();
            self.hosts.extend(host_of(text, template.quasis.len() == 1));
        }
        walk::walk_template_literal(self, template);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.keys.extend(key_of(call));
        walk::walk_call_expression(self, call);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::StringLiteral(module) = &import.source {
            self.imports.push((module.value.to_string(), import.span));
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_export_default_declaration(&mut self, export: &ExportDefaultDeclaration<'a>) {
        self.default_export = Some(export.span);
        walk::walk_export_default_declaration(self, export);
    }
}

/// The credential in `ctx.credentials.get('service', 'key')`.
fn key_of(call: &CallExpression) -> Option<String> {
    let Expression::StaticMemberExpression(get) = &call.callee else { return None };
    let of = match &get.object {
        Expression::StaticMemberExpression(of) => of.property.name.as_str(),
        Expression::Identifier(of) => of.name.as_str(),
        _ => return None,
    };
    match call.arguments.as_slice() {
        [Argument::StringLiteral(service), Argument::StringLiteral(key)]
            if of == "credentials" && get.property.name == "get" =>
        {
            Some(format!("{}/{}", service.value, key.value))
        }
        _ => None,
    }
}

/// The host of a URL; of a prefix (`whole` is false) only if the host is complete.
fn host_of(text: &str, whole: bool) -> Option<String> {
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|t| t.eq_ignore_ascii_case(scheme)))?;
    let authority = &text[scheme.len()..];
    let end = authority.find(['/', '?', '#', '\\']);
    if end.is_none() && !whole {
        return None;
    }
    // Only up to the authority: the rest may not be valid before placeholders are filled in.
    let url = Url::parse(&text[..scheme.len() + end.unwrap_or(authority.len())]).ok()?;
    let name = url.host_str().filter(|name| !name.ends_with('.'))?;
    Some(match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    })
}

fn importable(module: &str, span: Span, source: &str, lines: &Lines) -> Result<(), Fault> {
    if IMPORTS.contains(&module) {
        return Ok(());
    }
    let place = lines.place(source, span.start);
    Err(Fault {
        kind: FaultKind::Import,
        message: no_such_module(module),
        line: Some(place.line),
        column: Some(place.column),
        stack: Vec::new(),
    })
}

pub(super) fn no_such_module(module: &str) -> String {
    let why = if module.starts_with("node:") {
        "a tool does not run in Node"
    } else if module.starts_with(['.', '/']) {
        "a tool is one file"
    } else {
        "a tool has no packages"
    };
    format!("cannot import '{module}': {why}; there are 'zod' and '@nova/tools', and fetch for the web")
}

fn first_error(diagnostics: &Diagnostics, source: &str, lines: &Lines) -> Result<(), Fault> {
    let first = |d: &&OxcDiagnostic| d.labels.first().map_or(u32::MAX, |label| label.offset());
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    match errors.min_by_key(first) {
        None => Ok(()),
        Some(error) => {
            let at = error.labels.first().map(|label| label.offset());
            let message = match &error.help {
                Some(help) => format!("{} ({help})", error.message),
                None => error.message.to_string(),
            };
            Err(syntax(message, at.map(|at| lines.place(source, at))))
        }
    }
}

/// The offset of a bracket that exceeds the depth. Brackets in strings count too, which is harmless.
fn too_deep(source: &str) -> Option<u32> {
    let mut depth = 0_usize;
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return u32::try_from(at).ok();
        }
    }
    None
}

fn syntax(message: String, at: Option<Place>) -> Fault {
    Fault {
        kind: FaultKind::Syntax,
        message,
        line: at.map(|place| place.line),
        column: at.map(|place| place.column),
        stack: Vec::new(),
    }
}
