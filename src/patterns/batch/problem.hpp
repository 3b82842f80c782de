// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Many small pieces, not contiguous on either side, are copied to the device: one copy per piece, one copy of a packed
// buffer, or one call for all pieces. The host takes part, so its clock is used and every repetition waits until it is
// done.

#include <cstring>

#include "patterns/batch/native.hpp"
#include "patterns/common/link_probe.hpp"
#include "portable/memory.hpp"

namespace tilestride::batch {

using Word = std::int32_t;
using Host = Kokkos::DefaultHostExecutionSpace;
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

/// The host's share of packing, one chunk.
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

template <class Space>
struct Batch {
  using Exec = Space;
  using Pinned = PinnedArray<Exec, Word>;
  using OnDevice = DeviceArray<Exec, Word>;

  Exec exec;
  Layout at;
  Memory memory{"tilestride::batch"};
  Pinned from, staging;
  OnDevice to, staged;
  typename LinkProbe<Exec>::Small small;  ///< s
  double link;                            ///< B/s

  Batch(Exec const& instance, Case const& c) : exec(instance), at(layout_of(c)) {
    require_host_memory(static_cast<double>(at.chunks) * static_cast<double>(at.pitch + at.words) * sizeof(Word),
                        "pinned");
    {
      LinkProbe<Exec> const probe(exec);
      small = probe.small(true, false);
      link = probe.rate(true, false);
    }
    from = memory.input<Pinned>(Host(), "from", at.chunks * at.pitch, HostWord{at});
    staging = memory.work<Pinned>(Host(), "staging", at.chunks * at.words);
    to = memory.output<OnDevice>(exec, "to", at.chunks * at.pitch);
    staged = memory.work<OnDevice>(exec, "staged", at.chunks * at.words);
  }

  std::size_t chunk_bytes() const { return static_cast<std::size_t>(at.words) * sizeof(Word); }
  std::size_t bytes() const { return static_cast<std::size_t>(at.chunks) * chunk_bytes(); }
  std::vector<Yardstick> yardsticks() const { return {}; }

  Check verify() const {
    return check_all(exec, at.chunks * at.pitch, HasArrived{to.data(), at}, "every element exactly, and none between");
  }

  // Models: seconds of one copy of all chunks, and of a copy for each, of which each further one costs so much.
  double one_copy() const { return small.first + static_cast<double>(bytes()) / link; }
  double copies(double next) const { return one_copy() + static_cast<double>(at.chunks - 1) * next; }

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

  template <class E>
  Unpack<E> unpack_of() const {
    return {at, reinterpret_cast<E const*>(staged.data()), reinterpret_cast<E*>(to.data())};
  }
};

/// `model` in seconds, without packing; `next`, what each further copy costs, and `unpack`, the device's kernel, are
/// parts of it.
template <class Exec>
Trial batch_trial(std::shared_ptr<Batch<Exec>> const& p, double model, double next, double unpack,
                  HostSteps const& steps) {
  bool const packs = steps.pack != nullptr;
  return host_trial(p, steps, [p, model, next, unpack, packs](HostTimes const& times) {
    double const expected = model + times.pack;
    Quantities parts{{"link GB/s", p->link / 1e9},
                     {"first us", 1e6 * p->small.first},
                     {"model us", 1e6 * expected},
                     {"achieved", expected / times.whole},
                     {"host us", 1e6 * times.calls}};
    if (next > 0) parts.emplace_back("next us", 1e6 * next);
    if (packs) parts.insert(parts.end(), {{"pack us", 1e6 * times.pack}, {"unpack us", 1e6 * unpack}});
    return parts;
  });
}

/// Pack, one copy, unpack: the model is that of one copy and of the kernel after it. `launch_on_bench` launches kernels
/// on the bench's instance, whose clock times them; `launch` on that of the copies.
template <class Exec, class Launch>
Trial packed_trial(Bench const& bench, std::shared_ptr<Batch<Exec>> const& p, Launch const& launch_on_bench,
                   Launch const& launch, std::function<void()> const& copy, std::function<void()> const& wait) {
  double const unpack = median_of(11, [&] { return bench.clock.time([&] { p->unpack(launch_on_bench); }, 1); });
  HostSteps steps;
  steps.pack = [p] { p->pack(); };
  steps.calls = [p, copy, launch] {
    copy();
    p->unpack(launch);
  };
  steps.wait = wait;
  return batch_trial(p, p->one_copy() + unpack, 0, unpack, steps);
}

}  // namespace tilestride::batch
