"""The PyTorch peer: a process that reduces the elements of another process, through CUDA IPC.

Reads one JSON object per line and answers with one per line: {"error": ...} or the result of the command. Only one
process measures at a time, so this one does nothing between commands.
"""

import ctypes
import json
import math
import sys

import torch

TYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "i8": torch.int8, "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64,
}
NAMES = {dtype: name for name, dtype in TYPES.items()}
# As in clock.rs.
LEAD = 2
FLUSHES = 10
# More than any sample has calls.
MOST_VIEWS = 600


class Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_char * 64)]


class Memory:
    """Device memory at an address, in a form that PyTorch accepts."""

    def __init__(self, pointer, size):
        self.__cuda_array_interface__ = {
            "shape": (size,), "typestr": "|u1", "data": (pointer, False), "version": 3,
        }


def opened(handle, size):
    driver = ctypes.CDLL("libcuda.so.1")
    pointer = ctypes.c_uint64()
    passed = Handle.from_buffer_copy(bytes.fromhex(handle))
    code = driver.cuIpcOpenMemHandle_v2(ctypes.byref(pointer), passed, ctypes.c_uint(1))
    if code != 0:
        raise RuntimeError(f"cuIpcOpenMemHandle gives {code}")
    return torch.as_tensor(Memory(pointer.value, size), device="cuda")


def flat(result):
    if isinstance(result, tuple):
        return [number for part in result for number in flat(part)]
    return [result.item()]


def eager(command):
    names = "x, y" if command["inputs"] == 2 else "x"
    # The code needs a file name: torch.compile ignores code without one.
    code = compile(f"lambda {names}: {command['python']}", "torch_peer.py", "eval")
    return eval(code, globals())


def compiled(command):
    torch._dynamo.reset()
    return torch.compile(eager(command), dynamic=False)


class Function:
    """A function and its elements. Its calls may be captured in a graph."""

    def __init__(self, command, pool):
        ty, shape, stride, inputs = TYPES[command["ty"]], command["shape"], command["stride"], command["inputs"]
        size = math.prod(shape) * ty.itemsize

        def view(place):
            return pool[place * stride:place * stride + size].view(ty).view(shape)

        turns = range(min(command["copies"], MOST_VIEWS))
        self.views = [[view(turn * inputs + place) for place in range(inputs)] for turn in turns]
        self.function = compiled(command) if command["compiled"] else eager(command)
        self.graph = None

    def numbers(self):
        return flat(self.function(*self.views[0]))

    def store(self, results):
        """Writes the results of turn 0 to memory of the other process."""
        found = self.function(*self.views[0]).contiguous().flatten()
        if results is not None:
            results[:found.nbytes].copy_(found.view(torch.uint8))
            torch.cuda.synchronize()
        return {"ty": NAMES[found.dtype], "count": found.numel()}

    def call(self, first, calls):
        views, function = self.views, self.function
        for turn in range(first, first + calls):
            function(*views[turn % len(views)])

    def prepare(self, mode, calls):
        self.graph = None
        if mode == "graph":
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            graph.capture_begin(capture_error_mode="relaxed")
            self.call(0, calls)
            graph.capture_end()
            graph.replay()
            torch.cuda.synchronize()
            self.graph = graph


class Peer:
    def __init__(self):
        self.functions = {}

    def hello(self, _):
        torch.cuda.init()
        self.start = torch.cuda.Event(enable_timing=True)
        self.stop = torch.cuda.Event(enable_timing=True)
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.evicts = torch.ones(4 * l2 // 4, device="cuda")
        return {"version": torch.__version__}

    def open(self, command):
        """Opens the elements of the other process. If that fails, allocates the same size in this process."""
        size, results = command["bytes"], command["results"]
        try:
            memory = opened(command["handle"], size + results)
            self.pool, self.results = memory[:size], memory[size:]
            return {"shared": True}
        except Exception as error:
            self.results = None
            self.pool = torch.randint(0, 100, (size,), dtype=torch.uint8, device="cuda")
            return {"shared": False, "reason": str(error)}

    def case(self, command):
        """Creates a function of x and y with their addresses in each turn. Returns its result in turn 0, or stores it."""
        self.functions[command["name"]] = function = Function(command, self.pool)
        return function.store(self.results) if command["stores"] else {"numbers": function.numbers()}

    def warm(self, command):
        """Compiles a function for unused elements, to fill the cache on disk."""
        def elements():
            return torch.zeros(command["shape"], dtype=TYPES[command["ty"]], device="cuda")

        compiled(command)(*(elements() for _ in range(command["inputs"])))
        torch.cuda.synchronize()
        return {}

    def prepare(self, command):
        self.functions[command["name"]].prepare(command["mode"], command["calls"])
        return {}

    def sample(self, command):
        function, calls = self.functions[command["name"]], command["calls"]
        for _ in range(FLUSHES if function.graph else 1):
            self.evicts.sum()
        if not function.graph:
            torch.cuda.synchronize()
            function.call(calls, LEAD)
        self.start.record()
        if function.graph:
            function.graph.replay()
        else:
            function.call(0, calls)
        self.stop.record()
        self.stop.synchronize()
        return {"microseconds": self.start.elapsed_time(self.stop) * 1e3}


def main():
    peer = Peer()
    with torch.no_grad():
        for line in sys.stdin:
            command = json.loads(line)
            try:
                answer = getattr(peer, command["do"])(command)
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    # Output of libraries must not mix with the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    main()
