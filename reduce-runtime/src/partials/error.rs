//! The reasons why there are no partials, or why they do not merge.

/// The reason why data has no partials, bytes are none, or parts do not merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartialsError {
    /// A pass makes one chunk of all elements.
    #[error(
        "`{pass}` reduces all elements together, so there are no partials of a part; leave it out, or write `passes: auto`"
    )]
    NoChunks {
        /// The pass.
        pass: String,
    },
    /// Kernels of these passes leave no accumulators of chunks.
    #[error(
        "on a GPU these passes leave no partials of a part; write `passes: auto`, or compile for `Device::host()`"
    )]
    NoKernel,
    /// There are no devices.
    #[error("no devices were given; give at least one")]
    NoDevices,
    /// One of several devices fails.
    #[error("{device} failed, and the other devices can be used on: {reason}")]
    Device {
        /// The name of the device.
        device: String,
        /// Its error.
        reason: String,
    },
    /// The reducer was made of programs.
    #[error("a reducer of programs has no specification to keep in partials; make it with `Reducer::new`")]
    NoSpec,
    /// A call for one result was made for a specification with `axes`.
    #[error(
        "the specification has `axes`; call `partials_groups` and `merge_groups`, which have a result for each group"
    )]
    Axes,
    /// The specification has segments.
    #[error(
        "segments have no partials; cut the data and its offsets between two segments, and reduce each part: the results of all \
         parts, one after the other, are those of the whole"
    )]
    Segments,
    /// The specification has runs of keys.
    #[error(
        "runs have no partials; cut the data and its keys between two runs, and reduce each part: the results of all parts, one \
         after the other, are those of the whole"
    )]
    Runs,
    /// The specification has numbered groups.
    #[error(
        "numbered groups have no partials; sort the elements by key and use `segments`, or make partials for each key with \
         `filter: |x, key| key == k` and a param `k`"
    )]
    Keys,
    /// The part does not lie in the whole.
    #[error(
        "{len} elements from {first} on do not lie in {total}; count positions and `total` along the reduced axis"
    )]
    Outside {
        /// The position of the first element.
        first: u64,
        /// The number of elements of the part.
        len: u64,
        /// The number of elements of the whole.
        total: u64,
    },
    /// The part begins or ends inside a chunk.
    #[error(
        "a part cannot begin or end at {at}; the nearest cuts are {before} and {after}, and all are multiples of {step} or the end"
    )]
    Cut {
        /// The position.
        at: u64,
        /// The nearest cut before it.
        before: u64,
        /// The nearest cut after it.
        after: u64,
        /// The distance of cuts.
        step: u64,
    },
    /// The number of elements of the whole is not that of an array.
    #[error(
        "a group of {total} elements has no whole number of turns of {inner}; `total` is the product of the lengths of all reduced axes"
    )]
    Turns {
        /// The number of elements of the whole.
        total: u64,
        /// The elements of a turn of the first reduced axis.
        inner: u64,
    },
    /// There is nothing to merge.
    #[error("no parts were given; give those of all elements")]
    NoParts,
    /// The parts are of another version.
    #[error(
        "the partials have association {found}, and this version of reducegen has {expected}; make all of them with one version"
    )]
    Association {
        /// The version of the partials.
        found: String,
        /// The version of this library.
        expected: String,
    },
    /// The parts are of another specification.
    #[error("the partials are of `{found}`, and not of `{expected}`; merge parts of one specification")]
    Specification {
        /// That of a part.
        found: String,
        /// That of the reduction, or of the first part.
        expected: String,
    },
    /// The specification of the parts does not parse.
    #[error("the specification of the partials cannot be read: {reason}")]
    Unreadable {
        /// The error of the parser.
        reason: String,
    },
    /// The parts have other params, or kept axes of other lengths.
    #[error(
        "the part from {first} on has other params or another shape of the result than the first part; make all with the same"
    )]
    Call {
        /// The position of its first element.
        first: u64,
    },
    /// The parts are of wholes of other lengths.
    #[error(
        "a part is of {found} elements in all, and the first part of {expected}; merge parts of one whole"
    )]
    Total {
        /// That of the part.
        found: u64,
        /// That of the first part.
        expected: u64,
    },
    /// Elements are in no part.
    #[error("elements {from} to {to} are in no part; add the part, or make it again")]
    Gap {
        /// The first of them.
        from: u64,
        /// The first one after them.
        to: u64,
    },
    /// Elements are in two parts.
    #[error("elements {from} to {to} are in two parts; give each part once")]
    Overlap {
        /// The first of them.
        from: u64,
        /// The first one after them.
        to: u64,
    },
    /// The bytes are something else.
    #[error(
        "these bytes are not partials of reducegen; give what `Partials::to_bytes` or `reducegen partial` wrote"
    )]
    NotPartials,
    /// The bytes have another format.
    #[error(
        "the partials have format {found}, and this version of reducegen reads {known}; make them with this version"
    )]
    Format {
        /// The format of the bytes.
        found: u32,
        /// The format of this library.
        known: u32,
    },
    /// The bytes are cut short, or others follow.
    #[error("the partials have {found} bytes, and should have {expected}; copy them again")]
    Length {
        /// The number of bytes.
        found: u64,
        /// The number that they claim to have.
        expected: u64,
    },
    /// Bytes differ from those that were written.
    #[error("the partials were damaged: their checksum differs; copy them again")]
    Checksum,
    /// The bytes are whole, but no library wrote them.
    #[error("the partials are malformed: {what}; make them again")]
    Malformed {
        /// The field that is wrong.
        what: &'static str,
    },
}
