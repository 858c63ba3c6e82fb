//! A snippet as a file that defines a tool: its text within a function, its last expression the result.

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

/// What stands before the text of a snippet, on its first line.
const BEFORE: &str = "import { z } from 'zod'; import { defineTool, tools } from '@nova/tools'; export default \
                      defineTool({ name: 'script', description: 'A script.', parameters: z.object({}), execute: \
                      async () => {";
const AFTER: &str = "\n} });";

/// How many columns of the first line stand before the snippet.
pub(super) const COLUMNS: u32 = BEFORE.len() as u32;

/// The file that a snippet is run as. Its lines are the snippet's.
pub(super) fn as_file(snippet: &str) -> String {
    format!("{BEFORE}{snippet}{AFTER}")
}

/// Makes the last statement the result, where it is an expression.
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

/// The function that the snippet is the text of.
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
