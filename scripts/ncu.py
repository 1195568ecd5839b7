"""Sets the interpreter's counts beside those of Nsight Compute.

    ncu.py metrics counters|instrumented      the metrics to profile with
    ncu.py table FOLDER                       from counts.tsv, counters.csv and instrumented.csv there, a table

A cell holds one number where both agree, else ours ≠ ncu's. The exit status is 1 if a difference is left that no
merged load explains.

Counters are of the hardware. Instrumented metrics (smsp__sass_*) are computed from the addresses that instructions
access; for shared memory they decide, where there are any, because the hardware also counts when other traffic is in
the way.
"""

import csv
import sys
from collections import Counter, defaultdict
from pathlib import Path

L1 = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
BANKS = "l1tex__data_{}_pipe_lsu_mem_shared_op_{}.sum"
WAVES = "l1tex__data_pipe_lsu_{}_mem_shared_op_{}.sum"

# Our count, its heading, and the counter that it equals.
COUNTS = [
    ("global_load_accesses", "global loads: requests", L1.format("requests", "ld")),
    ("global_load_sectors", "sectors", L1.format("sectors", "ld")),
    ("global_store_accesses", "global stores: requests", L1.format("requests", "st")),
    ("global_store_sectors", "sectors", L1.format("sectors", "st")),
    ("atomics", "atomics: requests", L1.format("requests", "red")),
    ("shared_load_wavefronts", "shared loads: wavefronts", WAVES.format("wavefronts", "ld")),
    ("shared_load_conflicts", "conflicts", BANKS.format("bank_conflicts", "ld")),
    ("shared_store_wavefronts", "shared stores: wavefronts", WAVES.format("wavefronts", "st")),
    ("shared_store_conflicts", "conflicts", BANKS.format("bank_conflicts", "st")),
]


def metric(kind, counter):
    """The metric of that kind; instrumented ones exist for shared memory."""
    if kind == "counters":
        return counter
    return "smsp__sass_" + counter.replace("l1tex__", "l1tex_") if "shared" in counter else None


def metrics(kind):
    return ",".join(filter(None, (metric(kind, counter) for _, _, counter in COUNTS)))


def profiled(path):
    """The launches in a file of ncu, in order: kernel, grid, and metrics by name."""
    launches = defaultdict(dict)
    lines = path.read_text().splitlines() if path.exists() else []
    start = next((at for at, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    for row in csv.DictReader(lines[start:]):
        launch = launches[int(row["ID"])]
        launch["kernel"] = row["Kernel Name"].split("(")[0]
        launch["grid"] = row["Grid Size"].strip("() ").split(",")[0]
        value = row["Metric Value"].replace(",", "")
        if value.replace(".", "").isdigit():
            launch[row["Metric Name"]] = round(float(value))
    return [launches[at] for at in sorted(launches)]


def same_launches(ours, theirs, file):
    if not theirs:
        print(f"{file}: nothing was profiled\n")
        return [{}] * len(ours)
    found, expected = ([(it["kernel"], it["grid"]) for it in side] for side in (theirs, ours))
    if found != expected:
        sys.exit(f"{file}: ncu saw other launches than were counted:\n{found}\n{expected}")
    return theirs


def table(folder):
    with open(folder / "counts.tsv") as file:
        ours = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    kinds = ["counters", "instrumented"]
    theirs = {kind: same_launches(ours, profiled(folder / f"{kind}.csv"), f"{kind}.csv") for kind in kinds}
    columns = [(name, head, kind, metric(kind, counter)) for name, head, counter in COUNTS for kind in kinds]
    columns = [column for column in columns if column[3]]
    heads = [head + (", instrumented" if kind == "instrumented" else "") for _, head, kind, _ in columns]
    print("| reduction | kernel | " + " | ".join(heads) + " | equal |\n" + "|---" * (len(columns) + 3) + "|")
    tally, agree = Counter(), Counter()
    for at, launch in enumerate(ours):
        cells, verdicts = [], {}
        for name, head, kind, key in columns:
            expected, found = int(launch[name]), theirs[kind][at].get(key)
            cells.append("n/a" if found is None else str(expected) if found == expected else f"{expected} ≠ {found}")
            if found is not None:
                agree[key, found == expected] += 1
                verdicts[name] = verdict(launch, name, expected, found)
        worst = max(verdicts.values(), key=["yes", "merged", "no"].index, default="no")
        tally[worst] += 1
        print("| " + " | ".join([launch["case"], launch["kernel"], *cells, worst]) + " |")
    print(f"\n{tally['yes']} of {len(ours)} launches equal in every count; {tally['merged']} but for merged loads; "
          f"{tally['no']} not\n")
    for _, _, _, key in columns:
        print(f"{key}: equal in {agree[key, True]}, different in {agree[key, False]} launches")
    return tally["no"] > 0


def verdict(launch, name, expected, found):
    if found == expected:
        return "yes"
    merged = launch["merged"] == "1" and name.startswith("shared_load") and found < expected
    return "merged" if merged else "no"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["metrics", ("counters" | "instrumented") as kind]:
            print(metrics(kind))
        case ["table", folder]:
            sys.exit(table(Path(folder)))
        case _:
            sys.exit(__doc__)
