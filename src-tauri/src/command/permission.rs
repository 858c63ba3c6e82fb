//! Rules: what is allowed, asked or denied.

use nova_app::App;
use nova_protocol::{
    AddRule, Commands as _, Nothing, PermissionsView, RuleAnswer, RuleRef, RuleRow, TriedRule, TriedVerdict,
    TryRule, UserError,
};

use super::{lists, read_args};
use crate::args::Permission;
use crate::print::{self, line, visible};

pub(super) async fn run(app: &App, permission: &Permission, json: bool) -> Result<u8, UserError> {
    let put = |answer, pattern: &String| app.add_rule(AddRule { answer, pattern: pattern.clone() });
    let view = match permission {
        Permission::List => app.list_rules(Nothing {}).await?,
        Permission::Allow { pattern } => put(RuleAnswer::Allow, pattern).await?,
        Permission::Ask { pattern } => put(RuleAnswer::Ask, pattern).await?,
        Permission::Deny { pattern } => put(RuleAnswer::Deny, pattern).await?,
        Permission::Remove { pattern } => app.remove_rule(RuleRef { pattern: pattern.clone() }).await?,
        Permission::Try { tool, args, relationship } => {
            let args = args.as_deref().map(|args| read_args(Some(args), None)).transpose()?;
            let wanted = TryRule { tool: tool.clone(), args, relationship: relationship.clone() };
            let tried = app.try_rule(wanted).await?;
            if json {
                print::json(&tried)
            } else {
                show_tried(&tried)
            }
            return Ok(print::DONE);
        }
    };
    if let Some(problem) = &view.problem {
        let at = problem.line.map(|at| format!(", line {at}")).unwrap_or_default();
        print::note(&format!("nova: {}{at}: {}", problem.file, problem.message));
    }
    if json {
        print::json(&view)
    } else {
        show(&view)
    }
    Ok(print::DONE)
}

fn show(view: &PermissionsView) {
    let own = view.rules.iter().map(|rule| row(rule, format!("line {}", rule.line)));
    let policies = view.policies.iter().flat_map(|policy| {
        let place = format!("policy {} ({})", policy.name, policy.who);
        policy.rules.iter().map(move |rule| row(rule, place.clone()))
    });
    let tools = view.tools.iter().map(|tool| {
        let answer = if tool.always { "allow" } else { "seen" };
        let hosts = match tool.hosts.is_empty() {
            true => String::new(),
            false => format!("always contacts {}", visible(&tool.hosts.join(", "))),
        };
        [answer.into(), visible(&tool.tool), lists::word(&tool.state).replace('_', " "), hosts]
    });
    let rows: Vec<[String; 4]> = own.chain(policies).chain(tools).collect();
    if rows.is_empty() && view.problem.is_some() {
        line("the rules cannot be read");
    } else if rows.is_empty() {
        line("no rules: reads run, everything else asks");
    } else {
        lists::table(["answer", "pattern", "where", "note"], rows.into_iter());
    }
}

fn row(rule: &RuleRow, place: String) -> [String; 4] {
    [
        lists::word(&rule.answer),
        visible(&rule.pattern),
        visible(&place),
        rule.note.clone().unwrap_or_default(),
    ]
}

fn show_tried(tried: &TriedRule) {
    let verdict = match tried.verdict {
        TriedVerdict::Run => "runs",
        TriedVerdict::Ask => "asks",
        TriedVerdict::Deny => "is denied",
    };
    line(&visible(&format!("{} ({}) {verdict}", tried.tool, lists::word(&tried.effect))));
    line(&visible(&format!("  {}", tried.reason)));
    if !tried.decisions.is_empty() {
        let offered: Vec<String> = tried.decisions.iter().map(lists::word).collect();
        line(&format!("  offered: {}", offered.join(", ")));
    }
}
