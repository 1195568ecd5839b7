"""Runs queries 1 and 6 of TPC-H at scale 1 on Parquet files with the command, and compares the answers with those of DuckDB.

    pip install numpy duckdb tpchgen-cli
    cargo build --release -p reducegen-cli --features formats
    python3 scripts/tpch.py [target/release/reducegen]

DuckDB adds decimals exactly, and the command the nearest f64 of each: the answers must agree within the rounding of a sum. It ends with an
error at the first difference.
"""

import datetime
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np

PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/reducegen").resolve()
ROUNDING = 1e-12


def days(year, month, day):
    return (datetime.date(year, month, day) - datetime.date(1970, 1, 1)).days


def run(spec, file, columns, by=()):
    """Returns the results, and the keys of groups."""
    command = [PROGRAM, "run", spec, file, *(word for name in columns for word in ["--column", name])]
    command += ["--device", "host", "--json", *(word for name in by for word in ["--by", name])]
    start = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{spec}: {ended.stderr}")
    print(f"{time.perf_counter() - start:6.2f} s  {spec}")
    line = json.loads(ended.stdout)
    return np.array(line["result"]), line.get("keys")


def check(name, found, expected):
    found, expected = np.atleast_1d(found).astype(float), np.atleast_1d(expected).astype(float)
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=ROUNDING, atol=0):
        sys.exit(f"{name}: {found}, and DuckDB has {expected}")


def sixth(lineitem):
    """Revenue that a discount would have saved."""
    where = f"l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' and l_discount between 0.05 and 0.07 and l_quantity < 24"
    expected = duckdb.execute(f"select sum(l_extendedprice * l_discount)::double from '{lineitem}' where {where}").fetchone()
    head = "|price, discount, quantity, ship|"
    spec = (
        "inputs: { price: f64, discount: f64, quantity: f64, ship: i32 }, "
        f"filter: {head} ({days(1994, 1, 1)}..{days(1995, 1, 1)}).contains(&ship) && "
        f"(0.05..=0.07).contains(&discount) && quantity < 24.0, map: {head} price * discount, op: sum"
    )
    columns = ["l_extendedprice", "l_discount", "l_quantity", "l_shipdate"]
    check("query 6", run(spec, lineitem, columns)[0], expected)


def first(lineitem):
    """Sums, means and counts of the lines by flag and status."""
    last = days(1998, 9, 2)
    aggregates = {
        "sum(l_quantity)": ("sum", ["quantity"], "quantity"),
        "sum(l_extendedprice)": ("sum", ["extendedprice"], "extendedprice"),
        "sum(l_extendedprice * (1 - l_discount))": ("sum", ["extendedprice", "discount"], "extendedprice * (1.0 - discount)"),
        "sum(l_extendedprice * (1 - l_discount) * (1 + l_tax))": (
            "sum",
            ["extendedprice", "discount", "tax"],
            "extendedprice * (1.0 - discount) * (1.0 + tax)",
        ),
        "avg(l_quantity)": ("mean", ["quantity"], "quantity"),
        "avg(l_extendedprice)": ("mean", ["extendedprice"], "extendedprice"),
        "avg(l_discount)": ("mean", ["discount"], "discount"),
        "count(*)": ("sum", [], "1u64"),
    }
    columns = ", ".join(f"({text})::double" for text in aggregates)
    where = f"l_shipdate <= date '1998-09-02'"
    by = ["l_returnflag", "l_linestatus"]
    query = f"select {', '.join(by)}, {columns} from '{lineitem}' where {where} group by 1, 2 order by 1, 2"
    flags, statuses, *expected = duckdb.execute(query).fetchnumpy().values()
    groups = [list(pair) for pair in zip(flags, statuses)]
    for (name, (op, inputs, value)), wanted in zip(aggregates.items(), expected):
        names = [*inputs, "shipdate"]
        types = ", ".join(f"{name}: {'i32' if name == 'shipdate' else 'f64'}" for name in names)
        head = f"|{', '.join(names)}|"
        spec = f"inputs: {{ {types} }}, filter: {head} shipdate <= {last}, map: {head} {value}, op: {op}"
        found, keys = run(spec, lineitem, [f"l_{name}" for name in names], by)
        if keys != groups:
            sys.exit(f"query 1, keys of {name}: {keys}, and DuckDB has {groups}")
        check(f"query 1, {name}", found, wanted)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run(["tpchgen-cli", "parquet", "-s", "1", "--tables=lineitem", f"--output-dir={folder}"], check=True)
        lineitem = folder / "lineitem.parquet"
        print(duckdb.execute(f"select count(*) from '{lineitem}'").fetchone()[0], "lines")
        sixth(lineitem)
        first(lineitem)
    print("queries 1 and 6 agree with DuckDB", duckdb.__version__)


main()
