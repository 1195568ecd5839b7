//! Events for subscribers of the crate `tracing`, with the feature of that name.

/// Reports an event with named values, which must print themselves. Without the feature, the values are not computed.
#[cfg(feature = "tracing")]
macro_rules! event {
    ($message:literal $(, $name:ident = $value:expr)*) => {
        tracing::debug!(target: "reducegen", $($name = %$value,)* $message)
    };
}

#[cfg(not(feature = "tracing"))]
macro_rules! event {
    ($message:literal $(, $name:ident = $value:expr)*) => {{
        let _ = || { $(let _ = &$value;)* };
    }};
}

pub(crate) use event;
