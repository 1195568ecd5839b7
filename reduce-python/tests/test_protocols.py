"""Arrays of other libraries, by the protocols that they export. Small classes stand for the libraries."""

import array
import gc
import sys
import types
import weakref

import numpy as np
import pytest
import reducegen as rg

X = np.arange(12, dtype=np.float32).reshape(3, 4)


class Producer:
    """Exports NumPy's elements by DLPack, of version 0 or 1."""

    def __init__(self, x, versioned=True, device=(1, 0)):
        self.x, self.versioned, self.device, self.asked = x, versioned, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        if not self.versioned and "max_version" in keywords:
            raise TypeError("unexpected keyword max_version")
        # NumPy has no streams.
        return self.x.__dlpack__(**{name: value for name, value in keywords.items() if name != "stream"})


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack_in(versioned):
    producer = Producer(X, versioned)
    found = rg.max(producer, axis=1)
    assert type(found) is np.ndarray and found.tolist() == [3, 7, 11]
    assert producer.asked[-1] == ({"max_version": (1, 1)} if versioned else {})
    assert rg.sum(Producer(X.T, versioned), axis=1).tolist() == X.sum(axis=0).tolist()
    assert rg.max(Producer(X[::-1, ::-2], versioned), axis=0).tolist() == [11, 9]
    assert rg.sum(Producer(np.array(3, np.int16), versioned)) == 3


def test_dlpack_gives_the_memory_back():
    x = np.arange(5.0)
    gone = weakref.ref(x)
    assert rg.sum(Producer(x)) == 10
    del x
    gc.collect()
    assert gone() is None


def test_dlpack_that_cannot_be_read():
    with pytest.raises(rg.InputError, match="DLPack device 8"):
        rg.sum(Producer(X, device=(8, 0)))
    with pytest.raises(TypeError):
        rg.sum(Producer(X.astype(np.complex64)))
    used = Producer(X)
    capsule = X.__dlpack__()
    used.__class__ = type("Used", (Producer,), {"__dlpack__": lambda self, **_: capsule})
    assert rg.sum(used) == 66
    with pytest.raises(rg.InputError, match="used before"):
        rg.sum(used)


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "int8", "int64", "uint16", "bool"])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3, 4)])
def test_dlpack_out(name, shape):
    x = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2).astype(name)
    out = rg.DeviceArray._of_host(x)
    assert out.shape == shape and out.dtype == name and out.__dlpack_device__() == (1, 0)
    back = np.from_dlpack(out)
    np.testing.assert_array_equal(back, x)
    np.testing.assert_array_equal(out.numpy(), x)
    assert back.dtype == name
    # Capsules of both versions, taken and not taken.
    assert '"dltensor"' in repr(out.__dlpack__())
    assert '"dltensor_versioned"' in repr(out.__dlpack__(max_version=(1, 0)))
    del out
    gc.collect()
    np.testing.assert_array_equal(back, x)


def test_dlpack_out_refuses():
    out = rg.DeviceArray._of_host(X)
    with pytest.raises(BufferError):
        out.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        out.__dlpack__(copy=True)
    with pytest.raises(ValueError, match="stream 0"):
        out.__dlpack__(stream=0)
    with pytest.raises(AttributeError):
        out.__cuda_array_interface__
    assert "shape=[3, 4]" in repr(out)


def test_buffers_lists_and_numbers():
    assert rg.sum(array.array("d", [1, 2, 3])) == 6
    assert rg.max(memoryview(b"abc")) == ord("c")
    assert rg.max([[1, 5], [3, 2]], axis=1).tolist() == [5, 3] and rg.sum(2.5) == 2.5
    with pytest.raises(TypeError):
        rg.sum(object())
    with pytest.raises(TypeError, match="masked"):
        rg.sum(np.ma.array([1, 2], mask=[0, 1]))


class Matrix(np.ndarray):
    """A subclass of NumPy's array."""


def test_subclasses_of_numpy():
    assert rg.max(X.view(Matrix), axis=0).tolist() == [8, 9, 10, 11]


class Cuda:
    """An array on a GPU that does not exist."""

    def __init__(self, **changes):
        interface = {"shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3, "strides": None}
        self.__cuda_array_interface__ = interface | changes


def test_cuda_array_interface():
    try:
        rg.sum(Producer(X, device=(2, 0)))
    except rg.DeviceError as error:
        assert "CUDA" in str(error) or "NVRTC" in str(error)
    else:
        pytest.skip("there is a GPU: its tests are gpu_arrays.py")
    with pytest.raises(rg.DeviceError):
        rg.sum(Cuda())
    with pytest.raises(rg.InputError, match="mask"):
        rg.sum(Cuda(mask=object()))
    with pytest.raises(TypeError):
        rg.sum(Cuda(typestr="<c8"))
    with pytest.raises(rg.InputError, match="shape"):
        rg.sum(Cuda(shape=None))
    with pytest.raises(rg.InputError, match="stride"):
        rg.sum(Cuda(strides=(4, 4)))
    with pytest.raises(rg.InputError, match="places"):
        rg.dot(Cuda(), np.ones(3, np.float32))


def test_a_producer_on_a_gpu_learns_of_the_stream():
    for stream, told in ((None, 1), (0, 1), (1, 1), (7, 7), (types.SimpleNamespace(cuda_stream=9), 9)):
        producer = Producer(X, device=(2, 0))
        with pytest.raises((rg.Error, BufferError, ValueError)):
            rg.sum(producer, stream=stream)
        assert producer.asked[0]["stream"] == told
    protocol = types.SimpleNamespace(__cuda_stream__=lambda: (0, 11))
    producer = Producer(X, device=(2, 0))
    with pytest.raises((rg.Error, BufferError, ValueError)):
        rg.sum(producer, stream=protocol)
    assert producer.asked[0]["stream"] == 11
    with pytest.raises(TypeError, match="__cuda_stream__"):
        rg.sum(X, stream="default")


@pytest.fixture
def torch(monkeypatch):
    """A module with the parts of PyTorch that tensors on the host need."""
    module = types.ModuleType("torch")

    class Named:
        def __init__(self, text):
            self.text = text

        def __str__(self):
            return self.text

    class Tensor:
        layout, device = Named("torch.strided"), types.SimpleNamespace(type="cpu")

        def __init__(self, x, is_negative=False):
            self.x, self.is_negative = x, is_negative
            self.shape, self.dtype = x.shape, Named("torch." + x.dtype.name)

        def stride(self):
            return tuple(step // self.x.itemsize for step in self.x.strides)

        def data_ptr(self):
            return self.x.ctypes.data

        def is_neg(self):
            return self.is_negative

        def resolve_neg(self):
            return Tensor(-self.x)

    Tensor.__module__ = "torch"
    module.Tensor = Tensor
    for name in ("float32", "int64", "bool"):
        setattr(module, name, name)
    module.empty = lambda shape, dtype, device: Tensor(np.empty(shape, dtype))
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def test_torch_on_the_host(torch):
    found = rg.max(torch.Tensor(X.T), axis=1)
    assert type(found) is torch.Tensor and found.x.tolist() == [8, 9, 10, 11]
    whole = rg.max(torch.Tensor(X))
    assert whole.x.shape == () and whole.x == 11
    assert rg.max(torch.Tensor(X, True)).x == 0
    with pytest.raises(TypeError, match="no uint64"):
        rg.findmax(torch.Tensor(X), axis=0)
    sparse = torch.Tensor(X)
    sparse.layout = "torch.sparse_coo"
    with pytest.raises(rg.InputError, match="to_dense"):
        rg.max(sparse)
    other = torch.Tensor(X)
    other.device = types.SimpleNamespace(type="meta")
    with pytest.raises(rg.InputError, match="meta"):
        rg.max(other)
