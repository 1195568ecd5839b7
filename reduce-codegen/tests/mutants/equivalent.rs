//! Mutants that cannot be killed because they are equivalent to their kernel, with the reason.

use std::collections::BTreeMap;

/// Equivalent mutants of some kinds.
pub(crate) struct Equivalent {
    pub(super) mutations: &'static [&'static str],
    /// Returns whether a mutant belongs here, by its change and the name of its kernel.
    pub(super) is_one: fn(&str, &str) -> bool,
    /// The reason why they are correct.
    pub(crate) reason: &'static str,
    /// The number of them among all mutants. More would be a fault that is no longer detected.
    pub(crate) survivors: usize,
}

pub(crate) const EQUIVALENT: [Equivalent; 25] = [
    Equivalent {
        mutations: &["64-bit position in 32 bits"],
        is_one: |what, _| {
            let positions = ["for at: u64 = ", "let at_first_all: u64 = ", "let run_end_all: u64 = "];
            what.starts_with(LAST) && positions.iter().any(|it| what.contains(it))
        },
        reason: "there are no more partials than blocks of a grid, less than 2^31",
        survivors: 110,
    },
    Equivalent {
        mutations: &["another thread's turn"],
        is_one: |what, _| what == "if (rank == 0) & (thread == 0)  ->  if (rank == 0) & (thread == 1)",
        reason: "any thread of the first block may say how many messages it expects, or deliver where partials have flags",
        survivors: 27,
    },
    Equivalent {
        mutations: &["another thread's turn"],
        is_one: |what, kernel| {
            let threads = ["thread == 1", "(rank == 1) & (thread == 0)", "(rank == 0) & (thread == 1)"];
            let any = threads.iter().any(|it| what.ends_with(&format!("->  if {it}")));
            any && (kernel.starts_with("many writers") || kernel.contains("flag"))
        },
        reason: "any thread may take the ticket for its block, between two barriers or with flags, or deliver",
        survivors: 4,
    },
    Equivalent {
        mutations: &["atomic made plain", "scope narrowed"],
        is_one: |what, _| what.contains("exchange(ticket[0], 0)"),
        reason: "the last block resets the ticket after it has acquired that every other one took it",
        survivors: 9,
    },
    Equivalent {
        mutations: &["guard dropped", "guard one too wide"],
        is_one: |what, _| {
            let round = what.contains("while at < n next") && what.contains("else / if at < n  ->");
            round || what.contains("if at_first < n / if") && what.contains("else / if at_first < n  ->")
        },
        reason: "the first item of a unit is there, which was asked before",
        survivors: 30,
    },
    Equivalent {
        mutations: &["guard dropped", "guard one too wide"],
        is_one: |what, _| {
            what.starts_with("if at_first < n  ->") && what.contains("aligned")
                || what.starts_with("if at_first < n  ->  if at_first <= n")
        },
        reason: "a unit that is not there is read item by item, and each is asked for",
        survivors: 10,
    },
    Equivalent {
        mutations: &["another thread's turn"],
        is_one: |what, kernel| {
            let first = ["if lane == 0  ->", "if thread == 0  ->", "if (thread == 0) & (0 < count)  ->"];
            kernel.contains("redux") && first.iter().any(|it| what.starts_with(it))
        },
        reason: "all threads of a warp have what its accumulators combine to",
        survivors: 6,
    },
    Equivalent {
        mutations: &["guard dropped"],
        is_one: |what, _| what.starts_with("if thread == 0  ->  load warp_value_0"),
        reason: "the other threads combine the values of the warps as well, and deliver nothing",
        survivors: 10,
    },
    Equivalent {
        mutations: &["guard dropped"],
        is_one: |what, kernel| {
            let block = if what.contains("(thread + 32) < count") { "block 64" } else { "block 32" };
            what.starts_with("if thread < 32  ->  if") && kernel.contains(block)
        },
        reason: "no thread but those of the first warp has a pair",
        survivors: 24,
    },
    Equivalent {
        mutations: &["guard dropped"],
        is_one: |what, _| what.starts_with("if warp == 0  ->"),
        reason: "the other warps combine the same values, and deliver nothing",
        survivors: 164,
    },
    Equivalent {
        mutations: &["guard dropped"],
        is_one: |what, kernel| {
            what.starts_with("if thread == 0  ->") && what.contains("at") && is_serial(kernel)
        },
        reason: "the other threads fold the same items, and deliver nothing",
        survivors: 9,
    },
    Equivalent {
        mutations: &["guard one too narrow"],
        is_one: |what, _| {
            let of_unit = !what.contains("u64(TILE)");
            of_unit && what.contains("+ u64(WIDTH)) <= n") && what.contains("+ u64(WIDTH)) < n")
        },
        reason: "a unit that ends with the input is read item by item, into the same lanes",
        survivors: 15,
    },
    Equivalent {
        mutations: &["guard one too narrow"],
        is_one: |what, _| what.contains("if (0 < first) & (((first + u64(TILE)) + u64(WIDTH)) <= n)  ->"),
        reason: "no tile begins at item 1, and one that is read item by item gives the same",
        survivors: 32,
    },
    Equivalent {
        mutations: &["guard one too narrow"],
        is_one: |what, kernel| {
            let even = ["+ 1) < BLOCK", "+ 1) < TILE"].iter().any(|it| what.contains(it));
            even && kernel.contains("strided_index")
        },
        reason: "the left item of a pair is at an even position",
        survivors: 97,
    },
    Equivalent {
        mutations: &["guard one too wide"],
        is_one: |what, kernel| {
            let last = |stride: u32, block: &str| {
                let pair = format!("(thread <= {stride}) & ((thread + {stride}) < count)");
                what.contains(&pair) && kernel.contains(block)
            };
            let of_block = last(16, "block 32") || last(32, "block 64") || last(64, "block 128");
            let end = ["<= BLOCK) & ((index", "<= TILE) & ((index"].iter().any(|it| what.contains(it));
            of_block || end && kernel.contains("strided_index")
        },
        reason: "the right item of a pair is asked for too, and there is none beyond the tile",
        survivors: 50,
    },
    Equivalent {
        mutations: &["guard dropped", "guard one too wide"],
        is_one: |what, kernel| {
            let first = ["if 0 < count  ->", "if thread == 0 / if at_first < n  ->"];
            first.iter().any(|it| what.contains(it)) && is_guarded(kernel)
        },
        reason: "a launch without an identity has an item",
        survivors: 24,
    },
    Equivalent {
        mutations: &["loop one turn more"],
        is_one: |what, kernel| {
            let asked = is_guarded(kernel) || kernel.contains("in_place");
            let partials = what.contains("while at <= ") && what.contains("next at + u64(BLOCK * 8)");
            asked && what.contains("while stride <= ") || partials
        },
        reason: "each item of the additional turn is asked for, and none is there",
        survivors: 89,
    },
    Equivalent {
        mutations: &["loop one turn more"],
        is_one: |what, kernel| {
            let values = ["while stride <= WARPS", "while stride <= CLUSTER"];
            kernel.contains(" of matrix_padded") && values.iter().any(|it| what.contains(it))
        },
        reason: "lanes that take no value hold the fill",
        survivors: 16,
    },
    Equivalent {
        mutations: &["loop by doubling for halving"],
        is_one: |what, kernel| {
            let warps = what.contains("WARPS / 2") && kernel.contains("block 64");
            let blocks = what.contains("CLUSTER / 2") && kernel.contains("cluster(2)");
            warps || blocks || what.contains("while 32 < stride") && kernel.contains("block 128")
        },
        reason: "a loop of one turn has no order",
        survivors: 136,
    },
    Equivalent {
        mutations: &["64-bit position in 32 bits"],
        is_one: |what, kernel| {
            let second = is_serial(kernel) && what.contains("at: u64 = u64(u32(at_first + 1)) while");
            second || what.starts_with("for at") && what.contains("= u64(u32(at_first + u64(BLOCK))) while")
        },
        reason: "the second item of a thread is at position 1, or less than two blocks from the first",
        survivors: 17,
    },
    Equivalent {
        mutations: &["64-bit position in 32 bits"],
        is_one: |_, kernel| kernel.contains("narrow_index"),
        reason: "the positions of so few elements have 32 bits",
        survivors: 299,
    },
    Equivalent {
        mutations: &[
            "counted twice",
            "not counted",
            "operands exchanged",
            "misaligned vector",
            "position off by one",
            "narrow position one off",
            "guard dropped",
        ],
        is_one: |what, kernel| {
            let row = what.contains("else / if rows == 0  ->")
                || what.contains("for unit: u32 = ") && what.contains("unit < rows");
            row && what.contains("count == TILE") && kernel.contains("coarsen(2)")
        },
        reason: "of two rows of a tile that is not full, one at most is whole",
        survivors: 151,
    },
    Equivalent {
        mutations: &["guard dropped"],
        is_one: |what, _| what.contains("if first == 0  ->  let at_begin"),
        reason: "the first row of any tile may be read element by element",
        survivors: 16,
    },
    Equivalent {
        mutations: &["loop one turn more"],
        is_one: |what, kernel| what.contains("while part <= 8") && kernel.contains("ticket"),
        reason: "no grid here has more than eight blocks for each thread; the kernel of one block, with the same loop, has as many partials",
        survivors: 3,
    },
    Equivalent {
        mutations: &["tail skipped"],
        is_one: |what, _| what.contains("count == TILE") && what.contains("else / if aligned("),
        reason: "rows that are not read as vectors are read item by item",
        survivors: 32,
    },
];

/// The branch of the block that finishes last. It has the same trees as every block.
const LAST: &str = "if is_last / ";

/// Returns whether one thread folds everything. It does so, too, with the one accumulator that `atomic` leaves.
fn is_serial(kernel: &str) -> bool {
    kernel.contains("[serial]") || kernel.starts_with("reduce_partials") && kernel.contains("atomic]")
}

/// Returns whether the operation has no fill.
fn is_guarded(kernel: &str) -> bool {
    kernel.contains("arg") || kernel.contains(" of matrix i32")
}

/// Returns the row that explains a mutant.
pub(crate) fn row_of(mutation: &str, what: &str, kernel: &str) -> Option<usize> {
    row_in(&EQUIVALENT, mutation, what, kernel)
}

/// Returns the row of a list that explains a mutant.
fn row_in(rows: &[Equivalent], mutation: &str, what: &str, kernel: &str) -> Option<usize> {
    let is_one =
        |row: &Equivalent| [what, what.trim_start_matches(LAST)].iter().any(|it| (row.is_one)(it, kernel));
    rows.iter().position(|row| row.mutations.contains(&mutation) && is_one(row))
}

/// Checks that a list explains every survivor, given by its kind, change and kernel, and that no row explains more than it states.
/// If these are the survivors of all mutants, each row must explain exactly that number.
pub(crate) fn check_survivors<'a>(
    list: &[Equivalent],
    survivors: impl Iterator<Item = (&'a str, &'a str, &'a str)>,
    all: bool,
) {
    let mut counts = vec![0; list.len()];
    let mut unexplained = BTreeMap::<_, Vec<_>>::new();
    for (kind, what, kernel) in survivors {
        match row_in(list, kind, what, kernel) {
            Some(row) => counts[row] += 1,
            None => unexplained.entry((kind, what)).or_default().push(kernel),
        }
    }
    counts.iter().zip(list).for_each(|(count, row)| println!("{count} survive: {}", row.reason));
    let text = |((kind, what), kernels): (&(&str, &str), &Vec<&str>)| {
        format!("{kind}: {what}\n    in {} kernels, as {}\n", kernels.len(), kernels[0])
    };
    let text: String = unexplained.iter().map(text).collect();
    assert!(unexplained.is_empty(), "survivors that nothing explains:\n{text}");
    for (row, count) in list.iter().zip(counts) {
        let known = if all { count == row.survivors } else { count <= row.survivors };
        assert!(known, "{count} survive, and {} are known: {}", row.survivors, row.reason);
    }
}
