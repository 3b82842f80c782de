// SPDX-License-Identifier: BSD-3-Clause
// Copies between the GPUs of one host. With unified addressing an address determines its GPU.
//
// Neither a second GPU nor peer access is available in Kokkos. It works with both when raw CUDA provides them:
//
//   cudaSetDevice(gpu); cudaStreamCreate…(&stream);     1. a stream on that GPU,
//   Kokkos::Cuda instance(stream);                      2. an instance on it: its kernels run there,
//   cudaDeviceEnablePeerAccess(peer, 0);                3. each GPU gets access to the other's memory,
//   deep_copy(instance, to, from);                      4. and a copy between Views on two GPUs takes the direct way.
#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "cuda/devices.hpp"
#include "cuda/nvml.hpp"
#include "cuda/owners.hpp"
#include "patterns/peer/native.hpp"
#include "portable/host_device.hpp"
#include "portable/values.hpp"

namespace tilestride::peer {
namespace {

using namespace cuda;

using Word = std::int32_t;

constexpr Word unwritten = poison_value<Word>();
constexpr std::int64_t guard = 32;  // words past the end of what is written, which must stay as they are

/// Element i of what GPU number `salt` sent; past the end, what was there before.
struct IsSent {
  Word const* data;
  std::int64_t n;
  std::uint64_t salt;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return data[i] == (i < n ? value_at<Word>(salt, i) : unwritten);
  }
};

/// Memory of that GPU by cudaMalloc: what a pool gives (cudaMallocAsync) is opened to peers in another way.
DeviceMemory words_on(int gpu, std::int64_t n) {
  OnDevice const here(gpu);
  return device_memory(static_cast<std::size_t>(n) * sizeof(Word));
}

/// One GPU, and an instance that runs there. Destroyed from the last to the first.
struct Gpu {
  int id;
  Stream stream;
  Kokkos::Cuda instance;
  DeviceMemory memory;  ///< what it sends: n words

  Gpu(int number, std::int64_t n) : id(number), stream(stream_on(number)), instance(stream.get()) {
    memory = words_on(id, n);
    fill(instance, words(), n, Values<Word>{salt()});
    instance.fence("tilestride::peer::fill");
  }

  static Stream stream_on(int gpu) {
    OnDevice const here(gpu);
    return make_stream();
  }
  Word* words() const { return static_cast<Word*>(memory.get()); }
  std::uint64_t salt() const { return static_cast<std::uint64_t>(id) + 1; }
};

/// From one GPU to another, on a stream of the first.
struct Pair {
  Gpu const *from, *to;
  Stream stream;
  Kokkos::Cuda instance;
  DeviceMemory memory;  ///< of `to`: n words and a guard
  Event begin, end;

  Pair(Gpu const& a, Gpu const& b, std::int64_t n)
      : from(&a), to(&b), stream(Gpu::stream_on(a.id)), instance(stream.get()), memory(words_on(b.id, n + guard)) {
    OnDevice const here(a.id);
    begin = make_event();
    end = make_event();
  }

  Word* words() const { return static_cast<Word*>(memory.get()); }
};

/// All GPUs that take part, and every ordered pair of them: one way, then back, pair after pair.
struct Peers {
  using Exec = Kokkos::Cuda;
  KeepDevice keep;  ///< first: what follows may leave another device current when it goes
  Exec exec;
  std::int64_t n;
  std::vector<std::unique_ptr<Gpu>> gpus;
  std::vector<std::unique_ptr<Pair>> pairs;
  double link = 0;  ///< B/s of a GPU's NVLinks together, one way; 0 where there are none, or NVML cannot tell

  Peers(Exec const& instance, Case const& c) : exec(instance), n(c.integer("bytes") / std::int64_t(sizeof(Word))) {
    KeepDevice const here;
    std::vector<int> const all = gpus_from(exec.cuda_device());
    for (std::int64_t i = 0; i < c.integer("gpus"); ++i)
      gpus.push_back(std::make_unique<Gpu>(all[static_cast<std::size_t>(i)], n));
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      for (std::size_t j = i + 1; j < gpus.size(); ++j) {
        pairs.push_back(std::make_unique<Pair>(*gpus[i], *gpus[j], n));
        pairs.push_back(std::make_unique<Pair>(*gpus[j], *gpus[i], n));
      }
    }
    measure_link();
    poison();
  }

  std::vector<Yardstick> yardsticks() const { return {}; }
  std::size_t bytes() const { return static_cast<std::size_t>(n) * sizeof(Word); }

  std::vector<int> ids() const {
    std::vector<int> numbers;
    for (auto const& gpu : gpus) numbers.push_back(gpu->id);
    return numbers;
  }

  void poison() const {
    KeepDevice const here;
    for (auto const& pair : pairs) tilestride::poison(pair->to->instance, pair->words(), n + guard);
  }

  /// What every GPU got from every other one, and that it still has what it sent.
  Check verify() const {
    KeepDevice const here;
    std::string const bound = "every element exactly, and none past the end";
    Check all{true, 0, 0, bound};
    auto const add = [&](Check const& check, std::string const& where) {
      if (all.passed && !check.passed) all.detail = where + ": " + check.detail;
      all.passed = all.passed && check.passed;
      all.elements += check.elements;
      all.wrong += check.wrong;
    };
    for (auto const& p : pairs)
      add(check_all(p->to->instance, n + guard, IsSent{p->words(), n, p->from->salt()}, bound),
          fmt::format("{}->{}", p->from->id, p->to->id));
    for (auto const& gpu : gpus)
      add(check_all(gpu->instance, n, IsSent{gpu->words(), n, gpu->salt()}, bound), fmt::format("GPU {}", gpu->id));
    return all;
  }

 private:
  void measure_link() {
    for (auto const& gpu : gpus) {
      cudaDeviceProp properties{};
      check(cudaGetDeviceProperties(&properties, gpu->id), "cudaGetDeviceProperties");
      double const rate = nvlink_rate(properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
      link = gpu == gpus.front() ? rate : std::min(link, rate);
    }
  }
};

/// How many of the pairs copy at a time.
std::size_t at_a_time(Peers const& p, Case const& c) {
  return c.choice("direction") == "each" ? 1 : c.choice("direction") == "both" ? 2 : p.pairs.size();
}

/// Bytes that the links of all GPUs carry at best in a second, where so many pairs copy at a time.
double links_together(Peers const& p, Case const& c) {
  if (c.choice("access") == "off") return 0;  // then they go by way of the host
  return p.link * static_cast<double>(c.choice("direction") == "all" ? p.gpus.size() : at_a_time(p, c));
}

/// `copy` enqueues the copy of one pair on its stream.
template <class Copy>
void run_all(Peers const& p, std::size_t width, HostAccount& account, Copy const& copy) {
  KeepDevice const here;
  double const start = monotonic_now();
  for (std::size_t first = 0; first < p.pairs.size(); first += width) {
    for (std::size_t i = first; i < first + width; ++i) {
      Pair const& pair = *p.pairs[i];
      check(cudaEventRecord(pair.begin.get(), pair.stream.get()), "cudaEventRecord");
      copy(pair);
      check(cudaEventRecord(pair.end.get(), pair.stream.get()), "cudaEventRecord");
    }
    for (std::size_t i = first; i < first + width; ++i)
      check(cudaStreamSynchronize(p.pairs[i]->stream.get()), "a copy between GPUs");
  }
  account.add({0, 0, monotonic_now() - start});
}

/// What each pair reached in the last repetition, beside those that copied at the same time.
Quantities rates_of(Peers const& p) {
  Quantities rates;
  for (auto const& pair : p.pairs) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, pair->begin.get(), pair->end.get()), "cudaEventElapsedTime");
    rates.emplace_back(fmt::format("{}->{} GB/s", pair->from->id, pair->to->id),
                       static_cast<double>(p.bytes()) / (1e6 * static_cast<double>(milliseconds)));
  }
  return rates;
}

std::optional<Skip> why_not(Kokkos::Cuda const& exec, Case const& c) {
  std::vector<int> const all = gpus_from(exec.cuda_device());
  auto const wanted = static_cast<std::size_t>(c.integer("gpus"));
  if (all.size() < wanted)
    return Skip{SkipReason::one_device, all.size() == 1 && wanted == 2
                                            ? "one GPU where two are needed"
                                            : fmt::format("{} GPUs seen where {} are needed", all.size(), wanted)};
  for (std::size_t i = 0; i < wanted; ++i) {
    if (attribute(all[i], cudaDevAttrUnifiedAddressing) == 0)
      return Skip{SkipReason::hardware, fmt::format("GPU {} has no unified addressing", all[i])};
    for (std::size_t j = 0; j < wanted; ++j) {
      if (i != j && c.choice("access") == "on" && !can_access(all[i], all[j]))
        return Skip{SkipReason::hardware, fmt::format("GPU {} cannot use the memory of GPU {}", all[i], all[j])};
    }
  }
  return {};
}

template <class Copy>
Trial make_trial(Bench& bench, Case const& c, Copy const& copy) {
  if (auto const skip = why_not(*std::static_pointer_cast<Kokkos::Cuda>(bench.exec), c))
    return skipped(skip->reason, skip->words);
  auto const p = problem_on<Peers>(bench, c);
  auto const account = std::make_shared<HostAccount>();
  auto const access = std::make_shared<std::unique_ptr<PeerAccess>>();
  Trial trial;
  trial.before = [p, account, access, on = c.choice("access") == "on"] {
    *access = std::make_unique<PeerAccess>(p->ids(), on);
    account->begin_sample();
  };
  trial.after = [access] { access->reset(); };
  trial.run = [p, account, copy, width = at_a_time(*p, c)] {
    run_all(*p, width, *account, [&](Pair const& pair) { copy(*p, pair); });
  };
  trial.clock = wall_clock(p->exec);
  trial.buffers =
      std::make_shared<Buffers>(Buffers{{"received", Buffer::Role::output, nullptr, 0, [p] { p->poison(); }}});
  trial.verify = [p] { return p->verify(); };
  trial.measure = [p, account, together = links_together(*p, c)] {
    Quantities parts = rates_of(*p);
    if (together > 0) {
      double const moved = static_cast<double>(p->bytes() * p->pairs.size());
      parts.emplace_back("link GB/s", p->link / 1e9);
      parts.emplace_back("achieved", moved / together / account->median().whole);
    }
    return parts;
  };
  return trial;
}

Trial copy_by_kokkos(Bench& bench, Case const& c) {
  return make_trial(bench, c, [](Peers const& p, Pair const& pair) {
    auto const n = static_cast<std::size_t>(p.n);
    Kokkos::deep_copy(pair.instance, Window<Kokkos::CudaSpace, Word>(pair.words(), n),
                      Window<Kokkos::CudaSpace, Word const>(pair.from->words(), n));
  });
}

Trial copy_by_cuda(Bench& bench, Case const& c) {
  return make_trial(bench, c, [](Peers const& p, Pair const& pair) {
    check(
        cudaMemcpyPeerAsync(pair.words(), pair.to->id, pair.from->words(), pair.from->id, p.bytes(), pair.stream.get()),
        "cudaMemcpyPeerAsync");
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.hybrid_copy = copy_by_kokkos;
  table.native_copy = copy_by_cuda;
  return table;
}

}  // namespace tilestride::peer
