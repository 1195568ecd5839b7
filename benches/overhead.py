"""The host's time of a call in CuPy, and the time of the first call in a new process. The output has the format of
`overhead.rs`. Without arguments the script also starts itself in new processes, for the first calls."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, CALLS, PROCESSES = 20, 500, 7
SIZES = [12, 16, 20]


def microseconds(start):
    return (time.perf_counter() - start) * 1e6


def first():
    """Measures from an initialized CUDA to the first result."""
    import cupy

    x = cupy.zeros(1 << 20, cupy.float32)
    cupy.cuda.Device().synchronize()
    start = time.perf_counter()
    total = cupy.ReductionKernel("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total")
    assert float(total(x)) == 0.0
    print(f"first result\t{microseconds(start):.2f}")


def calls(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    total = cupy.ReductionKernel("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total")
    with stream:
        for bits in SIZES:
            x, y = cupy.zeros(1 << bits, cupy.float32), cupy.empty((), cupy.float32)
            for name, call in [("ReductionKernel", lambda: total(x, y)), ("sum", lambda: cupy.sum(x, out=y))]:
                queued = 0.0
                for turn in range(ROUNDS + 1):
                    start = time.perf_counter()
                    for _ in range(CALLS):
                        call()
                    queued += microseconds(start) if turn else 0.0
                    stream.synchronize()
                print(f"call that is queued, 2^{bits} ({name})\t{queued / (ROUNDS * CALLS):.2f}")
            start = time.perf_counter()
            for _ in range(CALLS):
                float(cupy.sum(x))
            print(f"call that is queued, then read, 2^{bits} (sum)\t{microseconds(start) / CALLS:.2f}")


def first_calls():
    with tempfile.TemporaryDirectory() as folder:
        cold = [os.path.join(folder, str(turn)) for turn in range(PROCESSES)]
        for caches, having in [(cold, "nothing cached"), ([cold[0]] * PROCESSES, "the cache on disk")]:
            times = [run(cache) for cache in caches]
            print(f"first result, {having}\t{statistics.median(times):.2f}")


def run(cache):
    environment = dict(os.environ, CUPY_CACHE_DIR=cache)
    output = subprocess.run([sys.executable, __file__, "first"], env=environment, capture_output=True, text=True, check=True)
    return float(output.stdout.split("\t")[1])


def main():
    if sys.argv[1:] == ["first"]:
        return first()
    try:
        import cupy
    except ImportError as error:
        sys.exit(f"overhead.py: skipped, {error}")
    calls(cupy)
    first_calls()


main()
