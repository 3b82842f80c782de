// SPDX-License-Identifier: BSD-3-Clause
// A grid of blocks that do next to nothing, in raw CUDA.
#include "cuda/instance.hpp"
#include "patterns/launch/native.hpp"

namespace tilestride::launch {
namespace {

using namespace cuda;

template <Op op>
__global__ void teams_kernel(std::int32_t const* in, std::int32_t* out, std::int32_t* last) {
  std::int64_t const i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if constexpr (op == Op::load) {
    if (std::int32_t const x = in[i]; x != 0) out[i] = x;
  } else if constexpr (op == Op::copy) {
    out[i] = in[i];
  } else if constexpr (op == Op::exchange) {
    extern __shared__ std::int32_t tile[];
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[threadIdx.x + 1 < blockDim.x ? threadIdx.x + 1 : 0];
  }
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) *last = static_cast<std::int32_t>(blockIdx.x);
}

NativeKernel launch_teams(NativeContext const& context, Arguments const& p) {
  auto* const kernel = p.op == Op::nothing ? teams_kernel<Op::nothing>
                       : p.op == Op::load  ? teams_kernel<Op::load>
                       : p.op == Op::copy  ? teams_kernel<Op::copy>
                                           : teams_kernel<Op::exchange>;
  std::size_t const shared = p.op == Op::exchange ? static_cast<std::size_t>(p.team) * sizeof(std::int32_t) : 0;
  NativeKernel native;
  native.run = [=, stream = stream_of(context.exec)] {
    kernel<<<static_cast<unsigned>(p.threads / p.team), static_cast<unsigned>(p.team), shared, stream>>>(p.in, p.out,
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
