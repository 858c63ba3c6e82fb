use std::sync::Arc;
use std::time::Duration;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NetworkLog, Output, ProcessLimit, ProcessOutput, ProcessRun,
    SaidSoFar, ToolContext, ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

/// Maximum run time of a command, in seconds.
const LONGEST: u64 = 3600;

pub(crate) struct Bash;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Runs a command in a sandbox."))]
pub(crate) struct Script {
    /// What bash runs. It is in /scratch; /vault holds the notes to read, /workspaces/NAME each opened folder,
    /// /skills/ID the files of each skill. Standard input is empty, and there is no network but to `hosts`.
    #[schemars(extend("x-label" = "Command"))]
    command: String,
    /// Time limit in seconds; default: 120.
    #[serde(default)]
    #[schemars(range(min = 1, max = LONGEST))]
    #[schemars(extend("x-label" = "Seconds"))]
    timeout_s: Option<u64>,
    /// Hosts that it may contact through the proxy in its environment, by http and https: api.example.org or
    /// *.example.org, with a port that is neither 80 nor 443. None: no network.
    #[serde(default)]
    #[schemars(length(max = 20))]
    #[schemars(extend("x-label" = "Network"))]
    #[expect(dead_code, reason = "who makes the call reads them from the arguments")]
    hosts: Vec<String>,
    /// Continues in the background after a few seconds, and reports its end.
    #[serde(default)]
    #[schemars(extend("x-label" = "In the background"))]
    #[expect(dead_code, reason = "who makes the call reads it from the arguments")]
    background: bool,
}

#[async_trait]
impl NativeTool for Bash {
    type Args = Script;
    const ID: &'static str = "bash";
    const EFFECT: Effect = Effect::Destructive;
    const QUESTION: Option<&'static str> = Some("Run this command?");
    // The sandbox ends the command earlier, with a message.
    const TIME_LIMIT: Option<Duration> = Some(Duration::from_secs(LONGEST + 60));
    const RUNS_COMMANDS: bool = true;
    const OFF_AT_FIRST: bool = true;
    const BACKGROUND: Option<&'static str> = Some("background");

    fn description(&self) -> Description {
        Description::purpose("Runs a bash command in a sandbox, also the scripts of a skill.")
            .use_when("files are converted or computed with, or a skill says to run a script")
            .not_when("a file is only read, searched or written", "core.read, core.grep or core.write")
            .example("Turn these PDF files into text")
    }

    async fn run(&self, script: Script, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        if script.command.trim().is_empty() || script.command.contains('\0') {
            return Err(ToolError::InvalidArguments {
                path: "/command".into(),
                rule: "must be a command, without the character NUL".into(),
                allowed: Vec::new(),
            });
        }
        // Merges standard output and standard error in the order written.
        let command = ["bash", "-c", "exec bash -c \"$0\" 2>&1", &script.command];
        let run = ProcessRun {
            time_limit: script.timeout_s.map(|seconds| Duration::from_secs(seconds.min(LONGEST))),
            ..ProcessRun::new(command)
        };
        Ok(ToolOutput::streamed(move |parts| async move {
            let said = Box::new(move |said: &SaidSoFar| {
                let partial = json!({"lines": said.lines, "output": said.end});
                parts.partial(with_network(partial, &said.network));
            });
            let output = ctx.process().run(run, said).await?;
            Ok(Output::new(report(&output)).untrusted())
        }))
    }
}

fn report(output: &ProcessOutput) -> Value {
    let mut value = json!({"exit_code": output.status, "lines": output.lines, "output": output.text});
    if let Some(limit) = &output.ended {
        value["ended"] = reason(limit).into();
    }
    if let Some(file) = &output.file {
        value["whole_output"] = file.as_str().into();
    }
    if output.left_out > 0 {
        let files =
            if output.left_out == 1 { "1 file".to_owned() } else { format!("{} files", output.left_out) };
        value["left_out"] = format!("{files} of the vault larger than 16 MB").into();
    }
    with_network(value, &output.network)
}

/// Adds each request and its result, if there were any.
fn with_network(mut value: Value, network: &NetworkLog) -> Value {
    let requests = network.requests.iter().map(|request| {
        let mut said = json!({"host": request.host, "port": request.port});
        match &request.refused {
            Some(why) => said["refused"] = why.as_str().into(),
            None => (said["sent"], said["received"]) = (request.sent.into(), request.received.into()),
        }
        said
    });
    let requests: Vec<Value> = requests.collect();
    if !requests.is_empty() {
        value["network"] = requests.into();
    }
    if network.left_out > 0 {
        value["network_left_out"] = network.left_out.into();
    }
    value
}

fn reason(limit: &ProcessLimit) -> String {
    let megabytes = |bytes: &u64| bytes >> 20;
    match limit {
        ProcessLimit::Time(time) => {
            format!("It did not end in {} s. Give it more with timeout_s.", time.as_secs())
        }
        ProcessLimit::Memory(most) => format!("It used more than {} MB of memory.", megabytes(most)),
        ProcessLimit::Processes(most) => format!("It started more than {most} processes."),
        ProcessLimit::Output(most) => {
            format!("It printed more than {} MB. Write to a file.", megabytes(most))
        }
    }
}
