//! The generated files are committed; `make generate` updates them.

use std::path::{Path, PathBuf};

use nova_protocol::ErrorCode;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Compares the file, or writes it if `NOVA_GENERATE` is set.
fn check(path: &str, expected: &str) {
    let file = root().join(path);
    if std::env::var_os("NOVA_GENERATE").is_some() {
        std::fs::write(&file, expected).unwrap_or_else(|error| panic!("{path}: {error}"));
        return;
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{path} is stale: run `make generate` and commit it");
}

#[test]
fn typescript_types_are_up_to_date() {
    let text = nova_protocol::typescript().expect("types can be written as TypeScript");
    check("ui/src/ipc/protocol.generated.ts", &text);
}

#[test]
fn error_codes_are_documented() {
    let mut text = String::from(
        "# Error codes\n\nGenerated from the crate nova-error by `make generate`. \
         Every error that Nova shows or prints carries one of these codes.\n\n| code | means |\n|---|---|\n",
    );
    for (code, meaning) in ErrorCode::ALL {
        text.push_str(&format!("| `{}` | {} |\n", code.as_str(), meaning.trim()));
    }
    check("docs/errors.md", &text);
}
