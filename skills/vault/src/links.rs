use std::collections::BTreeSet;
use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::{Deserialize, Serialize};

use crate::notes::{file_named, named, within_budget};

pub(crate) struct LinksOfNote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows links from and to a note."))]
pub(crate) struct Which {
    /// The note: its path in the vault, or its name if unique. Or another file: "map.png".
    #[schemars(extend("x-label" = "Note", "x-note" = true))]
    path: String,
}

#[async_trait]
impl NativeTool for LinksOfNote {
    type Args = Which;
    const ID: &'static str = "links";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Gives the links of a note: `out` from it, `back` to it from other notes, `unresolved` to missing notes.",
        )
        .use_when("the user asks what is connected with a note, or which notes mention it")
        .example("Which notes link to the Lisbon plan?")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let path = match named(ctx.as_ref(), &which.path).await {
            Ok(note) => note.path,
            // Another file, such as an image whose embedding notes are wanted.
            Err(error) => file_named(ctx.as_ref(), &which.path).await.ok().flatten().ok_or(error)?,
        };
        let links = ctx.vault().links(&path).await?;
        let (back, out, unresolved) = (part(&links.back), part(&links.out), part(&links.unresolved));
        let mut value = json!({"path": path, "out": out, "back": back, "unresolved": unresolved});
        let all = links.out.len() + links.back.len() + links.unresolved.len();
        if out.len() + back.len() + unresolved.len() < all {
            value["more"] = true.into();
            value["total"] = json!({
                "out": links.out.len(), "back": links.back.len(), "unresolved": links.unresolved.len(),
            });
        }
        // The context line of a backlink is text of the note that contains it.
        let shown: BTreeSet<_> = links.back.iter().take(back.len()).map(|link| link.path.clone()).collect();
        let own = Some(path).filter(|path| path.is_note());
        Ok(Output::new(value).from_notes(own.into_iter().chain(shown)).into())
    }
}

fn part<T: Serialize>(links: &[T]) -> Vec<Value> {
    within_budget(links.iter().map(|link| json!(link)))
}
