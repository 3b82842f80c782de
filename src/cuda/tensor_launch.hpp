// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The launch of products on Hopper's matrix units.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/instance.hpp"
#include "cuda/tensor.hpp"
#include "patterns/matmul/native.hpp"

namespace tilestride::cuda {

template <class T>
using TensorProduct = void (*)(CUtensorMap, CUtensorMap, T*, TensorProblem);

/// A kernel and what its launch depends on: the extents of a tile of C and of a step, the most blocks on a
/// multiprocessor at once, threads, and bytes of shared memory for a stage and besides.
template <class T>
struct TensorKernel {
  TensorProduct<T> product;
  int m, n, k, resident, threads, stage, others;

  int stages(int blocks) const { return stages_of(blocks, stage, others); }
  TensorTiles groups(matmul::Arguments const& p, TensorCluster const& cluster, int multiprocessors) const {
    // Tiles under way at the same time make about a square.
    int const band = static_cast<int>(std::sqrt(double(multiprocessors) * resident * n / m) / cluster.down);
    return {divided_up(p.m, m * cluster.down), divided_up(p.n, n * cluster.across), std::max(band, 1)};
  }
};

template <class Stage, class T>
TensorKernel<T> tensor_kernel(TensorProduct<T> product, int threads, int stage = sizeof(Stage),
                              int others = ring_others) {
  return {product, Stage::m, Stage::n, Stage::k, Stage::resident, threads, stage, others};
}

/// A kernel, the clusters to launch it in, and the blocks that shall be on a multiprocessor at once: fewer blocks have
/// more stages each.
template <class T>
struct TensorChoice {
  TensorKernel<T> kernel;
  TensorCluster cluster;
  int resident;
};

/// How to launch a kernel. Not to be copied: `launch` points to `attribute`.
template <class T>
struct TensorConfig {
  TensorChoice<T> choice;
  cudaLaunchConfig_t launch{};
  cudaLaunchAttribute attribute{};

  explicit TensorConfig(TensorChoice<T> const& chosen, cudaStream_t stream = nullptr) : choice(chosen) {
    auto const& [kernel, cluster, resident] = choice;
    launch.dynamicSmemBytes = kernel.stages(resident) * kernel.stage + kernel.others;
    check(cudaFuncSetAttribute(kernel.product, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory_of(1)),
          "cudaFuncSetAttribute");
    check(cudaFuncSetAttribute(kernel.product, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "cudaFuncSetAttribute");
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(cluster.down);
    attribute.val.clusterDim.y = static_cast<unsigned>(cluster.across);
    attribute.val.clusterDim.z = static_cast<unsigned>(cluster.splits);
    launch.blockDim = dim3(kernel.threads);
    launch.stream = stream;
    launch.attrs = &attribute;
    launch.numAttrs = cluster.size() > 1 ? 1 : 0;
    set_clusters(1);
  }
  TensorConfig(TensorConfig const&) = delete;
  TensorConfig& operator=(TensorConfig const&) = delete;

  void set_clusters(int count) {
    launch.gridDim = dim3(count * choice.cluster.down, choice.cluster.across, choice.cluster.splits);
  }
  /// Clusters under way at the same time on the whole device.
  int most_clusters() const {
    auto counted = launch;
    counted.numAttrs = 1;  // also of one block
    int count = 0;
    check(cudaOccupancyMaxActiveClusters(&count, choice.kernel.product, &counted), "cudaOccupancyMaxActiveClusters");
    return count;
  }
};

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

/// What a type's products cost. `multiply_adds`: of a multiprocessor in a cycle. The others are cycles: from when a
/// stage is asked for until it is multiplied, and what a tile takes besides its steps.
struct TensorCosts {
  double multiply_adds, latency, tile;
};

/// The cycles that a product takes: as many rounds as the busiest multiprocessor has blocks, of steps that wait for the
/// units or for the data, and of what comes before and after them. `blocks`: of the busiest multiprocessor; `rounds`:
/// of them one after the other.
///
/// The figures, and those of TensorCosts, were fitted to 5600 times of 269 shapes with all tiles, on an H200 at 1.76
/// GHz; the shapes were drawn at random, and half of them kept back to judge. There the choice was within 2 % of the
/// fastest in half of the shapes and within 13 % in nine of ten.
template <class T>
double cycles_of(TensorChoice<T> const& choice, matmul::Arguments const& p, double blocks, double rounds,
                 TensorCosts const& costs) {
  auto const& kernel = choice.kernel;
  auto const& cluster = choice.cluster;
  constexpr double fetched = 54;                           // bytes per cycle of a multiprocessor
  constexpr double across_lines = 0.17, in_sector = 0.67;  // more, where rows begin within 128 bytes, within 32 bytes
  constexpr double stored = 27, added_up = 25;             // bytes per cycle of a multiprocessor
  constexpr double shared = 1000, divided = 2600, divided_more = 21;  // a tile of a group, and of a divided K
  auto const rows = [&](double count, std::int64_t pitch) {           // of 128 bytes, and how they cost
    auto const bytes = pitch * 128 / kernel.k;
    return count * (1 + (bytes % 128 != 0) * across_lines + (bytes % 32 != 0) * in_sector);
  };
  double const units = double(kernel.m) * kernel.n * kernel.k / costs.multiply_adds;
  double const fetch =
      (rows(double(kernel.m) / cluster.across, p.k) + rows(double(kernel.n) / cluster.down, p.n)) * 128 / fetched;
  double const both = std::sqrt(std::hypot(units * units, fetch * fetch));  // about the greater one
  double const steps = divided_up(divided_up(p.k, kernel.k), cluster.splits);
  double const tile = double(kernel.m) * kernel.n * sizeof(T);
  double cycles = steps * std::max(blocks * both, rounds * costs.latency / kernel.stages(choice.resident)) +
                  rounds * costs.tile + blocks * tile / cluster.splits / stored;
  if (cluster.group() > 1) cycles += rounds * shared;
  if (cluster.splits > 1)
    cycles += rounds * (divided + divided_more * cluster.splits * cluster.splits) + blocks * tile / added_up;
  return cycles;
}

/// Calls body(choice, clusters at once, the same with one block on a multiprocessor) for all ways to launch the
/// kernels.
template <class T, class Body>
void for_each_choice(std::vector<TensorKernel<T>> const& kernels, matmul::Arguments const& p, Body const& body) {
  constexpr int most = 16;  // blocks of a cluster
  constexpr std::pair<int, int> groups[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
  std::map<std::pair<int, int>, int> counts;
  auto const clusters_of = [&](TensorChoice<T> const& choice) {  // memory alone limits them
    auto const [found, is_new] = counts.try_emplace({choice.resident, choice.cluster.size()});
    if (is_new) found->second = TensorConfig<T>(choice).most_clusters();
    return found->second;
  };
  for (auto const& kernel : kernels) {
    int const steps = divided_up(p.k, kernel.k);
    for (auto const& [down, across] : groups) {
      // Each part of K has two steps at least.
      for (int splits = 1; splits * down * across <= most && (splits == 1 || 2 * splits <= steps); ++splits) {
        for (int resident = 1; resident <= kernel.resident; ++resident) {
          TensorCluster const cluster{down, across, splits};
          TensorChoice<T> const choice{kernel, cluster, resident};
          int const at_once = clusters_of(choice), spread = clusters_of({kernel, cluster, 1});
          if (at_once > 0 && spread > 0) body(choice, at_once, spread);
        }
      }
    }
  }
}

/// The one that should be fastest.
template <class T>
TensorChoice<T> choose(std::vector<TensorKernel<T>> const& kernels, matmul::Arguments const& p, int multiprocessors,
                       TensorCosts const& costs) {
  TensorChoice<T> fastest{kernels.front(), {}, 1};
  double least = std::numeric_limits<double>::infinity();
  for_each_choice(kernels, p, [&](TensorChoice<T> const& choice, int at_once, int spread) {
    double const clusters = choice.kernel.groups(p, choice.cluster, multiprocessors).count();
    double const rounds = std::ceil(clusters / at_once);
    bool const persistent = choice.cluster.splits == 1;
    double const blocks = persistent && rounds > 1 ? rounds * choice.resident : std::ceil(clusters / spread);
    double const cycles = cycles_of(choice, p, blocks, rounds, costs);
    if (cycles >= least) return;
    least = cycles;
    fastest = choice;
  });
  return fastest;
}

/// A launch of a kernel, and what it needs.
template <class T>
struct TensorLaunch : TensorConfig<T> {
  CUtensorMap a, b;
  T* c;
  TensorProblem problem;

  TensorLaunch(TensorChoice<T> const& choice, matmul::Arguments const& p, CUtensorMapDataType type, int element,
               int multiprocessors, cudaStream_t stream)
      : TensorConfig<T>(choice, stream), c(static_cast<T*>(p.c)) {
    auto const& [kernel, cluster, resident] = choice;
    problem = {static_cast<int>(p.m),
               static_cast<int>(p.n),
               static_cast<int>(p.k),
               kernel.groups(p, cluster, multiprocessors),
               cluster,
               kernel.stages(resident)};
    a = hopper::boxes_of(p.a, type, element, p.m, p.k, kernel.m / cluster.across);
    b = hopper::boxes_of(p.b, type, element, p.k, p.n, kernel.k / cluster.down);
    int const groups = problem.groups.count();
    this->set_clusters(cluster.splits > 1 ? groups : std::min(groups, this->most_clusters()));  // those are persistent
  }

  void operator()() const {
    check(cudaLaunchKernelEx(&this->launch, this->choice.kernel.product, a, b, c, problem),
          "a product on matrix units");
  }
};

/// The one of the kernels that should be fastest. The copy engine calls A's and B's elements `type`; they have
/// `element` bytes.
template <class T>
NativeKernel launcher_of(NativeContext const& context, matmul::Arguments const& p,
                         std::vector<TensorKernel<T>> const& kernels, TensorCosts const& costs,
                         CUtensorMapDataType type, int element) {
  if (auto const skip = why_no_tensor(context.exec, p, element)) return {skip};
  int const multiprocessors = attribute_of(context.exec, cudaDevAttrMultiProcessorCount);
  auto const choice = choose(kernels, p, multiprocessors, costs);
  auto const launch =
      std::make_shared<TensorLaunch<T>>(choice, p, type, element, multiprocessors, stream_of(context.exec));
  NativeKernel native;
  native.run = [launch] { (*launch)(); };
  native.notes["tile"] = fmt::format("{}x{}", choice.kernel.m, choice.kernel.n);
  native.notes["tiles that share"] = fmt::format("{}x{}", choice.cluster.down, choice.cluster.across);
  native.notes["stages"] = std::to_string(choice.kernel.stages(choice.resident));
  native.notes["splits of K"] = std::to_string(choice.cluster.splits);
  return native;
}

}  // namespace tilestride::cuda
