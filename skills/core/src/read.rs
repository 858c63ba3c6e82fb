use std::sync::Arc;

use nova_skill::{
    Description, Effect, FileRead, JsonSchema, NativeTool, Output, Range, ToolContext, ToolError, ToolOutput,
    Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::place::{Place, in_vault, vault_path};

/// Default number of lines in an answer.
const LIMIT: usize = 1000;

pub(crate) struct Read;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Reads a file."))]
pub(crate) struct Which {
    /// The file: `vault/…`, `scratch/…`, `NAME/…` of an open folder (`ls` lists them), or an absolute path.
    #[schemars(extend("x-label" = "File"))]
    path: String,
    /// The first line, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[schemars(extend("x-label" = "From line"))]
    offset: Option<u64>,
    /// How many lines at most; default: 1000.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[schemars(extend("x-label" = "Lines"))]
    limit: Option<usize>,
}

#[async_trait]
impl NativeTool for Read {
    type Args = Which;
    const ID: &'static str = "read";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Reads a file with line numbers: text in any encoding, PDF and office files as text. Shows images.",
        )
        .use_when("a file is read")
        .example("Read the file contract.pdf")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let range = Range { offset: which.offset.unwrap_or(1), limit: which.limit.unwrap_or(LIMIT) };
        match Place::of(ctx.as_ref(), &which.path).await? {
            Place::Folder(path) => {
                let read = ctx.files().read(&path, range).await?;
                Ok(output(&path, read).untrusted().into())
            }
            Place::Vault(below) => {
                let path = vault_path(&below)?;
                if path.is_note() {
                    let note = ctx.vault().read(&path).await?;
                    let shown = in_vault(&note.path);
                    let read = ctx.files().read_bytes(&shown, note.text.as_bytes().to_vec(), range).await?;
                    let mut value = report(&shown, &read);
                    value["hash"] = note.hash.to_string().into();
                    return Ok(Output::new(value).from_notes([note.path]).into());
                }
                let shown = in_vault(&path);
                let bytes = ctx.vault().read_file(&path).await?;
                let read = ctx.files().read_bytes(&shown, bytes, range).await?;
                Ok(output(&shown, read).from_notes([path]).untrusted().into())
            }
        }
    }
}

/// Lines, or an image with its description.
fn output(path: &str, read: FileRead) -> Output {
    let Some(image) = read.image else { return Output::new(report(path, &read)) };
    let value = json!({
        "path": path, "image": read.read_as, "width": image.width, "height": image.height, "size": read.size,
    });
    let name = path.rsplit('/').next().unwrap_or(path);
    Output::new(value).image(name, image.bytes)
}

fn report(path: &str, read: &FileRead) -> Value {
    let mut text = String::new();
    for (number, line) in &read.page.lines {
        text.push_str(&format!("{number:>6}\t{line}\n"));
    }
    let mut value = json!({"path": path, "text": text, "size": read.size});
    if read.read_as != "UTF-8" {
        value["read_as"] = read.read_as.into();
    }
    if read.page.replaced > 0 {
        value["broken_characters"] = read.page.replaced.into();
    }
    if let Some(next) = read.page.next {
        value["next_offset"] = next.into();
    }
    value
}
