//! Reserved identifiers of the emitted CUDA, which names of the user must not equal.

use crate::Scalar;

/// Returns whether CUDA or our kernels use the name.
pub fn is_taken(name: &str) -> bool {
    // Names of the same kind end in numbers (`_2`); names for all blocks also end in `_all`.
    let mut stem = name.strip_suffix("_all").unwrap_or(name);
    while let Some((before, number)) = stem.rsplit_once('_')
        && number.chars().all(|c| c.is_ascii_digit())
    {
        stem = before;
    }
    KERNEL.split(' ').any(|word| word == stem) || is_of_cuda(name)
}

/// Returns whether CUDA or the functions of our programs use the name.
pub fn is_of_cuda(name: &str) -> bool {
    // Vectors of elements have names like `f32x4`, and functions of a type have names like `min_f32`.
    let last = name.rsplit('_').next().unwrap_or(name);
    let is_type = |word: &str| Scalar::from_name(word).is_some();
    let is_vector = last.split('x').next().is_some_and(is_type);
    let is_function = last != name && is_type(last);
    is_c(name) || is_vector || is_function
}

/// Returns whether it is a word of C++ or CUDA.
pub fn is_c(name: &str) -> bool {
    C_WORDS.split(' ').any(|word| word == name)
}

/// The names that kernels use. A test of reduce-codegen compares this list with the kernels.
const KERNEL: &str = "\
    BLOCK CLUSTER GRID GROUPS KEYS LOGICAL Message NO_TICKET PARTS ROUNDS ROW STEPS STRIDE TABLE TABLES \
    THREADS TILE UNITS VALUES WARPS WIDTH acc acc_far across add_words along append at at_begin at_first \
    at_part atomic_combine before begin begun_rows beside beside_values block_value block_values \
    blocks_present claim clear_tables cluster_rank column combine combine_partials count counted distance \
    elements end entry expect fault feature find_tiles finish first first_item first_segment first_unit fold \
    for_2_lanes for_2_lanes_count for_2_lanes_length for_8_lanes for_8_lanes_count for_8_lanes_length \
    for_block for_block_count for_block_length for_warp for_warp_count for_warp_length for_wide \
    for_wide_count for_wide_length found from from_offset from_row from_tile group groups held held_acc \
    identity index is_last item item_first items join_atomically lane last_segment left length load_once \
    loaded logical logical_warp long_segments longer_runs map mark marked mask member members messages n \
    next next_from next_from_offset next_to next_to_offset nothing number_of_segments number_of_tiles \
    offsets old origin other other_block other_warp part part_of_group partial partials parts path place \
    post_partial present probe receive reduce_inputs reduce_keys reduce_partials reduce_segments redux \
    result right root round rows rows_around rows_cut rows_of_block run_end run_share runs segment segments \
    send shared shuffle_down size skipped slot slot_of step stride table take_partial target thread threads \
    ticket tickets_before tile tile_of_thread tiles tiles_with_one tiles_with_one_count \
    tiles_with_one_length to to_far to_offset to_tile took_last total tree turn turn_of_lane turns \
    turns_of_warp unit units values_of_warps waiting warp warp_value warp_values warps warps_present which \
    whole_rows";

/// Words of C++17 and CUDA.
const C_WORDS: &str = "\
    abs alignas alignof and and_eq asm assert atomicAdd atomicAnd atomicCAS atomicMax atomicMin atomicOr \
    atomicXor auto bitand bitor blockDim blockIdx bool break case catch ceil ceilf char char16_t char32_t \
    class compl const const_cast constexpr continue decltype default delete do double double2 double4 \
    dynamic_cast else enum explicit export extern fabs fabsf false final float float2 float3 float4 floor \
    floorf fma fmaf fmax fmaxf fmin fminf for friend goto gridDim half if inline int int2 int4 isnan long \
    main max min mutable namespace new noexcept not not_eq NULL nullptr operator or or_eq override printf \
    private protected public register reinterpret_cast return rint rintf short signed sizeof sqrt sqrtf \
    static static_assert static_cast std struct switch template this thread_local threadIdx throw true trunc \
    truncf try typedef typeid typename uint uint2 uint4 ulong union unsigned using virtual void volatile \
    warpSize wchar_t while xor xor_eq";
