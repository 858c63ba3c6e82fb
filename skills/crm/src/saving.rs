//! What a record keeps to when it is saved with its form: the same that the tools keep to.

use nova_skill::{RecordDraft, RecordRules, ToolContext, ToolError, async_trait};

use crate::deals::Deals;
use crate::records::DEAL;

pub(crate) struct Rules;

#[async_trait]
impl RecordRules for Rules {
    async fn apply(&self, draft: &mut RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        let lacks_currency = draft.text("value").is_some() && draft.text("currency").is_none();
        if draft.record_type() != DEAL || !lacks_currency {
            return Ok(());
        }
        let deals = Deals::read(ctx).await?;
        let usual = deals.currency_by_default()?;
        // A note that left it open goes on so, where the others say which is meant.
        if draft.note().is_none() {
            draft.set("currency", usual);
        }
        Ok(())
    }
}
