//! Numbers of lanes, shortened: most of them are sequences.

use serde::Serialize;

/// Consecutive lanes whose numbers are `value`, `value + step`, `value + 2 step`, …: `[lane, count, value, step]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Span([i64; 4]);

/// Returns the spans of lanes in ascending order, each with its number.
pub(crate) fn spans(numbers: impl IntoIterator<Item = (usize, u64)>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (lane, number) in numbers {
        let (lane, number) = (lane as i64, number as i64);
        match spans.last_mut() {
            Some(Span([first, count, value, step])) if lane == *first + *count => {
                if *count == 1 {
                    *step = number - *value;
                }
                if number == *value + *count * *step {
                    *count += 1;
                    continue;
                }
            }
            Some(_) | None => {}
        }
        spans.push(Span([lane, 1, number, 0]));
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::{Span, spans};

    #[test]
    fn sequences_become_spans() {
        let found = spans([(0, 5), (1, 9), (2, 13), (3, 13), (4, 13), (7, 1)]);
        assert_eq!(found, [Span([0, 3, 5, 4]), Span([3, 2, 13, 0]), Span([7, 1, 1, 0])]);
    }
}
