//! Instruments a file to record its progress, so that a line is known for faults without a stack.
//!
//! A call `$at(line)` is inserted before each top-level statement and before each statement of `execute`
//! itself; both run once. Loops and nested functions are not instrumented, which would make them slow.

use oxc::{
    allocator::{Allocator, ArenaVec, GetAllocator},
    ast::{
        ast::{
            Argument, ArrowFunctionBody, CallExpression, Expression, FunctionBody, ObjectExpression,
            ObjectPropertyKind, Program, Statement,
        },
        builder::AstBuilder,
    },
    ast_visit::{VisitMut, walk_mut},
    span::{GetSpan, Span},
    syntax::number::NumberBase,
};

/// The start of `execute`, and the name of the inserted function.
pub(super) struct Marked {
    pub(super) name: String,
    /// Offset of the function `execute`, or of the expression for it.
    pub(super) execute: Option<u32>,
}

/// Inserts the marks; `line` converts an offset to a line.
pub(super) fn mark<'a>(
    program: &mut Program<'a>,
    allocator: &'a Allocator,
    source: &str,
    line: impl Fn(u32) -> u32,
) -> Marked {
    let mut name = "$at".to_owned();
    while source.contains(&name) {
        name.push('$');
    }
    let mut marks = Marks { builder: AstBuilder::new(allocator), name: &name, line, execute: None };
    marks.visit_program(program);
    marks.before_each(&mut program.body);
    let execute = marks.execute;
    Marked { name, execute }
}

struct Marks<'a, 'n, L> {
    builder: AstBuilder<'a>,
    name: &'n str,
    line: L,
    execute: Option<u32>,
}

impl<'a, L: Fn(u32) -> u32> VisitMut<'a> for Marks<'a, '_, L> {
    fn visit_call_expression(&mut self, call: &mut CallExpression<'a>) {
        if call.callee.is_specific_id("defineTool")
            && let Some(Argument::ObjectExpression(spec)) = call.arguments.first_mut()
        {
            self.within_execute(spec);
        }
        walk_mut::walk_call_expression(self, call);
    }
}

impl<'a, L: Fn(u32) -> u32> Marks<'a, '_, L> {
    fn within_execute(&mut self, spec: &mut ObjectExpression<'a>) {
        for property in &mut spec.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            if property.computed || !property.key.is_specific_static_name("execute") {
                continue;
            }
            self.execute = Some(property.span.start);
            match &mut property.value {
                Expression::FunctionExpression(function) => {
                    if let Some(body) = &mut function.body {
                        self.within(body);
                    }
                }
                Expression::ArrowFunctionExpression(arrow) => match &mut arrow.body {
                    ArrowFunctionBody::FunctionBody(body) => self.within(body),
                    expression => self.execute = Some(expression.span().start),
                },
                _ => {}
            }
        }
    }

    fn within(&mut self, body: &mut FunctionBody<'a>) {
        self.before_each(&mut body.statements);
    }

    fn before_each(&mut self, statements: &mut ArenaVec<'a, Statement<'a>>) {
        let plain = std::mem::replace(statements, ArenaVec::new_in(&self.builder));
        for statement in plain {
            if runs(&statement) {
                statements.push(self.mark(statement.span()));
            }
            statements.push(statement);
        }
    }

    fn mark(&self, at: Span) -> Statement<'a> {
        let build = &self.builder;
        let name = build.allocator().alloc_str(self.name);
        let line = f64::from((self.line)(at.start));
        let line = Expression::new_numeric_literal(at, line, None, NumberBase::Decimal, build);
        let arguments = ArenaVec::from_array_in([Argument::from(line)], build);
        let callee = Expression::new_identifier(at, name, build);
        let call = Expression::new_call_expression(at, callee, None, arguments, false, build);
        Statement::new_expression_statement(at, call, build)
    }
}

/// Whether the statement does anything at run time.
fn runs(statement: &Statement<'_>) -> bool {
    !matches!(
        statement,
        Statement::ImportDeclaration(_)
            | Statement::FunctionDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::EmptyStatement(_)
    )
}
