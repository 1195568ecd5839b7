//! Advice for each error of the CUDA driver (CUDA driver API, `CUresult`, CUDA 13.0).

/// For errors after which the process cannot use the device.
const RESTART: &str = "this process cannot use the device any more, restart it";
/// For errors that no call of this project causes, but other code in the process may.
const OTHERS: &str = "reducegen does not cause this; check other code that uses CUDA in the process, and report it if there is no other code";
/// For errors that are bugs of this project.
const BUG: &str = "this is a bug of reducegen, report it with the specification and the number of elements";
const UNKNOWN: &str = "`nvidia-smi` and the kernel's log may have details, and a newer driver may help";

/// Returns the advice for a code, including codes that newer drivers add.
pub(super) fn advice(code: u32) -> &'static str {
    match code {
        ..100 => of_the_library(code),
        100..300 => of_the_device(code),
        300..700 => of_handles(code),
        700..800 => of_kernels(code),
        800..900 => of_the_system(code),
        900..909 => of_captures(code),
        909.. => of_others(code),
    }
}

fn of_the_library(code: u32) -> &'static str {
    match code {
        1 => BUG,
        2 => {
            "reduce the data in parts, or free memory of the device, which other processes may hold (`nvidia-smi`)"
        }
        3 => "a child process cannot use its parent's CUDA context, open the device in the child",
        4 => "the process is ending, reduce before that, not in destructors of static data",
        5..=8 => "take the profiler out of the process",
        34 => "this is the stub library for linking, put the driver's own libcuda before it",
        36 => "update NVIDIA's driver",
        46 => {
            "another process has exclusive use of the device, wait for it, name another device, or ask an administrator to run `nvidia-smi -c DEFAULT`"
        }
        _ => UNKNOWN,
    }
}

fn of_the_device(code: u32) -> &'static str {
    match code {
        100 | 101 => "check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use the host",
        102 => "license the device, such as a virtual GPU, or use the host",
        200 | 209 | 218 | 222 => "update NVIDIA's driver, or compile with an NVRTC that is not newer than it",
        201 | 202 | 216 => {
            "open the device again, another part of the process destroyed, reset or replaced its context"
        }
        205..=208 | 210..=213 | 219 => OTHERS,
        214 => {
            "restart the process, and check the device's memory if the error returns (`nvidia-smi -q -d ECC`)"
        }
        215 | 224 | 225 => OTHERS,
        217 => "copy the data to the device that reduces it",
        220 => "restart the process, and check the links if the error returns (`nvidia-smi nvlink -e`)",
        221 => "install all of NVIDIA's driver, with libnvidia-ptxjitcompiler, also in a container",
        223 => "unset CUDA_DISABLE_PTX_JIT",
        226 => "restart the process, the device has contained a memory error",
        _ => UNKNOWN,
    }
}

fn of_handles(code: u32) -> &'static str {
    match code {
        300 | 301 | 500 => BUG,
        302 | 303 => "reinstall NVIDIA's driver, with all its libraries of one version",
        304 => "the kernel's log has details (`dmesg`); limits on memory and open files are common reasons",
        402 => OTHERS,
        400 | 401 => "a stream, event or context was destroyed while in use, keep it longer",
        600 => "wait for the stream before reading its result",
        _ => UNKNOWN,
    }
}

fn of_kernels(code: u32) -> &'static str {
    match code {
        700 | 714..=719 => RESTART,
        701 => "write a smaller `block`, or fewer elements for each thread",
        702 => {
            "this process cannot use the device any more, restart it; a device with a display stops long kernels, reduce parts of the data"
        }
        703..=705 | 708 | 711..=713 | 721 => OTHERS,
        709 => "open the device again, its context was destroyed",
        710 => {
            "this process cannot use the device any more, restart it, and look for the assertion in its output"
        }
        720 => "write a smaller grid",
        _ => UNKNOWN,
    }
}

fn of_the_system(code: u32) -> &'static str {
    match code {
        800 => "ask an administrator for the device (permissions of /dev/nvidia*, MIG, MPS), or use the host",
        801 => "the device or its driver cannot do this, update the driver, or use the host",
        802 => "start the fabric manager, or wait until it has started",
        803 | 804 => {
            "the driver's library and its kernel module have different versions, restart the machine"
        }
        805..=807 => "start the MPS server, or wait until it has started (`nvidia-cuda-mps-control`)",
        808 | 809 => "wait until other clients of MPS end, or run fewer of them",
        810 => "restart the process, the MPS server has ended this client because of an error in another",
        811 | 812 => OTHERS,
        _ => UNKNOWN,
    }
}

fn of_captures(code: u32) -> &'static str {
    match code {
        900 => "make inputs and workspaces, and read results, before or after the capture, not during it",
        901 => "begin the capture again, a call in it failed",
        902..=905 => {
            "make the streams of a capture wait for each other with events, and end it on the stream that began it"
        }
        906 => "capture on a new stream, not on the null stream",
        907 => "wait for the graph, not for an event that was captured in it",
        908 => "end the capture on the thread that began it, or begin it with the relaxed mode",
        _ => UNKNOWN,
    }
}

fn of_others(code: u32) -> &'static str {
    match code {
        909 => "wait until the device is less busy, and restart the process if the error returns",
        910 => "make a new graph instead of updating this one",
        911 => "check other devices that the process uses with the GPU, such as one for video",
        912 => "write a smaller `cluster`, or leave it out",
        913..=915 => OTHERS,
        916 => "restart the process, the keys of confidential computing have changed",
        _ => UNKNOWN,
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::{UNKNOWN, advice};
    use crate::error::Error;
    use cudarc::driver::sys::CUresult;

    /// Lists all codes; rustc checks that none is missing.
    macro_rules! codes {
        ($($name:ident)*) => {{
            let _ = |code| match code {
                CUresult::CUDA_SUCCESS => {}
                $(CUresult::$name => {})*
            };
            [$(CUresult::$name),*]
        }};
    }

    #[test]
    fn every_code_of_the_driver_has_advice() {
        let codes = codes!(
            CUDA_ERROR_INVALID_VALUE CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_NOT_INITIALIZED
            CUDA_ERROR_DEINITIALIZED CUDA_ERROR_PROFILER_DISABLED CUDA_ERROR_PROFILER_NOT_INITIALIZED
            CUDA_ERROR_PROFILER_ALREADY_STARTED CUDA_ERROR_PROFILER_ALREADY_STOPPED CUDA_ERROR_STUB_LIBRARY
            CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER CUDA_ERROR_DEVICE_UNAVAILABLE CUDA_ERROR_NO_DEVICE
            CUDA_ERROR_INVALID_DEVICE CUDA_ERROR_DEVICE_NOT_LICENSED CUDA_ERROR_INVALID_IMAGE
            CUDA_ERROR_INVALID_CONTEXT CUDA_ERROR_CONTEXT_ALREADY_CURRENT CUDA_ERROR_MAP_FAILED
            CUDA_ERROR_UNMAP_FAILED CUDA_ERROR_ARRAY_IS_MAPPED CUDA_ERROR_ALREADY_MAPPED
            CUDA_ERROR_NO_BINARY_FOR_GPU CUDA_ERROR_ALREADY_ACQUIRED CUDA_ERROR_NOT_MAPPED
            CUDA_ERROR_NOT_MAPPED_AS_ARRAY CUDA_ERROR_NOT_MAPPED_AS_POINTER CUDA_ERROR_ECC_UNCORRECTABLE
            CUDA_ERROR_UNSUPPORTED_LIMIT CUDA_ERROR_CONTEXT_ALREADY_IN_USE CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
            CUDA_ERROR_INVALID_PTX CUDA_ERROR_INVALID_GRAPHICS_CONTEXT CUDA_ERROR_NVLINK_UNCORRECTABLE
            CUDA_ERROR_JIT_COMPILER_NOT_FOUND CUDA_ERROR_UNSUPPORTED_PTX_VERSION
            CUDA_ERROR_JIT_COMPILATION_DISABLED CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
            CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC CUDA_ERROR_CONTAINED CUDA_ERROR_INVALID_SOURCE
            CUDA_ERROR_FILE_NOT_FOUND CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
            CUDA_ERROR_SHARED_OBJECT_INIT_FAILED CUDA_ERROR_OPERATING_SYSTEM CUDA_ERROR_INVALID_HANDLE
            CUDA_ERROR_ILLEGAL_STATE CUDA_ERROR_LOSSY_QUERY CUDA_ERROR_NOT_FOUND CUDA_ERROR_NOT_READY
            CUDA_ERROR_ILLEGAL_ADDRESS CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES CUDA_ERROR_LAUNCH_TIMEOUT
            CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE
            CUDA_ERROR_CONTEXT_IS_DESTROYED CUDA_ERROR_ASSERT CUDA_ERROR_TOO_MANY_PEERS
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
            CUDA_ERROR_HARDWARE_STACK_ERROR CUDA_ERROR_ILLEGAL_INSTRUCTION CUDA_ERROR_MISALIGNED_ADDRESS
            CUDA_ERROR_INVALID_ADDRESS_SPACE CUDA_ERROR_INVALID_PC CUDA_ERROR_LAUNCH_FAILED
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE CUDA_ERROR_TENSOR_MEMORY_LEAK CUDA_ERROR_NOT_PERMITTED
            CUDA_ERROR_NOT_SUPPORTED CUDA_ERROR_SYSTEM_NOT_READY CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
            CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE CUDA_ERROR_MPS_CONNECTION_FAILED
            CUDA_ERROR_MPS_RPC_FAILURE CUDA_ERROR_MPS_SERVER_NOT_READY CUDA_ERROR_MPS_MAX_CLIENTS_REACHED
            CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED CUDA_ERROR_MPS_CLIENT_TERMINATED
            CUDA_ERROR_CDP_NOT_SUPPORTED CUDA_ERROR_CDP_VERSION_MISMATCH
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
            CUDA_ERROR_STREAM_CAPTURE_MERGE CUDA_ERROR_STREAM_CAPTURE_UNMATCHED
            CUDA_ERROR_STREAM_CAPTURE_UNJOINED CUDA_ERROR_STREAM_CAPTURE_ISOLATION
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT CUDA_ERROR_CAPTURED_EVENT
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD CUDA_ERROR_TIMEOUT CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
            CUDA_ERROR_EXTERNAL_DEVICE CUDA_ERROR_INVALID_CLUSTER_SIZE CUDA_ERROR_FUNCTION_NOT_LOADED
            CUDA_ERROR_INVALID_RESOURCE_TYPE CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION
            CUDA_ERROR_KEY_ROTATION CUDA_ERROR_UNKNOWN
        );
        for code in codes {
            let advice = advice(code as u32);
            // The driver has no information about this error either.
            assert_eq!(advice == UNKNOWN, code == CUresult::CUDA_ERROR_UNKNOWN, "{code:?}");
            let error =
                Error::Driver { operation: "x", code: code as u32, name: String::new(), text: String::new() };
            assert!(error.to_string().ends_with(&format!("; {advice}")), "{error}");
        }
        assert_eq!([9, 150, 350, 799, 899, 950, 1000, u32::MAX].map(advice), [UNKNOWN; 8]);
    }
}
