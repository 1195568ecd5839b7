//! The checksum of serialised partials: CRC-64/XZ. It finds every change of up to 64 neighbouring bits.

/// The polynomial of ECMA-182, its lowest bit first.
const POLYNOMIAL: u64 = 0xc96c_5795_d787_0f42;

const TABLE: [u64; 256] = table();

const fn table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            rest = (rest >> 1) ^ (POLYNOMIAL & (rest & 1).wrapping_neg());
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

/// Returns the checksum of some bytes.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let next = |sum: u64, &byte: &u8| TABLE[usize::from(sum as u8 ^ byte)] ^ (sum >> 8);
    !bytes.iter().fold(!0, next)
}

#[cfg(test)]
mod tests {
    use super::checksum;

    /// The check value of the catalogue of parametrised CRC algorithms.
    #[test]
    fn it_is_that_of_the_catalogue() {
        assert_eq!(checksum(b"123456789"), 0x995d_c9bb_df19_39fa);
    }
}
