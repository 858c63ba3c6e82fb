//! Every tool in `docs/tools.md` is a complete file that can be saved as printed.

use std::fs;
use std::path::Path;

use nova_protocol::{Commands as _, Nothing, SkillState};
use nova_testkit::PATIENCE;

use super::nova::Nova;

/// The tools of a document; its other TypeScript blocks are scripts for `run_code`.
pub(super) fn blocks(document: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(document)).unwrap();
    let blocks = text.split("```ts\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.filter(|block| block.contains("defineTool(")).map(str::to_owned).collect()
}

/// The text after `name: '` in the definition.
pub(super) fn name(block: &str) -> &str {
    let definition = block.split_once("export default defineTool({").expect("a whole file exports a tool").1;
    definition.split_once("name: '").unwrap().1.split('\'').next().unwrap()
}

#[tokio::test]
async fn every_example_can_be_saved_as_a_file_of_its_own() {
    let nova = Nova::new("", []);
    let folder = nova.config().join("tools").join("dynamic");
    fs::create_dir_all(&folder).unwrap();
    let blocks = [blocks("docs/tools.md"), blocks("skills/core/SKILL.md")].concat();
    assert!(blocks.len() >= 4, "the examples are found");
    for block in &blocks {
        assert!(block.contains("from '@nova/tools'"), "{block}");
        // The host of these tests reads plain lines, so the file contains only the name.
        fs::write(folder.join(format!("{}.ts", name(block))), format!("name: {}\n", name(block))).unwrap();
    }
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let rows = app.list_tools(Nothing {}).await.unwrap();
    for block in &blocks {
        let row = rows.iter().find(|row| row.name == format!("dynamic.{}", name(block))).unwrap();
        assert_eq!((row.state, &row.reason), (SkillState::Available, &None));
    }
}
