"""The distributions of benches/ragged.py: lengths of segments, lengths of runs, and dense keys, made on the device."""

import functools
import math

try:
    import torch
except ImportError:
    torch = None

DEVICE = "cuda"
# The longest segment of the power law, in elements.
CUT = 10**6


# --- Lengths of segments. A draw gives `count` random lengths.


def fractions(count, random):
    """Uniform in [0, 1)."""
    return torch.rand(count, generator=random, device=DEVICE, dtype=torch.float64)


def uniform(mean, count, random):
    return torch.randint(0, 2 * mean + 1, (count,), generator=random, device=DEVICE)


def geometric(mean, count, random):
    """At least 1."""
    return (torch.log1p(-fractions(count, random)) / math.log1p(-1 / mean)).floor().long() + 1


def half_empty(mean, count, random):
    """Half of the segments are empty, the others geometric; the mean is that of all."""
    return geometric(2 * mean, count, random) * (fractions(count, random) < 0.5)


def power_law(mean, count, random):
    """A density of x^-2 from a scale to CUT, rounded up: at least 1."""
    scale = power_law_scale(mean)
    return (scale / (1 - fractions(count, random) * (1 - scale / CUT))).ceil().long()


@functools.lru_cache
def power_law_scale(mean):
    """Finds the scale by bisection. The mean of a rounded length is the sum over k of the probability to exceed k."""
    k = torch.arange(1, CUT, device=DEVICE, dtype=torch.float64)
    low, high = 1e-3, float(mean)
    for _ in range(50):
        scale = (low + high) / 2
        exceeds = (scale * (1 / k - 1 / CUT) / (1 - scale / CUT)).clamp(max=1)
        low, high = (scale, high) if 1 + exceeds.sum().item() < mean else (low, scale)
    return low


# --- Offsets of segments, from 0 to the number of elements, in 64 bits.


def drawn(draw, mean, elements, random):
    ends = torch.zeros(1, device=DEVICE, dtype=torch.int64)
    while ends[-1] < elements:
        more = draw(mean, int(elements / mean * 1.1) + 64, random)
        ends = torch.cat([ends, more.cumsum(0) + ends[-1]])
    return torch.cat([ends[ends < elements], ends.new_tensor([elements])])


def fixed(length, elements, _):
    return torch.arange(0, elements + 1, length, device=DEVICE)


def ones(elements, _):
    # Half of the elements, as each has an offset and a result.
    return fixed(1, elements // 2, None)


def giant(elements, _):
    """One segment of half of the elements, in the middle; the others have four."""
    before = torch.arange(0, elements // 4 + 1, 4, device=DEVICE)
    return torch.cat([before, torch.arange(elements - elements // 4, elements + 1, 4, device=DEVICE)])


# --- Dense keys.


def uniform_keys(keys, elements, random):
    return torch.randint(0, keys, (elements,), generator=random, device=DEVICE, dtype=torch.int32)


def hot_keys(keys, elements, random):
    """Nine of ten elements have the key 17."""
    found = uniform_keys(keys, elements, random)
    return found.masked_fill_(torch.rand(elements, generator=random, device=DEVICE) < 0.9, 17)


def all_cases():
    """Returns (kind, name, number of keys, function of the number of elements and the random numbers)."""
    means = [4, 16, 64, 256, 1024, 65536]
    draws = [(uniform, "uniform", means), (geometric, "geometric", means), (power_law, "power law", [4, 16, 256])]
    cases = [("segments", f"{name}, mean {mean}", None, functools.partial(drawn, draw, mean))
             for draw, name, means in draws for mean in means]
    cases += [
        ("segments", "all of length 16", None, functools.partial(fixed, 16)),
        ("segments", "all of length 1", None, ones),
        ("segments", "one of half the elements, the others of length 4", None, giant),
        ("segments", "half empty, mean 8", None, functools.partial(drawn, half_empty, 8)),
    ]
    for mean in [4, 64, 4096]:
        cases.append(("runs", f"geometric, mean {mean}", None, functools.partial(drawn, geometric, mean)))
    for kind in ["counts", "sums"]:
        cases += [(kind, f"{keys} keys", keys, functools.partial(uniform_keys, keys)) for keys in [64, 256, 4096]]
        cases += [(kind, "256 keys, one has 90 %", 256, functools.partial(hot_keys, 256))]
    return cases
