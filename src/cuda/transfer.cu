// SPDX-License-Identifier: BSD-3-Clause
// Copies between the host and the device, from and to the four kinds of host memory. What they cost is seen by the
// host: every repetition is one transfer as a program makes it, from the call until the data are there.
#include "cuda/link_probe.hpp"
#include "cuda/native.hpp"
#include "cuda/wall_clock.hpp"
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

constexpr std::uint64_t going_up = 1, going_down = 2;  // salts: what is copied each way
constexpr Word unwritten = poison_value<Word>();
constexpr std::int64_t guard = 16;  // words past the end of what is written, which must stay as they are

/// Host memory of one kind. `pin` seconds went into pinning it, or into allocating it pinned.
struct HostWords {
  std::shared_ptr<void> owner;
  Word* data = nullptr;
  double pin = 0;
};

HostWords host_words(std::string const& memory, std::int64_t n, std::uint64_t salt) {
  auto const bytes = static_cast<std::size_t>(n) * sizeof(Word);
  HostWords words;
  double begin = monotonic_now();
  if (memory == "pinned") {  // cudaHostAlloc, by Kokkos
    Array<Pinned> const array(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tilestride::transfer::pinned"),
                              static_cast<std::size_t>(n));
    words = {std::shared_ptr<void>(array.data(), [array](void*) {}), array.data(), monotonic_now() - begin};
  } else if (memory == "write_combined") {
    words.owner = std::shared_ptr<void>(pinned_memory(bytes, cudaHostAllocWriteCombined | cudaHostAllocMapped));
    words.pin = monotonic_now() - begin;
  } else {
    words.owner = whole_pages(bytes);
  }
  words.data = static_cast<Word*>(words.owner.get());
  fill(Host(), words.data, n, Values<Word>{salt});
  Host().fence("tilestride::transfer::fill");
  if (memory == "registered") {  // pages that are there already: what is timed is pinning alone
    begin = monotonic_now();
    words.owner = registered(words.owner, bytes);
    words.pin = monotonic_now() - begin;
  }
  return words;
}

/// Element i of what arrives: the value that was sent, and past the end what was there before.
struct IsSent {
  Word const* data;
  std::int64_t n;
  std::uint64_t salt;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return data[i] == (i < n ? value_at<Word>(salt, i) : unwritten);
  }
};

Check both(Check a, Check const& b) {
  return {a.passed && b.passed, a.elements + b.elements, a.wrong + b.wrong,
          a.passed ? b.detail : "upload: " + a.detail};
}

/// What the variants of one problem share: n words up (to the device), n words down, or both.
struct Transfer {
  using Exec = Kokkos::Cuda;
  Exec exec;
  std::string memory;
  bool up, down;
  std::int64_t n;
  HostWords up_from, down_to;
  Array<Exec> up_to, down_from;
  double latency;            ///< s
  double link, in_turn = 0;  ///< B/s of this direction, and of both ways one after the other

  Transfer(Exec const& instance, Case const& c)
      : exec(instance),
        memory(c.choice("memory")),
        up(c.choice("direction") != "d2h"),
        down(c.choice("direction") != "h2d"),
        n(c.integer("bytes") / std::int64_t(sizeof(Word))) {
    require_host_memory(static_cast<double>(bytes()) * (up && down ? 2 : 1),
                        memory == "pageable" ? "pageable" : "pinned");
    measure_link();
    if (up) {
      up_from = host_words(memory, n, going_up);
      up_to = device_words();
    }
    if (down) {
      down_to = host_words(memory, n + guard, going_up);
      down_from = device_words();
      tilestride::poison(exec, down_from.data(), n + guard);  // a kernel reads whole packs, and so into the guard
      fill(exec, down_from.data(), n, Values<Word>{going_down});
    }
    poison();
  }

  std::int64_t bytes() const { return n * std::int64_t(sizeof(Word)); }
  double pin() const { return up_from.pin + down_to.pin; }
  std::vector<Yardstick> yardsticks() const { return {}; }

  void poison() const {
    if (up) tilestride::poison(exec, up_to.data(), n + guard);
    if (down) tilestride::poison(Host(), down_to.data, n + guard);
  }

  Check verify() const {
    std::string const bound = "every element exactly, and none past the end";
    Check uploaded{true, 0, 0, bound};
    if (up) uploaded = check_all(exec, n + guard, IsSent{up_to.data(), n, going_up}, bound);
    if (!down) return uploaded;
    IsSent const right{down_to.data, n, going_down};  // the host reads write-combined memory very slowly
    return both(uploaded, memory == "write_combined" ? check_all(exec, n + guard, right, bound)
                                                     : check_all(Host(), n + guard, right, bound));
  }

 private:
  Array<Exec> device_words() const {
    return Array<Exec>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::transfer::device"),
                       static_cast<std::size_t>(n + guard));
  }

  void measure_link() {
    LinkProbe const probe;
    latency = probe.small(up, down).first;
    if (!up || !down) {
      link = one_way(probe, up);
    } else {
      in_turn = 2 / (1 / one_way(probe, true) + 1 / one_way(probe, false));
      link = memory == "pageable" ? in_turn : probe.rate(true, true);
    }
  }

  /// From and to pageable memory the calling thread copies every byte, and the link waits for it; so does the call for
  /// the other way.
  double one_way(LinkProbe const& probe, bool upwards) const {
    double const rate = probe.rate(upwards, !upwards);
    return memory == "pageable" ? std::min(rate, probe.staging_rate(upwards)) : rate;
  }
};

std::shared_ptr<Transfer> transfer_of(Bench& bench, Case const& c) { return problem_on<Transfer>(bench, c); }

std::string why_not(Bench const& bench, Case const& c) {
  if (c.choice("memory") != "registered") return "";
  int can = 0;
  int const device = std::static_pointer_cast<Kokkos::Cuda>(bench.exec)->cuda_device();
  check(cudaDeviceGetAttribute(&can, cudaDevAttrHostRegisterSupported, device), "cudaDeviceGetAttribute");
  return can != 0 ? "" : "this device takes no memory by cudaHostRegister";
}

/// Where the time of a sample went.
struct Spent {
  double calls = 0, whole = 0;  ///< seconds until the calls returned, and until the data were there
  long repetitions = 0;
};

/// `enqueue` calls for the copies and `wait` returns when they are done. `model` in seconds, 0 where there is none.
Trial transfer_trial(std::shared_ptr<Transfer> const& p, double model, std::function<void()> const& enqueue,
                     std::function<void()> const& wait) {
  auto const spent = std::make_shared<Spent>();
  Trial trial;
  trial.before = [spent] { *spent = {}; };
  trial.run = [spent, enqueue, wait] {
    double const begin = monotonic_now();
    enqueue();
    double const returned = monotonic_now();
    wait();
    spent->calls += returned - begin;
    spent->whole += monotonic_now() - begin;
    ++spent->repetitions;
  };
  trial.clock = wall_clock(p->exec);
  trial.poison = [p] { p->poison(); };
  trial.verify = [p] { return p->verify(); };
  trial.measure = [p, spent, model] {
    auto const repetitions = static_cast<double>(spent->repetitions);
    Quantities parts;
    if (model > 0)
      parts = {
          {"link GB/s", p->link / 1e9}, {"model us", 1e6 * model}, {"achieved", model * repetitions / spent->whole}};
    parts.emplace_back("host us", 1e6 * spent->calls / repetitions);
    if (p->pin() > 0) parts.emplace_back("pin us", 1e6 * p->pin());
    return parts;
  };
  return trial;
}

double transfer_model(Transfer const& p) {
  return p.latency + static_cast<double>(p.bytes()) * (p.up && p.down ? 2 : 1) / p.link;
}

/// Kokkos' word for it: a deep_copy on an instance returns before the data are there, as cudaMemcpyAsync does; without
/// one it waits for the whole device. Two instances are two streams, so that both ways can go at a time. The memory
/// space says how the host's memory was allocated: what CUDA pinned by its own call is as good as Kokkos' own.
template <class HostMemory>
Trial deep_copies(std::shared_ptr<Transfer> const& p) {
  auto const instances = Kokkos::Experimental::partition_space(p->exec, 1, 1);
  auto const n = static_cast<std::size_t>(p->n);
  Window<HostMemory> const up_from(p->up_from.data, p->up ? n : 0), down_to(p->down_to.data, p->down ? n : 0);
  Window<Kokkos::CudaSpace> const up_to(p->up_to.data(), up_from.size()),
      down_from(p->down_from.data(), down_to.size());
  return transfer_trial(
      p, transfer_model(*p),
      [=] {
        if (p->up) Kokkos::deep_copy(instances[0], up_to, up_from);
        if (p->down) Kokkos::deep_copy(instances[1], down_to, down_from);
      },
      [=] {
        if (p->up) instances[0].fence("tilestride::transfer::kokkos");
        if (p->down) instances[1].fence("tilestride::transfer::kokkos");
      });
}

/// 16 bytes a thread.
struct alignas(16) Words {
  Word w[4];
};

KOKKOS_INLINE_FUNCTION Word step_of(Word x) { return static_cast<Word>(3u * static_cast<std::uint32_t>(x) + 1u); }

struct Step {
  Words const* in;
  Words* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Words x = in[i];
    for (Word& word : x.w) word = step_of(word);
    out[i] = x;
  }
};

struct IsTwoSteps {
  Word const* data;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return data[i] == 9 * value_at<Word>(going_down, i) + 4;  // 3 (3 x + 1) + 1
  }
};

/// Two kernels, of which the second needs what the first has made: on_device leaves it where it is, round_trip takes it
/// to the host and back in between, to where the second then works in place.
template <class HostMemory>
Trial two_steps(std::shared_ptr<Transfer> const& p, bool to_the_host) {
  Kokkos::Cuda const instance = Kokkos::Experimental::partition_space(p->exec, 1)[0];
  auto const n = static_cast<std::size_t>(p->n);
  std::int64_t const packs = (p->n + 3) / 4;  // the last one may reach into the guard of its array
  Array<Kokkos::Cuda> const middle(
      Kokkos::view_alloc(p->exec, Kokkos::WithoutInitializing, "tilestride::transfer::middle"), n + guard);
  Word* const result = p->up_to.data();
  Window<Kokkos::CudaSpace> const leaves(middle.data(), n), returns(result, n);
  Window<HostMemory> const on_host(p->down_to.data, n);
  auto const apply = [=](Word const* in, Word* out) {
    Kokkos::parallel_for("tilestride::transfer::step",
                         Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(instance, 0, packs),
                         Step{reinterpret_cast<Words const*>(in), reinterpret_cast<Words*>(out)});
  };
  double const model = to_the_host ? p->latency + 2 * static_cast<double>(p->bytes()) / p->in_turn : 0;
  Trial trial = transfer_trial(
      p, model,
      [=] {
        apply(p->down_from.data(), middle.data());
        if (to_the_host) {
          Kokkos::deep_copy(instance, on_host, leaves);
          Kokkos::deep_copy(instance, returns, on_host);
        }
        apply(to_the_host ? result : middle.data(), result);
      },
      [=] { instance.fence("tilestride::transfer::two_steps"); });
  trial.poison = [p, middle] {
    p->poison();
    tilestride::poison(p->exec, middle.data(), p->n);
  };
  trial.verify = [p, result] { return check_all(p->exec, p->n, IsTwoSteps{result}, "every element exactly"); };
  return trial;
}

Trial two_steps(Bench& bench, Case const& c, bool to_the_host) {
  if (c.choice("direction") != "both") return skipped("it moves both ways: measured where direction is both");
  if (std::string const reason = why_not(bench, c); !reason.empty()) return skipped(reason);
  auto const p = transfer_of(bench, c);
  return p->memory == "pageable" ? two_steps<Kokkos::HostSpace>(p, to_the_host) : two_steps<Pinned>(p, to_the_host);
}

}  // namespace

Trial transfer_kokkos(Bench& bench, Case const& c) {
  if (std::string const reason = why_not(bench, c); !reason.empty()) return skipped(reason);
  auto const p = transfer_of(bench, c);
  return p->memory == "pageable" ? deep_copies<Kokkos::HostSpace>(p) : deep_copies<Pinned>(p);
}

Trial transfer_native(Bench& bench, Case const& c) {
  if (std::string const reason = why_not(bench, c); !reason.empty()) return skipped(reason);
  auto const p = transfer_of(bench, c);
  struct Streams {
    Stream up = make_stream(), down = make_stream();
  };
  auto const streams = std::make_shared<Streams>();
  auto const bytes = static_cast<std::size_t>(p->bytes());
  return transfer_trial(
      p, transfer_model(*p),
      [=] {
        if (p->up)
          check(cudaMemcpyAsync(p->up_to.data(), p->up_from.data, bytes, cudaMemcpyHostToDevice, streams->up.get()),
                "upload");
        if (p->down)
          check(
              cudaMemcpyAsync(p->down_to.data, p->down_from.data(), bytes, cudaMemcpyDeviceToHost, streams->down.get()),
              "download");
      },
      [=] {
        if (p->up) check(cudaStreamSynchronize(streams->up.get()), "upload");
        if (p->down) check(cudaStreamSynchronize(streams->down.get()), "download");
      });
}

Trial transfer_on_device(Bench& bench, Case const& c) { return two_steps(bench, c, false); }
Trial transfer_round_trip(Bench& bench, Case const& c) { return two_steps(bench, c, true); }

}  // namespace tilestride::cuda
