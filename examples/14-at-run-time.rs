//! A specification that is written while the program runs, as for a server: parsed, compiled once, and used by several
//! threads.

use reducegen::{Device, Reducer};
use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Compiled reductions, by the text of the specification.
#[derive(Default)]
struct Reducers(Mutex<HashMap<String, Arc<Reducer>>>);

impl Reducers {
    /// Returns the reduction of a text. A mistake in it is an error with the column and the remedy.
    fn of(&self, text: &str) -> Result<Arc<Reducer>, Box<dyn Error + Send + Sync>> {
        let mut compiled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reducer) = compiled.get(text) {
            return Ok(Arc::clone(reducer));
        }
        let spec = reducegen::parse(text)?;
        let reducer = Arc::new(Reducer::new(&spec, &Device::auto())?);
        compiled.insert(text.to_owned(), Arc::clone(&reducer));
        Ok(reducer)
    }
}

/// Reduces some samples. The result of the specification must be an `f64`.
fn answer(reducers: &Reducers, text: &str, samples: &[f32]) -> Result<f64, Box<dyn Error + Send + Sync>> {
    let outcome = reducers.of(text)?.reduce(&[samples])?;
    outcome.values[0].get().ok_or_else(|| format!("`{text}` does not give one f64").into())
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let reducers = Reducers::default();
    let text = "ty: f32, op: mean, acc: f64";
    let samples: Vec<f32> = (0..200_000).map(|i| (i % 100) as f32).collect();
    let (left, right) = samples.split_at(100_000);

    // Both threads request the same text, which is compiled only for the first of them.
    let [left, right] = thread::scope(|scope| {
        [left, right]
            .map(|half| scope.spawn(|| answer(&reducers, text, half)))
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into())))
    });
    let (left, right) = (left?, right?);
    println!("the means are {left} and {right}");
    assert_eq!((left, right), (49.5, 49.5));

    // The error shows the place of a mistake, as rustc does.
    let error = answer(&reducers, "ty: f32, op: maen", &samples).map_err(|error| error.to_string());
    let shown = error.err().unwrap_or_default();
    println!("{shown}");
    assert!(shown.contains("<spec>:1:14") && shown.contains("`mean`"));
    Ok(())
}
