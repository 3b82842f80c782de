// SPDX-License-Identifier: BSD-3-Clause
// Copies beside kernels in Kokkos: deep_copy and parallel_for on execution-space instances, one instance a stream.
//
// deep_copy(instance, to, from) between pinned and device memory only enqueues (Kokkos 4.7: cudaMemcpyAsync on the
// instance's stream, no fence). Without an instance, or with an instance of a host space, it fences.
#include "cuda/native.hpp"
#include "cuda/overlap.hpp"

namespace tilestride::cuda {
namespace {

/// Instances, and the streams of those that do not own theirs. An instance must go before its stream: members are
/// destroyed from the last to the first.
struct Instances {
  std::vector<Stream> streams;
  std::vector<Kokkos::Cuda> execs;

  void fence() const {
    for (Kokkos::Cuda const& exec : execs) exec.fence("tilestride::overlap");
  }
};

/// Kokkos on streams that raw CUDA made: here non-blocking ones, which do not wait for the default stream. Whatever
/// else CUDA can say of a stream (a priority, an L2 window) comes to Kokkos' kernels in the same way.
std::shared_ptr<Instances> on_streams(std::int64_t count) {
  auto instances = std::make_shared<Instances>();
  for (std::int64_t i = 0; i < count; ++i) {
    instances->streams.push_back(make_stream(cudaStreamNonBlocking));
    instances->execs.emplace_back(instances->streams.back().get());
  }
  return instances;
}

/// Kokkos' own: no CUDA in sight. Kokkos 4.7 makes streams of the default kind, which wait for the default stream.
std::shared_ptr<Instances> partition(Kokkos::Cuda const& exec, std::int64_t count) {
  auto instances = std::make_shared<Instances>();
  instances->execs = Kokkos::Experimental::partition_space(exec, std::vector<int>(static_cast<std::size_t>(count), 1));
  return instances;
}

template <class View>
auto part(View const& view, Chunk c) {
  return Kokkos::subview(view, std::pair(c.begin, c.end));
}

template <class T>
void compute(Overlap<T> const& p, Kokkos::Cuda const& exec, Chunk c) {
  Kokkos::parallel_for("tilestride::overlap::kokkos",
                       Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(exec, c.begin, c.end),
                       Apply<T>{p.in.data(), p.out.data(), p.step});
}

/// Stage after stage for each round of `width` chunks, every chunk on its instance.
template <class T>
void enqueue_round(Overlap<T> const& p, Schedule const& s, std::vector<Kokkos::Cuda> const& execs, std::int64_t first) {
  std::int64_t const last = std::min(first + s.width, s.cut.chunks);
  for (auto k = first; k < last; ++k) {
    Chunk const c = p.chunk(s.cut, k);
    Kokkos::deep_copy(execs[s.stream_of(k)], part(p.in, c), part(p.from, c));
  }
  for (auto k = first; k < last; ++k) compute(p, execs[s.stream_of(k)], p.chunk(s.cut, k));
  if (!s.cut.back) return;
  for (auto k = first; k < last; ++k) {
    Chunk const c = p.chunk(s.cut, k);
    Kokkos::deep_copy(execs[s.stream_of(k)], part(p.to, c), part(p.out, c));
  }
}

/// Where the instances come from.
enum class Source { streams, partition };

template <class T>
Trial trial_on_instances(OverlapProblem<T> const& p, Schedule const& s, Source source) {
  auto const instances = source == Source::streams ? on_streams(s.cut.streams) : partition(p->exec, s.cut.streams);
  auto const run = [p, s, instances] {
    for (std::int64_t k = 0; k < s.cut.chunks; k += s.width) enqueue_round(*p, s, instances->execs, k);
    instances->fence();
  };
  return overlap_trial(p, run, s.cut.back ? &Overlap<T>::verify_host : &Overlap<T>::verify_device);
}

Trial pipeline(Bench& bench, Case const& c, Schedule const& s, Source source) {
  if (!s.skip.empty()) return skipped(s.skip);
  return over_problem(bench, c, [&](auto p) { return trial_on_instances(p, s, source); });
}

}  // namespace

/// One chunk on one instance.
Trial overlap_kokkos_serial(Bench& bench, Case const& c) { return pipeline(bench, c, {}, Source::streams); }
Trial overlap_kokkos_staged(Bench& bench, Case const& c) {
  return pipeline(bench, c, schedule_of(c, false), Source::streams);
}
Trial overlap_kokkos_three_stage(Bench& bench, Case const& c) {
  return pipeline(bench, c, schedule_of(c, true), Source::streams);
}
Trial overlap_kokkos_partition(Bench& bench, Case const& c) {
  return pipeline(bench, c, schedule_of(c, true), Source::partition);
}

}  // namespace tilestride::cuda
