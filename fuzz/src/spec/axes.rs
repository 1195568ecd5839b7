//! The fields `axes` and `segments`, in every form that the parser accepts.

use crate::choices::Choices;
use reduce_dsl::parse;

/// Some of these are words of C++ or of the kernels, which the printer has to avoid.
const NAMES: [&str; 12] = ["b", "h", "w", "c", "i", "j", "x", "batch", "grid", "double", "size_1", "along_0"];

/// The lengths that specifications give to axes.
const LENGTHS: [&str; 6] = ["4", "2", "3", "1", "16", "5"];

/// The lengths of segments, around those at which another number of threads shares a group.
const SEGMENTS: [&str; 10] = ["1", "3", "4", "8", "16", "33", "128", "129", "512", "513"];

/// The number of tries: the parser refuses a split whose lengths no dimension tells.
const TRIES: usize = 8;

/// Returns `axes` or `segments` for a specification of these fields, if the parser accepts them.
pub(super) fn field(choices: &mut Choices<'_>, fields: &[String]) -> Option<String> {
    let fields = fields.join(", ");
    let inputs = parse::text(&fields, None).ok()?.spec.operation.inputs;
    let names: Vec<_> = inputs.iter().map(|input| input.name.as_str()).collect();
    let candidates = (0..TRIES).map(|_| candidate(choices, &names));
    candidates.into_iter().find(|field| parse::text(&format!("{fields}, {field}"), None).is_ok())
}

fn candidate(choices: &mut Choices<'_>, inputs: &[&str]) -> String {
    if choices.once_in(8) {
        return format!("segments: {}", choices.pick(&SEGMENTS));
    }
    let mut names = NAMES.to_vec();
    choices.shuffle(&mut names);
    names.truncate(1 + choices.below(4));
    let has_leading = choices.once_in(4);
    let from = if inputs.len() > 1 && choices.once_in(2) {
        of_each_input(choices, inputs, &names, has_leading)
    } else {
        pattern(choices, &names, has_leading)
    };
    format!("axes: {from} -> {}", result(choices, &names, has_leading)).trim_end().to_owned()
}

/// Writes the axes of one input, in that order: `.. b (h 2) c`.
fn pattern(choices: &mut Choices<'_>, names: &[&str], has_leading: bool) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = names;
    while let [name, others @ ..] = rest {
        rest = others;
        words.push(match (choices.below(10), others) {
            (0, _) => format!("({name} {})", choices.pick(&LENGTHS)),
            (1, _) => format!("({} {name} {})", choices.pick(&LENGTHS), choices.pick(&LENGTHS)),
            (2, [next, after @ ..]) => {
                rest = after;
                format!("({name} {next})")
            }
            _ => (*name).to_owned(),
        });
    }
    if words.is_empty() || choices.once_in(8) {
        words.insert(choices.below(words.len() + 1), choices.pick(&LENGTHS).to_owned());
    }
    if has_leading {
        words.insert(0, "..".to_owned());
    }
    words.join(" ")
}

/// Writes the axes of each input, some of them repeated along axes: `{ x: b c, w: c }`.
fn of_each_input(choices: &mut Choices<'_>, inputs: &[&str], names: &[&str], has_leading: bool) -> String {
    let whole = choices.below(inputs.len());
    let mut written = Vec::new();
    for (at, input) in inputs.iter().enumerate() {
        let mut some = names.to_vec();
        some.retain(|_| at == whole || choices.below(3) > 0);
        if choices.once_in(2) {
            choices.shuffle(&mut some);
        }
        let has_leading = has_leading && (at == whole || choices.once_in(2));
        written.push(format!("{input}: {}", pattern(choices, &some, has_leading)));
    }
    format!("{{ {} }}", written.join(", "))
}

/// Writes the axes of the result, in any order, and dimensions of length 1.
fn result(choices: &mut Choices<'_>, names: &[&str], has_leading: bool) -> String {
    let mut kept = names.to_vec();
    choices.shuffle(&mut kept);
    kept.truncate(choices.pick(&[0, 1, 1, 1, 2, 2, 3, 4]));
    if has_leading && choices.below(3) > 0 {
        kept.insert(choices.below(kept.len() + 1), "..");
    }
    while choices.once_in(5) {
        kept.insert(choices.below(kept.len() + 1), "1");
    }
    kept.join(" ")
}
