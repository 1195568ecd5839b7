//! Events of the feature `tracing`, as a subscriber sees them.
#![cfg(feature = "tracing")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_runtime::Reduction;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A subscriber that writes events to a text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "reducegen"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut log = self.0.lock().unwrap();
        event.record(&mut Line(&mut log));
        log.push('\n');
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_call_says_where_it_runs() {
    let log = Log::default();
    let sum: Reduction<f32, f32> =
        Reduction::new(|| Ok(reduce_dsl::parse::spec("op: sum, ty: f32").unwrap()));
    tracing::subscriber::with_default(log.clone(), || assert_eq!(sum.reduce(&[1.0, 2.0]), Ok(3.0)));
    let text = log.0.lock().unwrap().clone();
    assert_eq!(text, "message=a call chose its device device=host operator=sum elements=2 bytes=8 \n");
}
