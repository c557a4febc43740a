//! The wheels that libtorch is put together from, pinned by content.

/// The libtorch release that the pinned `tch` speaks.
pub const LIBTORCH: &str = "2.11.0";

/// One wheel: a pinned file, and the parts of it that libtorch needs.
#[derive(Debug, Clone, Copy)]
pub struct Wheel {
    /// The project's name on the package index.
    pub name: &'static str,
    pub version: &'static str,
    pub file: &'static str,
    pub sha256: &'static str,
    /// (member, destination) pairs in the language of `pip_helper.py unpack`.
    pub parts: &'static [(&'static str, &'static str)],
}

const TORCH: Wheel = Wheel {
    name: "torch",
    version: LIBTORCH,
    // The libraries are the same in every cp3xx wheel; one is pinned.
    file: "torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl",
    sha256: "7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a",
    parts: &[
        ("torch/include/", "include/"),
        ("torch/lib/libtorch_cpu.so", "lib/libtorch_cpu.so"),
        ("torch/lib/libc10.so", "lib/libc10.so"),
        ("torch/lib/libgomp.so.1", "lib/libgomp.so.1"),
    ],
};

const CUDART: Wheel = Wheel {
    name: "nvidia-cuda-runtime",
    version: "13.0.96",
    file: "nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
    sha256: "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
    parts: &[("nvidia/cu13/lib/libcudart.so.13", "lib/libcudart.so.13")],
};

const CUPTI: Wheel = Wheel {
    name: "nvidia-cuda-cupti",
    version: "13.0.85",
    file: "nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_x86_64.whl",
    sha256: "4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8",
    parts: &[("nvidia/cu13/lib/libcupti.so.13", "lib/libcupti.so.13")],
};

/// Enough for a processor: its libtorch_cpu.so still wants CUDA's runtime and profiler to load.
pub const CPU: &[Wheel] = &[TORCH, CUDART, CUPTI];

/// Every shared library of an nvidia wheel, side by side: libtorch's RPATH ends in `$ORIGIN`.
const ALL_LIBRARIES: &[(&str, &str)] = &[("nvidia/*.so", "lib/")];

/// What torch's own metadata asks for on Linux, its Python-only requirements left out.
pub const CUDA: &[Wheel] = &[
    Wheel {
        parts: &[
            ("torch/include/", "include/"),
            ("torch/lib/libtorch.so", "lib/libtorch.so"),
            ("torch/lib/libtorch_cpu.so", "lib/libtorch_cpu.so"),
            ("torch/lib/libtorch_cuda.so", "lib/libtorch_cuda.so"),
            ("torch/lib/libtorch_cuda_linalg.so", "lib/libtorch_cuda_linalg.so"),
            ("torch/lib/libtorch_nvshmem.so", "lib/libtorch_nvshmem.so"),
            ("torch/lib/libcaffe2_nvrtc.so", "lib/libcaffe2_nvrtc.so"),
            ("torch/lib/libc10.so", "lib/libc10.so"),
            ("torch/lib/libc10_cuda.so", "lib/libc10_cuda.so"),
            ("torch/lib/libgomp.so.1", "lib/libgomp.so.1"),
        ],
        ..TORCH
    },
    CUDART,
    CUPTI,
    Wheel {
        name: "nvidia-cublas",
        version: "13.1.0.3",
        file: "nvidia_cublas-13.1.0.3-py3-none-manylinux_2_27_x86_64.whl",
        sha256: "ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-cuda-nvrtc",
        version: "13.0.88",
        file: "nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
        sha256: "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-cudnn-cu13",
        version: "9.19.0.56",
        file: "nvidia_cudnn_cu13-9.19.0.56-py3-none-manylinux_2_27_x86_64.whl",
        sha256: "d20e1734305e9d68889a96e3f35094d733ff1f83932ebe462753973e53a572bf",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-cufft",
        version: "12.0.0.61",
        file: "nvidia_cufft-12.0.0.61-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        sha256: "6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-cufile",
        version: "1.15.1.6",
        file: "nvidia_cufile-1.15.1.6-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        sha256: "08a3ecefae5a01c7f5117351c64f17c7c62efa5fffdbe24fc7d298da19cd0b44",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-curand",
        version: "10.4.0.35",
        file: "nvidia_curand-10.4.0.35-py3-none-manylinux_2_27_x86_64.whl",
        sha256: "1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-cusolver",
        version: "12.0.4.66",
        file: "nvidia_cusolver-12.0.4.66-py3-none-manylinux_2_27_x86_64.whl",
        sha256: "0a759da5dea5c0ea10fd307de75cdeb59e7ea4fcb8add0924859b944babf1112",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-cusparse",
        version: "12.6.3.3",
        file: "nvidia_cusparse-12.6.3.3-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        sha256: "2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-cusparselt-cu13",
        version: "0.8.0",
        file: "nvidia_cusparselt_cu13-0.8.0-py3-none-manylinux2014_x86_64.whl",
        sha256: "25e30a8a7323935d4ad0340b95a0b69926eee755767e8e0b1cf8dd85b197d3fd",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-nccl-cu13",
        version: "2.28.9",
        file: "nvidia_nccl_cu13-2.28.9-py3-none-manylinux_2_18_x86_64.whl",
        sha256: "e4553a30f34195f3fa1da02a6da3d6337d28f2003943aa0a3d247bbc25fefc42",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-nvjitlink",
        version: "13.0.88",
        file: "nvidia_nvjitlink-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
        sha256: "13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-nvshmem-cu13",
        version: "3.4.5",
        file: "nvidia_nvshmem_cu13-3.4.5-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        sha256: "290f0a2ee94c9f3687a02502f3b9299a9f9fe826e6d0287ee18482e78d495b80",
        parts: ALL_LIBRARIES,
    },
    Wheel {
        name: "nvidia-nvtx",
        version: "13.0.85",
        file: "nvidia_nvtx-13.0.85-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl",
        sha256: "4936d1d6780fbe68db454f5e72a42ff64d1fd6397df9f363ae786930fd5c1cd4",
        parts: ALL_LIBRARIES,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wheel_is_pinned_by_version_and_content() {
        for wheel in CPU.iter().chain(CUDA) {
            let stem = format!("{}-{}-", wheel.name.replace('-', "_"), wheel.version);
            assert!(wheel.file.starts_with(&stem), "{}", wheel.file);
            assert_eq!(wheel.sha256.len(), 64);
            assert!(!wheel.parts.is_empty());
        }
    }
}
