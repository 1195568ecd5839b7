//! Commands to another process and its answers, each a line of JSON.

use super::Outcome;
use serde_json::Value as Json;
use std::io::{BufRead, Write};

/// The pipes of commands and answers.
pub(crate) struct Lines<W, R> {
    commands: W,
    answers: R,
}

impl<W: Write, R: BufRead> Lines<W, R> {
    pub(crate) fn new(commands: W, answers: R) -> Lines<W, R> {
        Lines { commands, answers }
    }

    pub(crate) fn send(&mut self, command: &Json) -> Outcome<()> {
        writeln!(self.commands, "{command}")?;
        Ok(self.commands.flush()?)
    }

    /// Receives an answer. An error of the other process becomes an error here.
    pub(crate) fn receive(&mut self) -> Outcome<Json> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err("the process has ended".into());
        }
        let answer: Json = serde_json::from_str(&line)?;
        match answer.get("error") {
            Some(error) => Err(error.as_str().unwrap_or("without a reason").into()),
            None => Ok(answer),
        }
    }

    pub(crate) fn ask(&mut self, command: &Json) -> Outcome<Json> {
        self.send(command)?;
        self.receive()
    }

    /// Returns one number of the answer to a command.
    pub(crate) fn ask_number(&mut self, command: &Json, name: &str) -> Outcome<f64> {
        let answer = self.ask(command)?;
        answer[name].as_f64().ok_or_else(|| format!("no {name} in {answer}").into())
    }
}
