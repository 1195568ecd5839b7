//! The functions that load vectors at addresses that are not aligned.

use super::func::INLINE;
use super::types;
use reduce_ir::Scalar;
use reduce_ir::statements::{Chunk, Ty};

/// Returns the name of the function for a vector.
pub(super) fn name(vector: Ty) -> String {
    format!("unaligned_{vector}")
}

/// Returns the function for a vector of `lanes` elements.
pub(super) fn function(ty: Scalar, lanes: u32) -> String {
    let (vector, name) = (types::vector(ty, lanes), name(Ty::Vector(ty, lanes)));
    let head = format!("{INLINE} {vector} {name}(const {}* from)\n", types::scalar(ty));
    match Chunk::of(ty, lanes) {
        Chunk::Element => {
            let elements: Vec<_> = (0..lanes).map(|lane| format!("from[{lane}]")).collect();
            format!("\n{head}{{\n    return {{{{{}}}}};\n}}\n", elements.join(", "))
        }
        Chunk::Word => format!("\n{BY_WORDS}{head}{}", by_words(ty, lanes)),
    }
}

const BY_WORDS: &str = "\
// Loads the words that contain the elements, and the word after them, and shifts them into place.
";

fn by_words(ty: Scalar, lanes: u32) -> String {
    let (vector, words) = (types::vector(ty, lanes), ty.size() as u32 * lanes / Chunk::WORD);
    let (declared, result) = match types::holds_words(ty, lanes) {
        true => (vector, "shifted"),
        false => (format!("union {{ unsigned int words[{words}]; {vector} elements; }}"), "shifted.elements"),
    };
    format!(
        "{{
    const unsigned int off = reinterpret_cast<unsigned long long>(from) % 4;
    const char* begin = reinterpret_cast<const char*>(from) - off;
    const unsigned int* word = reinterpret_cast<const unsigned int*>(begin);
    {declared} shifted;
    #pragma unroll
    for (unsigned int i = 0; i < {words}; ++i) {{
        shifted.words[i] = __funnelshift_r(word[i], word[i + 1], 8 * off);
    }}
    return {result};
}}
"
    )
}
