// SPDX-License-Identifier: BSD-3-Clause
// Kernels that read and write the host's memory over the link, against copying first. Everything here runs on one
// stream, that of the bench's instance, but for the two streams of `overlapped`.
#include <Kokkos_Core.hpp>
#include <algorithm>

#include "cuda/devices.hpp"
#include "cuda/native.hpp"
#include "cuda/owners.hpp"
#include "harness/machine.hpp"
#include "harness/prepare.hpp"
#include "harness/values.hpp"
#include "patterns/zero_copy/walk.hpp"

namespace tilestride::cuda {
namespace {

using namespace zero_copy;
using Host = Kokkos::DefaultHostExecutionSpace;
using OnDevice = Kokkos::View<Word*, Kokkos::CudaSpace>;
using Pinned = Kokkos::View<Word*, Kokkos::SharedHostPinnedSpace>;

constexpr std::uint64_t salt = 1;
constexpr Word unwritten = poison_value<Word>();
constexpr std::int64_t guard = 32;  // words past the end of what is written, which must stay as they are

Pinned pinned_words(std::string const& name, std::int64_t n) {
  require_host_memory(static_cast<double>(n) * sizeof(Word), "pinned");
  return Pinned(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tilestride::zero_copy::" + name),
                static_cast<std::size_t>(n));
}

OnDevice device_words(Kokkos::Cuda const& exec, std::string const& name, std::int64_t n) {
  return OnDevice(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::zero_copy::" + name),
                  static_cast<std::size_t>(n));
}

/// What a kernel finds behind the address of pinned memory. Kokkos pins with cudaHostAlloc; with unified addressing all
/// of that is mapped, no flag is needed, and this is the host's own address.
Word* mapped_address(Pinned const& words) {
  void* address = nullptr;
  check(cudaHostGetDevicePointer(&address, words.data(), 0), "cudaHostGetDevicePointer");
  return static_cast<Word*>(address);
}

/// Element w of what gather makes; past the end, what was there before.
struct IsGathered {
  Word const* out;
  Touched touched;
  KOKKOS_FUNCTION bool operator()(std::int64_t w) const {
    if (w >= touched.count * 4) return out[w] == unwritten;
    Word sum = 0;
    for (int r = 0; r < touched.reuse; ++r) {
      std::int64_t const p = (w / 4 + r * touched.shift) % touched.count;
      sum = sum_of(sum, value_at<Word>(salt, touched.pack(p) * 4 + w % 4));
    }
    return out[w] == sum;
  }
};

/// Element w of what scatter writes; in lines that are not touched, what was there before.
struct IsScattered {
  Word const* out;
  Touched touched;
  KOKKOS_FUNCTION bool operator()(std::int64_t w) const {
    return out[w] == (touched.holds(w / 32) ? value_at<Word>(salt, w) : unwritten);
  }
};

struct IsValue {
  Word const* data;
  KOKKOS_FUNCTION bool operator()(std::int64_t w) const { return data[w] == value_at<Word>(salt, w); }
};

/// What the variants of one problem share: the host's words, room on the device for a copy of all of them, and for what
/// is made of the touched ones.
struct ZeroCopy {
  using Exec = Kokkos::Cuda;
  Exec exec;
  std::int64_t n;  ///< words
  Touched touched;
  Pinned host;
  OnDevice copy, out;

  ZeroCopy(Exec const& instance, Case const& c)
      : exec(instance),
        n(c.integer("bytes") / std::int64_t(sizeof(Word))),
        touched(c.integer("bytes") / line_bytes, c.integer("touched"), static_cast<int>(c.integer("reuse"))),
        host(pinned_words("host", n)),
        copy(device_words(exec, "copy", n)),
        out(device_words(exec, "out", touched.count * 4 + guard)) {
    fill(Host(), host.data(), n, Values<Word>{salt});
    Host().fence("tilestride::zero_copy::fill");
    poison();
  }

  std::int64_t lines() const { return n / 32; }

  void poison() const {
    tilestride::poison(exec, copy.data(), n);
    tilestride::poison(exec, out.data(), touched.count * 4 + guard);
  }

  Check verify() const {
    Check const made =
        check_all(exec, touched.count * 4 + guard, IsGathered{out.data(), touched}, "every element exactly");
    return made.passed ? check_all(Host(), n, IsValue{host.data()}, "every element exactly, inputs untouched") : made;
  }

  /// cudaMemcpyAsync of all the words, from the host's pinned memory: what mapping is a share of.
  void copy_in() const {
    check(cudaMemcpyAsync(copy.data(), host.data(), static_cast<std::size_t>(n) * sizeof(Word), cudaMemcpyHostToDevice,
                          exec.cuda_stream()),
          "cudaMemcpyAsync to the device");
  }
  std::vector<Yardstick> yardsticks() const {
    return {{"copy", static_cast<double>(n) * sizeof(Word), [p = *this] { p.copy_in(); }}};
  }

  Walk<Gather> gather(Word const* from, int blocks) const {
    return {
        reinterpret_cast<Pack const*>(from), reinterpret_cast<Pack*>(out.data()), touched, 0, touched.count, blocks};
  }
};

// The same kernel twice: launched by CUDA, and by Kokkos in teams (the blocks of a RangePolicy have 128 threads).

template <class Body>
__global__ void __launch_bounds__(walk_threads, walk_resident) walk_kernel(Body body) {
  body(static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
}

struct ByCuda {
  template <class Body>
  static void launch(Kokkos::Cuda const& exec, Body const& body) {
    walk_kernel<<<static_cast<unsigned>(body.blocks), walk_threads, 0, exec.cuda_stream()>>>(body);
    check(cudaGetLastError(), "zero_copy");
  }
  static void copy_in(ZeroCopy const& p, Kokkos::Cuda const& exec, std::int64_t begin, std::int64_t end) {
    check(cudaMemcpyAsync(p.copy.data() + begin, p.host.data() + begin,
                          static_cast<std::size_t>(end - begin) * sizeof(Word), cudaMemcpyHostToDevice,
                          exec.cuda_stream()),
          "cudaMemcpyAsync to the device");
  }
};

struct ByKokkos {
  template <class Body>
  static void launch(Kokkos::Cuda const& exec, Body const& body) {
    using Policy = Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<walk_threads, walk_resident>>;
    Kokkos::parallel_for(
        "tilestride::zero_copy", Policy(exec, body.blocks, walk_threads),
        KOKKOS_LAMBDA(typename Policy::member_type const& team) { body(team.league_rank(), team.team_rank()); });
  }
  /// On an instance deep_copy only enqueues; without one it would wait for the device.
  static void copy_in(ZeroCopy const& p, Kokkos::Cuda const& exec, std::int64_t begin, std::int64_t end) {
    std::pair const part(begin, end);
    Kokkos::deep_copy(exec, Kokkos::subview(p.copy, part), Kokkos::subview(p.host, part));
  }
};

/// Blocks that have something to do, and no more than the device holds at a time or the case asks for.
int blocks_for(ZeroCopy const& p, Case const& c, std::int64_t items) {
  std::int64_t const resident =
      std::int64_t(attribute(p.exec.cuda_device(), cudaDevAttrMultiProcessorCount)) * walk_resident;
  bool const asked = c.find("blocks") != nullptr && c.integer("blocks") > 0;
  return static_cast<int>(std::min(asked ? c.integer("blocks") : resident, std::max<std::int64_t>(1, items)));
}
int blocks_for(ZeroCopy const& p, Case const& c) {
  return blocks_for(p, c, (p.touched.count + Walk<Gather>::piece - 1) / Walk<Gather>::piece);
}

std::string why_not(Bench const& bench) {
  auto const& exec = *std::static_pointer_cast<Kokkos::Cuda>(bench.exec);
  return attribute(exec.cuda_device(), cudaDevAttrCanMapHostMemory) != 0 ? ""
                                                                         : "this device cannot map the host's memory";
}

Trial trial_of(std::shared_ptr<ZeroCopy> const& p, std::function<void()> run) {
  auto const answer = [&](cudaDeviceAttr which) { return attribute(p->exec.cuda_device(), which) != 0 ? "yes" : "no"; };
  Trial trial;
  trial.run = std::move(run);
  trial.poison = [p] { p->poison(); };
  trial.verify = [p] { return p->verify(); };
  trial.notes["canMapHostMemory"] = answer(cudaDevAttrCanMapHostMemory);
  trial.notes["integrated"] = answer(cudaDevAttrIntegrated);
  trial.notes["canUseHostPointerForRegisteredMem"] = answer(cudaDevAttrCanUseHostPointerForRegisteredMem);
  return trial;
}

template <class By>
Trial mapped(Bench& bench, Case const& c) {
  if (std::string const reason = why_not(bench); !reason.empty()) return skipped(reason);
  auto const p = problem_on<ZeroCopy>(bench, c);
  Walk<Gather> const walk = p->gather(mapped_address(p->host), blocks_for(*p, c));
  return trial_of(p, [p, walk] { By::launch(p->exec, walk); });
}

template <class By>
Trial copied(Bench& bench, Case const& c) {
  auto const p = problem_on<ZeroCopy>(bench, c);
  Walk<Gather> const walk = p->gather(p->copy.data(), blocks_for(*p, c));
  Trial trial = trial_of(p, [p, walk] {
    By::copy_in(*p, p->exec, 0, p->n);
    By::launch(p->exec, walk);
  });
  trial.measure = [p, walk] {
    double const kernel = event_clock(&p->exec).time([&] { By::launch(p->exec, walk); }, 10);
    return Quantities{{"kernel us", 1e6 * kernel}};
  };
  return trial;
}

/// Where mapped_write writes to, and the values that it writes.
struct Written {
  OnDevice from;
  Pinned to;
};

/// A pinned copy of all the words to the host, beside the other yardsticks of the problem: what writing is a share of.
void add_copy_out(Bench& bench, ZeroCopy const& p, Written const& w) {
  auto const same = [](Yardstick const& yardstick) { return yardstick.name == "d2h"; };
  if (std::any_of(bench.yardsticks.begin(), bench.yardsticks.end(), same)) return;
  std::size_t const bytes = static_cast<std::size_t>(p.n) * sizeof(Word);
  bench.yardsticks.push_back({"d2h", static_cast<double>(bytes), [w, bytes, stream = p.exec.cuda_stream()] {
                                check(
                                    cudaMemcpyAsync(w.to.data(), w.from.data(), bytes, cudaMemcpyDeviceToHost, stream),
                                    "cudaMemcpyAsync to the host");
                              }});
}

template <class By>
Trial mapped_write(Bench& bench, Case const& c) {
  if (std::string const reason = why_not(bench); !reason.empty()) return skipped(reason);
  auto const p = problem_on<ZeroCopy>(bench, c);
  Written const w{device_words(p->exec, "from", p->n), pinned_words("to", p->n)};
  fill(p->exec, w.from.data(), p->n, Values<Word>{salt});
  Walk<Scatter> const walk{reinterpret_cast<Pack const*>(w.from.data()),
                           reinterpret_cast<Pack*>(mapped_address(w.to)),
                           p->touched,
                           0,
                           p->touched.count,
                           blocks_for(*p, c)};
  Trial trial = trial_of(p, [p, w, walk] { By::launch(p->exec, walk); });
  trial.poison = [p, w] { tilestride::poison(Host(), w.to.data(), p->n); };
  trial.poison();
  trial.verify = [p, w] {
    return check_all(Host(), p->n, IsScattered{w.to.data(), p->touched},
                     "every element exactly, and none in other lines");
  };
  add_copy_out(bench, *p, w);
  return trial;
}

/// Instances on streams of their own, which begin when the bench's instance has come to them and for which it waits.
/// An instance must go before its stream: members are destroyed from the last to the first.
struct Lanes {
  Kokkos::Cuda exec;
  std::vector<Stream> streams;
  std::vector<Kokkos::Cuda> instances;
  Event fork = make_event(cudaEventDisableTiming);
  std::vector<Event> joins;

  Lanes(Kokkos::Cuda const& instance, int count) : exec(instance) {
    for (int i = 0; i < count; ++i) {
      streams.push_back(make_stream(cudaStreamNonBlocking));
      instances.emplace_back(streams.back().get());  // Kokkos' kernels and copies run on a stream that raw CUDA made
      joins.push_back(make_event(cudaEventDisableTiming));
    }
  }

  void begin() const {
    check(cudaEventRecord(fork.get(), exec.cuda_stream()), "cudaEventRecord");
    for (Stream const& stream : streams) check(cudaStreamWaitEvent(stream.get(), fork.get()), "cudaStreamWaitEvent");
  }
  void end() const {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      check(cudaEventRecord(joins[i].get(), streams[i].get()), "cudaEventRecord");
      check(cudaStreamWaitEvent(exec.cuda_stream(), joins[i].get()), "cudaStreamWaitEvent");
    }
  }
};

/// Chunk after chunk, each on the next lane: the copy of one goes beside the kernel of the one before.
template <class By>
void run_in_chunks(ZeroCopy const& p, Lanes const& lanes, std::int64_t chunks, int blocks) {
  Walk<Gather> walk = p.gather(p.copy.data(), blocks);
  std::int64_t const touched = p.touched.count / 8;  // lines
  lanes.begin();
  std::int64_t copied = 0, done = 0;
  for (std::int64_t k = 1; k <= chunks; ++k) {
    std::int64_t const next = touched * k / chunks;
    std::int64_t const copy_to = k == chunks ? p.lines() : p.touched.line(next);
    if (next == done) continue;
    Kokkos::Cuda const& instance = lanes.instances[static_cast<std::size_t>(k) % lanes.instances.size()];
    By::copy_in(p, instance, copied * 32, copy_to * 32);
    walk.begin = done * 8;
    walk.end = next * 8;
    By::launch(instance, walk);
    copied = copy_to;
    done = next;
  }
  lanes.end();
}

template <class By>
Trial overlapped(Bench& bench, Case const& c) {
  std::int64_t const chunks = c.integer("chunks");
  if (c.integer("reuse") != 1) return skipped("a kernel on a chunk has no words of other chunks: reuse must be 1");
  if (chunks > 65536) return skipped("at most 65536 chunks");
  auto const p = problem_on<ZeroCopy>(bench, c);
  auto const lanes = std::make_shared<Lanes>(p->exec, 2);
  int const blocks = blocks_for(*p, c);
  return trial_of(p, [p, lanes, chunks, blocks] { run_in_chunks<By>(*p, *lanes, chunks, blocks); });
}

}  // namespace

Trial zero_copy_copy_then_compute(Bench& bench, Case const& c) { return copied<ByCuda>(bench, c); }
Trial zero_copy_kokkos_copy(Bench& bench, Case const& c) { return copied<ByKokkos>(bench, c); }
Trial zero_copy_mapped(Bench& bench, Case const& c) { return mapped<ByCuda>(bench, c); }
Trial zero_copy_kokkos_mapped(Bench& bench, Case const& c) { return mapped<ByKokkos>(bench, c); }
Trial zero_copy_mapped_write(Bench& bench, Case const& c) { return mapped_write<ByCuda>(bench, c); }
Trial zero_copy_kokkos_mapped_write(Bench& bench, Case const& c) { return mapped_write<ByKokkos>(bench, c); }
Trial zero_copy_overlapped(Bench& bench, Case const& c) { return overlapped<ByCuda>(bench, c); }
Trial zero_copy_kokkos_overlapped(Bench& bench, Case const& c) { return overlapped<ByKokkos>(bench, c); }

Trial zero_copy_uncoalesced(Bench& bench, Case const& c) {
  if (c.integer("reuse") != 1) return skipped("single words are read once: reuse must be 1");
  if (std::string const reason = why_not(bench); !reason.empty()) return skipped(reason);
  auto const p = problem_on<ZeroCopy>(bench, c);
  std::int64_t const words = p->touched.count * 4;
  std::int64_t const stride = std::min(c.integer("stride"), words);
  std::int64_t const rows = (words + stride - 1) / stride;
  StridedGather const walk{
      mapped_address(p->host), p->out.data(), p->touched, stride, rows, blocks_for(*p, c, words / walk_threads)};
  return trial_of(p, [p, walk] { ByCuda::launch(p->exec, walk); });
}

}  // namespace tilestride::cuda
