// SPDX-License-Identifier: BSD-3-Clause
// A grid of blocks that do next to nothing, in raw CUDA.
#include "cuda/instance.hpp"
#include "patterns/launch/native.hpp"

namespace tilestride::launch {
namespace {

using namespace cuda;

__global__ void teams_kernel(std::int32_t const* in, std::int32_t* out, std::int32_t* last) {
  if (in != nullptr) {
    std::int64_t const i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (std::int32_t const x = in[i]; x != 0) out[i] = x;
  }
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) *last = static_cast<std::int32_t>(blockIdx.x);
}

NativeKernel launch_teams(NativeContext const& context, Arguments const& p) {
  NativeKernel native;
  native.run = [p, stream = stream_of(context.exec)] {
    teams_kernel<<<static_cast<unsigned>(p.threads / p.team), static_cast<unsigned>(p.team), 0, stream>>>(p.in, p.out,
                                                                                                          p.last);
    check(cudaGetLastError(), "launch of teams");
  };
  return native;
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.teams = launch_teams;
  return table;
}

}  // namespace tilestride::launch
