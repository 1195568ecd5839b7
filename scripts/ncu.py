"""Compares the interpreter's counts with the counters of Nsight Compute.

    ncu.py metrics           prints the metrics to profile with
    ncu.py table FOLDER      makes a table from counts.tsv and counters.csv in FOLDER

A cell holds one number where both agree, and otherwise ours ≠ ncu's. The exit status is 1 if the case does not explain
a difference: tests/gpu/counted.rs says which shared loads a GPU counts differently, and why.
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


def table(folder):
    with open(folder / "counts.tsv") as file:
        ours = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    theirs = profiled(folder / "counters.csv")
    found, expected = ([(it["kernel"], it["grid"]) for it in side] for side in (theirs, ours))
    if found != expected:
        sys.exit(f"ncu saw other launches than were counted:\n{found}\n{expected}")
    print("| reduction | kernel | " + " | ".join(head for _, head, _ in COUNTS) + " | equal |")
    print("|---" * (len(COUNTS) + 3) + "|")
    tally, agree = Counter(), Counter()
    for launch, counters in zip(ours, theirs):
        cells, verdicts = [], set()
        for name, _, counter in COUNTS:
            expected, found = int(launch[name]), counters.get(counter)
            cells.append(str(expected) if found == expected else f"{expected} ≠ {found}")
            verdicts.add(verdict(launch, name, expected, found))
            agree[counter] += found == expected
        worst = "no" if "no" in verdicts else next(iter(verdicts - {"yes"}), "yes")
        tally[worst] += 1
        print("| " + " | ".join([launch["case"], launch["kernel"], *cells, worst]) + " |")
    print(f"\n{len(ours)} launches: " + ", ".join(f"{count} {verdict}" for verdict, count in tally.most_common()) + "\n")
    for _, _, counter in COUNTS:
        print(f"{counter}: equal in {agree[counter]} launches")
    return tally["no"] > 0


def verdict(launch, name, expected, found):
    if found == expected:
        return "yes"
    return launch["because"] if launch["because"] and name.startswith("shared_load") else "no"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["metrics"]:
            print(",".join(counter for _, _, counter in COUNTS))
        case ["table", folder]:
            sys.exit(table(Path(folder)))
        case _:
            sys.exit(__doc__)
