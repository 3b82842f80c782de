// SPDX-License-Identifier: BSD-3-Clause
// Copies beside kernels in raw CUDA: which streams, which order, and what the host does meanwhile.
#include "cuda/native.hpp"
#include "cuda/overlap.hpp"

namespace tilestride::cuda {
namespace {

void wait_for(Stream const& stream) { check(cudaStreamSynchronize(stream.get()), "waiting for a stream"); }

/// Copy, kernel, copy back, in one stream.
template <class T>
void enqueue_serial(Overlap<T> const& p, cudaStream_t stream) {
  p.copy_in(stream, p.all());
  p.compute(stream, p.in.data(), p.all());
  p.copy_out(stream, p.all());
}

/// Stage after stage for a round of chunks, every chunk in its stream.
template <class T>
void enqueue_round(Overlap<T> const& p, Cut const& cut, std::vector<Stream> const& streams, std::int64_t first) {
  std::int64_t const last = std::min(first + cut.width, cut.chunks);
  for (auto k = first; k < last; ++k) p.copy_in(streams[cut.stream_of(k)].get(), p.chunk(cut, k));
  for (auto k = first; k < last; ++k) p.compute(streams[cut.stream_of(k)].get(), p.in.data(), p.chunk(cut, k));
  if (!cut.back) return;
  for (auto k = first; k < last; ++k) p.copy_out(streams[cut.stream_of(k)].get(), p.chunk(cut, k));
}

/// Rounds on the streams, with `between` after each of them.
template <class T, class Between>
Trial in_rounds(OverlapProblem<T> const& p, Cut const& cut, std::vector<Stream> const& streams,
                Between const& between) {
  auto const run = [p, cut, &streams, between] {
    for (std::int64_t k = 0; k < cut.chunks; k += cut.width) {
      enqueue_round(*p, cut, streams, k);
      between();
    }
    for (std::int64_t i = 0; i < cut.streams; ++i) wait_for(streams[static_cast<std::size_t>(i)]);
  };
  return overlap_trial(p, run, cut.back ? &Overlap<T>::verify_host : &Overlap<T>::verify_device);
}

Trial pipeline(Bench& bench, Case const& c, bool back) {
  Cut const cut = cut_of(c, back);
  if (std::string const reason = why_not(cut); !reason.empty()) return skipped(reason);
  return over_problem(bench, c, [&](auto p) {
    grow(p->lanes->streams, cut.streams, cudaStreamNonBlocking);
    return in_rounds(p, cut, p->lanes->streams, [] {});
  });
}

/// What the host computes meanwhile, on arrays of its own: as much as takes it four fifths of the device's time.
template <class T>
struct HostWork {
  using Host = typename Overlap<T>::Host;
  using Array = Kokkos::View<T*, Kokkos::HostSpace>;

  Recurrence<T> step;
  Array from, to;
  double seconds = 0;  ///< of the host alone

  HostWork(Overlap<T> const& p, double device_seconds) : step(p.step) {
    resize(std::min<std::int64_t>(p.n, 4096 * Host().concurrency()));
    double const per_element = time() / static_cast<double>(from.extent(0));
    resize(std::clamp<std::int64_t>(static_cast<std::int64_t>(0.8 * device_seconds / per_element), 1, p.n));
    seconds = time();
  }

  void run() const {
    Kokkos::parallel_for("tilestride::overlap::host_work",
                         Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(0, to.extent(0)),
                         Apply<T>{from.data(), to.data(), step});
    Host().fence("tilestride::overlap::host_work");
  }

  Check verify() const {
    return check_all(Host(), static_cast<std::int64_t>(to.extent(0)), IsCounted<T>{to.data(), {3}, step.steps},
                     "every element of the host's own work exactly");
  }

 private:
  void resize(std::int64_t n) {
    from = Array(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tilestride::overlap::host_from"), std::size_t(n));
    to = Array(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tilestride::overlap::host_to"), std::size_t(n));
    fill(Host(), from.data(), n, CountFrom<T>{3});
  }

  /// Of the second run: the first one meets pages that nobody has touched.
  double time() const {
    run();
    double const begin = monotonic_now();
    run();
    return monotonic_now() - begin;
  }
};

template <class T>
Trial one_after_the_other(OverlapProblem<T> const& p) {
  grow(p->lanes->streams, 1, cudaStreamNonBlocking);
  auto const run = [p] {
    Stream const& stream = p->lanes->streams[0];
    enqueue_serial(*p, stream.get());
    wait_for(stream);
  };
  return overlap_trial(p, run, &Overlap<T>::verify_host);
}

template <class T>
Trial beside_host_work(OverlapProblem<T> const& p) {
  Trial trial = one_after_the_other(p);
  trial.run();
  auto const host = std::make_shared<HostWork<T>>(*p, trial.clock.time(trial.run, 1));
  trial.run = [p, host] {
    Stream const& stream = p->lanes->streams[0];
    enqueue_serial(*p, stream.get());
    host->run();  // control came back as soon as the work was enqueued
    wait_for(stream);
  };
  trial.poison = [p, host] {
    p->poison();
    tilestride::poison(typename HostWork<T>::Host(), host->to.data(), std::int64_t(host->to.extent(0)));
  };
  trial.verify = [p, host] {
    Check const device = p->verify_host();
    return device.passed ? host->verify() : device;
  };
  trial.measure = [host] { return Quantities{{"host ms", 1e3 * host->seconds}}; };
  return trial;
}

/// The copy and the kernel have nothing to do with each other: `other` came to the device before.
template <class T>
Trial beside_other_data(OverlapProblem<T> const& p) {
  typename Overlap<T>::OnDevice const other(
      Kokkos::view_alloc(p->exec, Kokkos::WithoutInitializing, "tilestride::overlap::other"), std::size_t(p->n));
  fill(p->exec, other.data(), p->n, CountFrom<T>{2});
  p->exec.fence("tilestride::overlap::other");
  grow(p->lanes->streams, 2, cudaStreamNonBlocking);
  auto const run = [p, other] {
    Stream const &first = p->lanes->streams[0], &second = p->lanes->streams[1];
    p->copy_in(first.get(), p->all());
    p->compute(second.get(), other.data(), p->all());
    wait_for(first);
    wait_for(second);
  };
  Trial trial = overlap_trial(p, run, &Overlap<T>::verify_device);
  trial.verify = [p] {
    Check const copied = check_all(p->exec, p->n, IsCounted<T>{p->in.data(), {1}, 0}, "every element copied exactly");
    if (!copied.passed) return copied;
    return check_all(p->exec, p->n, IsCounted<T>{p->out.data(), {2}, p->step.steps}, "every element exactly");
  };
  return trial;
}

}  // namespace

Trial overlap_serial(Bench& bench, Case const& c) {
  return over_problem(bench, c, [](auto p) { return one_after_the_other(p); });
}
Trial overlap_host_work(Bench& bench, Case const& c) {
  return over_problem(bench, c, [](auto p) { return beside_host_work(p); });
}
Trial overlap_two_streams(Bench& bench, Case const& c) {
  return over_problem(bench, c, [](auto p) { return beside_other_data(p); });
}
Trial overlap_staged(Bench& bench, Case const& c) { return pipeline(bench, c, false); }
Trial overlap_three_stage(Bench& bench, Case const& c) { return pipeline(bench, c, true); }

/// Streams of the default kind, and after each round four bytes set in the default stream: it starts when all of them
/// are done with what they have, and they wait until it is.
Trial overlap_default_stream(Bench& bench, Case const& c) {
  Cut const cut = cut_of(c, true);
  if (std::string const reason = why_not(cut); !reason.empty()) return skipped(reason);
  return over_problem(bench, c, [&](auto p) {
    grow(p->lanes->blocking, cut.streams, cudaStreamDefault);
    auto const flag = std::make_shared<DeviceMemory>(device_memory(4));
    return in_rounds(p, cut, p->lanes->blocking,
                     [flag] { check(cudaMemsetAsync(flag->get(), 0, 4, cudaStreamLegacy), "cudaMemsetAsync"); });
  });
}

}  // namespace tilestride::cuda
