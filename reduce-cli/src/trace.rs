//! `reducegen run --trace`: each step of the kernels, as a teacher draws it.

mod items;
mod names;
mod recorder;

use crate::args::DeviceName;
use crate::array;
use crate::counted::differ;
use crate::failure::Failure;
use crate::groups::Inputs;
use crate::output;
use crate::report::result_text;
use items::Items;
use recorder::{Launched, Made, Maker, Origin, Recorder, Watch, expand_folds};
use reduce_interpreter::{Acc, Event, Options, Values, run};
use reduce_ir::Value;
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::Part;
use reduce_lanes::LanesRef;
use reduce_runtime::host::HostError;
use reduce_runtime::{Error, Reducer, Strided};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The maximum number of elements of a trace.
const MOST: u64 = 4096;
/// The number of columns of a line.
const WIDTH: usize = 100;
/// The number of items of a thread that are named. Further items are only counted.
const NAMED: usize = 4;
/// The number of items that are named in each pair of brackets.
const IN_BRACKETS: usize = 2;

/// Returns the device for the result that the trace is compared with. It must not be a GPU.
pub(crate) fn place(asked: DeviceName) -> Result<DeviceName, Failure> {
    match asked {
        DeviceName::Auto | DeviceName::Host => Ok(DeviceName::Host),
        DeviceName::Cuda(_) => {
            Err(Failure::request("`--trace` runs in the interpreter; leave `--device` out"))
        }
    }
}

/// Prints every step of a program on the elements, and the result, which must equal the result of the reducer.
pub(crate) fn trace(
    reducer: &Reducer,
    views: &[Strided<LanesRef<'_>>],
    params: &[Value],
) -> Result<(), Failure> {
    let n = views.first().map_or(0, |view| view.len as u64);
    check_count(n, format!("take fewer, as with `--len {MOST}`"))?;
    let right = reducer.reduce_with(views, params)?.values;
    let program = reducer.programs().for_len(n);
    let history = History::of(program, Items::of_whole(&program.operation, views), params)?;
    let finished = history.finished.iter().flatten().next();
    if let Some(wrong) = differ("the interpreter", finished.map_or(&[], Vec::as_slice), &right) {
        return Err(Failure::Wrong(wrong));
    }
    let result = format!("\nresult: {}\n", result_text(&program.operation, &right));
    output::write(None, (history.text() + &result).as_bytes())
}

/// Prints every step of a program on the elements of groups, and the results, which must equal those of the reducer.
pub(crate) fn trace_groups(reducer: &Reducer, inputs: &Inputs<'_>, params: &[Value]) -> Result<(), Failure> {
    let nest = &inputs.shaped.nest;
    let extent = nest.extent();
    check_count(extent.elements(), "save a slice of the array".to_owned())?;
    let right = reducer.reduce_groups(&inputs.views, params)?;
    let program = reducer.programs().for_len(extent.length);
    let items = Items::of_groups(&program.operation, &inputs.views, nest);
    let params = inputs.shaped.nest.params(&program.operation, params);
    let history = History::of(program, items, &params)?;
    for (group, finished) in history.finished.iter().enumerate() {
        let values = |values: &Option<Vec<Value>>| values.clone().unwrap_or_default();
        let right = right.get(group);
        if let Some(wrong) = differ("the interpreter", &values(finished), &values(&right)) {
            return Err(Failure::Wrong(wrong));
        }
    }
    let results = array::text(&program.operation.output, &right);
    output::write(None, format!("{}\nresults:\n{results}\n", history.text()).as_bytes())
}

/// Refuses more elements than a trace shows, with an example of taking fewer.
fn check_count(n: u64, fewer: String) -> Result<(), Failure> {
    match n {
        0 => Err(Failure::request("`--trace` needs at least one element")),
        1..=MOST => Ok(()),
        _ => Err(Failure::request(format!("`--trace` shows at most {MOST} elements, not {n}; {fewer}"))),
    }
}

/// An accumulator, and the two accumulators it was made of.
type Pair = (usize, usize, usize);

/// The history of a run, and its values.
struct History<'a> {
    program: &'a Program,
    items: Items,
    values: Values<'a>,
    /// The result of each group; `None` if it has none.
    finished: Vec<Option<Vec<Value>>>,
    made: Vec<Made>,
    /// Whether each accumulator is part of the result.
    used: Vec<bool>,
    watch: Watch,
}

impl<'a> History<'a> {
    /// Runs the program twice: on values, and on positions with a callback. Both runs number accumulators alike.
    fn of(program: &'a Program, items: Items, params: &[Value]) -> Result<History<'a>, Failure> {
        let lowered = reduce_codegen::lower(program).map_err(Error::from)?;
        let operation = &program.operation;
        let mut values = Values::new(operation);
        let options = || Options { sizes: &items.sizes, ..Options::FORWARD.with(params) };
        let outcome = run(program, &lowered, &mut values, &items.inputs, items.extent, options());

        let (made, mut watch) = (RefCell::default(), Watch::default());
        let mut recorder = Recorder::new(operation.fill.is_some(), &items, &made);
        let mut watcher = |event: &Event<'_>| watch.event(event, &made);
        let watched = Options { trace: Some(&mut watcher), ..options() };
        let watched = run(program, &lowered, &mut recorder, &items.positions(), items.extent, watched);
        if let Some(report) = outcome.reports.first() {
            return Err(Failure::Wrong(report.to_string()));
        }
        if outcome.results != watched.results {
            return Err(Failure::Wrong("two runs of a program differ".to_owned()));
        }
        let results: Vec<_> = outcome.results.iter().copied().flatten().collect();
        let mut made = made.into_inner();
        expand_folds(&mut made, |item| items.mapped(&mut values, operation, item, params));
        let finish =
            |&acc| values.finish(acc, items.extent.length, params).map(|it| operation.unstored(it).ok());
        let finished = results.iter().map(finish).collect::<Result<_, _>>();
        let finished = finished.map_err(|it| Error::from(HostError::from(it)))?;
        let used = used(&made, &results);
        Ok(History { program, items, values, finished, made, used, watch })
    }

    fn text(&self) -> String {
        let mut blocks: BTreeMap<(usize, u64), Vec<usize>> = BTreeMap::new();
        for (number, made) in self.made.iter().enumerate() {
            blocks.entry((made.by.launch, made.by.block)).or_default().push(number);
        }
        let mut text = self.items.names.heading.clone().unwrap_or_default();
        for (&(launch, block), numbers) in &blocks {
            text += &self.heading(launch, block);
            text += &self.own_work(launch, numbers);
            text += &self.combine_steps(numbers);
        }
        text
    }

    fn heading(&self, launch: usize, block: u64) -> String {
        let Launched { kernel, grid, items } = self.watch.launches[launch];
        let counted = |count, thing| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
        let groups = self.items.extent.groups;
        let of = if groups > 1 { format!("{groups} groups of ") } else { String::new() };
        let (items, blocks) = (of + &counted(items, "item"), counted(grid, "block"));
        let launch = format!("\n{kernel}: {items}, {blocks} of {} threads\n", self.program.block);
        let launch = if block == 0 { launch } else { String::new() };
        if grid > 1 { format!("{launch}\nblock {block}\n") } else { launch }
    }

    /// Describes the items of each thread of a block, and their fold by the thread alone. For a tree in place, only
    /// the copy is described: its other launches begin with the accumulators they combine.
    fn own_work(&self, launch: usize, numbers: &[usize]) -> String {
        let in_place = self.program.kernel(Reads::Partials).in_place().is_some();
        if in_place && launch > 0 {
            return String::new();
        }
        let mut folds: BTreeMap<usize, usize> = BTreeMap::new();
        let mut begins: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &number in numbers.iter().filter(|&&number| self.is_relevant(number)) {
            let by = self.made[number].by;
            if by.part == Part::Fold {
                folds.insert(by.thread, number);
            } else if let Origin::Pair(a, b) = self.made[number].of {
                let from_before =
                    |&side: &usize| self.is_relevant(side) && self.made[side].by.launch < by.launch;
                begins.entry(by.thread).or_default().extend([a, b].iter().filter(|side| from_before(side)));
            }
        }
        begins.retain(|thread, items| !items.is_empty() && !folds.contains_key(thread));
        let begun = begins.iter().map(|(&thread, items)| (thread, self.list(items, NAMED)));
        let folded = folds.iter().map(|(&thread, &number)| (thread, self.fold(number)));
        let entries: BTreeMap<_, _> = begun.chain(folded).collect();
        let entries: Vec<_> = entries.into_iter().collect();
        let title = if in_place { "each thread copies its item" } else { "each thread alone" };
        if entries.is_empty() { String::new() } else { format!("  {title}\n{}", columns(&entries)) }
    }

    /// Describes the fold of a thread over its items.
    fn fold(&self, number: usize) -> String {
        let by = self.made[number].by;
        let (_, sides) = self.sides(number, by);
        let result = sides.map_or(String::new(), |_| format!(" -> {}", self.value(number)));
        self.items(number, by, NAMED) + &result
    }

    /// Describes the items that a thread folds, with brackets where the order is not from left to right.
    fn items(&self, number: usize, by: Maker, most: usize) -> String {
        let composite = |number| self.sides(number, by).1.is_some();
        let bracketed = |number| match composite(number) {
            true => format!("({})", self.items(number, by, IN_BRACKETS)),
            false => self.list(&[number], 1),
        };
        let (mut left, mut items) = (number, Vec::new());
        while let (_, Some((a, b))) = self.sides(left, by) {
            if composite(b) {
                let first = if items.is_empty() { bracketed(a) } else { bracketed(left) };
                items.reverse();
                let rest = if items.is_empty() { bracketed(b) } else { self.list(&items, most) };
                return format!("{first}, {rest}");
            }
            items.push(self.sides(b, by).0);
            left = a;
        }
        items.push(self.sides(left, by).0);
        items.reverse();
        self.list(&items, most)
    }

    /// Lists items by name and value, and the number of further ones.
    fn list(&self, items: &[usize], most: usize) -> String {
        let named =
            items.iter().take(most).map(|&item| format!("{} {}", self.origin(item), self.value(item)));
        let more = items.len().checked_sub(most).filter(|&more| more > 0).map(|more| format!("{more} more"));
        named.chain(more).collect::<Vec<_>>().join(", ")
    }

    /// Skips the identities in an accumulator. Returns it, and the two accumulators with elements that one thread
    /// combined.
    fn sides(&self, mut number: usize, by: Maker) -> (usize, Option<(usize, usize)>) {
        loop {
            let made = &self.made[number];
            let own = (made.by.launch, made.by.block, made.by.thread) == (by.launch, by.block, by.thread);
            let Origin::Pair(a, b) = made.of else { return (number, None) };
            match [a, b].map(|side| self.made[side].elements > 0) {
                [true, true] if own => return (number, Some((a, b))),
                [true, false] if own => number = a,
                [false, true] if own => number = b,
                _ => return (number, None),
            }
        }
    }

    /// Returns whether the accumulator has elements and is part of the result.
    fn is_relevant(&self, number: usize) -> bool {
        self.used[number] && self.made[number].elements > 0
    }

    /// Names the origin of an accumulator of an earlier launch: `x[3]`, `item 3`, or `block 2`.
    fn origin(&self, number: usize) -> String {
        let made = &self.made[number];
        match made.of {
            Origin::Element(item) => self.items.name(item),
            Origin::Pair(a, b) if made.elements == 1 => {
                self.origin(if self.made[a].elements > 0 { a } else { b })
            }
            Origin::Pair(..) | Origin::Folded(..) | Origin::Nothing => format!("block {}", made.by.block),
        }
    }

    /// Describes the steps in which threads combine their accumulators.
    fn combine_steps(&self, numbers: &[usize]) -> String {
        let mut steps: BTreeMap<(Part, usize), Vec<Pair>> = BTreeMap::new();
        for &number in numbers {
            let made = &self.made[number];
            if let Origin::Pair(a, b) = made.of
                && made.by.part != Part::Fold
                && self.made[a].elements.min(self.made[b].elements) > 0
            {
                steps.entry((made.by.part, made.by.step)).or_default().push((number, a, b));
            }
        }
        let used = |pairs: &&Vec<Pair>| pairs.iter().any(|&(number, ..)| self.used[number]);
        let steps = steps.values().filter(used).enumerate();
        steps.map(|(at, pairs)| self.step(at + 1, pairs)).collect()
    }

    fn step(&self, count: usize, pairs: &[Pair]) -> String {
        let (shown, idle): (Vec<_>, Vec<_>) =
            pairs.iter().copied().partition(|&(number, ..)| self.used[number]);
        let distance = self.distance(&shown);
        let entry = |&(number, a, b): &Pair| {
            let by = self.made[number].by;
            let whose = |side| if distance.is_some() { String::new() } else { self.owner(side, by) };
            let [left, right] = [a, b].map(|side| self.value(side) + &whose(side));
            (by.thread, format!("{left}, {right} -> {}", self.value(number)))
        };
        let entries: Vec<_> = shown.iter().map(entry).collect();
        let (threads, each) = if shown.len() == 1 { ("thread", "") } else { ("threads", "each ") };
        let with = |far| format!(", {each}with the thread at distance {far}");
        let with = distance.map_or(String::new(), with);
        let idle = match idle.len() {
            0 => String::new(),
            more => format!("; {more} more combine unused values"),
        };
        format!("  step {count}: {} {threads}{with}{idle}\n{}", shown.len(), columns(&entries))
    }

    /// Returns the distance up to the other thread, if it is the same for all pairs.
    fn distance(&self, pairs: &[Pair]) -> Option<usize> {
        let distance = |&(number, a, b): &Pair| {
            let [own, left, right] = [number, a, b].map(|it| self.made[it].by);
            let here = |it: Maker| (it.launch, it.block) == (own.launch, own.block);
            let own_left = here(left) && left.thread == own.thread;
            (own_left && here(right)).then(|| right.thread.checked_sub(own.thread)).flatten()
        };
        let first = distance(pairs.first()?)?;
        pairs.iter().all(|pair| distance(pair) == Some(first)).then_some(first)
    }

    /// Names the owner of an accumulator for a thread that uses it; empty if it is the thread itself.
    fn owner(&self, number: usize, user: Maker) -> String {
        let by = self.made[number].by;
        match (by.launch, by.block) == (user.launch, user.block) {
            true if by.thread == user.thread => String::new(),
            true => format!(" of thread {}", by.thread),
            false => format!(" of {}", self.origin(number)),
        }
    }

    /// Returns the fields of an accumulator as text.
    fn value(&self, number: usize) -> String {
        let fields: Vec<_> = self.values.get(Acc::number(number)).iter().map(ToString::to_string).collect();
        if let [only] = fields.as_slice() { only.clone() } else { format!("({})", fields.join(", ")) }
    }
}

/// Returns for each accumulator whether it is part of a result.
fn used(made: &[Made], results: &[Acc]) -> Vec<bool> {
    let mut used = vec![false; made.len()];
    let mut rest: Vec<_> = results.iter().map(|result| result.get()).collect();
    while let Some(number) = rest.pop() {
        used[number] = true;
        if let Origin::Pair(a, b) = made[number].of {
            rest.extend([a, b]);
        }
    }
    used
}

/// Lays the entries of threads out in as many columns as a line has room for.
fn columns(entries: &[(usize, String)]) -> String {
    let most = entries.iter().map(|(thread, _)| *thread).max().unwrap_or(0);
    let digits = most.to_string().len();
    let widest = entries.iter().map(|(_, what)| what.chars().count()).max().unwrap_or(0);
    let line = |entries: &[(usize, String)]| {
        let cell = |(thread, what): &(usize, String)| format!("    {thread:>digits$}: {what:<widest$}");
        format!("{}\n", entries.iter().map(cell).collect::<String>().trim_end())
    };
    entries.chunks((WIDTH / (digits + widest + 6)).max(1)).map(line).collect()
}
