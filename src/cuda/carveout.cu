// SPDX-License-Identifier: BSD-3-Clause
// L1 and shared memory are one memory of a multiprocessor. Its division is a hint, an attribute of a kernel's function:
// a percentage (the carve-out) or one of four older preferences. It is restored after each sample.
//
// The percentage is not available in Kokkos (its DesiredOccupancy computes one from the scratch of as many teams), and
// the function behind a Kokkos kernel has no public name. function_of (recording.hpp) finds it nevertheless.
#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "cuda/instance.hpp"
#include "cuda/recording.hpp"
#include "measure/sampler.hpp"
#include "model/units.hpp"
#include "patterns/carveout/native.hpp"
#include "patterns/carveout/settings.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"

namespace tilestride::carveout {
namespace {

using namespace cuda;

constexpr int counters = 1024;  ///< more than any device has multiprocessors

/// One block's job: `passes` over a working set of `rows` rows, each 16 bytes per thread. In each pass a warp reads
/// what the warp beside it read in the one before, so that nothing can be kept in registers.
struct Job {
  uint4 const* table;
  unsigned* out;  ///< one sum per thread
  int rows, windows, passes;

  __device__ uint4 const* window(int block) const {
    return table + static_cast<std::int64_t>(block % windows) * rows * threads;
  }
  /// Of a set of so many words per thread.
  template <class Word>
  __device__ unsigned sum_over(Word const* set, int words, int thread) const {
    unsigned sum = 0;
    for (int pass = 0; pass < passes; ++pass) {
      Word const* const column = set + (thread + 32 * pass) % threads;
#pragma unroll 4
      for (int word = 0; word < words; ++word) sum += sum_of(column[word * threads]);
    }
    return sum;
  }
  static __device__ unsigned sum_of(uint4 x) { return x.x + x.y + x.z + x.w; }
  static __device__ unsigned sum_of(uint2 x) { return x.x + x.y; }
};

struct CacheHungry {
  static constexpr int resident = 8;
  static constexpr bool is_staged = false;
  Job job;
  __device__ void operator()(int block, int thread, uint4*) const {
    job.out[block * threads + thread] = job.sum_over(job.window(block), job.rows, thread);
  }
};

/// In scratch the 16 bytes of a row and a thread are one word, or words of 8 bytes, each beside those of the other
/// threads.
template <class Word>
struct ScratchHungry {
  static constexpr int resident = 4;  // Kokkos refuses launch bounds that the scratch of as many teams does not fit
  static constexpr bool is_staged = true;
  static constexpr int in_row = sizeof(uint4) / sizeof(Word);
  Job job;
  __device__ void operator()(int block, int thread, uint4* scratch) const {
    auto* const words = reinterpret_cast<Word*>(scratch);
    auto const* const from = reinterpret_cast<Word const*>(job.window(block) + thread);
#pragma unroll 4
    for (int row = 0; row < job.rows; ++row) {
      for (int i = 0; i < in_row; ++i) words[(in_row * row + i) * threads + thread] = from[in_row * row * threads + i];
    }
    __syncthreads();
    job.out[block * threads + thread] = job.sum_over(words, in_row * job.rows, thread);
  }
};

/// Every value of every thread lives through all passes; registers are left for two thirds of them.
struct SpillHeavy {
  static constexpr int resident = 4;  // 64 registers per thread
  static constexpr bool is_staged = false;
  Job job;
  __device__ void operator()(int block, int thread, uint4*) const {
    unsigned const first = static_cast<unsigned>(block * threads + thread) * live;
    unsigned x[live];
#pragma unroll
    for (int i = 0; i < live; ++i) x[i] = first + static_cast<unsigned>(i);
#pragma unroll 1
    for (int pass = 0; pass < job.passes; ++pass) {
#pragma unroll
      for (int i = 0; i < live; ++i) x[i] = 3 * x[i] + static_cast<unsigned>(i);
    }
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < live; ++i) sum += x[i];
    job.out[block * threads + thread] = sum;
  }
};

/// Counts the blocks that a multiprocessor holds at once. Null: they are not counted, which is how kernels are timed.
struct Residents {
  unsigned* now = nullptr;
  unsigned* most = nullptr;

  __device__ static unsigned here() {
    unsigned multiprocessor = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    return multiprocessor % counters;
  }
  __device__ void enter(int thread) const {
    if (now != nullptr && thread == 0) atomicMax(&most[here()], atomicAdd(&now[here()], 1) + 1);
  }
  __device__ void leave(int thread) const {
    if (now == nullptr) return;
    __syncthreads();
    if (thread == 0) atomicSub(&now[here()], 1);
  }
};

template <class Body>
__global__ void __launch_bounds__(threads, Body::resident) carveout_kernel(Body body, Residents residents) {
  extern __shared__ uint4 scratch[];
  auto const thread = static_cast<int>(threadIdx.x);
  residents.enter(thread);
  body(static_cast<int>(blockIdx.x), thread, scratch);
  residents.leave(thread);
}

/// The same kernel in Kokkos: a team of 256 is a block, whose threads __syncthreads lets wait for each other.
template <class Body>
struct InKokkos {
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<threads, Body::resident>>;
  Body body;
  Residents residents;
  int scratch;  ///< bytes

  __device__ void operator()(typename Policy::member_type const& team) const {
    residents.enter(team.team_rank());
    body(team.league_rank(), team.team_rank(),
         static_cast<uint4*>(team.team_scratch(0).get_shmem_aligned(scratch, 16)));
    residents.leave(team.team_rank());
  }
};

/// Word i of the table.
struct Words {
  KOKKOS_FUNCTION unsigned operator()(std::int64_t i) const { return static_cast<unsigned>(value_at<int>(1, i)); }
};

struct Divided {
  using Exec = Kokkos::Cuda;

  Exec exec;
  int blocks, passes;
  Memory memory{"tilestride::carveout"};
  Kokkos::View<unsigned*, Exec> table, out, now, most;

  Divided(Exec const& instance, Case const& c)
      : exec(instance),
        blocks(static_cast<int>(c.integer("blocks"))),
        passes(static_cast<int>(c.integer("passes"))),
        table(memory.input<Kokkos::View<unsigned*, Exec>>(exec, "table", table_bytes / 4, Words{})),
        out(memory.preset_output<Kokkos::View<unsigned*, Exec>>(exec, "out", std::int64_t(blocks) * threads,
                                                                Constant<unsigned>{0xdeadbeef})),
        now(Kokkos::view_alloc(exec, "tilestride::carveout::now"), counters),
        most(Kokkos::view_alloc(exec, "tilestride::carveout::most"), counters) {}

  std::vector<Yardstick> yardsticks() const { return {}; }

  template <class IsRight>
  Check check_sums(IsRight const& is_right) const {
    return check_all(exec, static_cast<std::int64_t>(out.extent(0)), is_right, "every sum exactly");
  }
};

/// A thread's sum from the table's words as their indices give them: every eighth pass reads the same column.
struct IsSum {
  unsigned const* out;
  int rows, windows, passes;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    std::int64_t const first = i / threads % windows * rows * threads;
    unsigned sum = 0;
    for (int turn = 0; turn < 8 && turn < passes; ++turn) {
      unsigned column = 0;
      for (int row = 0; row < rows; ++row) {
        std::int64_t const pack = first + std::int64_t(row) * threads + (i + 32 * turn) % threads;
        for (int word = 0; word < 4; ++word) column += Words{}(4 * pack + word);
      }
      sum += column * static_cast<unsigned>((passes - turn + 7) / 8);
    }
    return out[i] == sum;
  }
};

/// p times x -> 3x + i is x -> 3^p x + (3^p - 1) / 2 i, both modulo 2^32: found by squaring.
struct IsSpilledSum {
  unsigned const* out;
  int passes;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    unsigned scale = 1, shift = 0;              // what has been applied
    unsigned power_scale = 3, power_shift = 1;  // 1, 2, 4, … applications
    for (int p = passes; p > 0; p /= 2) {
      if (p % 2 == 1) {
        shift = power_scale * shift + power_shift;
        scale *= power_scale;
      }
      power_shift += power_scale * power_shift;
      power_scale *= power_scale;
    }
    unsigned sum = 0;
    for (unsigned k = 0; k < live; ++k) {
      unsigned const x = static_cast<unsigned>(i) * live + k;
      sum += scale * x + shift * k;
    }
    return out[i] == sum;
  }
};

/// One of the four classic preferences, of a function or of all that have none of their own.
struct Preference {
  char const* name;
  cudaFuncCache cache;
  bool of_device;
};
constexpr Preference preferences[] = {{"none", cudaFuncCachePreferNone, false},
                                      {"shared", cudaFuncCachePreferShared, false},
                                      {"l1", cudaFuncCachePreferL1, false},
                                      {"equal", cudaFuncCachePreferEqual, false},
                                      {"device_shared", cudaFuncCachePreferShared, true},
                                      {"device_l1", cudaFuncCachePreferL1, true},
                                      {"device_equal", cudaFuncCachePreferEqual, true}};

/// The hints that can be set.
struct Setting {
  int carveout = cudaSharedmemCarveoutDefault;  ///< percent
  Preference preference = preferences[0];
  int bank_size = 0;  ///< bytes; 0: not asked for
};

Setting setting_of(Case const& c) {
  Setting setting;
  if (c.choice("carveout") != "default") setting.carveout = std::stoi(c.choice("carveout"));
  for (Preference const& preference : preferences) {
    if (c.choice("preference") == preference.name) setting.preference = preference;
  }
  if (c.find("bank_size") != nullptr && c.choice("bank_size") != "default")
    setting.bank_size = std::stoi(c.choice("bank_size"));
  return setting;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
/// The width of a bank. The calls are deprecated: only devices of compute capability 3 had a choice.
cudaSharedMemConfig bank_width() {
  cudaSharedMemConfig now = cudaSharedMemBankSizeDefault;
  cudaDeviceGetSharedMemConfig(&now);
  cudaGetLastError();
  return now;
}

/// A refusal is an answer, too.
void set_bank_width(cudaSharedMemConfig width) {
  cudaDeviceSetSharedMemConfig(width);
  cudaGetLastError();
}
#pragma nv_diagnostic pop
#pragma GCC diagnostic pop

cudaFuncAttributes attributes_of(void const* function) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
  return attributes;
}

cudaFuncCache device_preference() {
  cudaFuncCache preference = cudaFuncCachePreferNone;
  check(cudaDeviceGetCacheConfig(&preference), "cudaDeviceGetCacheConfig");
  return preference;
}

void apply(void const* function, Setting const& setting) {
  check(cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone), "cudaFuncSetCacheConfig");
  check(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, setting.carveout),
        "cudaFuncSetAttribute");
  Preference const& preference = setting.preference;
  if (preference.cache == cudaFuncCachePreferNone) return;
  if (preference.of_device)
    check(cudaDeviceSetCacheConfig(preference.cache), "cudaDeviceSetCacheConfig");
  else
    check(cudaFuncSetCacheConfig(function, preference.cache), "cudaFuncSetCacheConfig");
}

/// Launches on the instance; with Residents that count, or without.
using Launch = std::function<void(Residents const&)>;

template <class Body>
Launch native_launch(Divided const& p, Body const& body, std::size_t scratch) {
  return [stream = p.exec.cuda_stream(), blocks = p.blocks, body, scratch](Residents const& residents) {
    carveout_kernel<<<blocks, threads, scratch, stream>>>(body, residents);
    check(cudaGetLastError(), "carveout_kernel");
  };
}

template <class Body>
Launch kokkos_launch(Divided const& p, Body const& body, std::size_t scratch, std::string const& label) {
  return [exec = p.exec, blocks = p.blocks, body, scratch, label](Residents const& residents) {
    typename InKokkos<Body>::Policy policy(exec, blocks, threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch == 0 ? 0 : scratch + 16));
    Kokkos::parallel_for(label, policy, InKokkos<Body>{body, residents, static_cast<int>(scratch)});
  };
}

/// How many blocks the fullest multiprocessor held at once.
double count_residents(Divided const& p, Launch const& launch) {
  Kokkos::deep_copy(p.exec, p.now, 0u);
  Kokkos::deep_copy(p.exec, p.most, 0u);
  launch({p.now.data(), p.most.data()});
  p.exec.fence("tilestride::carveout::residents");
  auto const most = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p.most);
  return *std::max_element(most.data(), most.data() + counters);
}

/// By whom a kernel is launched.
enum class By { kokkos, cuda };

/// Bytes of scratch that a block can have: of a Kokkos kernel less what aligns it.
double scratch_limit(By by, Bench const& bench) {
  if (by == By::kokkos) return bench.device.team_scratch - 16;
  return attribute_of(bench.exec.get(), cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/// Why a working set cannot be; decided before the launch.
std::optional<Skip> why_not(Bench const& bench, std::int64_t bytes, bool is_staged, By by) {
  if (bytes % row_bytes != 0 || bytes > table_bytes)
    return Skip{SkipReason::not_applicable, fmt::format("a working set is whole rows of {}, at most {}",
                                                        short_bytes(row_bytes), short_bytes(table_bytes))};
  if (is_staged && static_cast<double>(bytes) > scratch_limit(by, bench))
    return Skip{SkipReason::limit,
                fmt::format("working sets of {} do not fit into the {} of {} that a block has",
                            short_bytes(static_cast<double>(bytes)), short_bytes(scratch_limit(by, bench)),
                            by == By::kokkos ? "team scratch" : "shared memory")};
  return {};
}

/// The trial of one kernel under one setting, by whichever of the two it is launched.
Trial make_trial(std::shared_ptr<Divided> const& p, Launch const& launch, void const* function,
                 Setting const& setting) {
  struct Held {
    int carveout = cudaSharedmemCarveoutDefault;
    cudaFuncCache device = cudaFuncCachePreferNone;
    cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
  };
  auto const was = std::make_shared<Held>();
  auto const banks = std::make_shared<int>(0);
  Trial trial;
  trial.run = [launch] { launch({}); };
  trial.buffers = p->memory.buffers();
  trial.before = [=] {
    *was = {attributes_of(function).preferredShmemCarveout, device_preference(), bank_width()};
    apply(function, setting);
    if (setting.bank_size == 0) return;
    set_bank_width(setting.bank_size == 8 ? cudaSharedMemBankSizeEightByte : cudaSharedMemBankSizeFourByte);
    *banks = bank_width() == cudaSharedMemBankSizeEightByte ? 8 : 4;
  };
  trial.after = [=] {
    if (setting.bank_size != 0) set_bank_width(was->banks);
    apply(function, {was->carveout});
    if (setting.preference.of_device) check(cudaDeviceSetCacheConfig(was->device), "cudaDeviceSetCacheConfig");
  };
  trial.measure = [=, before = trial.before, after = trial.after] {
    return hold(before, after, [&] {
      double const read_back = attributes_of(function).preferredShmemCarveout;
      Quantities quantities{{"blocks/SM", count_residents(*p, launch)}, {"read back", read_back}};
      if (setting.bank_size != 0) quantities.emplace_back("bank bytes", *banks);
      return quantities;
    });
  };
  return trial;
}

template <class Body, By by>
Trial prepare_body(Bench& bench, Case const& c) {
  constexpr bool is_staged = Body::is_staged;
  Value const* const set = c.find("working_set");
  std::int64_t const bytes = set != nullptr ? set->n[0] : row_bytes;
  if (auto const skip = why_not(bench, bytes, is_staged, by)) return skipped(skip->reason, skip->words);

  auto const p = problem_on<Divided>(bench, c);
  int const rows = static_cast<int>(bytes / row_bytes);
  int const windows = static_cast<int>(table_bytes / bytes);
  Body const body{{reinterpret_cast<uint4 const*>(p->table.data()), p->out.data(), rows, windows, p->passes}};
  std::size_t const scratch = is_staged ? static_cast<std::size_t>(bytes) : 0;
  Launch launch;
  void const* function = nullptr;
  if constexpr (by == By::kokkos) {
    launch = kokkos_launch(*p, body, scratch, "tilestride::carveout::" + c.variant->name);
    launch({});  // the first launch of a kernel asks for more than a recording stream may give
    p->exec.fence("tilestride::carveout::first");
    function = function_of(p->exec.cuda_stream(), [&] { launch({}); });
  } else {
    launch = native_launch(*p, body, scratch);
    function = reinterpret_cast<void const*>(carveout_kernel<Body>);
    if (scratch > 48 * 1024)
      check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 attribute_of(&p->exec, cudaDevAttrMaxSharedMemoryPerBlockOptin)),
            "cudaFuncSetAttribute");
  }
  Trial trial = make_trial(p, launch, function, setting_of(c));
  if constexpr (std::is_same_v<Body, SpillHeavy>)
    trial.verify = [p] { return p->check_sums(IsSpilledSum{p->out.data(), p->passes}); };
  else
    trial.verify = [p, rows, windows] { return p->check_sums(IsSum{p->out.data(), rows, windows, p->passes}); };
  return trial;
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.hybrid_cache_hungry = prepare_body<CacheHungry, By::kokkos>;
  table.hybrid_scratch_hungry = prepare_body<ScratchHungry<uint4>, By::kokkos>;
  table.hybrid_spill_heavy = prepare_body<SpillHeavy, By::kokkos>;
  table.native_cache_hungry = prepare_body<CacheHungry, By::cuda>;
  table.native_scratch_hungry = prepare_body<ScratchHungry<uint4>, By::cuda>;
  table.native_scratch_of_doubles = prepare_body<ScratchHungry<uint2>, By::cuda>;
  table.native_spill_heavy = prepare_body<SpillHeavy, By::cuda>;
  return table;
}

}  // namespace tilestride::carveout
