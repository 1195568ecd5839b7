"""Times what others offer for segments of their own lengths, runs of equal keys and dense keys, on the GPU.

The contestants are CUB (through libcub.so, which `scripts/bench.sh --build` builds), PyTorch and CuPy. Prints Markdown and
writes JSON with microseconds, and with the fraction of a read: the time of a kernel that only reads the bytes of elements,
offsets or keys, and results, divided by the time of the contestant. benches/README.md says how it measures.
"""

import argparse
import ctypes
import functools
import json
import re
import statistics
import subprocess
import sys
import time

try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
except ImportError:
    cupy = None

from ragged_cases import DEVICE, all_cases

# Samples of a contestant; the median counts.
ROUNDS = 9
# A call that takes longer is measured once, in microseconds.
SLOW = 2e6
# A read of so many bytes goes before each sample. It evicts the L2 cache, and hides the time of the host's calls.
LEAD = 512 << 20
# The most bytes that a case reads and writes, for each of its elements: runs of mean length 4 come near.
MOST_BYTES = 12
UNITS = {"segments": "segments", "runs": "runs", "counts": "keys", "sums": "keys"}
TITLES = {
    "segments": "Segments: sums of f32",
    "runs": "Runs of equal keys: sums of f32",
    "counts": "Dense keys: counts",
    "sums": "Dense keys: sums of f32",
}


class WrongResult(Exception):
    pass


# --- Contestants. `prepare` gives a function that computes and returns all results.


def cub(lib, name, arguments, results):
    """Returns the call of a function of CUB, with its temporary memory."""
    function = getattr(lib, name)
    size = ctypes.c_uint64()

    def run(temporary):
        # Every argument has 64 bits; the last is the stream.
        passed = [ctypes.c_uint64(it.data_ptr() if isinstance(it, torch.Tensor) else it) for it in arguments]
        code = function(ctypes.c_void_p(temporary), ctypes.byref(size), *passed, stream_of_torch())
        if code != 0:
            raise RuntimeError(f"{name} gives the CUDA error {code}")
        return results

    run(None)
    memory = torch.empty(max(size.value, 1), device=DEVICE, dtype=torch.uint8)
    return lambda: run(memory.data_ptr())


def stream_of_torch():
    return ctypes.c_uint64(torch.cuda.current_stream().cuda_stream)


def blank(count, dtype=None):
    """Memory for results. It must not contain the right ones."""
    return torch.full((count,), -1, device=DEVICE, dtype=dtype or torch.float32)


def cupy_keys(keys):
    return cupy.asarray(keys).view(cupy.uint32)


def sums_of_torch(keys, values, count):
    """The contestants that add by key, with atomic operations. The keys index the results."""
    def index_add():
        sums = blank(count)
        return lambda: [sums.zero_().index_add_(0, keys, values)]

    def scatter_reduce():
        # It takes indices of 64 bits only.
        sums, wide = blank(count), keys.long()
        return lambda: [sums.zero_().scatter_reduce_(0, wide, values, "sum")]

    return {"torch index_add_": index_add, "torch scatter_reduce_": scatter_reduce}


def differences(values, bounds):
    """The sums of segments in f64. The elements are small integers, so these sums are exact, and so are those of f32."""
    zero = torch.zeros(1, device=DEVICE, dtype=torch.float64)
    sums = torch.cat([zero, values.cumsum(0, dtype=torch.float64)])
    return sums[bounds[1:]] - sums[bounds[:-1]]


def segments(lib, x, offsets):
    count, elements, longest = len(offsets) - 1, int(offsets[-1]), int(offsets.diff().max())
    x, narrow = x[:elements], offsets.int()

    def of_cub(name):
        sums = blank(count)
        return cub(lib, name, [x, narrow, sums, count, longest], [sums])

    peers = {
        "CUB DeviceSegmentedReduce": lambda: of_cub("cub_ragged_sum_f32"),
        "CUB, told the longest": lambda: of_cub("cub_ragged_told_sum_f32"),
        "torch.segment_reduce": lambda: lambda: [torch.segment_reduce(x, "sum", offsets=offsets, unsafe=True)],
    }
    facts = {"elements": elements, "results": count, "longest": longest, "bytes": 4 * (elements + 2 * count + 1)}
    return facts, peers, [differences(x, offsets)]


def runs(lib, values, offsets):
    count, lengths = len(offsets) - 1, offsets.diff()
    names = torch.arange(count, device=DEVICE)
    keys = torch.repeat_interleave(names, lengths).int()

    def by_key():
        sums, unique, found = blank(count), blank(count, torch.int32), blank(1, torch.int32)
        return cub(lib, "cub_runs_sum_f32", [keys, values, unique, sums, found, len(keys)], [sums, unique, found])

    peers = {"CUB ReduceByKey": by_key, **sums_of_torch(keys, values, count)}
    facts = {"elements": len(keys), "results": count, "longest": int(lengths.max()), "bytes": 8 * (len(keys) + count)}
    return facts, peers, [differences(values, offsets), names.double(), torch.tensor([count], device=DEVICE).double()]


def bounds_of_keys(keys, count):
    """Sorts the keys, for a reference that shares nothing with the contestants. Returns the bounds and the order."""
    ordered, order = keys.sort()
    return torch.searchsorted(ordered, torch.arange(count + 1, device=DEVICE, dtype=torch.int32)), order


def counts(lib, _, keys, count):
    def histogram():
        found = blank(count, torch.int32)
        return cub(lib, "cub_counts_u32", [keys, found, count, len(keys)], [found])

    def of_cupy():
        narrow = cupy_keys(keys)
        return lambda: [cupy.bincount(narrow, minlength=count)]

    wanted = bounds_of_keys(keys, count)[0].diff()
    peers = {
        "CUB HistogramEven": histogram,
        "cupy.bincount": of_cupy,
        "torch.bincount": lambda: lambda: [torch.bincount(keys, minlength=count)],
    }
    facts = {"elements": len(keys), "results": count, "longest": int(wanted.max()), "bytes": 4 * (len(keys) + count)}
    return facts, peers, [wanted.double()]


def sums(_, values, keys, count):
    def of_cupy():
        narrow, weights = cupy_keys(keys), cupy.asarray(values)
        return lambda: [cupy.bincount(narrow, weights, minlength=count)]

    bounds, order = bounds_of_keys(keys, count)
    peers = {
        "cupy.bincount, weights": of_cupy,
        "torch.bincount, weights": lambda: lambda: [torch.bincount(keys, values, minlength=count)],
        **sums_of_torch(keys, values, count),
    }
    facts = {"elements": len(keys), "results": count, "longest": int(bounds.diff().max())}
    facts["bytes"] = 4 * (2 * len(keys) + count)
    return facts, peers, [differences(values[order], bounds)]


def build(lib, x, case, random):
    kind, _, keys, make = case
    made = make(len(x), random)
    return {"segments": segments, "runs": runs, "counts": counts, "sums": sums}[kind](
        lib, x, made, *([] if keys is None else [keys]))


# --- Measurement.


def check(results, expected):
    for result, wanted in zip(results, expected):
        found = torch.as_tensor(result, device=DEVICE).double()
        if found.shape != wanted.shape:
            raise WrongResult(f"wrong result: {tuple(found.shape)} numbers instead of {tuple(wanted.shape)}")
        if not torch.equal(found, wanted):
            at = int((found != wanted).int().argmax())
            raise WrongResult(f"wrong result: {found[at].item()} at {at} instead of {wanted[at].item()}")


def sample(call, lead):
    """Returns microseconds between two events of the stream."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    lead()
    start.record()
    call()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e3


def measure(call, lead):
    """Returns the median in microseconds. The caller has made a call before, which loads or compiles kernels."""
    second = sample(call, lead)
    if second > SLOW:
        return second
    return statistics.median(sample(call, lead) for _ in range(ROUNDS))


def reader(lib, memory, processors):
    """Returns a function that gives the calls which read so many bytes: one call for each of several grids."""
    sink, tile = torch.zeros(4, device=DEVICE, dtype=torch.int32), lib.ragged_read_tile()

    def read(size, grid):
        arguments = [memory.data_ptr(), size, grid, sink.data_ptr(), 0]
        code = lib.ragged_read(*map(ctypes.c_uint64, arguments))
        if code != 0:
            raise RuntimeError(f"the read gives the CUDA error {code}")

    def calls(size):
        if size > 4 * len(memory):
            raise RuntimeError(f"the read has {4 * len(memory)} bytes, not {size}")
        cover = max(1, -(-size // tile))
        grids = sorted({min(blocks * processors, cover) for blocks in [2, 4, 8]} | {cover})
        return [functools.partial(read, size, grid) for grid in grids]

    return calls


def time_of(prepare, expected, lead):
    call = prepare()
    check(call(), expected)
    return measure(call, lead)


def measured(case, lib, x, read, seed):
    """Measures one case. Returns its row and whether a result was wrong."""
    facts, peers, expected = build(lib, x, case, torch.Generator(DEVICE).manual_seed(seed))
    lead = read(LEAD)[-1]
    read_us = min(measure(call, lead) for call in read(facts["bytes"]))
    row = {"kind": case[0], "name": case[1], **facts, "read_us": read_us, "peers": {}}
    wrong = False
    for name, prepare in peers.items():
        try:
            us = time_of(prepare, expected, lead)
            row["peers"][name] = {"us": us, "fraction_of_read": row["read_us"] / us}
        except Exception as error:
            row["peers"][name] = None
            wrong = wrong or isinstance(error, WrongResult)
            complain(case, name, error)
        torch.cuda.synchronize()
    return row, wrong


def complain(case, who, error):
    reason = str(error).strip().splitlines()
    print(f"{case[0]}, {case[1]}: {who}: –, {type(error).__name__}: {reason[0] if reason else ''}", file=sys.stderr)


def free_memory():
    torch.cuda.empty_cache()
    if cupy is not None:
        cupy.get_default_memory_pool().free_all_blocks()


# --- Output.


def machine(lib, options):
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        driver = subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()[0]
    except Exception:
        driver = "unknown"
    return {
        "gpu": torch.cuda.get_device_name(0), "driver": driver, "cuda_of_torch": torch.version.cuda,
        "torch": torch.__version__, "cupy": cupy.__version__ if cupy else None, "cub": lib.cub_version(),
        "nvcc": lib.cub_compiler(), "log2": options.log2, "seed": options.seed, "rounds": ROUNDS,
    }


def headline(about):
    cub_version = f"{about['cub'] // 100000}.{about['cub'] // 100 % 1000}.{about['cub'] % 100}"
    return (f"{about['gpu']}, driver {about['driver']}, CUDA {about['cuda_of_torch']}, CUB {cub_version}, "
            f"PyTorch {about['torch']}, CuPy {about['cupy']}; 2^{about['log2']} elements; µs (fraction of a read)")


def cell(time):
    return "–" if time is None else f"{time['us']:.0f} ({time['fraction_of_read']:.2f})"


def table(rows, kind):
    rows = [row for row in rows if row["kind"] == kind]
    if not rows:
        return []
    peers = list(rows[0]["peers"])
    heads = [UNITS[kind], "longest", "read, µs", *peers]
    lines = ["", f"### {TITLES[kind]}", "", f"| | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    for row in rows:
        cells = [row["name"], str(row["results"]), str(row["longest"]), f"{row['read_us']:.0f}"]
        lines.append(f"| {' | '.join(cells + [cell(row['peers'][peer]) for peer in peers])} |")
    return lines


def markdown(about, rows):
    return "\n".join([headline(about), *(line for kind in TITLES for line in table(rows, kind))])


def parsed(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log2", type=int, default=28, help="the binary logarithm of the number of elements, 16 to 29")
    parser.add_argument("--only", metavar="REGEX", default="", help="the cases to measure; a case is `KIND: NAME`")
    parser.add_argument("--list", action="store_true", help="print the cases, and measure nothing")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random numbers")
    parser.add_argument("--cub", metavar="FILE", default=".gpu/libcub.so", help="the library of CUB's contestants")
    parser.add_argument("-o", metavar="FILE", dest="output", help="write JSON to this file, after each case")
    options = parser.parse_args(arguments)
    if not 16 <= options.log2 <= 29:
        parser.error("--log2 takes 16 to 29")
    return options


def library(path):
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        sys.exit(f"ragged.py: {error}; `scripts/bench.sh --build` builds the library")


def run(options, cases):
    lib = library(options.cub)
    about, rows, failed = machine(lib, options), [], False
    print(headline(about), file=sys.stderr)
    elements = 1 << options.log2
    random = torch.Generator(DEVICE).manual_seed(options.seed)
    # Random sums of these are integers that stay far below 2^24, so f32 has no rounding errors in any order.
    x = torch.randint(-8, 9, (elements,), generator=random, device=DEVICE, dtype=torch.float32)
    words = max(LEAD, MOST_BYTES * elements) // 4
    memory = torch.randint(0, 1 << 30, (words,), generator=random, device=DEVICE, dtype=torch.int32)
    read = reader(lib, memory, torch.cuda.get_device_properties(0).multi_processor_count)
    for case in cases:
        started = time.perf_counter()
        try:
            row, wrong = measured(case, lib, x, read, options.seed)
            rows.append(row)
            failed = failed or wrong
        except Exception as error:
            failed = True
            complain(case, "the case", error)
        print(f"{case[0]}, {case[1]}: {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
        store(options.output, {**about, "cases": rows})
        if not alive():
            break
    print(markdown(about, rows))
    return failed


def alive():
    """After some errors the GPU does nothing more for this process."""
    try:
        torch.cuda.synchronize()
        free_memory()
        return True
    except Exception as error:
        print(f"the rest is left out: {error}", file=sys.stderr)
        return False


def store(path, content):
    if path:
        with open(path, "w") as file:
            json.dump(content, file, indent=1, ensure_ascii=False)


def main():
    options = parsed()
    cases = [case for case in all_cases() if re.search(options.only, f"{case[0]}: {case[1]}")]
    if options.list:
        return print("\n".join(f"{case[0]}: {case[1]}" for case in cases))
    if torch is None or not torch.cuda.is_available():
        sys.exit("ragged.py: skipped, it needs a GPU and PyTorch")
    with torch.no_grad():
        sys.exit(run(options, cases))


if __name__ == "__main__":
    main()
