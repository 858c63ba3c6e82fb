//! The last scan of each saved screen and its number of hits, in the skill's store, for the list.

use nova_skill::serde_json::Map;
use nova_skill::{LogLevel, NotePath, ToolContext, Value, json};

/// The key of the skill's store.
const KEY: &str = "last-scans";
/// Attempts when another scan writes at the same time.
const TRIES: usize = 5;

/// `{hits, at}` by path of the screen.
pub(crate) async fn last_scans(ctx: &dyn ToolContext) -> Map<String, Value> {
    let kept = ctx.store().get(KEY).await.ok().flatten();
    kept.and_then(|kept| kept.as_object().cloned()).unwrap_or_default()
}

/// A failure to store it does not fail the scan.
pub(crate) async fn keep_scan(screen: &NotePath, hits: &Value, ctx: &dyn ToolContext) {
    for _ in 0..TRIES {
        let before = match ctx.store().get(KEY).await {
            Ok(before) => before,
            Err(error) => return ctx.log(LogLevel::Warn, &format!("The scan was not saved: {error}")),
        };
        let mut scans = before.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        scans.insert(screen.to_string(), json!({"hits": hits, "at": ctx.clock().now().to_string()}));
        match ctx.store().replace(KEY, before.as_ref(), scans.into()).await {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => return ctx.log(LogLevel::Warn, &format!("The scan was not saved: {error}")),
        }
    }
}
