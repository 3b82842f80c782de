// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Through the space's own memory and its caches, 16 bytes per thread and load. A team of a device has as many threads
// as a multiprocessor needs to keep its first-level cache busy; a host's reader is a thread, which reads vectors.

#include "patterns/bandwidth/problem.hpp"
#include "portable/lanes.hpp"
#include "portable/traits.hpp"

namespace tilestride::bandwidth {

/// load(offset) is the pack at that many bytes of the range.
template <class Load>
KOKKOS_INLINE_FUNCTION std::uint32_t sum_of_share(Share share, Load const& load) {
  std::uint32_t sum = 0;
  for (; share.left >= in_flight; share.left -= in_flight) {
    Pack x[in_flight];
    for (int i = 0; i < in_flight; ++i) x[i] = load(share.next());
    for (int i = 0; i < in_flight; ++i) sum += sum_of(x[i]);
  }
  for (; share.left > 0; --share.left) sum += sum_of(load(share.next()));
  return sum;
}

/// One reader of a host. Its vectors begin `past` words after each range does.
template <int past>
struct ByVectors {
  using Element = Lanes<std::uint32_t>;
  static constexpr int chains = 4;  ///< independent sums: two loads a clock need more than one
  static constexpr int at_once = chains * Element::count;

  static std::uint32_t sum_of_packs(Pack const* packs, std::int64_t count) {
    auto const* const from = reinterpret_cast<std::uint32_t const*>(packs);
    std::int64_t const words = pack_bytes / 4 * count;
    typename Element::Vector sums[chains]{};
    std::uint32_t sum = 0;
    std::int64_t i = 0;
    for (; i < past && i < words; ++i) sum += from[i];
    for (; i + at_once <= words; i += at_once) {
      std::uint32_t const* at = from + i;
      for (typename Element::Vector& chain : sums) chain += Element::load(at), at += Element::count;
    }
    for (int c = 1; c < chains; ++c) sums[0] += sums[c];
    for (int lane = 0; lane < Element::count; ++lane) sum += sums[0][lane];
    for (; i < words; ++i) sum += from[i];
    return sum;
  }

  static std::uint32_t sum_of_range(Reading const& reading, Range const& range, Pack const* set) {
    std::int64_t const hop =
        reading.packs < 0 ? 1 : 0;  // 0, which the compiler does not know: a pass could be left out
    std::uint32_t sum = 0;
    for (std::int64_t pass = 0; pass < reading.passes; ++pass) {
      Pack const* const from = set + range.begin + pass * hop;
      sum += sum_of_packs(from + range.start, range.count - range.start);
      sum += sum_of_packs(from, range.start);
    }
    return sum;
  }
};

struct Global {
  template <class Exec>
  using Policy = Kokkos::TeamPolicy<Exec, typename Traits<Exec>::template Bounds<team_threads, 1>>;

  template <class Exec, class T>
  static void run(Bandwidth<Exec, T> const& p) {
    read_from(p, p.set.data());
  }

  template <class Exec, class T>
  static void read_from(Bandwidth<Exec, T> const& p, Pack const* set) {
    if constexpr (is_host<Exec>)
      by_threads<0>(p, set);
    else
      by_teams(p, set);
  }

  template <int past, class Exec, class T>
  static void by_threads(Bandwidth<Exec, T> const& p, Pack const* set) {
    Kokkos::parallel_for("tilestride::bandwidth::global", Kokkos::RangePolicy<Exec>(p.exec, 0, p.reading.readers),
                         [=, reading = p.reading, out = p.out.data()](int reader) {
                           out[reader] = ByVectors<past>::sum_of_range(reading, range_of(reading, reader), set);
                         });
  }

  template <class Exec, class T>
  static void by_teams(Bandwidth<Exec, T> const& p, Pack const* set) {
    Reading const reading = p.reading;
    std::uint32_t* const out = p.out.data();
    Kokkos::parallel_for(
        "tilestride::bandwidth::global", Policy<Exec>(p.exec, reading.readers, team_threads),
        KOKKOS_LAMBDA(typename Policy<Exec>::member_type const& team) {
          Range const range = range_of(reading, team.league_rank());
          Pack const* const from = set + range.begin;
          out[team.league_rank() * team_threads + team.team_rank()] = sum_of_share(
              Share(reading, range, team.team_rank()), [&](std::uint32_t offset) { return pack_at(from, offset); });
        });
  }
};

/// A host's vectors, each of which crosses the end of a line where a vector is as long as a line.
struct Unaligned {
  template <class Exec, class T>
  static void run(Bandwidth<Exec, T> const& p) {
    Global::by_threads<1>(p, p.set.data());
  }
};

}  // namespace tilestride::bandwidth
