//! The log of the assembler, as NVRTC 13.0 writes it.

use reduce_runtime::Resources;

const LOG: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'reduce_partials' for 'sm_90'
ptxas info    : Function properties for reduce_partials
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 18 registers, used 1 barriers
ptxas info    : Compile time = 3.1 ms
ptxas info    : Compiling entry function 'reduce_inputs' for 'sm_90'
ptxas info    : Function properties for reduce_inputs
    16 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 128 bytes smem
";

#[test]
fn every_kernel_of_the_log_is_read() {
    let kernel = |kernel: &str, registers, shared, spill_stores, spill_loads| Resources {
        kernel: kernel.to_owned(),
        registers,
        shared,
        spill_stores,
        spill_loads,
    };
    let expected = [kernel("reduce_partials", 18, 0, 0, 0), kernel("reduce_inputs", 32, 128, 12, 24)];
    assert_eq!(Resources::parse(LOG), expected);
    assert_eq!(Resources::parse("warning: nothing of the kind"), []);
}
