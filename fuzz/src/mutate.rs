//! Mutations of inputs, for fuzzing without coverage: bytes, pieces, words, numbers, and pieces of other inputs.

use crate::choices::Choices;
use std::ops::Range;

/// The maximum length of a mutated input, in bytes.
const LONGEST: usize = 16 << 10;

/// Returns an input of the pool after one or a few mutations.
pub fn mutated(choices: &mut Choices<'_>, pool: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut input = pool[choices.below(pool.len())].clone();
    let changes = choices.pick(&[1, 1, 1, 2, 3, 8]);
    for _ in 0..changes {
        change(choices, &mut input, pool, words);
    }
    input.truncate(LONGEST);
    input
}

fn change(choices: &mut Choices<'_>, input: &mut Vec<u8>, pool: &[Vec<u8>], words: &[&str]) {
    let at = choices.below(input.len() + 1);
    match choices.below(10) {
        0 => flip(choices, input),
        1 => drop(input.drain(piece(choices, input))),
        2 => {
            let copied = input[piece(choices, input)].to_vec();
            input.splice(at..at, copied);
        }
        3 | 4 if !words.is_empty() => {
            let word = choices.pick(words).bytes();
            input.splice(at..at, word);
        }
        5 if !words.is_empty() => {
            let word = choices.pick(words).bytes();
            input.splice(word_at(input, at), word);
        }
        6 => {
            let number = choices.pick(&[
                "0",
                "1",
                "2",
                "31",
                "255",
                "1024",
                "65536",
                "4294967296",
                "18446744073709551615",
            ]);
            input.splice(word_at(input, at), number.bytes());
        }
        7 => drop(input.drain(word_at(input, at))),
        8 => {
            let other = &pool[choices.below(pool.len())];
            let from = piece(choices, other);
            input.splice(at..at, other[from].iter().copied());
        }
        _ => {
            let other = &pool[choices.below(pool.len())];
            let place = choices.below(other.len() + 1);
            let word = other[word_at(other, place)].to_vec();
            input.splice(word_at(input, at), word);
        }
    }
}

fn flip(choices: &mut Choices<'_>, input: &mut [u8]) {
    if !input.is_empty() {
        let at = choices.below(input.len());
        input[at] =
            if choices.once_in(2) { input[at] ^ (1 << choices.below(8)) } else { choices.below(256) as u8 };
    }
}

/// Returns the range of a few neighbouring bytes, and sometimes of many.
fn piece(choices: &mut Choices<'_>, input: &[u8]) -> Range<usize> {
    let from = choices.below(input.len() + 1);
    let most = if choices.once_in(4) { input.len() } else { 16 };
    let length = choices.below(most.max(1) + 1);
    from..(from + length).min(input.len())
}

/// Returns the range of letters and digits around a position.
fn word_at(input: &[u8], at: usize) -> Range<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = input[..at].iter().rev().take_while(|byte| is_word(byte)).count();
    let after = input[at..].iter().take_while(|byte| is_word(byte)).count();
    at - before..at + after
}
