// SPDX-License-Identifier: BSD-3-Clause
// Litmus tests in CUDA's words, and what they share with those in Kokkos' words.
#include <atomic>
#include <cuda/atomic>
#include <nv/target>

#include "cuda/litmus.hpp"
#include "cuda/native.hpp"

namespace tilestride::cuda {

Litmus::Litmus(Exec const& instance, Case const& c) : exec(instance), run{}, words(0), testers(0) {
  LitmusScope const scope = litmus_scope(c);
  bool const with_host = scope == LitmusScope::system;
  run.scope = scope;
  run.store_buffering = c.choice("test") == "sb";
  run.rounds = static_cast<int>(c.integer("iterations"));
  run.blocks = litmus_blocks(scope);
  run.pairs = litmus_pairs(scope);
  grid = run.blocks + static_cast<int>(c.integer("stress"));
  words = static_cast<std::size_t>(2 * run.pairs * litmus_slots * sector_words);
  testers = static_cast<std::size_t>(run.blocks * litmus_threads);
  cells = litmus_memory<int>(with_host, words);
  tokens = litmus_memory<LitmusToken>(with_host, static_cast<std::size_t>(2 * run.pairs));
  finished = litmus_memory<LitmusToken>(false, testers);
  hammered = litmus_memory<int>(false, hammer_words);
  run.cells = cells.get();
  run.tokens = tokens.get();
  run.finished = finished.get();
  run.hammered = hammered.get();
  reset();
}

void Litmus::reset() {
  fill(exec, run.cells, static_cast<std::int64_t>(words), Constant<int>{0});
  fill(exec, run.tokens, 2 * run.pairs, Constant<LitmusToken>{0});
  fill(exec, run.finished, static_cast<std::int64_t>(testers), Constant<LitmusToken>{0});
  exec.fence("tilestride::litmus::reset");
  run.number = 1;
  run.rounds_before = 0;
}

Check Litmus::check_words() const {
  std::vector<int> found(words), expected(words, 0);
  check(cudaMemcpy(found.data(), run.cells, words * sizeof(int), cudaMemcpyDefault), "cudaMemcpy of the cells");
  for (int pair = 0; pair < run.pairs; ++pair) {
    for (int slot = 0; slot < litmus_slots; ++slot) {
      for (int which = 0; which < 2; ++which)
        expected[static_cast<std::size_t>(litmus_place(run.pairs, pair, slot, which))] =
            static_cast<int>(last_version(slot, run.rounds_before));
    }
  }
  Check check{true, static_cast<double>(words), 0, "every word exactly"};
  for (std::size_t i = 0; i < words; ++i) {
    if (found[i] == expected[i]) continue;
    if (check.passed) check.detail += fmt::format("; word {} is {}, expected {}", i, found[i], expected[i]);
    check.passed = false;
    ++check.wrong;
  }
  return check;
}

namespace {

/// Of all runs of a trial, warm-up included: threads of the device, and the host's side.
struct Tallies {
  Kokkos::View<LitmusTally*, Kokkos::CudaSpace> device;
  LitmusTally host{};

  LitmusTally sum() const {
    auto const threads = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
    LitmusTally total = host;
    for (std::size_t i = 0; i < threads.size(); ++i) total += threads(i);
    return total;
  }
};

/// The kernel of a stream that records is written down, not started: nobody would come to play.
bool is_recording(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace

Trial litmus_trial(Bench& bench, Case const& c, LaunchLitmus const& launch, LitmusHost host) {
  auto const p = problem_on<Litmus>(bench, c);
  bool const with_host = p->run.scope == LitmusScope::system, ordered = is_ordered(c);
  auto const tallies = std::make_shared<Tallies>();
  tallies->device = Kokkos::View<LitmusTally*, Kokkos::CudaSpace>("tilestride::litmus::tallies", p->testers);
  Trial trial;
  trial.before = [p] { p->reset(); };
  trial.poison = trial.before;
  trial.run = [p, tallies, launch, host, with_host] {
    LitmusRun run = p->run;
    run.tallies = tallies->device.data();
    ++p->run.number;
    p->run.rounds_before += run.rounds;
    launch(*p, run);
    if (!with_host || is_recording(p->exec.cuda_stream())) return;
    host(run, tallies->host);
    p->exec.fence("tilestride::litmus::run");
  };
  if (with_host) trial.clock = wall_clock(p->exec);
  trial.measure = [tallies] {
    LitmusTally const sum = tallies->sum();
    return Quantities{{"tries", static_cast<double>(sum.tries)},
                      {"seen", static_cast<double>(sum.seen)},
                      {"weak outcomes", static_cast<double>(sum.weak)}};
  };
  trial.verify = [p, tallies, ordered] {
    Check check = p->check_words();
    LitmusTally const sum = tallies->sum();
    check.elements += static_cast<double>(sum.tries);
    if (sum.tries == 0 || sum.lost > 0) {
      check.passed = false;
      check.detail += fmt::format("; {} rounds in which one side did not come", sum.lost);
    }
    if (ordered) check.detail += fmt::format("; no weak outcome in {} tries is allowed", sum.tries);
    if (ordered && sum.weak > 0) {
      check.passed = false;
      check.wrong += static_cast<double>(sum.weak);
      check.detail += fmt::format(", but there were {}", sum.weak);
    }
    return check;
  };
  return trial;
}

namespace {

template <::cuda::thread_scope scope>
using AtomicRef = ::cuda::atomic_ref<int, scope>;

template <::cuda::thread_scope scope>
struct RelaxedAccess {
  static KOKKOS_FUNCTION int load(int* word) { return AtomicRef<scope>(*word).load(::cuda::std::memory_order_relaxed); }
  static KOKKOS_FUNCTION void store(int* word, int v) {
    AtomicRef<scope>(*word).store(v, ::cuda::std::memory_order_relaxed);
  }
};

/// The fences that the tutorials know; each is one for every order. The host's side has C++'s.
template <::cuda::thread_scope scope>
struct ThreadFence {
  static KOKKOS_FUNCTION void all() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (on_device();), (std::atomic_thread_fence(std::memory_order_seq_cst);))
  }
  static KOKKOS_FUNCTION void stores() { all(); }
  static KOKKOS_FUNCTION void loads() { all(); }

  static __device__ void on_device() {
    if constexpr (scope == ::cuda::thread_scope_block) __threadfence_block();
    if constexpr (scope == ::cuda::thread_scope_device) __threadfence();
    if constexpr (scope == ::cuda::thread_scope_system) __threadfence_system();
  }
};

/// No fence: the flag itself orders what comes before its store and after its load.
template <::cuda::thread_scope scope>
struct AtomicWords {
  static KOKKOS_FUNCTION void publish(int* data, int* flag, int v) {
    RelaxedAccess<scope>::store(data, v);
    AtomicRef<scope>(*flag).store(v, ::cuda::std::memory_order_release);
  }
  static KOKKOS_FUNCTION int look(int* flag, int* data, int& found) {
    int const seen = AtomicRef<scope>(*flag).load(::cuda::std::memory_order_acquire);
    found = RelaxedAccess<scope>::load(data);
    return seen;
  }
  static KOKKOS_FUNCTION int exchange(int* mine, int* other, int v) {
    AtomicRef<scope>(*mine).store(v, ::cuda::std::memory_order_seq_cst);
    return AtomicRef<scope>(*other).load(::cuda::std::memory_order_seq_cst);
  }
};

template <class Words>
__global__ void litmus(LitmusRun run) {
  litmus_thread<Words>(run, static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
}

template <class Words>
Trial trial_of(Bench& bench, Case const& c) {
  auto const launch = [](Litmus const& p, LitmusRun const& run) {
    litmus<Words><<<p.grid, litmus_threads, 0, p.exec.cuda_stream()>>>(run);
    check(cudaGetLastError(), "launch of litmus");
  };
  return litmus_trial(bench, c, launch, play_as_host<Words>);
}

template <::cuda::thread_scope scope>
Trial trial_in(Bench& bench, Case const& c) {
  std::string const& form = c.choice("form");
  if (form == "plain") return trial_of<Ordered<PlainAccess, NoFence>>(bench, c);
  if (form == "volatile") return trial_of<Ordered<VolatileAccess, NoFence>>(bench, c);
  if (form == "relaxed") return trial_of<Ordered<RelaxedAccess<scope>, NoFence>>(bench, c);
  if (form == "fenced") return trial_of<Ordered<VolatileAccess, ThreadFence<scope>>>(bench, c);
  return trial_of<AtomicWords<scope>>(bench, c);
}

}  // namespace

Trial litmus_native(Bench& bench, Case const& c) {
  switch (litmus_scope(c)) {
    case LitmusScope::block: return trial_in<::cuda::thread_scope_block>(bench, c);
    case LitmusScope::device: return trial_in<::cuda::thread_scope_device>(bench, c);
    default: return trial_in<::cuda::thread_scope_system>(bench, c);
  }
}

}  // namespace tilestride::cuda
