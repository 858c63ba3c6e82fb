//! Wraps a snippet as a file that defines a tool: a function body that returns its last expression.

use oxc::{
    allocator::Allocator,
    ast::{
        ast::{
            Argument, ArrowFunctionBody, ExportDefaultDeclarationKind, Expression, ExpressionStatement,
            FunctionBody, ObjectPropertyKind, Program, Statement,
        },
        builder::AstBuilder,
    },
};

/// Prefix on the first line of the snippet.
const BEFORE: &str = "import { z } from 'zod'; import { defineTool, tools } from '@nova/tools'; export default \
                      defineTool({ name: 'script', description: 'A script.', parameters: z.object({}), execute: \
                      async () => {";
const AFTER: &str = "\n} });";

/// Number of columns of the prefix.
pub(super) const COLUMNS: u32 = BEFORE.len() as u32;

/// The generated file. It has the line numbers of the snippet.
pub(super) fn as_file(snippet: &str) -> String {
    format!("{BEFORE}{snippet}{AFTER}")
}

/// Turns the last statement into a return statement if it is an expression.
pub(super) fn return_last<'a>(program: &mut Program<'a>, allocator: &'a Allocator) {
    let Some(body) = body(program) else { return };
    match body.statements.pop() {
        Some(Statement::ExpressionStatement(last)) => {
            let ExpressionStatement { span, expression, .. } = last.unbox();
            let build = AstBuilder::new(allocator);
            body.statements.push(Statement::new_return_statement(span, Some(expression), &build));
        }
        Some(other) => body.statements.push(other),
        None => {}
    }
}

/// The function whose body is the snippet.
fn body<'p, 'a>(program: &'p mut Program<'a>) -> Option<&'p mut FunctionBody<'a>> {
    let export = program.body.iter_mut().find_map(|statement| match statement {
        Statement::ExportDefaultDeclaration(export) => Some(export),
        _ => None,
    })?;
    let ExportDefaultDeclarationKind::CallExpression(call) = &mut export.declaration else { return None };
    let Some(Argument::ObjectExpression(spec)) = call.arguments.first_mut() else { return None };
    let ObjectPropertyKind::ObjectProperty(execute) = spec.properties.last_mut()? else { return None };
    let Expression::ArrowFunctionExpression(arrow) = &mut execute.value else { return None };
    match &mut arrow.body {
        ArrowFunctionBody::FunctionBody(body) => Some(body),
        _ => None,
    }
}
