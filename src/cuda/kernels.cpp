// SPDX-License-Identifier: BSD-3-Clause
// Which kernels one repetition launches: the stream is made to record instead of to run, and the recorded graph is
// read. So every kernel can be asked, Kokkos' and the libraries' too.
#include "cuda/kernels.hpp"

#include <cuda.h>
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "cuda/device.hpp"
#include "cuda/instance.hpp"
#include "cuda/recording.hpp"

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

/// A function of the driver, which is not linked but asked for: src/cuda/libcuda.cpp says why.
template <class Function>
Function* driver(char const* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &entry, CUDA_VERSION, cudaEnableDefault, &found), name);
  if (found != cudaDriverEntryPointSuccess) throw std::runtime_error(std::string("the driver has no ") + name);
  return reinterpret_cast<Function*>(entry);
}

void check_driver(CUresult status, char const* call) {
  if (status != CUDA_SUCCESS) throw std::runtime_error(std::string(call) + ": error " + std::to_string(status));
}

int attribute(CUfunction function, CUfunction_attribute which) {
  static auto* const get = driver<decltype(cuFuncGetAttribute)>("cuFuncGetAttribute");
  int value = 0;
  check_driver(get(&value, which, function), "cuFuncGetAttribute");
  return value;
}

/// The function that a node launches; null when the node is no kernel (a copy, a memset).
CUfunction function_of(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS& launch) {
  static auto* const get_type = driver<decltype(cuGraphNodeGetType)>("cuGraphNodeGetType");
  static auto* const get_launch = driver<decltype(cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams");
  static auto* const get_function = driver<decltype(cuKernelGetFunction)>("cuKernelGetFunction");
  CUgraphNodeType type{};
  check_driver(get_type(node, &type), "cuGraphNodeGetType");
  if (type != CU_GRAPH_NODE_TYPE_KERNEL) return nullptr;
  check_driver(get_launch(node, &launch), "cuGraphKernelNodeGetParams");
  CUfunction function = launch.func;
  if (function == nullptr) check_driver(get_function(&function, launch.kern), "cuKernelGetFunction");
  return function;
}

KernelUse describe(CUfunction function, CUDA_KERNEL_NODE_PARAMS const& launch, void const* exec) {
  static auto* const get_name = driver<decltype(cuFuncGetName)>("cuFuncGetName");
  static auto* const get_resident =
      driver<decltype(cuOccupancyMaxActiveBlocksPerMultiprocessor)>("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  char const* name = "";
  check_driver(get_name(&name, function), "cuFuncGetName");
  KernelUse use;
  use.name = short_name(name);
  use.blocks = long(launch.gridDimX) * launch.gridDimY * launch.gridDimZ;
  use.threads = static_cast<int>(launch.blockDimX * launch.blockDimY * launch.blockDimZ);
  use.registers = attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  use.local = attribute(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  use.scratch = attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + static_cast<long>(launch.sharedMemBytes);
  if (PtxasFacts const* facts = find_ptxas(name)) {
    use.spill_stores = facts->spill_stores;
    use.spill_loads = facts->spill_loads;
  }
  check_driver(get_resident(&use.blocks_per_multiprocessor, function, use.threads, launch.sharedMemBytes),
               "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  int const most = attribute_of(exec, cudaDevAttrMaxThreadsPerMultiProcessor);
  use.occupancy = static_cast<double>(use.blocks_per_multiprocessor) * use.threads / most;
  return use;
}

}  // namespace

std::vector<KernelUse> describe_kernels(void const* exec, std::function<void()> const& run) {
  cudaStream_t const stream = stream_of(exec);
  check(cudaStreamSynchronize(stream), "before recording");
  std::vector<KernelUse> kernels;
  Graph const graph = record(stream, run);
  if (graph == nullptr) return kernels;
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph.get(), nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph.get(), nodes.data(), &count), "cudaGraphGetNodes");
  for (cudaGraphNode_t const node : nodes) {
    CUDA_KERNEL_NODE_PARAMS launch{};
    if (CUfunction const function = function_of(node, launch)) kernels.push_back(describe(function, launch, exec));
  }
  return kernels;
}

}  // namespace tilestride::cuda
