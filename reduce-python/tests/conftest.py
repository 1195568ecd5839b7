"""Options of all tests: REDUCEGEN_SAMPLES is the number of random cases, 100 unless it is set."""

import os

from hypothesis import settings

settings.register_profile(
    "reducegen",
    max_examples=int(os.environ.get("REDUCEGEN_SAMPLES", "100")),
    # The same cases every time, unless more are asked for.
    derandomize="REDUCEGEN_SAMPLES" not in os.environ,
    deadline=None,
)
settings.load_profile("reducegen")
