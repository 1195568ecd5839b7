//! The forms of programs that passes do not make: over segments, over runs, and over elements with keys.

use crate::args::{Emit, Form};
use crate::cut;
use crate::failure::Failure;
use reduce_codegen::Tuning;
use reduce_codegen::keys::Keyed;
use reduce_codegen::runs::Heads;
use reduce_codegen::segments::Segmented;
use reduce_ir::axes::Cut;
use reduce_ir::statements::Lowered;
use reduce_ir::{Domain, Scalar, Spec};
use reduce_runtime::{Architecture, Error, Nvrtc, Target};

/// A program that passes do not make.
pub(crate) enum Fixed {
    Segments(Box<Segmented>),
    Runs(Box<(Heads, Segmented)>),
    Keys(Box<Keyed>),
}

impl Fixed {
    /// Returns the program of a specification, if passes do not make it.
    pub(crate) fn of(args: &Emit, spec: &Spec) -> Result<Option<Fixed>, Error> {
        let Some(axes) = spec.axes.as_ref().filter(|_| cut::has_kernels(spec)) else { return Ok(None) };
        let tuning = args.arch.map_or(Tuning::DEFAULT, Architecture::tuning);
        let most = args.n.unwrap_or(u64::MAX);
        Ok(match axes.cut {
            Cut::Whole => None,
            Cut::Keys(_) => Some(Fixed::Keys(Box::new(Keyed::of(spec)?))),
            Cut::Runs(key) => {
                let offsets = if most <= Segmented::MOST_OF_U32 { Scalar::U32 } else { Scalar::U64 };
                let program = Segmented::of(spec, offsets, tuning, most)?.counted();
                Some(Fixed::Runs(Box::new((Heads::of(key, offsets)?, program))))
            }
            Cut::Offsets(offsets) => {
                let offsets = if offsets.size() == 4 { Scalar::U32 } else { Scalar::U64 };
                let domain = if axes.axes.len() == 2 { Segmented::COLUMNS } else { Domain::ROWS };
                let spec = Spec { domain, ..spec.clone() };
                Some(Fixed::Segments(Box::new(Segmented::of(&spec, offsets, tuning, most)?)))
            }
        })
    }

    /// Returns the requested form.
    pub(crate) fn form(&self, args: &Emit) -> Result<Vec<u8>, Failure> {
        if args.after_each_pass || args.diff || args.shape.is_some() {
            return Err(Failure::request(
                "passes do not make these kernels, and they are for any shape; leave `--after-each-pass`, `--diff` and `--shape` out",
            ));
        }
        match (args.to, args.arch) {
            (Form::Cuda | Form::Spec, _) => Ok(self.cuda()?.into_bytes()),
            (Form::Ir, _) => Ok(self.ir()?.into_bytes()),
            (Form::Association, _) => self.association(args),
            (Form::Ptx, arch) => {
                let oldest = || Architecture::from_number(self.capability());
                Ok(Nvrtc::get()?.compile(&self.cuda()?, Target::Ptx(arch.unwrap_or_else(oldest)))?.bytes)
            }
            (Form::Cubin, Some(arch)) => Ok(Nvrtc::get()?.compile(&self.cuda()?, Target::Cubin(arch))?.bytes),
            (Form::Cubin, None) => {
                Err(Failure::request("a cubin is for one architecture; name it, as with `--arch sm_90`"))
            }
        }
    }

    fn cuda(&self) -> Result<String, Error> {
        Ok(match self {
            Fixed::Segments(program) => program.cuda()?,
            Fixed::Runs(programs) => format!("{}\n{}", programs.0.cuda()?, programs.1.cuda()?),
            Fixed::Keys(program) => program.cuda()?,
        })
    }

    fn ir(&self) -> Result<String, Error> {
        let text = |program: String, lowered: Lowered| format!("{program}\n{lowered}");
        Ok(match self {
            Fixed::Segments(program) => text(program.to_string(), program.lower()?),
            Fixed::Runs(programs) => {
                format!("{}\n{}", programs.0.lower()?, text(programs.1.to_string(), programs.1.lower()?))
            }
            Fixed::Keys(program) => text(program.to_string(), program.lower()?),
        })
    }

    fn association(&self, args: &Emit) -> Result<Vec<u8>, Failure> {
        match (self, args.n) {
            (Fixed::Keys(program), Some(n)) => Ok(program.association(n).to_string().into_bytes()),
            (Fixed::Keys(_), None) => Err(Failure::request(
                "the association of elements with keys depends on their number; name it, as in `--n 1000000`",
            )),
            (Fixed::Segments(_) | Fixed::Runs(_), _) => Err(Failure::request(
                "a segment or run has the association of its length; leave `segments` or `by` out, and name the length, as in `--n 1000`",
            )),
        }
    }

    fn capability(&self) -> u32 {
        match self {
            Fixed::Segments(program) => program.capability(),
            Fixed::Runs(programs) => programs.1.capability().max(70),
            Fixed::Keys(program) => program.capability(),
        }
    }
}
