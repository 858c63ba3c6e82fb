use std::sync::Arc;

use include_dir::{Dir, include_dir};
use nova_registry::ToolHost;
use nova_skill::{Skill, ToolContext, ToolError, ToolOutput, async_trait};
use nova_skill_core::{PendingTools, Snippets};

use crate::workflow::Workflow;

/// A skill in a folder of `skills/` that consists of text only.
macro_rules! workflow {
    ($folder:tt) => {{
        static FOLDER: Dir<'static> = include_dir!($folder);
        Box::new(Workflow(&FOLDER))
    }};
}

/// The skills compiled into Nova, one line each.
pub(crate) fn built_in(pending: Arc<dyn PendingTools>, snippets: Arc<dyn Snippets>) -> Vec<Box<dyn Skill>> {
    vec![
        nova_skill_budget::skill(),
        nova_skill_calendar::skill(),
        nova_skill_crm::skill(),
        nova_skill_mail::skill(),
        nova_skill_portfolio::skill(),
        nova_skill_lookup::skill(),
        nova_skill_screener::skill(),
        nova_skill_vault::skill(),
        nova_skill_core::skill(pending, snippets),
        nova_skill_employee_onboarding::skill(),
        nova_skill_release_management::skill(),
        workflow!("$CARGO_MANIFEST_DIR/../../../skills/research-assistant"),
    ]
}

/// Runs scripts of the assistant in the same host as TypeScript tools.
pub(crate) struct HostSnippets(pub(crate) Arc<dyn ToolHost>);

#[async_trait]
impl Snippets for HostSnippets {
    async fn run(&self, source: Arc<str>, context: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        self.0.run_snippet(source, context).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoPendingTools;

    #[nova_skill::async_trait]
    impl PendingTools for NoPendingTools {
        async fn store(
            &self,
            _: &str,
            _: &str,
        ) -> Result<nova_skill_core::PendingTool, nova_skill::ToolError> {
            Err(nova_skill::ToolError::Cancelled)
        }
    }

    fn all() -> Vec<Box<dyn Skill>> {
        built_in(Arc::new(NoPendingTools), Arc::new(HostSnippets(Arc::new(nova_registry::NoToolHost))))
    }

    #[test]
    fn built_in_skills_are_valid_and_share_no_record_type() {
        for (skill, again) in all().into_iter().zip(all()) {
            let snapshot = nova_testkit::snapshot_of(vec![skill]);
            nova_testkit::assert_sound(again, &snapshot.skills()[0].id);
        }
        // Panics on an invalid skill; a duplicate record type makes the second skill invalid.
        nova_testkit::snapshot_of(all());
    }

    #[test]
    fn workflow_is_routed_by_its_examples_and_takes_no_others() {
        let snapshot = nova_testkit::snapshot_of(all());
        let confusions = nova_registry::test_routing(&snapshot);
        for id in ["employee-onboarding", "release-management", "research-assistant"] {
            let skill = snapshot.skill(id).expect(id);
            let own: Vec<_> = confusions.iter().filter(|confusion| confusion.skill == id).collect();
            assert!(own.is_empty(), "{own:#?}");
            let taken = nova_registry::would_take(&snapshot, skill);
            assert!(taken.is_empty(), "{taken:#?}");
        }
    }

    #[test]
    fn skill_of_text_only_includes_all_its_files() {
        let snapshot = nova_testkit::snapshot_of(all());
        let folder =
            snapshot.skill("research-assistant").and_then(|skill| skill.folder.clone()).expect("files");
        let paths: Vec<&str> = folder.resources().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            ["assets/research.md", "assets/source.md", "references/searching.md", "references/weighing.md"]
        );
        assert!(
            folder.read("references/weighing.md").is_ok_and(|text| text.starts_with("# Weighing a source"))
        );
    }
}
