// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What stores cost: each reader copies its part of the set, with many loads under way or one per thread; or it stores
// to a part as large word by word, the words of a warp far from each other.

#include "patterns/bandwidth/words.hpp"

namespace tilestride::bandwidth {

template <class Space, class T>
struct Storing {
  using Exec = Space;
  using Element = T;
  using Reads = Bandwidth<Exec, T>;

  Reads reads;
  Exec exec;
  Memory memory;
  typename Reads::Packs stored;

  Storing(Exec const& instance, Case const& c)
      : reads(instance, c),
        exec(reads.exec),
        memory(reads.memory),
        stored(memory.template preset_output<typename Reads::Packs>(exec, "stored", reads.reading.packs,
                                                                    PackAt{placed_salt})) {}

  Check verify() const {
    Check const sums = reads.verify();
    return sums.passed ? verify_copy() : sums;
  }
  Check verify_copy() const {
    return check_all(exec, reads.reading.packs, IsCopied{stored.data()}, "every pack and every thread's sum exactly");
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  struct IsCopied {
    Pack const* stored;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return stored[i] == PackAt{own_salt}(i); }
  };
};

struct Copy {
  template <class Exec, class T>
  static void run(Storing<Exec, T> const& p) {
    using Policy = Global::Policy<Exec>;
    Reading const reading = p.reads.reading;
    Pack const* const set = p.reads.set.data();
    Pack* const stored = p.stored.data();
    std::uint32_t* const out = p.reads.out.data();
    Kokkos::parallel_for(
        "tilestride::bandwidth::copy", Policy(p.exec, reading.readers, reading.threads),
        KOKKOS_LAMBDA(typename Policy::member_type const& team) {
          Range const range = range_of(reading, team.league_rank());
          out[team.league_rank() * reading.threads + team.team_rank()] =
              copy_share(Share(reading, range, team.team_rank()), set + range.begin, stored + range.begin);
        });
  }

  /// Returns the sum of what it copies.
  KOKKOS_FUNCTION static std::uint32_t copy_share(Share share, Pack const* from, Pack* to) {
    std::uint32_t sum = 0;
    for (; share.left >= in_flight; share.left -= in_flight) {
      Pack x[in_flight];
      std::uint32_t at[in_flight];
      for (int i = 0; i < in_flight; ++i) x[i] = pack_at(from, at[i] = share.next());
      for (int i = 0; i < in_flight; ++i) sum += copy(x[i], to, at[i]);
    }
    for (; share.left > 0; --share.left) {
      std::uint32_t const at = share.next();
      sum += copy(pack_at(from, at), to, at);
    }
    return sum;
  }

  KOKKOS_FUNCTION static std::uint32_t copy(Pack const& x, Pack* to, std::uint32_t offset) {
    to[offset / pack_bytes] = x;
    return sum_of(x);
  }
};

/// A word per thread, which waits for it before it loads the next, as in kernels whose threads make one step after the
/// other. The number of readers says how many loads are under way, and the rate how long each takes beside the stores.
struct OneByOne {
  template <class Exec, class T>
  static void run(Storing<Exec, T> const& p) {
    using Policy = Global::Policy<Exec>;
    Reading const reading = p.reads.reading;
    Pack const* const set = p.reads.set.data();
    Pack* const stored = p.stored.data();
    std::uint32_t* const out = p.reads.out.data();
    Kokkos::parallel_for(
        "tilestride::bandwidth::one_by_one", Policy(p.exec, reading.readers, reading.threads),
        KOKKOS_LAMBDA(typename Policy::member_type const& team) {
          Range const range = range_of(reading, team.league_rank());
          auto const* const from = reinterpret_cast<std::uint32_t const*>(set + range.begin);
          auto* const to = reinterpret_cast<std::uint32_t*>(stored + range.begin);
          std::uint32_t const words = 4 * range.count;
          std::uint32_t const hop = reading.packs < 0 ? 1 : 0;  // 0, which the compiler does not know
          std::uint32_t sum = 0;
          for (std::int64_t pass = 0; pass < reading.passes; ++pass) {
            for (std::uint32_t w = team.team_rank(); w < words;) {
              std::uint32_t const x = from[w];
              to[w] = x;
              sum += x;
              w += reading.threads + (x & hop);
            }
          }
          out[team.league_rank() * reading.threads + team.team_rank()] = sum;
        });
  }

  template <class Exec, class T>
  static Check verify(Storing<Exec, T> const& p) {
    Check const sums = Words::verify(p.reads);
    return sums.passed ? p.verify_copy() : sums;
  }
};

/// A part as a matrix of `warp` rows: a warp stores a column of it, and its neighbour the next.
struct Scattered {
  static constexpr std::uint32_t rows = 32;

  /// Where the word is that is stored as number `order`; those that fill no column are stored at the end.
  KOKKOS_INLINE_FUNCTION static std::uint32_t place_of(std::uint32_t order, std::uint32_t words) {
    std::uint32_t const columns = words / rows;
    return order < rows * columns ? order % rows * columns + order / rows : order;
  }

  template <class Exec, class T>
  static void run(Storing<Exec, T> const& p) {
    using Policy = Global::Policy<Exec>;
    Reading const reading = p.reads.reading;
    Pack* const stored = p.stored.data();
    Kokkos::parallel_for(
        "tilestride::bandwidth::scattered", Policy(p.exec, reading.readers, reading.threads),
        KOKKOS_LAMBDA(typename Policy::member_type const& team) {
          Range const range = range_of(reading, team.league_rank());
          auto* const to = reinterpret_cast<std::uint32_t*>(stored + range.begin);
          std::uint32_t const words = 4 * range.count;
          for (std::int64_t pass = 0; pass < reading.passes; ++pass) {
            for (std::uint32_t v = team.team_rank(); v < words; v += reading.threads) {
              std::uint32_t const w = place_of(v, words);
              to[w] = w + static_cast<std::uint32_t>(pass);
            }
          }
        });
  }

  template <class Exec, class T>
  static Check verify(Storing<Exec, T> const& p) {
    auto const* const words = reinterpret_cast<std::uint32_t const*>(p.stored.data());
    return check_all(p.exec, p.reads.reading.readers, IsNumbered{words, p.reads.reading},
                     "every word of the last pass exactly");
  }

  struct IsNumbered {
    std::uint32_t const* words;
    Reading reading;
    KOKKOS_FUNCTION bool operator()(std::int64_t reader) const {
      Range const range = range_of(reading, static_cast<int>(reader));
      bool same = true;
      for (std::uint32_t w = 0; w < 4 * range.count; ++w)
        same = same && words[4 * range.begin + w] == w + static_cast<std::uint32_t>(reading.passes - 1);
      return same;
    }
  };
};

}  // namespace tilestride::bandwidth
