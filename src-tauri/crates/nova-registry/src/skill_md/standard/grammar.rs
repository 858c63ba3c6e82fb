//! From tokens to what a front matter says. Which token a comment goes to is followed too, because
//! the validator breaks off where two meet.

use serde_json::Value;

use super::scan::{Kind, Remarks, Scanner, Token};
use super::{Refused, Root};
use crate::finding::short;

/// About where the validator runs out of its stack.
const MAX_DEPTH: usize = 240;

/// The keys and values of the only document of a text.
pub(super) fn mapping(text: &str) -> Result<Root, Refused> {
    let mut grammar = Grammar { scanner: Scanner::new(text), depth: 0 };
    let start = grammar.scanner.take()?;
    grammar.hand_on(start.remarks)?;
    let no_mapping = "The front matter is not a list of keys with values. Write it as one.";
    let next = grammar.scanner.peek()?;
    let line = next.line;
    if next.kind == Kind::End {
        return Err(Refused::on(line, no_mapping));
    }
    let root = grammar.node(false)?;
    if grammar.next_is(|kind| *kind == Kind::DocumentEnd)? {
        grammar.scanner.take()?;
    }
    let next = grammar.scanner.peek()?;
    if next.kind != Kind::End {
        return Err(Refused::on(
            next.line,
            "This is not part of the list of keys that came before it. Indent it like them, and take a line ... away.",
        ));
    }
    match root {
        Node::Mapping(_, root) => Ok(root),
        Node::Text { .. } | Node::List(_) => Err(Refused::on(line, no_mapping)),
    }
}

struct Grammar {
    scanner: Scanner,
    depth: usize,
}

enum Node {
    Text {
        text: String,
        plain: bool,
    },
    List(Vec<Self>),
    /// And the column that it begins in.
    Mapping(usize, Root),
}

const EMPTY: Node = Node::Text { text: String::new(), plain: false };

impl Grammar {
    /// `below_key`: the items of a list need no indent.
    fn node(&mut self, below_key: bool) -> Result<Node, Refused> {
        let next = self.scanner.peek()?;
        let (line, column) = (next.line, next.column);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refused::on(line, "It is nested too deeply. Write it in fewer levels."));
        }
        let node = match next.kind {
            Kind::Entry if below_key => {
                next.remarks.after = false;
                Node::List(self.items()?)
            }
            Kind::Text { .. } => match self.scanner.take()?.kind {
                Kind::Text { text, plain } => Node::Text { text, plain },
                _ => EMPTY,
            },
            Kind::SequenceStart => {
                self.scanner.take()?;
                let items = self.items()?;
                self.block_end()?;
                Node::List(items)
            }
            Kind::MappingStart => {
                self.scanner.take()?;
                Node::Mapping(column, self.keys()?)
            }
            _ => return Err(Refused::on(line, "A value is missing here. Write one.")),
        };
        self.depth -= 1;
        Ok(node)
    }

    fn items(&mut self) -> Result<Vec<Node>, Refused> {
        let mut items = Vec::new();
        while self.next_is(|kind| *kind == Kind::Entry)? {
            let entry = self.scanner.take()?;
            self.hand_on(entry.remarks)?;
            let is_empty =
                |kind: &Kind| matches!(kind, Kind::Entry | Kind::Key | Kind::Value | Kind::BlockEnd);
            items.push(if self.next_is(is_empty)? { EMPTY } else { self.node(false)? });
        }
        Ok(items)
    }

    fn keys(&mut self) -> Result<Root, Refused> {
        let mut keys = Keys::default();
        let is_empty = |kind: &Kind| matches!(kind, Kind::Key | Kind::Value | Kind::BlockEnd);
        loop {
            let next = self.scanner.peek()?;
            let line = next.line;
            let key = match next.kind {
                Kind::Key => {
                    let token = self.scanner.take()?;
                    self.hand_on(token.remarks)?;
                    if self.next_is(is_empty)? { EMPTY } else { self.node(true)? }
                }
                Kind::Value => EMPTY,
                _ => break,
            };
            let value = if self.next_is(|kind| *kind == Kind::Value)? { self.value()? } else { EMPTY };
            keys.add(line, key, value)?;
        }
        let end = self.block_end()?;
        self.hand_on(end.remarks)?;
        Ok(keys.finish())
    }

    /// What stands behind a colon.
    fn value(&mut self) -> Result<Node, Refused> {
        let mut remarks = self.scanner.take()?.remarks;
        if !self.next_is(|kind| *kind == Kind::Key)? {
            remarks = self.hand_on(remarks)?;
        }
        let next = self.scanner.peek()?;
        if !matches!(next.kind, Kind::Key | Kind::Value | Kind::BlockEnd) {
            return self.node(true);
        }
        if !(remarks.before || remarks.after) {
            next.remarks.after = false;
        }
        Ok(EMPTY)
    }

    fn block_end(&mut self) -> Result<Token, Refused> {
        let next = self.scanner.peek()?;
        if next.kind != Kind::BlockEnd {
            return Err(Refused::on(
                next.line,
                "This is not indented like the lines that it belongs to. Indent it so.",
            ));
        }
        self.scanner.take()
    }

    fn next_is(&mut self, kind: impl Fn(&Kind) -> bool) -> Result<bool, Refused> {
        Ok(kind(&self.scanner.peek()?.kind))
    }

    /// The comments at a token go to the next one. What stays with it.
    fn hand_on(&mut self, remarks: Remarks) -> Result<Remarks, Refused> {
        let next = self.scanner.peek()?;
        if next.kind == Kind::End {
            return Ok(remarks);
        }
        let theirs = &mut next.remarks;
        if (remarks.before && theirs.before) || (remarks.after && theirs.after) {
            return Err(Refused::of_comments(next.line));
        }
        theirs.before |= remarks.before;
        theirs.after |= remarks.after;
        Ok(Remarks::default())
    }
}

/// A mapping while it is read.
#[derive(Default)]
struct Keys {
    root: Root,
    /// What stands below `<<`; the mapping's own keys come first.
    merged: Vec<Root>,
    /// The column of the mappings among the values.
    indent: Option<usize>,
}

impl Keys {
    fn add(&mut self, line: usize, key: Node, value: Node) -> Result<(), Refused> {
        let Node::Text { text: key, plain } = key else {
            return Err(Refused::on(line, "A key is not a text. Write it as one."));
        };
        if plain && key == "<<" {
            return self.merge(line, value);
        }
        if let Node::Mapping(column, _) = value
            && *self.indent.get_or_insert(column) != column
        {
            return Err(Refused::on(
                line,
                "The standard's validator wants mappings beside each other indented alike. Indent them so.",
            ));
        }
        let twice = format!("The key {} is there twice. Remove one.", short(&key));
        match self.root.insert(key, value.into()) {
            Some(_) => Err(Refused::on(line, &twice)),
            None => Ok(()),
        }
    }

    fn merge(&mut self, line: usize, value: Node) -> Result<(), Refused> {
        let found = match value {
            Node::Mapping(_, root) => vec![root],
            Node::List(items) => items
                .into_iter()
                .map(|item| match item {
                    Node::Mapping(_, root) => Some(root),
                    _ => None,
                })
                .collect::<Option<_>>()
                .unwrap_or_default(),
            Node::Text { .. } => Vec::new(),
        };
        if found.is_empty() {
            return Err(Refused::on(line, "<< has no mapping below it. Write the keys out."));
        }
        if !self.merged.is_empty() {
            return Err(Refused::on(line, "There are two keys <<. Write the keys out."));
        }
        self.merged = found;
        Ok(())
    }

    fn finish(self) -> Root {
        let mut root = self.root;
        for (key, value) in self.merged.into_iter().flatten() {
            root.entry(key).or_insert(value);
        }
        root
    }
}

impl From<Node> for Value {
    /// Every text is what it is written as, but for two to which YAML once gave a meaning: they are
    /// no text.
    fn from(node: Node) -> Self {
        match node {
            Node::Text { text, plain } if plain && ["<<", "="].contains(&&*text) => Self::Array(Vec::new()),
            Node::Text { text, .. } => Self::String(text),
            Node::List(items) => items.into_iter().map(Self::from).collect(),
            Node::Mapping(_, root) => Self::Object(root),
        }
    }
}
