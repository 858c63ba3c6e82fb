use super::{Compare, Expression, Field, Node};

/// A condition as a form row: a field, an operator, and one or two numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Simple {
    pub field: Field,
    pub operator: Operator,
    /// As written: "0.5 bn".
    pub values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Below,
    Above,
    Between,
}

/// A comparison with a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Whether the figure must be above the limit.
    pub above: bool,
    pub limit: f64,
}

impl Expression {
    /// The form row; `None` if the condition cannot be shown as one.
    pub fn simple(&self) -> Option<Simple> {
        let is_number = |node: &Node| constant(node).is_some();
        let (field, operator) = match &self.root {
            Node::Compare(left, compare, right) => match (left.as_ref(), compare) {
                (Node::Field(field), Compare::Less) if is_number(right) => (*field, Operator::Below),
                (Node::Field(field), Compare::Greater) if is_number(right) => (*field, Operator::Above),
                _ => return None,
            },
            Node::And(least, most) => match (least.as_ref(), most.as_ref()) {
                (
                    Node::Compare(a, Compare::GreaterOrEqual, low),
                    Node::Compare(b, Compare::LessOrEqual, high),
                ) if a == b && is_number(low) && is_number(high) => match a.as_ref() {
                    Node::Field(field) => (*field, Operator::Between),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        // The numbers keep their spelling; the form normalises words and spaces.
        let text = self.text.to_ascii_lowercase();
        let behind = |sign: &str| text.find(sign).map(|at| self.text[at + sign.len()..].trim().to_owned());
        let values = match operator {
            Operator::Below => vec![behind("<")?],
            Operator::Above => vec![behind(">")?],
            Operator::Between => {
                let limits = behind("between")?;
                let at = limits.to_ascii_lowercase().find("and")?;
                vec![limits[..at].trim().to_owned(), limits[at + 3..].trim().to_owned()]
            }
        };
        values.iter().all(|value| !value.is_empty()).then_some(Simple { field, operator, values })
    }

    /// The figure that the condition compares with numbers, and the comparisons: one for a limit, two for a
    /// range. `None` for any other condition.
    pub fn limited(&self) -> Option<(Self, Vec<Comparison>)> {
        let (mut limits, mut figure) = (Vec::new(), None);
        let mut nodes = vec![&self.root];
        while let Some(node) = nodes.pop() {
            match node {
                Node::And(a, b) => nodes.extend([b.as_ref(), a.as_ref()]),
                Node::Compare(left, compare, right) if *figure.get_or_insert(left) == left => {
                    let limit = constant(right)?;
                    let above = match compare {
                        Compare::Less | Compare::LessOrEqual => false,
                        Compare::Greater | Compare::GreaterOrEqual => true,
                        Compare::Equal | Compare::NotEqual => return None,
                    };
                    limits.push(Comparison { above, limit });
                }
                _ => return None,
            }
        }
        let root = figure?.as_ref().clone();
        Some((Self { text: self.text.clone(), root }, limits))
    }
}

/// The value of a constant expression.
fn constant(node: &Node) -> Option<f64> {
    match node {
        Node::Number(value) | Node::Percentage(value) => Some(*value),
        Node::Negative(of) => constant(of).map(|value| -value),
        _ => None,
    }
}
