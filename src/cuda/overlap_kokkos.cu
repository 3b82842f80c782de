// SPDX-License-Identifier: BSD-3-Clause
// Copies beside kernels in Kokkos: deep_copy and parallel_for on execution-space instances, one instance a stream.
//
// deep_copy(instance, to, from) between pinned and device memory only enqueues (Kokkos 4.7: cudaMemcpyAsync on the
// instance's stream, no fence). Without an instance, or with an instance of a host space, it fences.
#include "cuda/native.hpp"
#include "cuda/overlap.hpp"

namespace tilestride::cuda {
namespace {

/// Kokkos on streams that raw CUDA made: here non-blocking ones, which do not wait for the default stream. Whatever
/// else CUDA can say of a stream (a priority, an L2 window) comes to Kokkos' kernels in the same way.
std::vector<Kokkos::Cuda> const& on_streams(Lanes& lanes, std::int64_t count) {
  grow(lanes.streams, count, cudaStreamNonBlocking);
  for (auto i = lanes.instances.size(); i < static_cast<std::size_t>(count); ++i)
    lanes.instances.emplace_back(lanes.streams[i].get());  // the stream stays ours, and must outlive the instance
  return lanes.instances;
}

/// Kokkos' own: no CUDA in sight. Kokkos 4.7 makes streams of the default kind, which wait for the default stream.
std::vector<Kokkos::Cuda> const& of_partition(Lanes& lanes, Kokkos::Cuda const& exec, std::int64_t count) {
  while (static_cast<std::int64_t>(lanes.partition.size()) < count)
    lanes.partition.push_back(Kokkos::Experimental::partition_space(exec, 1)[0]);
  return lanes.partition;
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

/// Stage after stage for a round of chunks, every chunk on its instance.
template <class T>
void enqueue_round(Overlap<T> const& p, Cut const& cut, std::vector<Kokkos::Cuda> const& execs, std::int64_t first) {
  std::int64_t const last = std::min(first + cut.width, cut.chunks);
  for (auto k = first; k < last; ++k) {
    Chunk const c = p.chunk(cut, k);
    Kokkos::deep_copy(execs[cut.stream_of(k)], part(p.in, c), part(p.from, c));
  }
  for (auto k = first; k < last; ++k) compute(p, execs[cut.stream_of(k)], p.chunk(cut, k));
  if (!cut.back) return;
  for (auto k = first; k < last; ++k) {
    Chunk const c = p.chunk(cut, k);
    Kokkos::deep_copy(execs[cut.stream_of(k)], part(p.to, c), part(p.out, c));
  }
}

/// Where the instances come from.
enum class Source { streams, partition };

template <class T>
Trial trial_on_instances(OverlapProblem<T> const& p, Cut const& cut, Source source) {
  auto const& execs =
      source == Source::streams ? on_streams(*p->lanes, cut.streams) : of_partition(*p->lanes, p->exec, cut.streams);
  auto const run = [p, cut, &execs] {
    for (std::int64_t k = 0; k < cut.chunks; k += cut.width) enqueue_round(*p, cut, execs, k);
    for (std::int64_t i = 0; i < cut.streams; ++i) execs[static_cast<std::size_t>(i)].fence("tilestride::overlap");
  };
  return overlap_trial(p, run, cut.back ? &Overlap<T>::verify_host : &Overlap<T>::verify_device);
}

Trial pipeline(Bench& bench, Case const& c, bool back, Source source) {
  Cut const cut = cut_of(c, back);
  if (std::string const reason = why_not(cut); !reason.empty()) return skipped(reason);
  return over_problem(bench, c, [&](auto p) { return trial_on_instances(p, cut, source); });
}

}  // namespace

/// One chunk on one instance: without the keys of a schedule there is no more.
Trial overlap_kokkos_serial(Bench& bench, Case const& c) { return pipeline(bench, c, true, Source::streams); }
Trial overlap_kokkos_staged(Bench& bench, Case const& c) { return pipeline(bench, c, false, Source::streams); }
Trial overlap_kokkos_three_stage(Bench& bench, Case const& c) { return pipeline(bench, c, true, Source::streams); }
Trial overlap_kokkos_partition(Bench& bench, Case const& c) { return pipeline(bench, c, true, Source::partition); }

}  // namespace tilestride::cuda
