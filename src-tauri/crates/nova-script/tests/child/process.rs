//! Drives the real process by messages.

use std::{
    fs,
    io::{BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    time::Duration,
};

use nova_script::protocol::{
    self, Definition, Fault, FaultKind, FromChild, Limits, Principal, Request, ToChild,
};
use serde_json::{Value, json};

pub(crate) const LIMITS: Limits =
    Limits { memory: 64 * 1024 * 1024, computing_ms: 20_000, output: 1024 * 1024 };

pub(crate) struct Process {
    pub(crate) child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Process {
    pub(crate) fn start() -> Self {
        Self::with(LIMITS)
    }

    /// With a short time limit.
    pub(crate) fn hurried() -> Self {
        Self::with(Limits { computing_ms: 300, ..LIMITS })
    }

    pub(crate) fn with(limits: Limits) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nova-script"))
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let mut process = Self { child, to, from };
        process.send(&ToChild::Start { limits });
        process
    }

    pub(crate) fn send(&mut self, message: &ToChild) {
        protocol::write(&mut self.to, message).unwrap();
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.to.write_all(bytes).unwrap();
        self.to.flush().unwrap();
    }

    /// The next message other than `At`; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<FromChild> {
        loop {
            match self.next_of_all() {
                Some(FromChild::At { .. }) => {}
                said => return said,
            }
        }
    }

    pub(crate) fn next_of_all(&mut self) -> Option<FromChild> {
        protocol::read(&mut self.from).unwrap()
    }

    pub(crate) fn load(&mut self, source: &str) -> Result<Definition, Fault> {
        self.load_as("tool.ts", source)
    }

    pub(crate) fn load_as(&mut self, file: &str, source: &str) -> Result<Definition, Fault> {
        self.load_one(file, source, false)
    }

    /// `more` announces that other files may follow.
    pub(crate) fn load_one(&mut self, file: &str, source: &str, more: bool) -> Result<Definition, Fault> {
        self.send(&ToChild::Load { file: file.into(), source: source.into(), more, snippet: false });
        match self.next() {
            Some(FromChild::Loaded { definition }) => Ok(*definition),
            Some(FromChild::Failed { fault, fatal: false }) => Err(fault),
            other => panic!("neither loaded nor failed: {other:?}"),
        }
    }

    pub(crate) fn begin(&mut self, file: &str, args: Value) {
        self.send(&ToChild::Call { file: file.into(), args, request: request(), given: Box::default() });
    }

    /// Runs a call without requests; returns its messages and its end.
    pub(crate) fn call(&mut self, args: Value) -> (Vec<FromChild>, Result<Value, Fault>) {
        self.begin("tool.ts", args);
        let mut said = Vec::new();
        loop {
            match self.next().expect("the process ended") {
                FromChild::Done { value } => return (said, Ok(value)),
                FromChild::Failed { fault, fatal: false } => return (said, Err(fault)),
                FromChild::Failed { fault, fatal: true } => panic!("fatal: {fault:?}"),
                other => said.push(other),
            }
        }
    }

    /// Processor time of all threads so far; also available for a process that has just ended.
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // The fields after the name in parentheses: user and system time are the 14th and 15th.
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let ticks: u64 = fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum();
        Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
    }

    /// Loads a tool whose `execute` has this body, and calls it.
    pub(crate) fn run(&mut self, body: &str) -> Result<Value, Fault> {
        self.load(&tool(body)).unwrap();
        self.call(json!({})).1
    }

    /// Expects a fatal fault and the end of the process.
    pub(crate) fn fatal(mut self) -> (Fault, ExitStatus) {
        let fault = match self.next() {
            Some(FromChild::Failed { fault, fatal: true }) => fault,
            other => panic!("not fatal: {other:?}"),
        };
        assert_eq!(self.next(), None, "output after the last message");
        (fault, self.child.wait().unwrap())
    }

    /// Checks that the process is still usable.
    pub(crate) fn still_works(&mut self) {
        assert_eq!(self.run("return 'well'"), Ok(json!("well")));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A tool without arguments; the body of `execute` begins in line 7, column 1.
pub(crate) fn tool(body: &str) -> String {
    format!(
        "import {{ z }} from 'zod'
import {{ defineTool }} from '@nova/tools'
export default defineTool({{
  name: 'tried', description: 'Is tried.',
  parameters: z.object({{}}),
  execute: async (args, ctx) => {{
{body}
  }},
}})
"
    )
}

pub(crate) fn request() -> Request {
    Request {
        request_id: "r1".into(),
        turn_id: Some("t1".into()),
        session_id: "s1".into(),
        principal: Principal { kind: "user".into(), name: "Ann".into(), relationship: "owner".into() },
    }
}

/// Kind, message and position of a fault.
pub(crate) fn parts_of(fault: &Fault) -> (FaultKind, &str, Option<(u32, u32)>) {
    (fault.kind, &fault.message, fault.line.zip(fault.column))
}
