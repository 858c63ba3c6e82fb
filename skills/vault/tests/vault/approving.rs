//! Which calls ask, how often, and what happens to a note that changes while the question waits.

use std::sync::{Arc, Mutex};

use nova_calls::{
    Access, Answer, ApprovalRequest, Approver, Call, CallScope, Grants, NoCredentials, Outcome, run_call,
};
use nova_protocol::{Decision, ErrorCode};
use nova_skill::{Principal, Value, async_trait, json};
use nova_testkit::{
    ApprovedContents, KeptRules, PATIENCE, RecordedEvents, TempVault, decided, snapshot_of, web_of,
};
use nova_vault::ChangeSetKind;

use crate::{LISBON, NOTES};

/// Runs an action, then answers every question with a decision.
struct Meanwhile {
    decision: Decision,
    before: Box<dyn Fn() + Send + Sync>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Approver for Meanwhile {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        self.asked.lock().unwrap().push(request.tool.clone());
        (self.before)();
        decided(self.decision)
    }
}

/// Makes calls one after the other in one turn; returns their results and the questions.
fn turn(
    vault: &Arc<TempVault>,
    decision: Decision,
    before: impl Fn() + Send + Sync + 'static,
    calls: &[(&str, Value)],
) -> (Vec<Outcome>, Vec<String>) {
    let opened = vault.open();
    let approver = Arc::new(Meanwhile { decision, before: Box::new(before), asked: Mutex::default() });
    let scope = CallScope {
        access: Access {
            vault: Some(opened.clone()),
            rules: Arc::default(),
            save_rule: Arc::new(KeptRules::default()),
            approved: Arc::new(ApprovedContents::default()),
            web: Arc::new(web_of(&[])),
            credentials: Arc::new(NoCredentials),
            stores: Arc::new(nova_testkit::MemoryStores::default()),
            folders: Arc::new(()),
            sandboxes: Arc::new(()),
            clock: Arc::new(vault.clock().clone()),
            approver: approver.clone(),
            time_limit: PATIENCE,
        },
        snapshot: snapshot_of(vec![nova_skill_vault::skill()]),
        callable: None,
        grants: Arc::new(Grants::default()),
        given: Arc::new(()),
        events: Arc::new(RecordedEvents::new()),
        change_set: Some(Arc::new(opened.change_set(ChangeSetKind::Turn, "a test".into()))),
        touched: Arc::default(),
        history: Arc::default(),
        sub_agents: Arc::new(()),
        privacy: Arc::default(),
        asker: Arc::new(()),
        session: "session1".into(),
        turn: Some("turn1".into()),
        principal: Principal::owner(),
        author: "model".into(),
        by_hand: false,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcomes = calls
        .iter()
        .map(|(tool, args)| {
            let call = Call::with_value("call1".into(), format!("vault.{tool}"), args.clone());
            runtime.block_on(run_call(&scope, call, Default::default()))
        })
        .collect();
    let asked = approver.asked.lock().unwrap().clone();
    (outcomes, asked)
}

#[test]
fn allow_for_the_session_covers_later_writes_but_no_deletion() {
    let vault = Arc::new(TempVault::from(NOTES));
    let (outcomes, asked) = turn(
        &vault,
        Decision::Session,
        || {},
        &[
            ("append_to_note", json!({"path": "Lisbon", "text": "a"})),
            ("append_to_note", json!({"path": "Work/Plan", "text": "b"})),
            ("set_properties", json!({"path": "People/Jane Doe", "properties": {"stage": "lead"}})),
            ("create_note", json!({"path": "New"})),
            ("daily_note", json!({})),
        ],
    );
    assert!(outcomes.iter().all(|outcome| outcome.result.is_ok()), "{outcomes:?}");
    assert_eq!(asked, ["vault.append_to_note"]);
    let (outcomes, asked) = turn(
        &vault,
        Decision::Session,
        || {},
        &[
            ("move_note", json!({"path": "Lisbon", "to": "Old/"})),
            ("move_note", json!({"path": "People/Jane Doe", "to": "Old/"})),
        ],
    );
    assert!(outcomes.iter().all(|outcome| outcome.result.is_ok()), "{outcomes:?}");
    assert_eq!(asked, ["vault.move_note", "vault.move_note"], "each move asks");
    let (outcomes, asked) = turn(
        &vault,
        Decision::Once,
        || {},
        &[("delete_note", json!({"path": "Work/Plan"})), ("delete_note", json!({"path": "Trips/Plan"}))],
    );
    assert!(outcomes.iter().all(|outcome| outcome.result.is_ok()), "{outcomes:?}");
    assert_eq!(asked, ["vault.delete_note", "vault.delete_note"]);
}

#[test]
fn outside_edit_while_the_question_waits_is_kept() {
    let vault = Arc::new(TempVault::from(NOTES));
    let outside = vault.clone();
    let (outcomes, _) = turn(
        &vault,
        Decision::Once,
        move || outside.write(LISBON, &outside.read(LISBON).replace("Shoes.", "Shoes, hat.")),
        &[("edit_note", json!({"path": "Lisbon", "old": "- [ ] Book", "new": "- [x] Book"}))],
    );
    assert!(outcomes[0].result.is_ok(), "{outcomes:?}");
    let text = vault.read(LISBON);
    assert!(text.contains("- [x] Book the train") && text.contains("Shoes, hat."), "{text}");
}

#[test]
fn outside_edit_of_the_same_place_is_a_conflict_and_stays() {
    let vault = Arc::new(TempVault::from(NOTES));
    for (tool, args) in [
        (
            "edit_note",
            json!({"path": "Lisbon", "old": "- [ ] Book the train", "new": "- [x] Book the train"}),
        ),
        ("delete_note", json!({"path": "Lisbon"})),
    ] {
        vault.write(LISBON, "- [ ] Book the train\n");
        let outside = vault.clone();
        let theirs = "- [ ] Book the boat\n";
        let (outcomes, _) =
            turn(&vault, Decision::Once, move || outside.write(LISBON, theirs), &[(tool, args)]);
        assert_eq!(outcomes[0].result.as_ref().unwrap_err().code, ErrorCode::Conflict, "{tool}");
        assert_eq!(vault.read(LISBON), theirs, "{tool}");
    }
}
