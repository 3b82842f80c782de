// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What all variants of one overlap problem share: pinned memory on the host, its two places on the device, the kernel,
// and the parts that a schedule is made of, each timed alone. in and out are apart, so that a kernel can be run again.
//
//   from (host) --copy--> in (device) --kernel--> out (device) --copy--> to (host)

#include "cuda/owners.hpp"
#include "cuda/range.hpp"
#include "cuda/wall_clock.hpp"
#include "harness/machine.hpp"
#include "harness/prepare.hpp"
#include "patterns/overlap/pipeline.hpp"
#include "patterns/overlap/recurrence.hpp"

namespace tilestride::cuda {

/// Elements [begin, end).
struct Chunk {
  std::int64_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

/// What the cases of a problem run on, made when one asks for so many. They share them, since they run one at a time:
/// an instance of Kokkos holds a megabyte of the device. Instances must go before the streams they are on, and members
/// are destroyed from the last to the first.
struct Lanes {
  std::vector<Stream> streams;          ///< which do not wait for the default stream
  std::vector<Stream> blocking;         ///< which do
  std::vector<Kokkos::Cuda> instances;  ///< of Kokkos, on `streams`
  std::vector<Kokkos::Cuda> partition;  ///< of Kokkos, on streams of its own
};

inline void grow(std::vector<Stream>& streams, std::int64_t count, unsigned flags) {
  while (static_cast<std::int64_t>(streams.size()) < count) streams.push_back(make_stream(flags));
}

template <class T>
__global__ void apply(T const* in, T* out, Chunk chunk, Recurrence<T> step) {
  std::int64_t const i = chunk.begin + std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < chunk.end) out[i] = step(in[i]);
}

template <class T>
struct Overlap {
  using Exec = Kokkos::Cuda;
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Pinned = Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>;
  using OnDevice = Kokkos::View<T*, Kokkos::CudaSpace>;

  Exec exec;
  std::int64_t n;
  Recurrence<T> step;
  Pinned from, to;
  OnDevice in, out;
  std::shared_ptr<Lanes> lanes = std::make_shared<Lanes>();

  Overlap(Exec const& instance, Case const& c)
      : exec(instance),
        n(c.find("bytes")->n[0] / std::int64_t(sizeof(T))),
        step{static_cast<int>(c.integer("intensity"))},
        from(pinned("from")),
        to(pinned("to")),
        in(on_device("in")),
        out(on_device("out")) {
    fill(exec, in.data(), n, CountFrom<T>{1});
    Kokkos::deep_copy(exec, from, in);
    poison();
  }

  /// All that a repetition writes: whoever reads too early reads NaN.
  void poison() const {
    Kokkos::fence("tilestride::overlap::poison");
    tilestride::poison(exec, in.data(), n);
    tilestride::poison(exec, out.data(), n);
    tilestride::poison(Host(), to.data(), n);
  }

  Check verify_host() const {
    return check_all(Host(), n, IsRoundTrip{{to.data(), {1}, step.steps}, {from.data(), {1}, 0}},
                     "every element on the host exactly, inputs untouched");
  }
  Check verify_device() const {
    return check_all(exec, n, IsCounted<T>{out.data(), {1}, step.steps}, "every element on the device exactly");
  }

  void copy_in(cudaStream_t stream, Chunk c) const {
    if (c.empty()) return;
    check(cudaMemcpyAsync(in.data() + c.begin, from.data() + c.begin, bytes(c), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
  }
  void copy_out(cudaStream_t stream, Chunk c) const {
    if (c.empty()) return;
    check(cudaMemcpyAsync(to.data() + c.begin, out.data() + c.begin, bytes(c), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync to the host");
  }
  void compute(cudaStream_t stream, T const* input, Chunk c) const {
    if (c.empty()) return;
    auto const blocks = static_cast<unsigned>((c.end - c.begin + range_threads - 1) / range_threads);
    apply<T><<<blocks, range_threads, 0, stream>>>(input, out.data(), c, step);
    check(cudaGetLastError(), "the kernel of overlap");
  }

  Chunk all() const { return {0, n}; }
  Chunk chunk(Cut const& cut, std::int64_t k) const {
    return {chunk_begin(n, cut.chunks, k), chunk_begin(n, cut.chunks, k + 1)};
  }

  /// The parts alone, and both copies at once: sampled in alternation with the variants.
  std::vector<Yardstick> yardsticks() const {
    Overlap const p = *this;
    cudaStream_t const stream = exec.cuda_stream();
    auto const length = static_cast<double>(n) * sizeof(T);
    return {
        {"copy", 2 * length, [p, stream, side = std::make_shared<Side>()] { both_ways(p, stream, *side); }},
        {"h2d", length, [p, stream] { p.copy_in(stream, p.all()); }},
        {"kernel", 2.0 * p.step.steps * static_cast<double>(n),
         [p, stream] { p.compute(stream, p.in.data(), p.all()); }},
        {"d2h", length, [p, stream] { p.copy_out(stream, p.all()); }},
        {"launch", 1,
         [p, stream] {
           p.copy_in(stream, {0, 1});
         }},
    };
  }

  struct IsRoundTrip {
    IsCounted<T> result, input;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return result(i) && input(i); }
  };

 private:
  /// A second stream, and how it forks from the first and joins it again.
  struct Side {
    Stream stream = make_stream();
    Event fork = make_event(cudaEventDisableTiming), join = make_event(cudaEventDisableTiming);
  };

  static void both_ways(Overlap const& p, cudaStream_t stream, Side const& side) {
    check(cudaEventRecord(side.fork.get(), stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(side.stream.get(), side.fork.get()), "cudaStreamWaitEvent");
    p.copy_in(stream, p.all());
    p.copy_out(side.stream.get(), p.all());
    check(cudaEventRecord(side.join.get(), side.stream.get()), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream, side.join.get()), "cudaStreamWaitEvent");
  }

  static std::size_t bytes(Chunk c) { return static_cast<std::size_t>(c.end - c.begin) * sizeof(T); }

  Pinned pinned(std::string const& name) const {
    require_host_memory(static_cast<double>(n) * sizeof(T), "pinned");
    return Pinned(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tilestride::overlap::" + name), std::size_t(n));
  }
  OnDevice on_device(std::string const& name) const {
    return OnDevice(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::overlap::" + name),
                    std::size_t(n));
  }
};

/// Why it cannot be; empty when it can.
inline std::string why_not(Cut const& cut) {
  if (cut.streams > 64) return "at most 64 streams";
  if (cut.chunks > 65536) return "at most 65536 chunks";
  return "";
}

template <class T>
using OverlapProblem = std::shared_ptr<Overlap<T>>;

/// A variant over the problem: `run` waits until its work is done, so the clock is the host's.
template <class T>
Trial overlap_trial(OverlapProblem<T> const& p, std::function<void()> run, Check (Overlap<T>::*verify)() const) {
  int engines = 0;
  check(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, p->exec.cuda_device()), "cudaDeviceGetAttribute");
  Trial trial;
  trial.run = std::move(run);
  trial.poison = [p] { p->poison(); };
  trial.verify = [p, verify] { return ((*p).*verify)(); };
  trial.clock = wall_clock(p->exec);
  trial.notes["copy engines"] = std::to_string(engines);
  return trial;
}

/// Calls make(problem) for the element type of the case.
template <class Make>
Trial over_problem(Bench& bench, Case const& c, Make const& make) {
  return with_type<float, double>(
      c.type, [&](auto type) { return make(problem_on<Overlap<typename decltype(type)::type>>(bench, c)); });
}

}  // namespace tilestride::cuda
