//! Patterns, variables, exits and loops.

use crate::{Samples, agrees, spec};
use reduce_ir::Value;

#[test]
fn matches_and_ranges() {
    agrees!(|x: i32| -> i32 {
        match x {
            0 => 1,
            1 | 2 => 10,
            3..=9 => x * 2,
            -5..0 => -x,
            _ => 7,
        }
    });
    agrees!(|x: i32| -> i32 {
        match x {
            n if n > 3 => n,
            n => n / 2,
        }
    });
    agrees!(|x: u8| -> u8 {
        match x {
            0..=99 => 1u8,
            100..200 => 2,
            200.. => 3,
        }
    });
    agrees!(|x: u8| -> u8 {
        match x > 3 {
            true => x,
            false => 0,
        }
    });
    agrees!(|x: f32| -> f32 {
        match x {
            0.0 => 1.0,
            -1.0..=1.0 => x * 3.0,
            f32::INFINITY => 5.0,
            _ => 2.0,
        }
    });
    agrees!(|x: i32| -> i32 {
        match (x % 3, x > 0) {
            (0, true) => 1,
            (0, _) => 2,
            (1, true) => 3,
            _ => 4,
        }
    });
    agrees!(|x: i32| -> bool { matches!(x, 1 | 2 | 3) });
    agrees!(|x: i32| -> bool { matches!(x, 1..=10 if x % 2 == 0) });
    agrees!(|x: f32| -> bool { (0.0..1.0).contains(&x) });
    agrees!(|x: f32| -> bool { (0.0..=1.0).contains(&x) || !(-3.0..).contains(&x) });
    agrees!(|x: i32| -> i32 { if (..=3).contains(&x) && matches!(x, -2..) { 1 } else { 0 } });
}

#[test]
fn variables_that_change() {
    agrees!(|x: f32| -> f32 {
        let mut s = x;
        s *= 2.0;
        s += 1.0;
        s
    });
    agrees!(|x: f32| -> f32 {
        let mut s = x;
        if x > 0.0 {
            s = s * s;
        }
        s - 1.0
    });
    agrees!(|x: i32| -> i32 {
        let mut a = 0;
        let mut b = x;
        if x > 3 {
            a = x;
            b = 1;
        } else if x < -3 {
            b = b.wrapping_sub(1);
        } else {
            a -= 4
        }
        a.wrapping_mul(2).wrapping_add(b)
    });
    agrees!(|x: i32| -> i32 {
        let mut s = x;
        s ^= 5;
        s <<= 2;
        s |= 1;
        s &= 0xffff;
        s >>= 1;
        s
    });
    agrees!(|x: i32| -> i32 {
        let mut s = 1;
        {
            let s = x;
            let _ = s;
        }
        {
            s += 1;
        }
        s
    });
    agrees!(|x: i32| -> i32 {
        let mut n = 0;
        if x > 2 && {
            n += 1;
            x < 9
        } {
            n += 10;
        }
        n
    });
    agrees!(|x: i32| -> i32 {
        let mut n = 0;
        let y = if x > 2 {
            n = 5;
            1
        } else {
            2
        };
        n + y
    });
    agrees!(|x: u8| -> u8 {
        let mut n = x;
        match x {
            0 => n = 3,
            1..=9 => {
                n += 1;
            }
            _ => {}
        }
        n
    });
}

#[test]
fn early_returns() {
    agrees!(|x: f32| -> f32 {
        if x < 0.0 {
            return 0.0;
        }
        x.sqrt()
    });
    agrees!(|x: i32| -> i32 {
        let mut s = x;
        if s > 0 {
            if x > 5 {
                return 100;
            }
            s = 2;
        } else {
            s = 3;
            if x == -1 {
                return s;
            }
        }
        if s == 2 && x == 3 {
            return -1;
        }
        return s;
    });
    agrees!(|x: i32| -> i32 {
        let y = match x {
            0 => return 9,
            1 => 2,
            n => n % 7,
        };
        y + 1
    });
    agrees!(|x: i32| -> i32 { if x > 0 { return 1 } else { return 2 } });
    agrees!(|x: i32| -> i32 {
        let mut n = 0;
        if x > 3 || {
            n = 1;
            x < 0
        } {
            return n;
        }
        n + 5
    });
}

#[test]
fn loops() {
    agrees!(|x: f32| -> f32 {
        let mut s = 0.0;
        for i in 0..4 {
            s += x * i as f32;
        }
        s
    });
    agrees!(|x: f32| -> f32 {
        let mut s = 1.0;
        for _ in 0..=4 {
            s = s * x + 1.0;
        }
        s
    });
    agrees!(|x: i32| -> i32 {
        let mut s = 0;
        for i in 0..4 {
            for j in 0..=i {
                if j == x {
                    s += 10 * i + j;
                }
            }
        }
        s
    });
    agrees!(|x: i32| -> i32 {
        for i in 0..8 {
            if i * i >= x {
                return i;
            }
        }
        -1
    });
    agrees!(|x: i32| -> i32 {
        let mut n = 0;
        for i in (1..6).rev() {
            if i == x {
                continue;
            }
            if i < x % 4 {
                break;
            }
            n += i;
        }
        n
    });
    agrees!(|x: i32| -> i32 {
        let mut n = 0;
        for i in 0..3 {
            for j in 0..3 {
                if j > x {
                    break;
                }
                n += 1;
                if i == x {
                    continue;
                }
                n += 100;
            }
            if n > 500 {
                return n;
            }
        }
        -n
    });
    agrees!(|x: i32| -> i32 {
        let mut n = 0;
        for i in 0..4 {
            if x == i {
                break;
            }
            if x > 0 && i == 2 {
                return 50;
            }
            n += 1;
        }
        n
    });
    agrees!(|x: i32| -> i32 {
        for i in 0..3 {
            if x % 2 == 0 {
                continue;
            }
            for j in 0..3 {
                if j == i {
                    break;
                }
                if x > j {
                    return 10 * i + j;
                }
            }
        }
        -1
    });
    agrees!(|x: i32| -> i32 {
        let mut n = 0;
        for v in [3, 5, 8] {
            if v > x {
                n += v;
            }
        }
        n
    });
    agrees!(|x: i32| -> i32 {
        let mut n = x;
        for _ in 3..3 {
            n = 0;
        }
        for i in 5..2 {
            n = i;
        }
        n
    });
    agrees!(|x: u8| -> u8 {
        let mut n = 0u8;
        for i in 0..8 {
            if (x >> i) & 1 == 1 {
                n += 1;
            }
        }
        n
    });
}
