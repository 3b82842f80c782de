// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The launch of products on Hopper's matrix units.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "cuda/instance.hpp"
#include "cuda/tensor.hpp"
#include "patterns/matmul/native.hpp"

namespace tilestride::cuda {

template <class T>
using TensorProduct = void (*)(CUtensorMap, CUtensorMap, T*, TensorProblem);

/// A kernel and what its launch depends on: the extents of a tile, of a group of tiles and of the boxes of A and B, and
/// bytes of shared memory.
template <class T>
struct TensorKernel {
  TensorProduct<T> product;
  int m, n, k, down, across, box_m, box_k, resident, threads, shared;

  int group() const { return down * across; }
  TensorTiles tiles(std::int64_t rows, std::int64_t columns, int multiprocessors) const {
    // Tiles under way at the same time make about a square.
    int const band = static_cast<int>(std::sqrt(double(multiprocessors) * resident * n / m) / down);
    return {divided_up(rows, m * down), divided_up(columns, n * across), std::max(band, 1)};
  }
};

template <class Stage, class Shared = TensorRing<Stage>, class T>
TensorKernel<T> tensor_kernel(TensorProduct<T> product, int threads) {
  static_assert(sizeof(Shared) <= shared_memory_of(Stage::resident));
  return {product,      Stage::m,     Stage::n,     Stage::k,        Stage::down, Stage::across,
          Stage::box_m, Stage::box_k, Stage::resident, threads, int(sizeof(Shared))};
}

/// Why Hopper's units cannot make this product.
inline std::optional<Skip> why_no_tensor(void const* exec, matmul::Arguments const& p, int element) {
  int const major = attribute_of(exec, cudaDevAttrComputeCapabilityMajor);
  int const minor = attribute_of(exec, cudaDevAttrComputeCapabilityMinor);
  if (major != 9 || minor != 0)
    return Skip{SkipReason::hardware,
                fmt::format("built for compute capability 9.0 alone; this device has {}.{}", major, minor)};
  if (p.k * element % 16 != 0 || p.n * element % 16 != 0)
    return Skip{SkipReason::not_applicable,
                fmt::format("the copy engine needs rows of whole 16 bytes: K and N in multiples of {}", 16 / element)};
  if (std::max({p.m, p.n, p.k}) > std::numeric_limits<int>::max() - 1024)
    return Skip{SkipReason::limit, "the copy engine counts rows and columns in 32 bits"};
  return {};
}

/// A kernel, and in how many parts K is divided.
template <class T>
struct TensorChoice {
  TensorKernel<T> kernel;
  int splits;
};

/// The cycles that a product takes: as many rounds as the busiest multiprocessor has blocks, of steps that wait for the
/// units or for the data, and of what comes before and after them. `rate`: multiply-adds per cycle of a multiprocessor.
template <class T>
double cost_of(TensorKernel<T> const& kernel, int splits, matmul::Arguments const& p, int multiprocessors, double rate) {
  double const blocks = double(kernel.tiles(p.m, p.n, multiprocessors).count()) * kernel.group() * splits;
  double const steps = divided_up(divided_up(p.k, kernel.k), splits);
  double const multiply = double(kernel.m) * kernel.n * kernel.k / rate;
  double const fetch = (double(kernel.m) / kernel.across + double(kernel.n) / kernel.down) * 128 / 45;
  double const around = 2500.0 / kernel.resident + double(kernel.m) * kernel.n / 16;
  double const sums = splits > 1 ? 1500 + double(kernel.m) * kernel.n / 10 : 0;
  int const usable = multiprocessors - (kernel.group() * splits > 2 ? 4 : 0);
  return std::ceil(blocks / usable) * (steps * std::max(multiply, fetch) + around + sums);
}

template <class T>
TensorChoice<T> choose(std::vector<TensorKernel<T>> const& kernels, matmul::Arguments const& p, int multiprocessors,
                       double rate) {
  TensorChoice<T> choice{};
  double least = std::numeric_limits<double>::infinity();
  for (auto const& kernel : kernels) {
    for (int splits = 1; splits * kernel.group() <= 8 && splits <= std::max(divided_up(p.k, kernel.k), 1); ++splits) {
      double const cost = cost_of(kernel, splits, p, multiprocessors, rate);
      if (cost >= least) continue;
      least = cost;
      choice = {kernel, splits};
    }
  }
  return choice;
}

/// A launch of a kernel in clusters, and what it needs.
template <class T>
struct TensorLaunch {
  TensorKernel<T> kernel;
  TensorProblem problem;
  CUtensorMap a, b;
  T* c;
  cudaLaunchConfig_t launch{};
  cudaLaunchAttribute cluster{};

  TensorLaunch(TensorKernel<T> const& k, matmul::Arguments const& p, CUtensorMapDataType type, int element, int splits,
               int multiprocessors, cudaStream_t stream)
      : kernel(k), c(static_cast<T*>(p.c)) {
    problem = {static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k),
               k.tiles(p.m, p.n, multiprocessors), splits};
    a = hopper::boxes_of(p.a, type, element, p.m, p.k, k.box_m);
    b = hopper::boxes_of(p.b, type, element, p.k, p.n, k.box_k);
    int const size = k.group() * splits;
    check(cudaFuncSetAttribute(k.product, cudaFuncAttributeMaxDynamicSharedMemorySize, k.shared), "cudaFuncSetAttribute");
    if (size > 8)
      check(cudaFuncSetAttribute(k.product, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
    launch.gridDim = dim3(problem.tiles.count() * size);
    launch.blockDim = dim3(k.threads);
    launch.dynamicSmemBytes = k.shared;
    launch.stream = stream;
    launch.attrs = &cluster;
    launch.numAttrs = size > 1 ? 1 : 0;
    if (splits == 1) {  // persistent
      int clusters = multiprocessors * k.resident;
      if (size > 1)
        check(cudaOccupancyMaxActiveClusters(&clusters, k.product, &launch), "cudaOccupancyMaxActiveClusters");
      launch.gridDim = dim3(std::min(clusters, problem.tiles.count()) * size);
    }
  }
  TensorLaunch(TensorLaunch const&) = delete;  // `launch` points to `cluster`
  TensorLaunch& operator=(TensorLaunch const&) = delete;

  void operator()() const {
    check(cudaLaunchKernelEx(&launch, kernel.product, a, b, c, problem), "a product on matrix units");
  }
};

/// The fastest of the kernels, whose A and B the copy engine calls `type`; `element` is their size in bytes.
template <class T>
NativeKernel launcher_of(NativeContext const& context, matmul::Arguments const& p,
                         std::vector<TensorKernel<T>> const& kernels, double rate, CUtensorMapDataType type,
                         int element) {
  if (auto const skip = why_no_tensor(context.exec, p, element)) return {skip};
  int const multiprocessors = attribute_of(context.exec, cudaDevAttrMultiProcessorCount);
  auto const [kernel, splits] = choose(kernels, p, multiprocessors, rate);
  auto const launch = std::make_shared<TensorLaunch<T>>(kernel, p, type, element, splits, multiprocessors,
                                                        stream_of(context.exec));
  NativeKernel native;
  native.run = [launch] { (*launch)(); };
  native.notes["tile"] = fmt::format("{}x{}", kernel.m, kernel.n);
  native.notes["splits of K"] = std::to_string(splits);
  return native;
}

}  // namespace tilestride::cuda
