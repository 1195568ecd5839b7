"""Segments and groups by key on the host, compared with NumPy, pandas and polars where they can be imported.

    python3 benches/groups_host.py [--log2 26] [--rounds 7] [--only REGEX] [--program FILE] [-o FILE.json]

It prints a table. The data are f32 in [0, 1), or the keys alone for counts. All contestants have them in memory. They take
turns, so that other load affects all of them, and a time is the median over the rounds. One thread is timed by its processor
time, several threads by the clock. What only prepares data for a library is not timed: group numbers for pandas and polars
in place of offsets, offsets of 64 bits for NumPy, and the order of polars' groups.

Our sums must agree with sums in f64, and one thread with all threads bit for bit; else the run fails. The errors of the
others are in the table.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
OURS = ["ours, 1", "ours, all"]
# A relative error: 2^26 terms are added in a tree.
OUR_TOLERANCE = 2e-6
# A contestant that has had so much time has no more turns, after two.
LONGEST = 10.0


def optional(name):
    """Imports a library, or says that it is missing."""
    try:
        return __import__(name)
    except ImportError as error:
        print(f"{name} does not take part: {error}", file=sys.stderr)
        return None


pd, pl = optional("pandas"), optional("polars")


# The data.


def lengths(kind, n, random):
    """Lengths of at least 1 with a sum of n."""
    if kind == "giant":
        rest = np.full(n // 8, 4)
        return np.concatenate([rest[: n // 16], [n - rest.sum()], rest[n // 16 :]])
    if kind == "power law":
        # The mean of a Pareto distribution with the exponent 1.5 is three times the least length. Not all of it can occur.
        found = np.minimum(5.34 * (1 + random.pareto(1.5, n // 8)), n // 64).astype(np.int64)
    else:
        found = random.integers(1, 2 * kind, n // kind + n // (4 * kind) + 8)
    ends = np.cumsum(found)
    ends = ends[: np.searchsorted(ends, n)]
    return np.diff(np.concatenate([[0], ends, [n]]))


class Ours:
    """A process with the data, which reduces them each time that it reads a line."""

    def __init__(self, program, folder, spec, threads):
        environment = dict(os.environ) if threads is None else os.environ | {"RAYON_NUM_THREADS": str(threads)}
        self.clock, self.out = int(threads is None), folder / f"out-{threads}"
        command = [program, spec, folder / "elements", folder / "cut", self.out]
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=environment, **pipe)

    def run(self):
        """Returns the seconds of a call."""
        print(file=self.process.stdin, flush=True)
        line = self.process.stdout.readline().split()
        if not line:
            sys.exit(f"our program ended: {self.process.wait()}")
        return float(line[self.clock])

    def results(self, ty):
        """Ends the process, and returns the results of the last call."""
        self.process.stdin.close()
        if code := self.process.wait():
            sys.exit(f"our program ended: {code}")
        return np.fromfile(self.out, ty)


class Peer:
    """A function of another library, and one that puts its results in the order of the groups."""

    def __init__(self, call, ordered, clock):
        self.call, self.ordered, self.clock = call, ordered, clock
        self.result = None

    def run(self):
        self.result = None
        start = self.clock()
        self.result = self.call()
        return self.clock() - start

    def results(self, _):
        return self.ordered(self.result)


def by_key(keys, values, groups):
    """Puts values in the order of their keys."""
    out = np.zeros(groups, np.asarray(values).dtype)
    out[np.asarray(keys)] = values
    return out


# The cells: data, our specification, and what the others call.


class Cell:
    """A reduction of some data by all contestants."""

    def __init__(self, name, spec, elements, cut, groups, ids, numpy_call):
        self.name, self.spec, self.groups = name, spec, groups
        self.elements, self.cut, self.ids = elements, cut, ids
        self.is_count = "1u64" in spec
        self.peers = {"NumPy": Peer(numpy_call, lambda sums: sums, time.thread_time)} | self.others()

    def others(self):
        """The calls of pandas and polars."""
        return ({"pandas": self.pandas()} if pd else {}) | ({"polars": self.polars()} if pl else {})

    def pandas(self):
        series, how = pd.Series(self.elements), "size" if self.is_count else "sum"
        call = lambda: getattr(series.groupby(self.ids, sort=False), how)()
        return Peer(call, lambda found: by_key(found.index, found.values, self.groups), time.thread_time)

    def polars(self):
        """It is told that keys are sorted, if they are."""
        key, is_sorted = pl.Series("key", self.ids), "by" not in self.spec or "runs" in self.spec
        frame = pl.DataFrame([key.set_sorted() if is_sorted else key, pl.Series("x", self.elements)])
        how = pl.len().alias("x") if self.is_count else pl.col("x").sum()
        order = lambda found: by_key(found["key"].to_numpy(), found["x"].to_numpy(), self.groups)
        return Peer(lambda: frame.group_by("key").agg(how), order, time.perf_counter)

    def truth(self):
        """Counts, or sums in f64."""
        if self.is_count:
            return np.bincount(self.ids, minlength=self.groups)
        return np.bincount(self.ids, self.elements, self.groups)


def segments(name, kind, x, random):
    """Segments of random lengths."""
    offsets = np.concatenate([[0], np.cumsum(lengths(kind, len(x), random))])
    ids = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets))
    first = offsets[:-1].astype(np.intp)
    call = lambda: np.add.reduceat(x, first)
    return Cell(name, "op: sum, ty: f32, segments: u32", x, offsets.astype(np.uint32), len(first), ids, call)


def runs(name, mean, x, random):
    """Sorted keys. NumPy finds where they change."""
    found = lengths(mean, len(x), random)
    keys = np.repeat(np.arange(len(found), dtype=np.uint32), found)

    def call():
        first = np.concatenate([[0], np.flatnonzero(keys[1:] != keys[:-1]) + 1])
        keys[first]
        return np.add.reduceat(x, first)

    return Cell(name, "op: sum, ty: f32, by: { key: u32 }, groups: runs", x, keys, len(found), keys, call)


def sums(name, groups, x, random):
    """Keys without order that number groups."""
    keys = random.integers(0, groups, len(x), np.uint32)
    spec = f"op: sum, ty: f32, by: {{ key: u32 }}, groups: {groups}"
    return Cell(name, spec, x, keys, groups, keys, lambda: np.bincount(keys, x, groups))


def counts(name, groups, x, random):
    """The number of elements of each key. Nobody reads other elements."""
    keys = random.integers(0, groups, len(x), np.uint32)
    spec = f"ty: u32, by: |key| key, groups: {groups}, map: |key| 1u64, op: sum"
    return Cell(name, spec, keys, keys[:1], groups, keys, lambda: np.bincount(keys, minlength=groups))


CELLS = [
    ("segments, mean 4", segments, 4),
    ("segments, mean 64", segments, 64),
    ("segments, mean 1024", segments, 1024),
    ("segments, mean 65536", segments, 65536),
    ("segments, power law, mean 16", segments, "power law"),
    ("segments, half in one, others of 4", segments, "giant"),
    ("sorted runs of keys, mean 64", runs, 64),
    ("64 keys, sum", sums, 64),
    ("4096 keys, sum", sums, 4096),
    ("64 keys, count", counts, 64),
    ("4096 keys, count", counts, 4096),
]


# The measurement.


def race(contestants, rounds):
    """Lets contestants take turns. Returns the times of each; the first turn, which warms up, does not count."""
    times, spent = {name: [] for name in contestants}, dict.fromkeys(contestants, 0.0)
    for turn in range(rounds + 1):
        for name, contestant in contestants.items():
            if turn < 3 or spent[name] < LONGEST:
                seconds = contestant.run()
                spent[name] += seconds
                times[name] += [seconds] if turn else []
    return times


def error(found, truth):
    """The largest relative error."""
    return float(np.max(np.abs(found.astype(np.float64) - truth) / np.maximum(truth, 1e-30)))


def measured(cell, program, rounds):
    """Measures a cell, and checks the results."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        cell.elements.tofile(folder / "elements")
        cell.cut.tofile(folder / "cut")
        ours = {name: Ours(program, folder, cell.spec, threads) for name, threads in zip(OURS, [1, None])}
        contestants = ours | cell.peers
        times = race(contestants, rounds)
        ty = np.uint64 if cell.is_count else np.float32
        results = {name: contestant.results(ty) for name, contestant in contestants.items()}
    truth = cell.truth()
    errors = {name: error(result, truth) for name, result in results.items()}
    if results[OURS[0]].tobytes() != results[OURS[1]].tobytes():
        sys.exit(f"{cell.name}: one thread and all threads have other bits")
    if errors[OURS[0]] > (0 if cell.is_count else OUR_TOLERANCE):
        sys.exit(f"{cell.name}: our error is {errors[OURS[0]]}")
    return {"cell": cell.name, "spec": cell.spec, "groups": cell.groups, "seconds": times, "errors": errors}


def column(found, name):
    """A time in milliseconds; bold if ours with as many threads is slower."""
    if name not in found["seconds"]:
        return "–"
    median, ours = (statistics.median(found["seconds"][name]) for name in [name, OURS[name == "polars"]])
    if name in OURS:
        return f"{1e3 * median:.1f}"
    text = f"{1e3 * median:.1f} ({median / ours:.2f})"
    return f"**{text}**" if median < ours else text


def row(found, names):
    errors = [f"{found['errors'][name]:.0e}" if name in found["errors"] else "–" for name in names[1:]]
    cells = [found["cell"], f"{found['groups']:,}", *(column(found, name) for name in names), " / ".join(errors)]
    return f"| {' | '.join(cells)} |"


def program():
    """Builds our program with the profile of the command, and returns its path."""
    command = ["cargo", "bench", "--profile", "release", "--bench", "groups", "--no-run"]
    built = subprocess.run([*command, "--message-format=json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    lines = map(json.loads, built.stdout.splitlines())
    ours = (line for line in lines if line.get("target", {}).get("name") == "groups")
    return next(line["executable"] for line in ours if line.get("executable"))


def versions():
    """The versions of the libraries."""
    return {name: library.__version__ for name, library in [("NumPy", np), ("pandas", pd), ("polars", pl)] if library}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log2", type=int, default=26, help="the number of elements, as a power of two")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="measure the cells whose names it matches")
    parser.add_argument("--program", help="our program, built before by `cargo bench --profile release --bench groups --no-run`")
    parser.add_argument("-o", type=Path, help="write all times as JSON")
    args = parser.parse_args()
    path, names = args.program or program(), [*OURS, "NumPy", "pandas", "polars"]
    random = np.random.default_rng(1)
    x = random.random(1 << args.log2, np.float32)
    print(f"2^{args.log2} elements, milliseconds (a time / ours), {versions()}\n")
    print("| | groups | ours, one thread | ours, all | NumPy | pandas | polars, all | errors: ours / NumPy / pandas / polars |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    found = []
    for name, make, size in CELLS:
        if re.search(args.only, name):
            found.append(measured(make(name, size, x, random), path, args.rounds))
            print(row(found[-1], names), flush=True)
    if args.o:
        args.o.write_text(json.dumps({"log2": args.log2, "versions": versions(), "cells": found}, indent=1))


if __name__ == "__main__":
    main()
