//! A program as an image that can be launched.

use super::nvrtc::Nvrtc;
use crate::Error;
use crate::architecture::Target;
use crate::image::Image;
use reduce_dsl::program::Program;

/// Registers that the threads of a block share, on every architecture (CUDA C++ Programming Guide, technical
/// specifications).
const REGISTERS: u32 = 65536;

impl Nvrtc {
    /// Prints and compiles a program. Where a kernel takes more registers than a block of the program's size
    /// has, it is compiled again within that limit: slower than without it, so only then.
    ///
    /// # Errors
    /// NVRTC does not know the architecture, or refuses the text, which is a bug of this project.
    pub fn compile_program(&self, program: &Program, target: Target) -> Result<Image, Error> {
        let source = reduce_codegen::cuda(program)?;
        let image = self.reported(&source, target)?;
        let most = REGISTERS / program.block;
        if image.resources.iter().all(|kernel| kernel.registers <= most) {
            return Ok(image);
        }
        self.compile_with(&source, target, &[&format!("--maxrregcount={most}")])
    }

    /// The image with what ptxas says about it. What NVRTC finds in its own cache (CUDA 12.9) comes without a word, so
    /// that nobody would know of a kernel with too many registers for its block; `--no-cache` makes it speak.
    fn reported(&self, source: &str, target: Target) -> Result<Image, Error> {
        let image = self.compile(source, target)?;
        let silent = image.resources.is_empty() && matches!(target, Target::Cubin(_));
        if silent { self.compile_with(source, target, &["--no-cache"]) } else { Ok(image) }
    }
}
