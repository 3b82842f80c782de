// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The launch of products on Hopper's matrix units.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cuda/instance.hpp"
#include "cuda/owners.hpp"
#include "cuda/recording.hpp"
#include "cuda/tensor.hpp"
#include "model/statistics.hpp"
#include "patterns/matmul/native.hpp"

namespace tilestride::cuda {

template <class T>
using TensorProduct = void (*)(CUtensorMap, CUtensorMap, T*, TensorProblem);

/// Three versions of a kernel (plain, with K divided, with steps that clusters share; null where there is none) and
/// what a launch needs: the extents of a tile of C and of a step, elements of a row of a box, rows of a box of A and of
/// B, boxes of columns, the extents of a group of tiles, blocks on a multiprocessor at once, teams of warpgroups with
/// tiles of their own, threads, stages, and bytes of shared memory.
template <class T>
struct TensorKernel {
  TensorProduct<T> product, divided, streamed;
  int m, n, k, chunk, box_a, box_b, boxes, down, across, resident, teams, threads, stages, shared;

  int group() const { return down * across; }
  int deep() const { return k / chunk; }
  /// Parts of K, for so many groups of tiles with so many steps each. Clusters that divide K wait for each other: all
  /// must be under way at once. Each part has two steps at least, and steps * splits fits in an int.
  int most_splits(int groups, int steps, int at_once) const {
    if (divided == nullptr) return 1;
    return std::max(std::min({at_once / groups, steps / 2, std::numeric_limits<int>::max() / steps}), 1);
  }
  /// Whether a round of groups would not fill the device, and their steps can be shared.
  bool can_stream(int groups, int at_once) const {
    return streamed != nullptr && groups > at_once && groups % at_once != 0;
  }
  TensorTiles tiles(matmul::Arguments const& p, int multiprocessors) const {
    // Tiles under way at the same time make about a square.
    int const band = static_cast<int>(std::sqrt(double(multiprocessors) * resident * n / m) / down);
    return {divided_up(p.m, m * down), divided_up(p.n, n * across), std::max(band, 1)};
  }
};

template <class Stage, class Shared = TensorRing<Stage>, class T>
TensorKernel<T> tensor_kernel(TensorProduct<T> product, TensorProduct<T> divided, TensorProduct<T> streamed,
                              int threads, int teams = 1) {
  static_assert(sizeof(Shared) <= shared_memory_of(Stage::resident));
  static_assert(sizeof(Shared) > shared_memory_of(Stage::resident + 1));  // memory alone limits how many are resident
  return {product,         divided,      streamed,       Stage::m,       Stage::n,      Stage::k,
          Stage::chunk,    Stage::box_a, Stage::share_b, Stage::boxes,   Stage::down,   Stage::across,
          Stage::resident, teams,        threads,        Shared::stages, sizeof(Shared)};
}
/// One function for all.
template <class Stage, class Shared = TensorRing<Stage>, class T>
TensorKernel<T> tensor_kernel(TensorProduct<T> product, int threads) {
  return tensor_kernel<Stage, Shared>(product, product, Stage::streams ? product : nullptr, threads);
}

/// A kernel, in how many parts K is divided, and whether all clusters share the steps of the first tiles.
template <class T>
struct TensorChoice {
  TensorKernel<T> kernel;
  int splits;
  bool streamed = false;

  TensorProduct<T> product() const { return streamed ? kernel.streamed : splits > 1 ? kernel.divided : kernel.product; }
  /// For people: how K is shared.
  std::string shares() const { return streamed ? "even shares" : std::to_string(splits); }
};

/// How to launch a choice. Not to be copied: `launch` points to `attribute`.
template <class T>
struct TensorConfig {
  TensorKernel<T> kernel;
  TensorProduct<T> product;
  cudaLaunchConfig_t launch{};
  cudaLaunchAttribute attribute{};

  explicit TensorConfig(TensorChoice<T> const& choice, cudaStream_t stream = nullptr)
      : kernel(choice.kernel), product(choice.product()) {
    check(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory_of(1)),
          "cudaFuncSetAttribute");
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(kernel.group());
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    launch.gridDim = dim3(kernel.group());
    launch.blockDim = dim3(kernel.threads);
    launch.dynamicSmemBytes = kernel.shared;
    launch.stream = stream;
    launch.attrs = &attribute;
    launch.numAttrs = kernel.group() > 1 ? 1 : 0;
  }
  TensorConfig(TensorConfig const&) = delete;
  TensorConfig& operator=(TensorConfig const&) = delete;

  /// Clusters under way at the same time on the whole device, with so many blocks on each multiprocessor.
  int most_clusters(int multiprocessors, int resident) const {
    if (kernel.group() == 1) return multiprocessors * resident;
    auto counted = launch;
    counted.dynamicSmemBytes = resident == kernel.resident ? kernel.shared : shared_memory_of(resident);
    int count = 0;
    check(cudaOccupancyMaxActiveClusters(&count, product, &counted), "cudaOccupancyMaxActiveClusters");
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

/// How many groups of tiles are streamed: the first ones, one to two for each cluster, so that the number of the others
/// is a multiple of the clusters.
inline int streamed_of(int groups, int clusters) { return groups % clusters + clusters; }

/// What a type's products cost, in cycles of a multiprocessor. The figures were fitted to times of 517 shapes of BF16,
/// 100 of TF32 and 30 of f64, most of them drawn at random, on H200s at 1.7 to 1.98 GHz; those of TF32 and f64 to
/// kernels that began more slowly. docs/kernels.md says how well the choice does.
struct TensorCosts {
  double multiply_adds;               ///< in a cycle
  double step, tile;                  ///< what each takes besides
  double alone = 1;                   ///< how much longer a step takes alone, where there is room for more blocks
  double fetched = 56;                ///< bytes in a cycle
  double latency = 1240;              ///< from when a stage is asked for until it is multiplied
  double across_lines = 0.3;          ///< more to fetch, where rows begin within 128 bytes
  double in_sector = 1;               ///< and within 32 bytes
  double stored = 34, added_up = 16;  ///< bytes in a cycle
  double shared = 920;                ///< of a tile of a group
  double divided = 2000, divided_more = 78;  ///< of a tile whose K is divided, and of each part
  double handed = 7700;                      ///< the sums of a tile to another cluster
  double least_step[3] = {0, 0, 0};          ///< of one block, of a pair, of more
  double deeper = 0;                         ///< share of it that each further chunk of K adds
  double of_many = 1;                        ///< how much longer a step takes in a cluster of more than two
  /// The same of teams that multiply in turns, and what a turn takes besides.
  double multiply_adds_in_turns = 1, tile_in_turns = 0, shared_in_turns = 0, turn = 0;
};

/// The cycles that a product takes: those of the busiest multiprocessor, of steps that wait for the units or for the
/// data, and of what comes before and after them. `at_once`, `spread`: clusters under way at the same time, and with
/// one block on each multiprocessor.
template <class T>
double cycles_of(TensorChoice<T> const& choice, matmul::Arguments const& p, int at_once, int spread,
                 TensorCosts const& costs) {
  auto const& kernel = choice.kernel;
  int const splits = choice.splits;
  double const clusters =
      double(divided_up(p.m, kernel.m * kernel.down)) * divided_up(p.n, kernel.n * kernel.across) * splits;
  double const tiles = std::ceil(clusters / at_once);  // of a block
  double const rounds = choice.streamed ? clusters / at_once : tiles;
  double const last = clusters - (tiles - 1) * at_once;  // clusters of the last round
  double const blocks =                                  // of the busiest multiprocessor
      choice.streamed ? rounds * kernel.resident
                      : (rounds - 1) * kernel.resident + std::min<double>(kernel.resident, std::ceil(last / spread));

  auto const rows = [&](double count, std::int64_t extent) {  // of 128 bytes, and how they cost
    auto const bytes = extent * 128 / kernel.chunk;
    return count * (1 + (bytes % 128 != 0) * costs.across_lines + (bytes % 32 != 0) * costs.in_sector);
  };
  auto const about_the_greatest = [](double a, double b, double c) {
    return std::sqrt(std::sqrt(a * a * a * a + b * b * b * b + c * c * c * c));
  };
  bool const in_turns = kernel.teams > 1;
  double const units =
      double(kernel.m) * kernel.n * kernel.k / (in_turns ? costs.multiply_adds_in_turns : costs.multiply_adds) +
      costs.step;
  double const fetch = (rows(double(std::min<std::int64_t>(kernel.m, p.m)) / kernel.across, p.k) +
                        rows(double(std::min<std::int64_t>(kernel.boxes * kernel.chunk, p.n)) / kernel.down, p.n)) *
                       kernel.deep() * 128 / costs.fetched;
  int const size = std::min(kernel.group(), 3) - 1;
  double const least = costs.least_step[size] * (1 + (kernel.deep() - 1) * costs.deeper);
  double const step = about_the_greatest(units, fetch, least) * (size == 2 ? costs.of_many : 1);
  double const alone = kernel.resident > 1 ? costs.alone : 1;
  double const steps = divided_up(divided_up(p.k, kernel.k), splits);
  double const bytes = double(kernel.m) * kernel.n * sizeof(T);
  double const shared = kernel.group() == 1 ? 0 : in_turns ? costs.shared_in_turns : costs.shared;
  double cycles = 0;
  if (in_turns) {  // one multiplies while the other stores
    double const multiply = costs.turn + steps * std::max(step, costs.latency / kernel.stages);
    double const store = costs.tile_in_turns + shared + bytes / costs.stored;
    cycles = rounds * multiply + store + std::max(0.0, store - multiply) * std::floor((tiles - 1) / 2);
  } else {
    cycles = steps * std::max({blocks * step, rounds * step * alone, rounds * costs.latency / kernel.stages}) +
             tiles * (costs.tile + shared) + blocks * bytes / splits / costs.stored;
  }
  if (choice.streamed) cycles += costs.handed + bytes * (1 / costs.stored + 1 / costs.added_up);
  if (splits > 1) cycles += costs.divided + costs.divided_more * splits + bytes / costs.added_up;
  return cycles;
}

/// So many of the ways that should be fastest are timed.
constexpr std::size_t timed_candidates = 8;

/// The ways that should be fastest, one of each kernel and `count` at most, with the cycles that they should take.
template <class T>
std::vector<std::pair<double, TensorChoice<T>>> candidates(std::vector<TensorKernel<T>> const& kernels,
                                                           matmul::Arguments const& p, int multiprocessors,
                                                           TensorCosts const& costs, std::size_t count) {
  std::map<std::pair<int, int>, int> counts;
  auto const clusters_of = [&](TensorKernel<T> const& kernel, int resident) {  // memory alone limits them
    auto const [found, is_new] = counts.try_emplace({kernel.group(), resident});
    if (is_new) found->second = TensorConfig<T>({kernel, 1}).most_clusters(multiprocessors, resident);
    return found->second;
  };
  std::vector<std::pair<double, TensorChoice<T>>> ways;
  for (auto const& kernel : kernels) {
    int const groups = kernel.tiles(p, multiprocessors).count(), steps = divided_up(p.k, kernel.k);
    int const at_once = clusters_of(kernel, kernel.resident), spread = clusters_of(kernel, 1);
    if (at_once == 0 || spread == 0) continue;
    std::pair<double, TensorChoice<T>> fastest{std::numeric_limits<double>::infinity(), {kernel, 1}};
    auto const try_out = [&](int splits, bool streamed) {
      TensorChoice<T> const choice{kernel, splits, streamed};
      double const cycles = cycles_of<T>(choice, p, at_once, spread, costs);
      if (cycles < fastest.first) fastest = {cycles, choice};
    };
    for (int splits = 1; splits <= kernel.most_splits(groups, steps, at_once); ++splits) try_out(splits, false);
    if (kernel.can_stream(groups, at_once)) try_out(1, true);
    ways.push_back(fastest);
  }
  std::stable_sort(ways.begin(), ways.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  ways.resize(std::min(ways.size(), count));
  return ways;
}

/// A launch of a kernel, and what it needs.
template <class T>
struct TensorLaunch : TensorConfig<T> {
  CUtensorMap a, b;
  T* c;
  TensorProblem problem;
  DeviceMemory handed;  ///< of clusters that share work: TensorProblem's `handed`, and `ready` after it

  TensorLaunch(TensorChoice<T> const& choice, matmul::Arguments const& p, CUtensorMapDataType type, int element,
               int multiprocessors, cudaStream_t stream)
      : TensorConfig<T>(choice, stream),
        c(static_cast<T*>(p.c)),
        problem{static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k),
                choice.kernel.tiles(p, multiprocessors), choice.splits} {
    auto const& [kernel, splits, streamed] = choice;
    a = hopper::boxes_of(p.a, type, element, p.m, p.k, kernel.box_a);
    b = hopper::boxes_of(p.b, type, element, p.k, p.n, kernel.box_b);
    // Persistent: no more than can be under way at once.
    int const wanted = problem.tiles.count() * splits;
    int const clusters = std::min(wanted, this->most_clusters(multiprocessors, kernel.resident));
    if (splits > 1 && clusters < wanted)
      throw std::logic_error("a product on matrix units: clusters that wait for each other are not all under way");
    int const blocks = clusters * kernel.group();
    this->launch.gridDim = dim3(blocks);
    if (!streamed && splits == 1) return;
    // All clusters are under way at the same time: one that waits for another's sums keeps none from starting.
    if (streamed) problem.streamed = streamed_of(problem.tiles.count(), clusters);
    std::size_t const sums = std::size_t(blocks) * kernel.m * kernel.n * sizeof(T), flags = blocks * sizeof(unsigned);
    handed = device_memory(sums + flags);
    problem.handed = static_cast<uint4*>(handed.get());
    problem.ready = reinterpret_cast<unsigned*>(static_cast<char*>(handed.get()) + sums);
    check(cudaMemsetAsync(problem.ready, 0, flags, stream), "cudaMemsetAsync");
  }

  void operator()() const {
    check(cudaLaunchKernelEx(&this->launch, this->product, a, b, c, problem), "a product on matrix units");
  }
};

/// The fastest of these, by the medians of eight times, in turns. Calls are replayed from a graph, since short ones in
/// a loop would be timed at the host's pace. Times differ by half a per cent from run to run, so one that should be
/// faster by the model is taken unless a later one is faster by more than that.
template <class T>
std::size_t fastest_of(std::vector<std::shared_ptr<TensorLaunch<T>>> const& launches, std::vector<int> const& calls,
                       cudaStream_t stream) {
  if (launches.size() == 1) return 0;
  std::vector<std::function<void()>> replays;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    auto const call = [&launch = *launches[i]] { launch(); };
    replays.push_back(replay_of(stream, call, calls[i]));
    if (!replays.back()) throw std::runtime_error("a product on matrix units: its launch cannot be recorded");
  }
  EventPair const events;
  std::vector<std::vector<double>> times(launches.size());
  for (int round = 0; round < 9; ++round) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      double const seconds = events.seconds_of(stream, "a product on matrix units", replays[i]) / calls[i];
      if (round > 0) times[i].push_back(seconds);  // the first one warms up
    }
  }
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (median_of(times[i]) < 0.995 * median_of(times[fastest])) fastest = i;
  }
  return fastest;
}

/// The fastest of the kernels: a model says which few may be, and these are timed. The copy engine calls A's and B's
/// elements `type`; they have `element` bytes.
template <class T>
NativeKernel launcher_of(NativeContext const& context, matmul::Arguments const& p,
                         std::vector<TensorKernel<T>> const& kernels, TensorCosts const& costs,
                         CUtensorMapDataType type, int element) {
  if (auto const skip = why_no_tensor(context.exec, p, element)) return {skip};
  int const multiprocessors = attribute_of(context.exec, cudaDevAttrMultiProcessorCount);
  cudaStream_t const stream = stream_of(context.exec);
  auto const ways = candidates(kernels, p, multiprocessors, costs, timed_candidates);
  std::vector<std::shared_ptr<TensorLaunch<T>>> launches;
  std::vector<int> calls;
  for (auto const& [cycles, choice] : ways) {
    launches.push_back(std::make_shared<TensorLaunch<T>>(choice, p, type, element, multiprocessors, stream));
    calls.push_back(static_cast<int>(std::clamp(400e3 / cycles, 1.0, 40.0)));  // for about 0.2 ms
  }
  std::size_t const fastest = fastest_of(launches, calls, stream);
  auto const& choice = ways.at(fastest).second;
  NativeKernel native;
  native.run = [launch = launches[fastest]] { (*launch)(); };
  native.notes["tile"] = fmt::format("{}x{}", choice.kernel.m, choice.kernel.n);
  native.notes["step of K"] = std::to_string(choice.kernel.k);
  native.notes["tiles that share"] = fmt::format("{}x{}", choice.kernel.down, choice.kernel.across);
  native.notes["splits of K"] = choice.shares();
  native.notes["kernels timed"] = std::to_string(launches.size());
  return native;
}

}  // namespace tilestride::cuda
