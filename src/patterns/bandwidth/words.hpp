// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// As global.hpp, but word by word: a warp's request is one line, and not four. A first-level cache may take as long for
// it; what models need to know is how long.

#include "patterns/bandwidth/global.hpp"

namespace tilestride::bandwidth {

struct Words {
  static constexpr std::int64_t words_of_pack = pack_bytes / 4;

  template <class Exec, class T>
  static void run(Bandwidth<Exec, T> const& p) {
    Reading const reading = p.reading;
    Pack const* const set = p.set.data();
    std::uint32_t* const out = p.out.data();
    Kokkos::parallel_for(
        "tilestride::bandwidth::words", Global::Policy<Exec>(p.exec, reading.readers, reading.threads),
        KOKKOS_LAMBDA(typename Global::Policy<Exec>::member_type const& team) {
          Range const range = range_of(reading, team.league_rank());
          auto const* const from = reinterpret_cast<std::uint32_t const*>(set + range.begin);
          int const thread = team.team_rank();
          out[team.league_rank() * reading.threads + thread] = sum_of_words(reading, range, thread, from);
        });
  }

  /// Words thread, thread + threads, … of the range, in every pass.
  KOKKOS_INLINE_FUNCTION static std::uint32_t sum_of_words(Reading const& reading, Range const& range, int thread,
                                                           std::uint32_t const* from) {
    std::int64_t const hop = reading.packs < 0 ? 1 : 0;  // 0, which the compiler does not know
    auto const end = static_cast<int>(words_of_pack * range.count);
    std::uint32_t sum = 0;
    for (std::int64_t pass = 0; pass < reading.passes; ++pass) {
      std::uint32_t const* const words = from + pass * hop;
      int w = thread;
      for (; w + (in_flight - 1) * reading.threads < end; w += in_flight * reading.threads) {
        std::uint32_t x[in_flight];
        for (int i = 0; i < in_flight; ++i) x[i] = words[w + i * reading.threads];
        for (int i = 0; i < in_flight; ++i) sum += x[i];
      }
      for (; w < end; w += reading.threads) sum += words[w];
    }
    return sum;
  }

  template <class Exec, class T>
  static Check verify(Bandwidth<Exec, T> const& p) {
    return check_all(p.exec, static_cast<std::int64_t>(p.out.extent(0)), IsSumOfWords{p.out.data(), p.reading},
                     "every thread's sum exactly");
  }

  struct IsSumOfWords {
    std::uint32_t const* out;
    Reading reading;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      Range const range = range_of(reading, static_cast<int>(i / reading.threads));
      std::uint32_t of_pass = 0;
      for (std::int64_t w = i % reading.threads; w < words_of_pack * range.count; w += reading.threads)
        of_pass += word_at(own_salt, words_of_pack * range.begin + w);
      return out[i] == static_cast<std::uint32_t>(reading.passes) * of_pass;
    }
  };
};

}  // namespace tilestride::bandwidth
