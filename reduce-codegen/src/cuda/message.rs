//! Messages between the blocks of a cluster, in C++.

use super::types;
use reduce_ir::operation::Record;

/// The counter of the messages of a block.
pub(super) const COUNT: &str = "    __shared__ unsigned long long messages;\n";

/// Returns the type of an element of the array that receives messages. It consists of whole words.
pub(super) fn slot(acc: &Record) -> String {
    let name = types::record(acc);
    if fills_words(acc) { name.to_owned() } else { format!("Message<{name}>") }
}

fn fills_words(acc: &Record) -> bool {
    acc.size().is_multiple_of(4) && acc.align().is_multiple_of(4)
}

/// Returns the functions on messages of that type.
pub(super) fn functions(acc: &Record) -> String {
    let slot = if fills_words(acc) { "" } else { SLOT };
    format!("{slot}{FUNCTIONS}")
}

const SLOT: &str = "
// An accumulator padded to whole 4-byte words, as messages need.
template <typename T> struct alignas(4) Message
{
    T acc;
    __device__ __forceinline__ operator T() const { return acc; }
};
";

/// The fence orders only the initialisation of the counter before the arrival of this thread, so the arrival can be
/// relaxed. The sender declares the length of its message, so only the hardware counts bytes.
const FUNCTIONS: &str = "
// The address of the same place in the shared memory of the block of that rank.
template <typename T> __device__ __forceinline__ unsigned int in_block(T& here, unsigned int rank)
{
    unsigned int there;
    const unsigned int at = (unsigned int)__cvta_generic_to_shared(&here);
    asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(at), \"r\"(rank));
    return there;
}

// This block will receive `count` messages, which the hardware counts: `messages` is an mbarrier.
__device__ __forceinline__ void expect(unsigned long long& messages, unsigned int count)
{
    const unsigned int at = (unsigned int)__cvta_generic_to_shared(&messages);
    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" :: \"r\"(at), \"r\"(count) : \"memory\");
    asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");
}

// Sends an accumulator to that place of the block of that rank. Only the receiver waits for it.
template <typename S, typename T>
__device__ __forceinline__ void send(S& here, unsigned long long& messages, unsigned int rank, const T& acc)
{
    constexpr unsigned int WORDS = sizeof(S) / 4;
    unsigned int words[WORDS] = {};
    memcpy(words, &acc, sizeof acc);
    const unsigned int there = in_block(here, rank);
    const unsigned int count = in_block(messages, rank);
    asm volatile(\"mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%0], %1;\" :: \"r\"(count), \"r\"(4 * WORDS) : \"memory\");
    #pragma unroll
    for (unsigned int k = 0; k < WORDS; ++k) {
        asm volatile(\"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];\"
                     :: \"r\"(there + 4 * k), \"r\"(words[k]), \"r\"(count) : \"memory\");
    }
}

// Waits until all messages that this block expects have arrived.
__device__ __forceinline__ void receive(unsigned long long& messages)
{
    const unsigned int at = (unsigned int)__cvta_generic_to_shared(&messages);
    unsigned int come;
    do {
        asm volatile(\"{ .reg .pred come; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 come, [%1], 0; selp.u32 %0, 1, 0, come; }\"
                     : \"=r\"(come) : \"r\"(at) : \"memory\");
    } while (!come);
}
";
