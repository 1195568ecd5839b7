"""Forked processes, and the example of the guide: each process reduces a part."""

import multiprocessing
import sys

import numpy as np
import pytest
import reducegen as rg

X = np.random.default_rng(3).random((1000, 1001), np.float32)


def forked(count):
    return multiprocessing.get_context("fork").Pool(count)


def largest(row):
    return rg.sum(X[row:], axis=1).tobytes()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_child_has_threads_of_its_own():
    # The parent has started its own threads, which its children do not have.
    expected = [rg.sum(X[row:], axis=1).tobytes() for row in (0, 1)]
    with forked(2) as pool:
        assert pool.map_async(largest, [0, 1]).get(timeout=60) == expected


def part(bounds):
    first, end = bounds
    return rg.reduction("op: sum").partials(X.ravel()[first:end], first=first, total=X.size)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_processes_reduce_parts():
    sums = rg.reduction("op: sum")
    step = 8 * sums.chunk_len(X.size, dtype=X.dtype)
    bounds = [(first, min(first + step, X.size)) for first in range(0, X.size, step)]
    with forked(2) as pool:
        found = pool.map_async(part, bounds).get(timeout=60)
    assert rg.merge(found).tobytes() == sums(X).tobytes()
