// SPDX-License-Identifier: BSD-3-Clause
// Which kernels one repetition launches: the stream is made to record instead of to run, and the recorded graph is
// read. So every kernel can be asked, Kokkos' and the libraries' too, without a word to whoever launched it.
#include <cuda.h>
#include <cxxabi.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <memory>

#include "cuda/check.hpp"
#include "cuda/kernels.hpp"
#include "cuda/native.hpp"

namespace tilestride::cuda {
namespace {

/// The function's name without parameters and template arguments.
std::string short_name(char const* mangled) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const demangled(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                         std::free);
  std::string name = status == 0 ? demangled.get() : mangled;
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  auto const anonymous = name.find("(anonymous namespace)::");
  if (anonymous != std::string::npos) name.erase(anonymous, 23);
  return name.substr(0, name.find_first_of("<("));
}

/// Facts of one node; a node that is no kernel (a copy, a memset) has no blocks.
KernelUse describe(cudaGraphNode_t node, int device) {
  cudaGraphNodeType type{};
  KernelUse use;
  check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
  if (type != cudaGraphNodeTypeKernel) return use;
  cudaKernelNodeParams launch{};
  if (cudaGraphKernelNodeGetParams(node, &launch) != cudaSuccess) return use;  // launched through the driver
  cudaFuncAttributes attributes{};
  char const* name = nullptr;
  check(cudaFuncGetAttributes(&attributes, launch.func), "cudaFuncGetAttributes");
  check(cudaFuncGetName(&name, launch.func), "cudaFuncGetName");
  use.name = short_name(name);
  use.blocks = long(launch.gridDim.x) * launch.gridDim.y * launch.gridDim.z;
  use.threads = static_cast<int>(launch.blockDim.x * launch.blockDim.y * launch.blockDim.z);
  use.registers = attributes.numRegs;
  use.local = static_cast<long>(attributes.localSizeBytes);
  use.scratch = static_cast<long>(attributes.sharedSizeBytes) + static_cast<long>(launch.sharedMemBytes);
  if (PtxasFacts const* facts = find_ptxas(name)) {
    use.spill_stores = facts->spill_stores;
    use.spill_loads = facts->spill_loads;
  }
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&use.blocks_per_multiprocessor, launch.func, use.threads,
                                                      launch.sharedMemBytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device), "cudaDeviceGetAttribute");
  use.occupancy = static_cast<double>(use.blocks_per_multiprocessor) * use.threads / most;
  return use;
}

}  // namespace

std::vector<KernelUse> describe_kernels(void const* exec, std::function<void()> const& run) {
  auto const instance = *static_cast<Kokkos::Cuda const*>(exec);
  cudaStream_t const stream = instance.cuda_stream();
  cudaGraph_t graph = nullptr;
  check(cudaStreamSynchronize(stream), "before recording");
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  bool recorded = true;
  try {
    run();
  } catch (std::exception const&) {  // it waits for the device, and a stream that records cannot be waited for
    recorded = false;
  }
  recorded = cudaStreamEndCapture(stream, &graph) == cudaSuccess && recorded;
  cudaGetLastError();  // a recording that failed leaves an error that belongs to nobody
  std::vector<KernelUse> kernels;
  if (recorded && graph != nullptr) {
    std::size_t count = 0;
    check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
    for (cudaGraphNode_t const node : nodes) {
      if (KernelUse use = describe(node, instance.cuda_device()); use.blocks > 0) kernels.push_back(std::move(use));
    }
  }
  if (graph != nullptr) check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return kernels;
}

}  // namespace tilestride::cuda
