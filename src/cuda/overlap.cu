// SPDX-License-Identifier: BSD-3-Clause
// Copies beside kernels in raw CUDA: on streams that do not wait for the default stream, on streams that do, by copies
// that block, and Kokkos on instances that were given streams of the first kind.
#include "cuda/instance.hpp"
#include "cuda/owners.hpp"
#include "cuda/range.hpp"
#include "patterns/overlap/host_work.hpp"
#include "patterns/overlap/schedule.hpp"
#include "patterns/overlap/two_streams.hpp"

namespace tilestride::overlap {
namespace {

using namespace cuda;

/// Made when a case asks for so many, and shared by the cases of a problem. Instances must go before the streams they
/// are on, and members are destroyed from the last to the first.
struct Streams {
  std::vector<Stream> plain;            ///< which do not wait for the default stream
  std::vector<Stream> blocking;         ///< which do
  std::vector<Kokkos::Cuda> instances;  ///< of Kokkos, on `plain`
};

template <class Problem>
Streams& streams_of(Problem& p) {
  if (p.streams == nullptr) p.streams = std::make_shared<Streams>();
  return *static_cast<Streams*>(p.streams.get());
}

std::vector<Stream> const& grown(std::vector<Stream>& streams, std::int64_t count, unsigned flags) {
  while (static_cast<std::int64_t>(streams.size()) < count) streams.push_back(make_stream(flags));
  return streams;
}

template <class T>
__global__ void apply(T const* in, T* out, Chunk chunk, Recurrence<T> step) {
  std::int64_t const i = chunk.begin + std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < chunk.end) out[i] = step(in[i]);
}

template <class Problem>
std::size_t bytes_of(Chunk c) {
  return static_cast<std::size_t>(c.end - c.begin) * sizeof(typename Problem::Element);
}

/// The stages on a stream (schedule.hpp says what these are).
struct OnStreams {
  template <class Problem>
  static std::vector<Stream> const& lanes(Problem& p, std::int64_t count) {
    return grown(streams_of(p).plain, count, cudaStreamNonBlocking);
  }
  template <class Problem>
  static void copy_in(Problem const& p, Stream const& stream, Chunk c) {
    check(cudaMemcpyAsync(p.in.data() + c.begin, p.from.data() + c.begin, bytes_of<Problem>(c), cudaMemcpyHostToDevice,
                          stream.get()),
          "cudaMemcpyAsync to the device");
  }
  template <class Problem>
  static void compute(Problem const& p, Stream const& stream, typename Problem::OnDevice const& input, Chunk c) {
    auto const blocks = static_cast<unsigned>((c.end - c.begin + range_threads - 1) / range_threads);
    apply<<<blocks, range_threads, 0, stream.get()>>>(input.data(), p.out.data(), c, p.step);
    check(cudaGetLastError(), "the kernel of overlap");
  }
  template <class Problem>
  static void copy_out(Problem const& p, Stream const& stream, Chunk c) {
    check(cudaMemcpyAsync(p.to.data() + c.begin, p.out.data() + c.begin, bytes_of<Problem>(c), cudaMemcpyDeviceToHost,
                          stream.get()),
          "cudaMemcpyAsync to the host");
  }
  static void wait(Stream const& stream) { check(cudaStreamSynchronize(stream.get()), "waiting for a stream"); }
};

struct OnBlockingStreams : OnStreams {
  template <class Problem>
  static std::vector<Stream> const& lanes(Problem& p, std::int64_t count) {
    return grown(streams_of(p).blocking, count, cudaStreamDefault);
  }
};

/// cudaMemcpy: in the default stream, which waits for the kernels on these streams, and the host waits for it.
struct ByBlockingCopies : OnBlockingStreams {
  template <class Problem>
  static void copy_in(Problem const& p, Stream const&, Chunk c) {
    check(cudaMemcpy(p.in.data() + c.begin, p.from.data() + c.begin, bytes_of<Problem>(c), cudaMemcpyHostToDevice),
          "cudaMemcpy to the device");
  }
  template <class Problem>
  static void copy_out(Problem const& p, Stream const&, Chunk c) {
    check(cudaMemcpy(p.to.data() + c.begin, p.out.data() + c.begin, bytes_of<Problem>(c), cudaMemcpyDeviceToHost),
          "cudaMemcpy to the host");
  }
};

/// Kokkos on streams that raw CUDA made. Whatever else CUDA can say of a stream (a priority, an L2 window) comes to
/// Kokkos' kernels in the same way.
struct OnOwnStreams : OnInstances {
  template <class Problem>
  static std::vector<Kokkos::Cuda> const& lanes(Problem& p, std::int64_t count) {
    Streams& streams = streams_of(p);
    grown(streams.plain, count, cudaStreamNonBlocking);
    for (auto i = streams.instances.size(); i < static_cast<std::size_t>(count); ++i)
      streams.instances.emplace_back(streams.plain[i].get());  // the stream stays ours, and must outlive the instance
    return streams.instances;
  }
};

template <class Way, bool back>
Trial prepare_pipeline(Bench& bench, Case const& c) {
  return over_problem<Kokkos::Cuda>(bench, c, [&](auto p) { return pipeline<Way>(p, c, back); });
}

Trial prepare_host_work(Bench& bench, Case const& c) {
  return over_problem<Kokkos::Cuda>(bench, c, [](auto p) { return beside_host_work<OnStreams>(p); });
}

Trial prepare_two_streams(Bench& bench, Case const& c) {
  return over_problem<Kokkos::Cuda>(bench, c, [](auto p) { return beside_other_data<OnStreams>(p); });
}

/// Streams of the default kind, and after each round four bytes set in the default stream: it starts when all of them
/// are done with what they have, and they wait until it is.
Trial prepare_default_stream(Bench& bench, Case const& c) {
  Cut const cut = cut_of(c, true);
  if (auto const skip = why_not(cut)) return skipped(skip->reason, skip->words);
  auto const flag = std::make_shared<DeviceMemory>(device_memory(4));
  return over_problem<Kokkos::Cuda>(bench, c, [&](auto p) {
    return in_rounds<OnBlockingStreams>(
        p, cut, [flag] { check(cudaMemsetAsync(flag->get(), 0, 4, cudaStreamLegacy), "cudaMemsetAsync"); });
  });
}

/// A second stream, and how it forks from the first and joins it again.
struct Side {
  Stream stream = make_stream();
  Event fork = make_event(cudaEventDisableTiming), join = make_event(cudaEventDisableTiming);
};

NativeKernel launch_both_ways(NativeContext const& context, Arguments const& p) {
  NativeKernel native;
  native.run = [p, stream = stream_of(context.exec), side = std::make_shared<Side>()] {
    auto const bytes = static_cast<std::size_t>(p.bytes);
    check(cudaEventRecord(side->fork.get(), stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(side->stream.get(), side->fork.get()), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(p.in, p.from, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync to the device");
    check(cudaMemcpyAsync(p.to, p.out, bytes, cudaMemcpyDeviceToHost, side->stream.get()),
          "cudaMemcpyAsync to the host");
    check(cudaEventRecord(side->join.get(), side->stream.get()), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream, side->join.get()), "cudaStreamWaitEvent");
  };
  return native;
}

std::map<std::string, std::string> notes_of(void const* exec) {
  return {{"copy engines", std::to_string(attribute_of(exec, cudaDevAttrAsyncEngineCount))}};
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.serial = prepare_pipeline<OnStreams, true>;  // without the keys of a schedule: one chunk
  table.staged = prepare_pipeline<OnStreams, false>;
  table.three_stage = prepare_pipeline<OnStreams, true>;
  table.host_work = prepare_host_work;
  table.two_streams = prepare_two_streams;
  table.blocking = prepare_pipeline<ByBlockingCopies, true>;
  table.default_stream = prepare_default_stream;
  table.hybrid_three_stage = prepare_pipeline<OnOwnStreams, true>;
  table.both_ways = launch_both_ways;
  table.notes = notes_of;
  return table;
}

}  // namespace tilestride::overlap
