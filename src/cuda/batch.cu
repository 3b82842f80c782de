// SPDX-License-Identifier: BSD-3-Clause
// Many small pieces for the device, lying apart on both sides: a copy each, one copy of a packed buffer, or one call
// that is told of them all. The host takes part, so that its clock is used and every repetition waits for its end.
#include <fmt/format.h>

#include <cstring>

#include "cuda/link_probe.hpp"
#include "cuda/native.hpp"
#include "cuda/range.hpp"
#include "cuda/wall_clock.hpp"
#include "deck/units.hpp"
#include "harness/prepare.hpp"
#include "harness/values.hpp"

namespace tilestride::cuda {
namespace {

using Word = std::int32_t;
using Host = Kokkos::DefaultHostExecutionSpace;
using Pinned = Kokkos::SharedHostPinnedSpace;
template <class Memory>
using Array = Kokkos::View<Word*, Memory>;
template <class Memory>
using Window = Kokkos::View<Word*, Memory, Kokkos::MemoryUnmanaged>;

constexpr Word unwritten = poison_value<Word>();

/// Where the chunks lie. On the host chunk i is in slot i, on the device in slot chunks-1-i; slots are a pitch apart,
/// with at least one word between two chunks. Packed, chunk follows chunk.
struct Layout {
  std::int64_t chunks, words, pitch;  ///< words of a chunk; words from slot to slot
  KOKKOS_FUNCTION std::int64_t from(std::int64_t chunk) const { return chunk * pitch; }
  KOKKOS_FUNCTION std::int64_t to(std::int64_t chunk) const { return (chunks - 1 - chunk) * pitch; }
  KOKKOS_FUNCTION std::int64_t packed(std::int64_t chunk) const { return chunk * words; }
};

/// Word k of the host's array: every chunk has values of its own, and so has what lies between two, which must stay.
struct HostWord {
  Layout at;
  KOKKOS_FUNCTION Word operator()(std::int64_t k) const {
    std::int64_t const chunk = k / at.pitch, j = k % at.pitch;
    return j < at.words ? value_at<Word>(1, at.packed(chunk) + j) : value_at<Word>(2, k);
  }
};

/// Word k of the device's array: the chunk that belongs there, and what was there before between two chunks.
struct HasArrived {
  Word const* data;
  Layout at;
  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    std::int64_t const chunk = at.chunks - 1 - k / at.pitch, j = k % at.pitch;
    return data[k] == (j < at.words ? value_at<Word>(1, at.packed(chunk) + j) : unwritten);
  }
};

/// The host's share of packing, one chunk. Both spellings have it, so that they differ by their calls for the device.
struct Pack {
  Layout at;
  Word const* from;
  Word* staging;
  void operator()(std::int64_t chunk) const {
    std::memcpy(staging + at.packed(chunk), from + at.from(chunk), static_cast<std::size_t>(at.words) * sizeof(Word));
  }
};

/// The device's share of unpacking: element i of the packed buffer, an E of one or four words, goes to its chunk's
/// slot.
template <class E>
struct Unpack {
  static constexpr int width = int(sizeof(E) / sizeof(Word));
  Layout at;
  E const* staged;
  E* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const in_chunk = at.words / width, chunk = i / in_chunk;
    to[at.to(chunk) / width + i % in_chunk] = staged[i];
  }
};

struct alignas(16) FourWords {
  Word w[4];
};

struct Batch {
  using Exec = Kokkos::Cuda;
  Exec exec;
  Layout at;
  Array<Pinned> from, staging;
  Array<Exec> to, staged;
  LinkProbe::Small small;  ///< s
  double link;             ///< B/s

  Batch(Exec const& instance, Case const& c) : exec(instance), at(layout_of(c)) {
    require_host_memory(static_cast<double>(at.chunks) * static_cast<double>(at.pitch + at.words) * sizeof(Word),
                        "pinned");
    {
      LinkProbe const probe;
      small = probe.small(true, false);
      link = probe.rate(true, false);
    }
    from = array<Pinned>("from", at.chunks * at.pitch);
    staging = array<Pinned>("staging", at.chunks * at.words);
    to = array<Exec>("to", at.chunks * at.pitch);
    staged = array<Exec>("staged", at.chunks * at.words);
    fill(Host(), from.data(), at.chunks * at.pitch, HostWord{at});
    Host().fence("tilestride::batch::fill");
    poison();
  }

  std::size_t chunk_bytes() const { return static_cast<std::size_t>(at.words) * sizeof(Word); }
  std::size_t bytes() const { return static_cast<std::size_t>(at.chunks) * chunk_bytes(); }
  std::vector<Yardstick> yardsticks() const { return {}; }

  void poison() const {
    tilestride::poison(exec, to.data(), at.chunks * at.pitch);
    tilestride::poison(exec, staged.data(), at.chunks * at.words);
    tilestride::poison(Host(), staging.data(), at.chunks * at.words);
  }
  Check verify() const {
    return check_all(exec, at.chunks * at.pitch, HasArrived{to.data(), at}, "every element exactly, and none between");
  }

  /// Below a quarter of a MiB the threads would take longer to start than one of them to copy.
  void pack() const {
    Pack const chunk{at, from.data(), staging.data()};
    if (bytes() < 256 << 10) {
      for (std::int64_t i = 0; i < at.chunks; ++i) chunk(i);
    } else {
      Kokkos::parallel_for("tilestride::batch::pack",
                           Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(0, at.chunks), chunk);
      Host().fence("tilestride::batch::pack");
    }
  }

  /// Calls launch(Unpack, number of elements), with elements of 16 bytes where chunks are made of such.
  template <class Launch>
  void unpack(Launch const& launch) const {
    if (at.words % 4 == 0)
      launch(unpack_of<FourWords>(), at.chunks * at.words / 4);
    else
      launch(unpack_of<Word>(), at.chunks * at.words);
  }

 private:
  /// A pitch of whole lines of 256 bytes, as cudaMalloc aligns.
  static Layout layout_of(Case const& c) {
    std::int64_t const words = c.integer("chunk_bytes") / std::int64_t(sizeof(Word));
    return {c.integer("chunks"), words, (words / 64 + 1) * 64};
  }

  template <class Memory>
  static Array<Memory> array(std::string const& name, std::int64_t n) {
    return Array<Memory>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tilestride::batch::" + name),
                         static_cast<std::size_t>(n));
  }

  template <class E>
  Unpack<E> unpack_of() const {
    return {at, reinterpret_cast<E const*>(staged.data()), reinterpret_cast<E*>(to.data())};
  }
};

/// Where the time of a sample went.
struct Spent {
  double pack = 0, calls = 0, whole = 0;  ///< seconds: packing, until the last call returned, until all has arrived
  long repetitions = 0;
};

/// One way of sending: what the host does first (or nothing), the calls, and the wait for their end.
struct Way {
  std::function<void()> pack, send, wait;
  double unpack = 0;  ///< s, of the device alone
  double model = 0;   ///< s, without packing
};

Trial batch_trial(std::shared_ptr<Batch> const& p, Way const& way) {
  auto const spent = std::make_shared<Spent>();
  Trial trial;
  trial.before = [spent] { *spent = {}; };
  trial.run = [spent, way] {
    double const begin = monotonic_now();
    if (way.pack) way.pack();
    double const packed = monotonic_now();
    way.send();
    double const returned = monotonic_now();
    way.wait();
    spent->pack += packed - begin;
    spent->calls += returned - begin;
    spent->whole += monotonic_now() - begin;
    ++spent->repetitions;
  };
  trial.clock = wall_clock(p->exec);
  trial.poison = [p] { p->poison(); };
  trial.verify = [p] { return p->verify(); };
  trial.measure = [p, spent, way] {
    auto const repetitions = static_cast<double>(spent->repetitions);
    double const pack = way.pack ? spent->pack / repetitions : 0;
    double const model = way.model + pack;
    Quantities parts{{"link GB/s", p->link / 1e9},
                     {"first us", 1e6 * p->small.first},
                     {"next us", 1e6 * p->small.next},
                     {"model us", 1e6 * model},
                     {"achieved", model * repetitions / spent->whole},
                     {"host us", 1e6 * spent->calls / repetitions}};
    if (way.pack) parts.insert(parts.end(), {{"pack us", 1e6 * pack}, {"unpack us", 1e6 * way.unpack}});
    return parts;
  };
  return trial;
}

double one_copy(Batch const& p) { return p.small.first + static_cast<double>(p.bytes()) / p.link; }
double many_copies(Batch const& p) { return one_copy(p) + static_cast<double>(p.at.chunks - 1) * p.small.next; }

template <class E>
__global__ void unpack_kernel(Unpack<E> unpack, std::int64_t n) {
  std::int64_t const i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) unpack(i);
}

struct LaunchByKokkos {
  Kokkos::Cuda instance;
  template <class E>
  void operator()(Unpack<E> const& unpack, std::int64_t n) const {
    Kokkos::parallel_for("tilestride::batch::unpack",
                         Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(instance, 0, n), unpack);
  }
};

struct LaunchByCuda {
  cudaStream_t stream;
  template <class E>
  void operator()(Unpack<E> const& unpack, std::int64_t n) const {
    auto const blocks = static_cast<unsigned>((n + range_threads - 1) / range_threads);
    unpack_kernel<<<blocks, range_threads, 0, stream>>>(unpack, n);
    check(cudaGetLastError(), "unpack");
  }
};

std::shared_ptr<Batch> batch_of(Bench& bench, Case const& c) { return problem_on<Batch>(bench, c); }

/// Nothing but the wait for the instance or the stream.
Way way_on(Kokkos::Cuda const& instance) {
  Way way;
  way.wait = [instance] { instance.fence("tilestride::batch::wait"); };
  return way;
}

Way way_on(std::shared_ptr<Stream> const& stream) {
  Way way;
  way.wait = [stream] { check(cudaStreamSynchronize(stream->get()), "a batch"); };
  return way;
}

Kokkos::Cuda instance_beside(Batch const& p) { return Kokkos::Experimental::partition_space(p.exec, 1)[0]; }
std::shared_ptr<Stream> own_stream() { return std::make_shared<Stream>(make_stream()); }

/// Pack, one copy, unpack: the model is that of one copy and of the kernel after it.
Trial packed_trial(std::shared_ptr<Batch> const& p, Way way, cudaStream_t stream, std::function<void()> const& copy,
                   std::function<void()> const& unpack) {
  way.pack = [p] { p->pack(); };
  way.send = [copy, unpack] {
    copy();
    unpack();
  };
  way.unpack = device_seconds_of(stream, unpack);
  way.model = one_copy(*p) + way.unpack;
  return batch_trial(p, way);
}

}  // namespace

Trial batch_kokkos_many(Bench& bench, Case const& c) {
  auto const p = batch_of(bench, c);
  Kokkos::Cuda const instance = instance_beside(*p);
  Way way = way_on(instance);
  way.model = many_copies(*p);
  way.send = [p, instance] {
    auto const words = static_cast<std::size_t>(p->at.words);
    for (std::int64_t i = 0; i < p->at.chunks; ++i)
      Kokkos::deep_copy(instance, Window<Kokkos::CudaSpace>(p->to.data() + p->at.to(i), words),
                        Window<Pinned>(p->from.data() + p->at.from(i), words));
  };
  return batch_trial(p, way);
}

Trial batch_many(Bench& bench, Case const& c) {
  auto const p = batch_of(bench, c);
  auto const stream = own_stream();
  Way way = way_on(stream);
  way.model = many_copies(*p);
  way.send = [p, stream] {
    for (std::int64_t i = 0; i < p->at.chunks; ++i)
      check(cudaMemcpyAsync(p->to.data() + p->at.to(i), p->from.data() + p->at.from(i), p->chunk_bytes(),
                            cudaMemcpyHostToDevice, stream->get()),
            "a chunk");
  };
  return batch_trial(p, way);
}

Trial batch_kokkos_packed(Bench& bench, Case const& c) {
  auto const p = batch_of(bench, c);
  Kokkos::Cuda const instance = instance_beside(*p);
  return packed_trial(
      p, way_on(instance), instance.cuda_stream(), [=] { Kokkos::deep_copy(instance, p->staged, p->staging); },
      [=] { p->unpack(LaunchByKokkos{instance}); });
}

Trial batch_packed(Bench& bench, Case const& c) {
  auto const p = batch_of(bench, c);
  auto const stream = own_stream();
  return packed_trial(
      p, way_on(stream), stream->get(),
      [=] {
        check(cudaMemcpyAsync(p->staged.data(), p->staging.data(), p->bytes(), cudaMemcpyHostToDevice, stream->get()),
              "the packed chunks");
      },
      [=] { p->unpack(LaunchByCuda{stream->get()}); });
}

/// One call with the addresses of all chunks, which a program that sends them again would keep. The sources are read in
/// the order of the stream, as those of cudaMemcpyAsync are. Only the sum of the bytes is in the model: what a chunk
/// costs in such a call is what the case asks.
Trial batch_batched(Bench& bench, Case const& c) {
  auto const p = batch_of(bench, c);
  auto const stream = own_stream();
  auto const chunks = static_cast<std::size_t>(p->at.chunks);
  std::vector<void*> to(chunks);
  std::vector<void const*> from(chunks);
  for (std::size_t i = 0; i < chunks; ++i) {
    to[i] = p->to.data() + p->at.to(static_cast<std::int64_t>(i));
    from[i] = p->from.data() + p->at.from(static_cast<std::int64_t>(i));
  }
  std::vector<std::size_t> const bytes(chunks, p->chunk_bytes());
  auto const send = [to, from, bytes, stream](std::size_t count) {
    cudaMemcpyAttributes as_ordered{};
    as_ordered.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t first = 0;  // of the copies that have these attributes
    return cudaMemcpyBatchAsync(to.data(), from.data(), bytes.data(), count, &as_ordered, &first, 1, stream->get());
  };
  cudaError_t const status = send(1);
  if (status == cudaErrorNotSupported || status == cudaErrorCallRequiresNewerDriver) {
    cudaGetLastError();  // it belongs to nobody any more
    return skipped(fmt::format("cudaMemcpyBatchAsync: {}", cudaGetErrorString(status)));
  }
  check(status, "cudaMemcpyBatchAsync");
  Way way = way_on(stream);
  way.wait();
  way.model = one_copy(*p);
  way.send = [send, chunks] { check(send(chunks), "cudaMemcpyBatchAsync"); };
  return batch_trial(p, way);
}

}  // namespace tilestride::cuda
