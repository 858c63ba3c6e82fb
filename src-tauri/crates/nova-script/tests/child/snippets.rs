//! Snippets: run once, can call tools, and return their last expression.

use nova_script::protocol::{Answer, Fault, FaultKind, FromChild, Refusal, ToChild, Want};
use serde_json::{Value, json};

use crate::process::{Process, parts_of};

fn load(process: &mut Process, source: &str) -> Result<(), Fault> {
    let (file, source) = ("script".into(), source.into());
    process.send(&ToChild::Load { file, source, more: false, snippet: true });
    match process.next() {
        Some(FromChild::Loaded { .. }) => Ok(()),
        Some(FromChild::Failed { fault, fatal: false }) => Err(fault),
        other => panic!("{other:?}"),
    }
}

/// The value of a snippet without calls.
fn value(source: &str) -> Value {
    let mut process = Process::start();
    load(&mut process, source).unwrap();
    process.begin("script", json!({}));
    match process.next() {
        Some(FromChild::Done { value }) => value,
        other => panic!("{source}: {other:?}"),
    }
}

/// The fault of a snippet, with the position in its own text.
fn fault(source: &str) -> (FaultKind, Option<(u32, u32)>) {
    let mut process = Process::start();
    let fault = match load(&mut process, source) {
        Err(fault) => fault,
        Ok(()) => {
            process.begin("script", json!({}));
            match process.next() {
                Some(FromChild::Failed { fault, fatal: false }) => fault,
                other => panic!("{source}: {other:?}"),
            }
        }
    };
    let (kind, _, place) = parts_of(&fault);
    (kind, place)
}

#[test]
fn last_expression_is_the_value() {
    assert_eq!(value("1 + 1"), json!(2));
    assert_eq!(value("const a: number = 2\na * 3 // six"), json!(6));
    assert_eq!(value("await Promise.resolve('x')"), json!("x"));
    assert_eq!(value("return 1\n2"), json!(1));
    assert_eq!(value("for (const a of []) a"), json!(null));
    assert_eq!(value("// nothing"), json!(null));
    assert_eq!(value("z.string().safeParse(1).success"), json!(false));
}

#[test]
fn faults_have_positions_in_the_snippet() {
    assert_eq!(fault("const = 1"), (FaultKind::Syntax, Some((1, 7))));
    assert_eq!(fault("1\n  const = 1"), (FaultKind::Syntax, Some((2, 9))));
    assert_eq!(fault("throw new Error('no')"), (FaultKind::Thrown, Some((1, 11))));
    // A property access is reported at the position of its object.
    assert_eq!(fault("1\nnull.x"), (FaultKind::Thrown, Some((2, 1))));
    assert_eq!(fault("1\n  null.x\n2"), (FaultKind::Thrown, Some((2, 3))));
    // A missing token at the end is reported where the text ends.
    assert_eq!(fault("f(1").0, FaultKind::Syntax);
    assert_eq!(fault("f(1").1.map(|(line, _)| line), Some(1));
}

#[test]
fn tools_are_called_by_name_and_errors_have_a_code() {
    let mut process = Process::start();
    let source = "const first = await tools.crm.get({ name: 'Ada' })
        const second = await tools['release-management'].send().catch((error) => [error.code, error.message])
        ;[first, second, typeof tools.then, await tools.crm === undefined]";
    load(&mut process, source).unwrap();
    process.begin("script", json!({}));
    let next = |process: &mut Process| match process.next() {
        Some(FromChild::Ask { ask, want: Want::Call { tool, args } }) => (ask, tool, args),
        other => panic!("{other:?}"),
    };
    let (ask, tool, args) = next(&mut process);
    assert_eq!((tool.as_str(), args), ("crm.get", json!({"name": "Ada"})));
    process.send(&ToChild::Answer { ask, answer: Ok(Answer::Called { value: json!([1]) }) });
    let (ask, tool, args) = next(&mut process);
    assert_eq!((tool.as_str(), args), ("release-management.send", json!({})));
    let refusal = Refusal { message: "Denied.".into(), code: Some("denied_by_user".into()) };
    process.send(&ToChild::Answer { ask, answer: Err(refusal) });
    let value = json!([[1], ["denied_by_user", "Denied."], "undefined", false]);
    assert_eq!(process.next(), Some(FromChild::Done { value }));
}
