"""Times the peers of ragged.py on few elements: on a stream, and in a CUDA graph.

Prints the microseconds of a call. The data lie in the L2 cache. `.gpu/gpu cut_small:: --nocapture` with REDUCEGEN_SMALL=1
prints those of reducegen for the same cases.
"""

import sys

import torch

import ragged
from ragged_cases import all_cases

CASES = [("segments", "uniform, mean 16"), ("runs", "geometric, mean 64"), ("counts", "64 keys"), ("sums", "64 keys")]
CALLS, ROUNDS = 100, 9


def median_of(run):
    times = sorted(ragged.sample(run, lambda: torch.cuda._sleep(2_000_000)) / CALLS for _ in range(ROUNDS))
    return times[ROUNDS // 2]


def on_stream(call):
    def calls():
        for _ in range(CALLS):
            call()
    return median_of(calls)


def in_graph(call):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            call()
    return median_of(graph.replay)


def attempt(measure, call):
    try:
        return f"{measure(call):.1f}"
    except Exception as error:
        torch.cuda.synchronize()
        print(str(error).splitlines()[0], file=sys.stderr)
        return "–"


def main():
    lib = ragged.library(sys.argv[1] if len(sys.argv) > 1 else ".gpu/libcub.so")
    print(torch.cuda.get_device_name(0))
    print("| elements | case | peer | stream, µs | graph, µs |\n|--:|---|---|--:|--:|")
    for log2 in [12, 16, 20]:
        random = torch.Generator(ragged.DEVICE).manual_seed(1)
        x = torch.randint(-8, 9, (1 << log2,), generator=random, device=ragged.DEVICE, dtype=torch.float32)
        for case in [case for case in all_cases() if case[:2] in CASES]:
            _, peers, expected = ragged.build(lib, x, case, random)
            for name, prepare in peers.items():
                call = prepare()
                ragged.check(call(), expected)
                # The one in a graph comes last: a call that cannot be captured may leave a broken state.
                times = [attempt(on_stream, call), attempt(in_graph, call) if "cupy" not in name else "–"]
                print(f"| 2^{log2} | {case[0]} {case[1]} | {name} | {' | '.join(times)} |", flush=True)


if __name__ == "__main__":
    with torch.no_grad():
        main()
