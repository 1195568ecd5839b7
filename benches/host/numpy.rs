//! NumPy, in a process of its own that has a copy of the data and times itself.

use crate::contestants::{Clock, Contestant};
use crate::number::Number;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Reads the elements, then clocks and names of methods (or of one of `others`), and for a matrix its rows, columns and axis. It
/// answers each with the seconds of a call.
const SCRIPT: &str = "
import sys, time, numpy
dtype, size = sys.argv[1], int(sys.argv[2])
x = numpy.frombuffer(sys.stdin.buffer.read(size), dtype).copy()
others = {'sum_of_squares': lambda: numpy.vdot(x, x)}
print(numpy.__version__, flush=True)
for line in sys.stdin.buffer:
    clock, method, *shape = line.decode().split()
    clock = getattr(time, clock)
    if shape:
        rows, columns, axis = map(int, shape)
        matrix = x[:rows * columns].reshape(rows, columns)
        reduce = lambda: getattr(matrix, method)(axis=axis)
    else:
        reduce = others.get(method) or getattr(x, method)
    start = clock()
    reduce()
    print(clock() - start, flush=True)
";

/// The NumPy process.
pub(crate) struct Numpy {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Numpy {
    /// Starts the process with a copy of the elements. If that fails, prints the reason once for each type.
    pub(crate) fn start<T: Number>(data: &[T]) -> Option<Numpy> {
        let python = std::env::var("REDUCEGEN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let started = Numpy::with(&python, data);
        match &started {
            Ok((_, version)) => println!("{}: NumPy {version}", T::TY),
            Err(error) => println!("{}: NumPy is skipped, because {python} cannot import it: {error}", T::TY),
        }
        started.ok().map(|(numpy, _)| numpy)
    }

    fn with<T: Number>(python: &str, data: &[T]) -> std::io::Result<(Numpy, String)> {
        let size = size_of_val(data).to_string();
        let mut command = Command::new(python);
        // OpenBLAS threads otherwise spin on all processors after a call, which would slow down the next contestant.
        command.env("OPENBLAS_THREAD_TIMEOUT", "4");
        command.args(["-c", SCRIPT, T::NUMPY, &size]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let gone = || std::io::Error::other("it has no pipes");
        let mut to = child.stdin.take().ok_or_else(gone)?;
        let from = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        to.write_all(bytemuck::cast_slice(data))?;
        to.flush()?;
        let mut numpy = Numpy { child, to, from };
        let version = numpy.line()?;
        Ok((numpy, version))
    }

    /// Returns the contestant for one call and clock.
    pub(crate) fn contestant<'a>(&'a mut self, call: &str, clock: Clock) -> Contestant<'a> {
        let clock = match clock {
            Clock::Processor => "process_time",
            Clock::Wall => "perf_counter",
        };
        let line = format!("{clock} {call}");
        let run = move || {
            writeln!(self.to, "{line}").unwrap();
            self.to.flush().unwrap();
            Duration::from_secs_f64(self.line().unwrap().parse().unwrap())
        };
        Contestant { name: "numpy", run: Box::new(run) }
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        match self.from.read_line(&mut line)? {
            0 => Err(std::io::Error::other("it ended")),
            _ => Ok(line.trim().to_owned()),
        }
    }
}

impl Drop for Numpy {
    fn drop(&mut self) {
        // Errors do not matter: the process has no state to save and may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
