"""Arrays on a GPU: PyTorch, CuPy, JAX, DLPack and `__cuda_array_interface__`, against the bits of the host.

Run it where there is a GPU, with the wheel installed: `python -m pytest -rs gpu_arrays.py`. A library that is missing is a skip, by name.
`python gpu_arrays.py` prints what a call costs.
"""

import threading
import time

import numpy as np
import pytest
import reducegen as rg

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if not torch.cuda.is_available():
    pytest.skip("PyTorch sees no GPU", allow_module_level=True)

OPERATORS = ("sum", "max", "min", "mean", "var", "argmax", "any", "prod")
NAMES = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8")


def host_elements(name, shape, seed=0):
    random = np.random.default_rng(seed)
    if name.startswith("float"):
        return random.normal(size=shape).astype(name)
    return random.integers(0, 5, shape).astype(name)


def bits(x):
    """The bytes of a tensor, or of a result on the host."""
    if isinstance(x, torch.Tensor):
        x = x.cpu().numpy()
    elif hasattr(x, "get"):
        x = x.get()
    return np.asarray(x).tobytes()


def spin(milliseconds):
    """Keeps the current stream busy."""
    torch.cuda._sleep(int(milliseconds * 1.5e6))


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("name", NAMES)
def test_torch_has_the_bits_of_the_host(op, name):
    x = host_elements(name, (33, 40, 65))
    on_gpu = torch.from_numpy(x).cuda()
    for axis in (None, 0, 1, 2, (0, 2), (1, 2)):
        found, expected = getattr(rg, op)(on_gpu, axis=axis), getattr(rg, op)(x, axis=axis)
        assert isinstance(found, torch.Tensor) and found.is_cuda and tuple(found.shape) == np.shape(expected)
        assert bits(found) == bits(expected), (axis, found, expected)


def test_torch_views_and_types():
    x = torch.randn(64, 50, device="cuda")
    for view in (x.T, x[::2], x[:, 3:40:5], x[5], x[3, 4], x.expand(3, 64, 50), x[:0]):
        expected = rg.sum(view.cpu().numpy(), axis=0) if view.ndim else rg.sum(view.cpu().numpy())
        found = rg.sum(view, axis=0) if view.ndim else rg.sum(view)
        assert bits(found) == bits(expected)
    half = x.to(torch.bfloat16)
    assert rg.max(half).dtype == torch.bfloat16 and rg.max(half) == half.max()
    assert rg.max(x, axis=1, keepdims=True).shape == (64, 1)
    mask = x > 0
    assert bits(rg.sum(x, axis=1, where=mask)) == bits(rg.sum(x.cpu().numpy(), axis=1, where=mask.cpu().numpy()))
    with pytest.raises(rg.EmptyError):
        rg.max(x[:0], axis=0)
    with pytest.raises(rg.InputError, match="places"):
        rg.dot(x, x.cpu())


def test_torch_large():
    x = torch.rand(1 << 26, device="cuda")
    assert bits(rg.sum(x)) == bits(rg.sum(x.cpu().numpy()))
    matrix = x.view(1 << 13, -1)
    assert bits(rg.mean(matrix, axis=0)) == bits(rg.mean(matrix.cpu().numpy(), axis=0))


def test_torch_named_tuples():
    x = torch.randn(20, 1000, device="cuda")
    best, described = rg.softmax_denominator(x, axis=1), rg.describe(x.cpu().numpy(), axis=1)
    assert torch.equal(best.max, x.max(dim=1).values)
    on_host = rg.softmax_denominator(x.cpu().numpy(), axis=1)
    assert bits(best.sum) == bits(on_host.sum)
    if hasattr(torch, "uint64"):
        found = rg.describe(x, axis=1)
        assert all(bits(a) == bits(b) for a, b in zip(found, described))


def test_an_example_of_softmax_denominators():
    logits = torch.randn(16, 50_257, device="cuda") * 10
    top = rg.softmax_denominator(logits, axis=1)
    ours = torch.exp(logits - top.max[:, None]) / top.sum[:, None]
    assert (ours - torch.softmax(logits, dim=1)).abs().max() < 1e-5
    host = rg.softmax_denominator(logits.cpu().numpy(), axis=1)
    assert bits(top.sum) == bits(host.sum) and bits(top.max) == bits(host.max)


def test_torch_segments_and_keys():
    x, lengths = host_elements("float32", 10_000), np.random.default_rng(1).integers(0, 60, 300)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).clip(max=len(x)).astype(np.int64)
    sums = rg.reduction("op: sum, segments: i64")
    on_gpu, places = torch.from_numpy(x).cuda(), torch.from_numpy(offsets).cuda()
    assert bits(sums(on_gpu, offsets=places)) == bits(sums(x, offsets=offsets))
    keys = np.sort(np.random.default_rng(2).integers(0, 50, len(x))).astype(np.int32)
    runs = rg.reduction("op: mean, by: { key: i32 }, groups: runs")
    found, expected = runs(on_gpu, by=torch.from_numpy(keys).cuda()), runs(x, by=keys)
    assert bits(found.keys) == bits(expected.keys) and bits(found.values) == bits(expected.values)
    numbered = rg.reduction("op: max, by: { key: i32 }, groups: 50")
    assert bits(numbered(on_gpu, by=torch.from_numpy(keys).cuda())) == bits(numbered(x, by=keys))


def test_wrong_offsets_are_reported_where_asked():
    x = torch.ones(10, device="cuda")
    sums = rg.reduction("op: sum, segments: i64")
    wrong = torch.tensor([0, 8, 3], device="cuda")
    sums(x, offsets=wrong)
    with pytest.raises(rg.InputError):
        sums(x, offsets=wrong, check=True)


def test_torch_streams():
    x = torch.zeros(1 << 20, device="cuda")
    rg.sum(x)
    streams = [torch.cuda.Stream() for _ in range(3)]
    for stream in streams:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            spin(20)
            ones = torch.ones(1 << 20, device="cuda")
            found = rg.sum(ones)
            assert float(found) == 1 << 20
    # A stream by keyword, in place of the current one.
    with torch.cuda.stream(streams[0]):
        spin(20)
        later = torch.full((1 << 20,), 2.0, device="cuda")
    found = rg.sum(later, stream=streams[0])
    streams[0].synchronize()
    assert float(found) == 1 << 21
    assert float(rg.sum(torch.ones(9, device="cuda"), stream=torch.cuda.current_stream().cuda_stream)) == 9


def test_a_call_does_not_wait():
    x = torch.ones(1000, 1000, device="cuda")
    for axis in (None, 0, 1):
        rg.sum(x, axis=axis)
    torch.cuda.synchronize()
    spin(200)
    before = time.perf_counter()
    found = [rg.sum(x, axis=axis) for axis in (None, 0, 1)]
    enqueued = time.perf_counter() - before
    torch.cuda.synchronize()
    whole = time.perf_counter() - before
    assert enqueued < whole / 4, (enqueued, whole)
    assert float(found[0]) == 1e6 and float(found[1][0]) == 1000


def test_memory_comes_back():
    x = torch.ones(1 << 22, device="cuda")
    for _ in range(20):
        rg.sum(x)
    torch.cuda.synchronize()
    before = torch.cuda.mem_get_info()[0]
    for _ in range(2000):
        rg.sum(x)
    torch.cuda.synchronize()
    assert before - torch.cuda.mem_get_info()[0] < 32 << 20


def test_threads():
    x = torch.rand(300, 3000, device="cuda")
    expected, wrong = bits(rg.sum(x, axis=1)), []

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            wrong.extend(1 for _ in range(50) if bits(rg.sum(x, axis=1)) != expected)

    torch.cuda.synchronize()
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_params_and_graphs():
    scaled = rg.reduction("ty: f32, params: { k: f32 }, map: |x| x * k, op: sum")
    x = torch.ones(1 << 16, device="cuda")
    # Kernels are compiled before the capture begins.
    assert float(scaled(x, k=3)) == 3 << 16 and bool((rg.max(x.view(256, 256), axis=1) == 1).all())
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        found = scaled(x, k=2)
        rows = rg.max(x.view(256, 256), axis=1)
    for value in (1.0, 5.0):
        x.fill_(value)
        graph.replay()
        torch.cuda.synchronize()
        assert float(found) == value * (2 << 16) and bool((rows == value).all())


class Dlpack:
    """A tensor of a library that is not known."""

    def __init__(self, x):
        self.x, self.streams = x, []

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        # PyTorch wants its default stream as 1, too.
        return self.x.__dlpack__(stream=stream)


class Interface:
    """An array by `__cuda_array_interface__`."""

    def __init__(self, x):
        self.__cuda_array_interface__ = x.__cuda_array_interface__
        self.kept = x


@pytest.mark.parametrize("kind", [Dlpack, Interface])
def test_libraries_that_are_not_known(kind):
    x = torch.randn(50, 60, device="cuda")
    torch.cuda.synchronize()
    found = rg.sum(kind(x), axis=0)
    assert isinstance(found, rg.DeviceArray) and found.shape == (60,) and found.dtype == "float32"
    expected = rg.sum(x.cpu().numpy(), axis=0)
    assert bits(found.numpy()) == bits(expected)
    back = torch.from_dlpack(found)
    assert back.is_cuda and bits(back) == bits(expected)
    assert bits(torch.as_tensor(found, device="cuda")) == bits(expected)
    del found
    assert bits(back) == bits(expected)
    whole = rg.max(kind(x))
    assert float(torch.from_dlpack(whole)) == float(x.max())


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy", reason="CuPy is not installed")


@pytest.mark.parametrize("op", OPERATORS)
def test_cupy_has_the_bits_of_the_host(cupy, op):
    for name in NAMES:
        x = host_elements(name, (33, 40, 21))
        on_gpu = cupy.asarray(x)
        for axis in (None, 0, 1, (0, 2)):
            found, expected = getattr(rg, op)(on_gpu, axis=axis), getattr(rg, op)(x, axis=axis)
            assert isinstance(found, cupy.ndarray) and found.shape == np.shape(expected)
            assert bits(found) == bits(expected), (name, axis)
    best = rg.findmax(cupy.asarray(host_elements("float32", (5, 70))), axis=1)
    assert isinstance(best.index, cupy.ndarray) and best.index.dtype == np.uint64


def test_cupy_streams(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        for _ in range(20):
            x = cupy.ones((1000, 1000), np.float32) * 2
        found = rg.sum(x, axis=0)
        assert found.get().tolist() == [2000] * 1000
    again = rg.sum(x, axis=0, stream=stream)
    stream.synchronize()
    assert again.get().tolist() == [2000] * 1000
    view = cupy.asarray(host_elements("float64", (40, 30))).T[::-1, ::3]
    assert bits(rg.sum(view, axis=1)) == bits(rg.sum(view.get(), axis=1))


def test_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    x = jax.numpy.asarray(host_elements("float32", (30, 40)))
    found = rg.sum(x, axis=1)
    assert isinstance(found, jax.Array)
    assert bits(found) == bits(rg.sum(np.asarray(x), axis=1))
    assert float(rg.max(x)) == float(x.max())


def cost(call, count=2000):
    """The time that the host needs to queue a call, in microseconds."""
    for _ in range(50):
        call()
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(5):
        before = time.perf_counter()
        for _ in range(count // 20):
            call()
        best = min(best, (time.perf_counter() - before) / (count // 20))
        torch.cuda.synchronize()
    return best * 1e6


def main():
    x = torch.ones(1000, device="cuda")
    matrix = torch.ones(64, 64, device="cuda")
    sums = rg.reduction("op: sum")
    rows = [("rg.reduction, torch", lambda: sums(x)), ("rg.sum, torch", lambda: rg.sum(x))]
    rows += [("rg.sum axis, torch", lambda: rg.sum(matrix, axis=1)), ("torch.sum", lambda: torch.sum(x))]
    try:
        import cupy

        y = cupy.ones(1000, np.float32)
        rows += [("rg.sum, cupy", lambda: rg.sum(y)), ("cupy.sum", lambda: cupy.sum(y))]
    except ImportError:
        print("CuPy is not installed")
    for name, call in rows:
        print(f"{name:24} {cost(call):8.2f} us")


if __name__ == "__main__":
    main()
