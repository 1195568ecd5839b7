//! Text → kernels → the same text. The verifier may accept or reject the kernels, but must not fail.

use super::Verdict;
use reduce_codegen::{compile, cuda_kernels};
use reduce_ir::program::Program;
use reduce_ir::statements::{Lowered, LoweredKernel};
use std::sync::LazyLock;

pub(super) const WORDS: &[&str] = &[
    "kernel k reads inputs, block 32\n",
    "  const BLOCK = 32\n",
    "  shared tree: [acc; BLOCK]\n",
    "  let a: u32 = 1\n",
    "  var acc: acc = empty\n",
    "  if true\n",
    "    exit\n",
    "  barrier block\n",
    "  store result[0] = finish(acc)\n",
    "  for stride: u32 = 16 while 0 < stride next stride / 2\n",
    "thread",
    "block",
    "rank",
    "empty",
    "map(",
    "combine(",
    "fold(",
    "u64(",
    "bits(f32, 0x7fc00000)",
    "input0[",
    "partials[",
    "ticket[",
    "elements",
    "n",
    "down 16",
    ", mask 0xffffffff",
    ", unrolled",
    "near partials",
    "cluster 4",
    "dependent",
    "18446744073709551616",
    "-- tree: x\n",
    "  ",
    " + ",
    " % ",
    " == ",
    "(",
    ")",
    "[",
    "]",
    "\n",
    "\t",
];

/// Programs that the verifier compares with.
static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
    let texts =
        ["op: sum, ty: f32, passes: []", "op: argmax, ty: i8, passes: [shuffle, coarsen(4), narrow_index]"];
    texts.iter().filter_map(|text| compile(&reduce_dsl::parse::spec(text).ok()?).ok()).collect()
});

pub(super) fn test_one_input(bytes: &[u8]) -> Verdict {
    let Ok(text) = str::from_utf8(bytes) else { return Ok(false) };
    let kernels = match LoweredKernel::parse_all(text) {
        Ok(kernels) => kernels,
        // An error in an empty text is reported at line 1.
        Err(error) if (1..=text.lines().count().max(1)).contains(&error.line) => return Ok(false),
        Err(error) => return Err(format!("there is no such line: {error}")),
    };
    let printed: String = kernels.iter().map(ToString::to_string).collect();
    let again = LoweredKernel::parse_all(&printed).map_err(|error| format!("{error}\n{printed}"))?;
    if again != kernels {
        return Err(format!("it reads back as another kernel:\n{printed}"));
    }
    let verified = PROGRAMS.iter().filter(|program| is_expansion(program, &kernels)).count();
    Ok(!kernels.is_empty() || verified > 0)
}

/// Returns whether the verifier accepts the kernels for a program. Accepted kernels are printed as CUDA.
fn is_expansion(program: &Program, kernels: &[LoweredKernel]) -> bool {
    let lowered = Lowered { kernels: kernels.to_vec() };
    let is_one = lowered.verify(program).is_ok();
    if is_one {
        cuda_kernels(&program.operation, &lowered.kernels);
    }
    is_one
}
