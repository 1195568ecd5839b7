//! The parser of specifications. The macro, the command line and `.reduce` files all use it.
//!
//! ```text
//! text --lex--> tokens --fields--> fields with their spans --resolve--> Spec
//! ```
//!
//! All errors are collected and returned together, each at its own place. [`tokens()`] serves the macro. `text`,
//! which needs the feature of that name, lexes first and reports byte ranges. Emitted CUDA uses the input
//! names, so these are restricted. The parameters of a closure are renamed to the inputs; only their order
//! matters.

mod absent;
mod along;
mod axes;
mod casts;
mod check_laws;
mod choices;
mod closure;
mod constants;
mod defaults;
mod device;
mod diagnostic;
mod empty;
#[cfg(feature = "text")]
mod error;
mod fields;
mod foreign;
mod form;
mod forms;
mod functions;
mod helpers;
mod hygiene;
mod identity;
mod inputs;
mod keywords;
mod limits;
mod literal;
#[cfg(feature = "text")]
mod masked;
mod methods;
mod names;
mod parsed;
mod resolve;
mod role;
pub(crate) mod rows;
mod schedule;
mod scope;
mod stack;
#[cfg(feature = "text")]
mod text;
mod tokens;
mod tree;
mod types;
mod typing;
mod value_text;
mod written;

pub use closure::Closure;
pub use constants::with_constants;
pub use diagnostic::{Diagnostic, Extent, Level};
#[cfg(feature = "text")]
pub use error::SpecError;
pub use fields::Export;
pub use form::{Form, Named};
#[cfg(feature = "text")]
pub use masked::{masked, masked_spec};
pub use names::{nearest, operator};
pub use parsed::{Deferred, Parsed, Places, Read};
#[cfg(feature = "text")]
pub use text::{Bytes, spec, text};
pub use tokens::tokens;
