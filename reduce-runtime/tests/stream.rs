//! Elements that arrive have the bits of all of them in memory, whatever their number, their pieces and whether the number is known.
//! Sources that fail, end early or hold other bytes are errors.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../tests/support/rotation.rs"]
mod rotation;
#[path = "../../tests/support/splitmix.rs"]
mod splitmix;

use reduce_dsl::parse::spec;
use reduce_ir::Value;
use reduce_runtime::{Device, Error, LanesRef, PartialsError, Reducer, Reduction, StreamError, Strided};
use splitmix::Random;
use std::fs::File;
use std::io::{self, Read, Seek, Write};

fn reducer(text: &str) -> Reducer {
    Reducer::new(&spec(text).unwrap(), &Device::host()).unwrap()
}

fn elements(n: usize) -> Vec<f32> {
    (0..n).map(|at| 1.0 / (1.0 + at as f32)).collect()
}

fn bytes(elements: &[f32]) -> Vec<u8> {
    elements.iter().flat_map(|element| element.to_ne_bytes()).collect()
}

fn bits(values: &[Value]) -> Vec<u64> {
    values.iter().map(|value| value.bits()).collect()
}

/// A reader that gives a random number of bytes at a time.
struct Trickle<'a>(&'a [u8], Random);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let some = (1 + self.1.below(1 << 20) as usize).min(into.len()).min(self.0.len());
        if self.1.below(8) == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        into[..some].copy_from_slice(&self.0[..some]);
        self.0 = &self.0[some..];
        Ok(some)
    }
}

fn refusal<T>(result: Result<T, Error>) -> StreamError {
    match result {
        Err(Error::Stream(error)) => error,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it is accepted"),
    }
}

/// Several pieces, with an accumulator that has fields, positions and an order that shows.
#[test]
fn elements_of_readers_have_the_bits_of_the_whole() {
    let data = elements((9 << 20) + 12_345);
    for text in [
        "op: sum, ty: f32",
        "op: argmax, ty: f32",
        "op: var, ty: f32",
        "op: sum, ty: f32, block: 128, passes: [shuffle, coarsen(3)]",
    ] {
        let reducer = reducer(text);
        for n in [0, 1, 4097, 300_000, data.len()] {
            let bytes = bytes(&data[..n]);
            let whole = reducer.reduce(&[&data[..n]]).map(|outcome| bits(&outcome.values));
            for total in [None, Some(n as u64)] {
                let reader = Trickle(&bytes, Random::new(n as u64));
                let found = reducer.reduce_readers(vec![Box::new(reader)], total, &[]);
                assert_eq!(
                    found.map(|outcome| bits(&outcome.values)),
                    whole,
                    "{text}, {n} elements, {total:?}"
                );
            }
        }
    }
}

/// So many elements of one byte that more do not change the association.
#[test]
fn the_first_elements_of_an_unknown_number_are_kept_until_it_does_not_matter() {
    let float = reducer("ty: u8, map: |x| x as f32 * 0.1, op: sum");
    let last = float.programs().variants().len();
    let ends: Vec<_> =
        float.programs().variants()[..last - 1].iter().filter_map(|program| program.up_to).collect();
    let settled = ends.iter().copied().filter(|&end| end <= 1 << 28).max().unwrap();
    let ramp: Vec<u8> = (0..251).collect();
    let data = ramp.repeat((settled as usize + 100_000) / 251 + 1);
    for n in rotation::sample([settled - 1, settled, settled + 1, settled + 100_000], 4) {
        let data = &data[..n as usize];
        let whole = float.reduce(&[data]).unwrap().values;
        let found = float.reduce_readers(vec![Box::new(data)], None, &[]).unwrap().values;
        assert_eq!(bits(&found), bits(&whole), "{n} elements");
    }
}

#[test]
fn several_inputs_have_a_reader_each() {
    let dot = reducer("inputs: { x: f32, w: f64 }, map: |x, w| x as f64 * w, op: sum");
    let x = elements(500_000);
    let w: Vec<f64> = x.iter().map(|&x| f64::from(x).sqrt()).collect();
    let wide: Vec<u8> = w.iter().flat_map(|w| w.to_ne_bytes()).collect();
    let inputs: [Strided<LanesRef<'_>>; 2] = [LanesRef::from(&x[..]).into(), LanesRef::from(&w[..]).into()];
    let whole = dot.reduce(&inputs).unwrap().values;
    let readers =
        |x: &'static [u8], w| -> Vec<Box<dyn Read>> { vec![Box::new(x), Box::new(io::Cursor::new(w))] };
    let narrow: &'static [u8] = bytes(&x).leak();
    assert_eq!(dot.reduce_readers(readers(narrow, wide.clone()), None, &[]).unwrap().values, whole);
    assert_eq!(dot.reduce_readers(readers(narrow, wide.clone()), Some(500_000), &[]).unwrap().values, whole);
    let shorter = dot.reduce_readers(readers(narrow, wide[..8 * 499_999].to_vec()), None, &[]);
    assert!(
        matches!(shorter, Err(Error::InputLength { expected: 500_000, found: 499_999, .. })),
        "{shorter:?}"
    );
    let one = dot.reduce_readers(vec![Box::new(narrow)], None, &[]);
    assert!(matches!(one, Err(Error::InputCount { expected: 2, found: 1 })), "{one:?}");
}

#[test]
fn chunks_of_an_iterator_may_have_any_lengths() {
    let sum = Reduction::<f32, f32>::new(|| Ok(spec("op: sum, ty: f32").unwrap()));
    let data = elements(300_000);
    let whole = sum.reduce(&data).unwrap();
    let mut random = Random::new(7);
    let mut rest = &data[..];
    let chunks = std::iter::from_fn(|| {
        let (chunk, after) = rest.split_at((random.below(9000) as usize).min(rest.len()));
        let is_end = rest.is_empty();
        rest = after;
        (!is_end).then(|| chunk.to_vec())
    });
    assert_eq!(sum.reduce_chunks(chunks, None).unwrap().to_bits(), whole.to_bits());
    assert_eq!(sum.reduce_chunks(data.chunks(977), Some(300_000)).unwrap().to_bits(), whole.to_bits());
    assert_eq!(sum.reduce_reader(&bytes(&data)[..], None).unwrap().to_bits(), whole.to_bits());
    let scaled = Reduction::<f32, f32, f32>::new(|| {
        Ok(spec("params: { k: f32 }, map: |x| k * x, op: sum, ty: f32").unwrap())
    });
    let found = scaled.with(2.5).reduce_chunks(data.chunks(5000), None).unwrap();
    assert_eq!(found.to_bits(), scaled.with(2.5).reduce(&data).unwrap().to_bits());
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let mut file = tempfile();
    file.write_all(&bytes(&elements(1000))).unwrap();
    file.set_len(600).unwrap();
    file.rewind().unwrap();
    let error = refusal(reducer("op: sum, ty: f32").reduce_readers(vec![Box::new(file)], Some(1000), &[]));
    assert_eq!(error, StreamError::CutShort { found: 150, total: 1000 });
}

/// A file without a name.
fn tempfile() -> File {
    let path = std::env::temp_dir().join(format!("reducegen-stream-{}", std::process::id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    file
}

#[test]
fn sources_that_fail_are_errors() {
    struct Broken(usize);
    impl Read for Broken {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let some = self.0.min(into.len());
            self.0 -= some;
            into[..some].fill(0);
            if some == 0 { Err(io::Error::other("the cable is out")) } else { Ok(some) }
        }
    }
    let sum = reducer("op: sum, ty: f32");
    for (len, total) in [(0, None), (40 << 20, None), (400, Some(1 << 30)), (300 << 20, Some(1 << 30))] {
        let error = refusal(sum.reduce_readers(vec![Box::new(Broken(len))], total, &[]));
        let StreamError::Read { input, kind, reason, .. } = &error else { panic!("{error}") };
        assert_eq!((input.as_str(), *kind, reason.as_str()), ("x", io::ErrorKind::Other, "the cable is out"));
    }
    let torn = refusal(sum.reduce_readers(vec![Box::new(&[0u8; 1002][..])], None, &[]));
    assert!(matches!(torn, StreamError::Torn { bytes: 2, .. }), "{torn}");
    let any = reducer("ty: bool, map: |x| x as u32, op: sum");
    assert_eq!(
        any.reduce_readers(vec![Box::new(&[1u8, 0, 1][..])], None, &[]).unwrap().values,
        [Value::of(2u32)]
    );
    let two = refusal(any.reduce_readers(vec![Box::new(&[1u8, 0, 2][..])], None, &[]));
    assert_eq!(two, StreamError::NotBool { input: "x".to_owned(), position: 2, byte: 2 });
}

#[test]
fn specifications_without_chunks_are_refused_by_name() {
    let serial =
        reducer("op: sum, ty: f32, passes: [serial]").reduce_readers(vec![Box::new(&[][..])], None, &[]);
    assert!(matches!(serial, Err(Error::Partials(PartialsError::NoChunks { .. }))), "{serial:?}");
    let rows = reducer("op: sum, ty: f32, axes: i j -> i").reduce_readers(vec![Box::new(&[][..])], None, &[]);
    assert_eq!(refusal(rows), StreamError::Axes);
    let sum = reducer("op: sum, ty: f32").reduce_readers(vec![Box::new(&[][..])], None, &[Value::of(1u32)]);
    assert!(matches!(sum, Err(Error::ParamCount { .. })), "{sum:?}");
}
