"""NumPy's sums of float32 arrays. Reads arrays of N elements from the standard input, one after the other, and prints
the bits of each sum on a line.

    python3 scripts/numpy_sum.py N <FILE
"""

import sys

import numpy

print("NumPy", numpy.__version__)
size = 4 * int(sys.argv[1])
while array := sys.stdin.buffer.read(size):
    print(numpy.frombuffer(array, "<f4").sum().tobytes()[::-1].hex())
