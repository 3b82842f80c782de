// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One block of scratch split by hand into short[128], float[64] and int[256]. Each warp walks all three from end to
// end, its lanes side by side.

#include "patterns/bank_stride/problem.hpp"
#include "portable/prepare.hpp"

namespace tilestride::bank_stride {

/// The team's scratch, beginning at bank 0.
template <class Member>
KOKKOS_INLINE_FUNCTION unsigned char* scratch_of(Member const& team, int bytes) {
  return static_cast<unsigned char*>(team.team_scratch(0).get_shmem_aligned(bytes, int(step_bytes)));
}

/// Scratch is filled and read in the words that it is accessed in.
template <class W, class Member>
KOKKOS_INLINE_FUNCTION void copy_words(Member const& team, int bytes, unsigned char* to, unsigned char const* from) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, bytes / int(sizeof(W))),
                       [&](int i) { reinterpret_cast<W*>(to)[i] = reinterpret_cast<W const*>(from)[i]; });
}

/// The arrays, and a thread's way through them.
struct Partition {
  static constexpr int shorts = 128, floats = 64, ints = 256;
  std::int16_t* s;
  float* f;
  std::int32_t* i;

  KOKKOS_FUNCTION explicit Partition(unsigned char* scratch)
      : s(reinterpret_cast<std::int16_t*>(scratch)),
        f(reinterpret_cast<float*>(scratch + 2 * shorts)),
        i(reinterpret_cast<std::int32_t*>(scratch + 2 * shorts + 4 * floats)) {}

  KOKKOS_FUNCTION void advance(int bytes) {
    s += bytes / 2;
    f += bytes / 4;
    i += bytes / 4;
  }
};

/// Copies the three arrays between scratch and a buffer of the same layout, and what lies behind them.
template <class Member>
KOKKOS_INLINE_FUNCTION void copy_partition(Member const& team, int bytes, unsigned char* to,
                                           unsigned char const* from) {
  constexpr int begin_f = 2 * Partition::shorts, begin_i = begin_f + 4 * Partition::floats;
  copy_words<std::int16_t>(team, 2 * int(Partition::shorts), to, from);
  copy_words<float>(team, 4 * int(Partition::floats), to + begin_f, from + begin_f);
  copy_words<std::int32_t>(team, bytes - begin_i, to + begin_i, from + begin_i);
}

template <class Exec>
struct PartitionLoads {
  static constexpr int lanes = lanes_of<Exec>;
  Buffers<Exec> p;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    unsigned char* const scratch = scratch_of(team, p.bytes);
    copy_partition(team, p.bytes, scratch, p.image.data());
    if (p.second.data() != nullptr) copy_partition(team, p.bytes, scratch, p.second.data());
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.threads), [&](int thread) {
      int const lane = thread % lanes;
      Partition at(scratch);
      std::uint32_t sum = 0;
      for (int round = 0; round < p.repeat; ++round, at.advance(p.advance)) {
        for (int n = 0; n < Partition::shorts; n += lanes) sum += static_cast<std::uint32_t>(at.s[n + lane]);
        for (int n = 0; n < Partition::floats; n += lanes)
          sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(at.f[n + lane]));
        for (int n = 0; n < Partition::ints; n += lanes) sum += static_cast<std::uint32_t>(at.i[n + lane]);
      }
      p.out(thread) = sum;
    });
  }
};

template <class Exec>
struct PartitionStores {
  static constexpr int lanes = lanes_of<Exec>;
  Buffers<Exec> p;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    unsigned char* const scratch = scratch_of(team, p.bytes);
    copy_partition(team, p.bytes, p.before.data(), scratch);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.threads), [&](int thread) {
      int const lane = thread % lanes;
      Partition at(scratch);
      auto value = static_cast<std::uint32_t>(lane);
      for (int round = 0; round < p.repeat; ++round, at.advance(p.advance), value += stored_per_round) {
        std::uint32_t next = value;
        for (int n = 0; n < Partition::shorts; n += lanes, next += stored_per_step)
          at.s[n + lane] = static_cast<std::int16_t>(next);
        for (int n = 0; n < Partition::floats; n += lanes, next += stored_per_step)
          at.f[n + lane] = static_cast<float>(next);
        for (int n = 0; n < Partition::ints; n += lanes, next += stored_per_step)
          at.i[n + lane] = static_cast<std::int32_t>(next);
      }
    });
    team.team_barrier();
    copy_partition(team, p.bytes, p.after.data(), scratch);
  }
};

}  // namespace tilestride::bank_stride
