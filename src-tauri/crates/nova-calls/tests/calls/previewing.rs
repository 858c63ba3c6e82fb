//! A tool that previews its call before the user is asked.

use std::sync::Arc;

use nova_calls::Answer;
use nova_protocol::{Decision, DetailView, ErrorCode};
use nova_skill::{
    CallToken, Detail, Effect, Preview, Skill, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value,
    async_trait, json,
};
use nova_testkit::{Reply, ScriptedApprover, WebServer, decided, edited, revised, snapshot_of};

use crate::{Bench, Fetch, fetch};

const HERE: &str = "http://api.weather.com/now";
const THERE: &str = "http://api.weather.com/then";
const HOST: &str = "api.weather.com";

/// Fetches its first address for the preview, and returns the preview that the user was shown.
#[derive(Clone)]
struct Announced(Fetch);

impl Skill for Announced {
    fn skill_md(&self) -> &str {
        self.0.skill_md()
    }

    fn manifest(&self) -> &str {
        self.0.manifest()
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Tool for Announced {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    async fn run(&self, _: CallToken, _: Value, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Ok(json!(ctx.shown()).into())
    }

    async fn preview(
        &self,
        token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<Option<Preview>, ToolError> {
        let digest = args.to_string();
        let Some(address) = args["urls"][0].as_str().map(str::to_owned) else {
            return Err(ToolError::failed("There is no address.", "Give one."));
        };
        self.0.run(token, args, ctx).await?;
        Ok(Some(Preview { details: vec![Detail::new("To", address).warned("new")], digest }))
    }
}

async fn bench(effect: Effect, answers: impl IntoIterator<Item = Answer>) -> (Bench, WebServer) {
    let server = WebServer::start(|_| Reply::text("sunny")).await;
    let mut tool = fetch(effect, &[HOST]);
    tool.0.previews = true;
    let mut bench = Bench::new(tool.clone(), ScriptedApprover::new(answers), &[(HOST, &server)]);
    bench.scope.snapshot = snapshot_of(vec![Box::new(Announced(tool))]);
    (bench, server)
}

fn shown(bench: &Bench) -> Vec<String> {
    bench.approver.asked().iter().flat_map(|asked| asked.details.iter().map(DetailView::line)).collect()
}

fn args(url: &str) -> Value {
    json!({"urls": [url]})
}

#[tokio::test]
async fn preview_is_shown_and_passed_to_the_run() {
    for effect in [Effect::External, Effect::Send] {
        let (bench, server) = bench(effect, [decided(Decision::Once)]).await;
        assert_eq!(bench.call(&[HERE]).await.result, Ok(json!(args(HERE).to_string())));
        assert_eq!(shown(&bench), [format!("To: {HERE} (new)")]);
        assert_eq!(server.requests().len(), 1, "its own host does not ask");
    }
}

#[tokio::test]
async fn impossible_call_is_refused_without_a_question() {
    let (bench, server) = bench(Effect::Send, []).await;
    let error = bench.call(&[]).await.result.expect_err("refused");
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::ToolFailed, "There is no address."));
    assert_eq!((bench.approver.asked().len(), server.requests().len()), (0, 0));
}

#[tokio::test]
async fn edited_arguments_are_previewed_before_they_run() {
    let answers = [revised(args(THERE)), edited(args(HERE)), decided(Decision::Once)];
    let (bench, _server) = bench(Effect::Send, answers).await;
    assert_eq!(bench.call(&[HERE]).await.result, Ok(json!(args(HERE).to_string())));
    let to = |url: &str| format!("To: {url} (new)");
    assert_eq!(shown(&bench), [to(HERE), to(THERE), to(HERE)]);
}

#[tokio::test]
async fn impossible_edit_leaves_the_question_unchanged() {
    let answers = [revised(json!({"urls": []})), decided(Decision::Once)];
    let (bench, _server) = bench(Effect::Send, answers).await;
    assert_eq!(bench.call(&[HERE]).await.result, Ok(json!(args(HERE).to_string())));
    assert_eq!(shown(&bench).len(), 2);
}

#[tokio::test]
async fn preview_does_not_contact_a_denied_host() {
    let (bench, server) = bench(Effect::External, [decided(Decision::Once)]).await;
    let bench = bench.with_rules("permissions: {deny: [net__fetch]}");
    bench.call(&[HERE]).await.result.expect_err("denied");
    assert_eq!((bench.approver.asked().len(), server.requests().len()), (0, 0));
}
