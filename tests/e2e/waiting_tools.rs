//! A tool written by the assistant: reviewed, dry-run, promoted, called.

use serde_json::json;

use crate::harness::{Home, Window};

/// A tool worth reviewing: it declares a host and no secret.
pub(crate) const TIDES: &str = "\
import { z } from 'zod'
import { defineTool } from '@nova/tools'

export default defineTool({
  name: 'tides',
  description: 'Says when the tide is high at a harbour today.',
  parameters: z.object({ harbour: z.string().default('Hamburg').describe('Name of the harbour') }),
  effect: 'external',
  hosts: ['tides.example.org'],
  execute: async ({ harbour }) => {
    const address = new URL('https://tides.example.org/v1/today')
    address.searchParams.set('harbour', harbour)
    const response = await fetch(address)
    const { high = [] } = await response.json()
    return { harbour, high }
  },
})
";

#[tokio::test]
async fn pending_tool_is_dry_run_and_promoted_by_clicks_and_can_be_called() {
    let home = Home::new().settings(&json!({})).waiting_tool("tides.ts", TIDES);
    let window = Window::open(&home).await;

    window.click("[data-testid=nav-settings]").await;
    window.wait_for_text("[data-testid=waiting-tool][data-tool=tides]", "tides.example.org").await;
    window.click("[data-testid=dry-run-open]").await;
    window.click("[data-testid=dry-run-start]").await;
    let result = "[data-testid=dry-run-result]";
    window.wait_for_text(result, "https://tides.example.org/v1/today?harbour=Hamburg").await;

    // Clicks are ignored for a moment.
    window.click("[data-testid=promote-tool][data-armed=true]").await;
    window.wait_for("[data-testid=waiting-tool-settled]").await;
    let rows = home.nova(&["tool", "list", "--json"]);
    let states: Vec<_> = rows
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| row["name"] == "dynamic.tides")
        .map(|row| row["state"].clone())
        .collect();
    assert_eq!(states, ["available"]);
    window.close().await;
}
