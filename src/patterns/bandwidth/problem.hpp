// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Every reader sums what it reads; the words that it stores are the proof. So a memory that serves the same bytes again
// is read again, and the compiler can leave out no load.

#include "patterns/bandwidth/amount.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"

namespace tilestride::bandwidth {

/// Word i of a set.
KOKKOS_INLINE_FUNCTION std::uint32_t word_at(std::uint64_t salt, std::int64_t i) {
  return static_cast<std::uint32_t>(value_at<std::int32_t>(salt, i));
}

struct PackAt {
  std::uint64_t salt;
  KOKKOS_FUNCTION Pack operator()(std::int64_t i) const {
    return {{word_at(salt, 4 * i), word_at(salt, 4 * i + 1), word_at(salt, 4 * i + 2), word_at(salt, 4 * i + 3)}};
  }
};

constexpr std::uint64_t own_salt = 1;     ///< of the set in the space's own memory
constexpr std::uint64_t placed_salt = 2;  ///< of one in another memory: what is read there cannot be mistaken for it

template <class Space, class T>
struct Bandwidth {
  using Exec = Space;
  using Element = T;
  using Packs = Kokkos::View<Pack*, Exec>;
  using Words = Kokkos::View<std::uint32_t*, Exec>;
  static constexpr std::int64_t alignment = 512;  ///< of a texture

  Exec exec;
  Reading reading;
  Memory memory{"tilestride::bandwidth"};
  Packs set;
  Words out;

  Bandwidth(Exec const& instance, Case const& c)
      : exec(instance),
        reading{c.integer("bytes") / pack_bytes,
                static_cast<int>(reader_count(c)),
                reads_parts(c),
                pass_count(c),
                is_host<Exec> ? 1 : team_threads,
                0},
        set(memory.input<Packs>(exec, "set", reading.packs, PackAt{own_salt}, alignment)),
        out(memory.preset_output<Words>(exec, "out", std::int64_t(reading.readers) * reading.threads,
                                        Constant<std::uint32_t>{0xa5a5a5a5u})) {}

  Check verify() const { return verify(own_salt); }
  Check verify(std::uint64_t salt) const {
    return check_all(exec, static_cast<std::int64_t>(out.extent(0)), IsSum{out.data(), reading, salt},
                     "every thread's sum exactly");
  }

  /// Every sum with the mark of each word that it is made of.
  template <class Call>
  Check probe_scratch(Call const& call, Case const&) const {
    Bandwidth other = *this;
    other.reading.mark = 0x9e3779b9u;
    memory.poison();
    call(other);
    Check check = other.verify();
    check.detail = "probe of scratch: " + check.detail;
    return check;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const { return {reading, set.data(), out.data()}; }

  /// From the numbers of the packs alone: pack v of all passes is number (start + v) mod count of the range.
  struct IsSum {
    std::uint32_t const* out;
    Reading reading;
    std::uint64_t salt;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      Range const range = range_of(reading, static_cast<int>(i / reading.threads));
      std::uint32_t sum = 0;
      for (std::int64_t v = i % reading.threads; v < reading.passes * range.count; v += reading.threads) {
        std::int64_t const pack = range.begin + (range.start + v) % range.count;
        for (int w = 0; w < 4; ++w) sum += word_at(salt, 4 * pack + w) + reading.mark;
      }
      return out[i] == sum;
    }
  };
};

}  // namespace tilestride::bandwidth
