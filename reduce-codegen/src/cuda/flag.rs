//! Partials with flags, in C++.

/// The functions that post a partial and take it. The loop loads all words of a partial before it checks their flags,
/// so the loads overlap.
pub(super) const FUNCTIONS: &str = "
// A partial is stored in 8-byte words: 4 of its bytes in the low half, 1 in the high half. The words of an empty place are 0.
// A word is written and read at once, so a thread that sees the flag sees the bytes, without a fence.
template <typename T> __device__ __forceinline__ void post_partial(unsigned long long* partials, unsigned long long at, T acc)
{
    constexpr unsigned int WORDS = (sizeof(T) + 3) / 4;
    unsigned int parts[WORDS] = {};
    memcpy(parts, &acc, sizeof acc);
    #pragma unroll
    for (unsigned int k = 0; k < WORDS; ++k) {
        const unsigned long long word = 1ull << 32 | parts[k];
        asm volatile(\"st.relaxed.gpu.global.u64 [%0], %1;\" :: \"l\"(&partials[at * WORDS + k]), \"l\"(word) : \"memory\");
    }
}

// Waits for a partial of another block, and takes it.
template <typename T> __device__ __forceinline__ T take_partial(unsigned long long* partials, unsigned long long at)
{
    constexpr unsigned int WORDS = (sizeof(T) + 3) / 4;
    unsigned int parts[WORDS];
    bool there;
    do {
        there = true;
        #pragma unroll
        for (unsigned int k = 0; k < WORDS; ++k) {
            unsigned long long word;
            asm volatile(\"ld.relaxed.gpu.global.u64 %0, [%1];\" : \"=l\"(word) : \"l\"(&partials[at * WORDS + k]) : \"memory\");
            there &= word != 0;
            parts[k] = (unsigned int)word;
        }
    } while (!there);
    #pragma unroll
    for (unsigned int k = 0; k < WORDS; ++k) {
        asm volatile(\"st.relaxed.gpu.global.u64 [%0], %1;\" :: \"l\"(&partials[at * WORDS + k]), \"l\"(0ull) : \"memory\");
    }
    T acc;
    memcpy(&acc, parts, sizeof acc);
    return acc;
}
";
