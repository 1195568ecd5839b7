"""What a call on a small NumPy array costs, in microseconds, beside NumPy: `python overhead.py`, with the wheel installed."""

import timeit

import numpy as np
import reducegen as rg

CALLS = 20_000


def cost(call):
    return min(timeit.repeat(call, number=CALLS, repeat=5)) / CALLS * 1e6


def main():
    x, matrix = np.ones(10, np.float32), np.ones((10, 10), np.float32)
    sums = rg.reduction("op: sum")
    rows = {
        "rg.reduction('op: sum')(x)": lambda: sums(x),
        "rg.sum(x)": lambda: rg.sum(x),
        "rg.sum(matrix, axis=1)": lambda: rg.sum(matrix, axis=1),
        "np.sum(x)": lambda: np.sum(x),
        "np.sum(matrix, axis=1)": lambda: np.sum(matrix, axis=1),
    }
    for name, call in rows.items():
        print(f"{name:28} {cost(call):6.2f}")


if __name__ == "__main__":
    main()
