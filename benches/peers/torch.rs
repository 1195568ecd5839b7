//! PyTorch: a child process that opens the same elements, and measures on command (`torch_peer.py`).

use super::Outcome;
use super::clock::Contestant;
use super::lines::Lines;
use super::shapes::RESULTS;
use super::table::Mode;
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

const SCRIPT: &str = include_str!("torch_peer.py");

/// The process. It ends when its input ends.
pub(crate) struct Torch {
    child: Child,
    pub(crate) lines: Lines<ChildStdin, BufReader<ChildStdout>>,
    pub(crate) version: String,
}

impl Torch {
    /// Starts the process, which takes seconds.
    pub(crate) fn start(python: &str) -> Outcome<Torch> {
        let mut command = Command::new(python);
        command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Otherwise each process that compiles would start a pool of compiler processes.
        command.env("TORCHINDUCTOR_COMPILE_THREADS", "1");
        let mut child = command.spawn()?;
        let commands = child.stdin.take().ok_or("no pipe")?;
        let answers = child.stdout.take().ok_or("no pipe")?;
        let lines = Lines::new(commands, BufReader::new(answers));
        let mut torch = Torch { child, lines, version: String::new() };
        torch.lines.send(&json!({ "do": "hello" }))?;
        Ok(torch)
    }

    /// Waits until the process has started.
    pub(crate) fn greet(&mut self) -> Outcome<()> {
        let answer = self.lines.receive().map_err(|error| format!("cannot import torch: {error}"))?;
        self.version = answer["version"].as_str().unwrap_or("unknown").to_owned();
        Ok(())
    }

    /// Opens the elements, and the memory for results after them. Returns the reason if the process has to use its own.
    pub(crate) fn open(&mut self, handle: &[u8], bytes: usize) -> Outcome<Option<String>> {
        let handle: String = handle.iter().map(|byte| format!("{byte:02x}")).collect();
        let command = json!({ "do": "open", "handle": handle, "bytes": bytes, "results": RESULTS });
        let answer = self.lines.ask(&command)?;
        Ok((answer["shared"] != json!(true)).then(|| answer["reason"].as_str().unwrap_or("").to_owned()))
    }
}

impl Drop for Torch {
    /// Errors do not matter: the process may be busy, and has no state to save.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One function of the process.
pub(crate) struct Function {
    torch: Rc<RefCell<Torch>>,
    /// The name by which the process knows the function.
    name: &'static str,
    /// The results of turn 0, or those that were read from the memory for results.
    pub(crate) numbers: Vec<f64>,
    /// The type and the number of the results in that memory.
    pub(crate) stored: Option<(String, usize)>,
}

impl Function {
    /// Creates the function; `case` holds the arguments of the command `case`.
    pub(crate) fn new(torch: &Rc<RefCell<Torch>>, name: &'static str, case: &Json) -> Outcome<Function> {
        let mut command = case.clone();
        command["do"] = json!("case");
        command["name"] = json!(name);
        let answer = torch.borrow_mut().lines.ask(&command)?;
        let numbers = answer["numbers"].as_array().into_iter().flatten().filter_map(Json::as_f64);
        let stored = answer["ty"].as_str().zip(answer["count"].as_u64());
        let stored = stored.map(|(ty, count)| (ty.to_owned(), count as usize));
        Ok(Function { torch: torch.clone(), name, numbers: numbers.collect(), stored })
    }
}

impl Contestant for Function {
    fn prepare(&mut self, mode: Mode, calls: u64) -> Outcome<()> {
        let command = json!({ "do": "prepare", "name": self.name, "mode": mode, "calls": calls });
        self.torch.borrow_mut().lines.ask(&command).map(|_| ())
    }

    fn sample(&mut self, _: Mode, calls: u64) -> Outcome<f64> {
        let command = json!({ "do": "sample", "name": self.name, "calls": calls });
        let microseconds = self.torch.borrow_mut().lines.ask_number(&command, "microseconds")?;
        Ok(microseconds / calls as f64)
    }

    fn numbers(&mut self) -> Outcome<Vec<f64>> {
        Ok(self.numbers.clone())
    }
}
