//! The command `reducegen`: arguments in, text out, and an exit status that says whose mistake a failure is.
//!
//! | status | meaning |
//! |---|---|
//! | 0 | done, or the reader of a pipe closed it |
//! | 1 | the machine cannot do it: no driver, no NVRTC, a file that cannot be written; or in `check`, a law does
//! not hold |
//! | 2 | the user's mistake: arguments, specification, data |
#![deny(unsafe_code)]

mod args;
mod array;
mod axis;
mod check;
mod columns;
mod compile;
mod counted;
mod counts;
mod cut;
mod data;
mod devices;
mod distinct;
mod elements;
mod emit;
mod explain;
mod failure;
mod fixed;
mod groups;
mod html;
mod json;
mod ladder;
mod merge;
mod npy_file;
mod order;
mod output;
mod params;
mod partial;
mod playground;
mod progress;
mod ranks;
mod report;
mod resources;
mod run;
mod shape;
mod source;
mod stream;
mod table;
mod timed;
mod trace;
mod view;
#[cfg(unix)]
mod watch;

use args::{Args, Command};
use clap::{CommandFactory, Parser};
use clap_complete::Shell;
use failure::Failure;
use reduce_files::{dtype, npy};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(help) => return print_help(&help),
    };
    if args.quiet {
        output::be_quiet();
    }
    let done = match &args.command {
        Command::Emit(args) => emit::emit(args),
        Command::Compile(args) => compile::compile(args),
        Command::Run(args) => run::run(args),
        Command::Partial(args) => partial::partial(args),
        Command::Merge(args) => merge::merge(args),
        Command::Explain(args) => explain::explain(args),
        Command::Report(args) => html::report(args),
        Command::Playground(args) => playground::playground(args),
        Command::Ladder(args) => ladder::ladder(args),
        Command::Check(args) => check::check(args),
        Command::Devices(args) => devices::devices(args),
        Command::Completions { shell } => completions(*shell),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print_failure(&failure, args.command.gives_json());
            ExitCode::from(failure.status())
        }
    }
}

/// Prints a failure: as the line of JSON that the user asked for, or as an error.
fn print_failure(failure: &Failure, as_json: bool) {
    // A law that does not hold is in the line that was printed.
    let is_printed = matches!(failure, Failure::Law(_));
    match failure.json().filter(|_| as_json && !is_printed) {
        Some(line) => drop(output::write(None, format!("{line}\n").as_bytes())),
        None => failure.message().into_iter().for_each(output::error),
    }
}

/// Prints a script by which a shell completes the arguments.
fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "reducegen", &mut script);
    output::write(None, &script)
}

/// Prints the help, the version, or the error in the arguments.
fn print_help(help: &clap::Error) -> ExitCode {
    // A closed output is no failure.
    drop(help.print());
    ExitCode::from(u8::try_from(help.exit_code()).unwrap_or(2))
}
