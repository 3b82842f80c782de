// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Loads, stores and a chain of loads in team scratch: the words of a lane are `step_bytes` apart, so that 16 of
// them are 16 instructions with one address register and cannot be merged into longer ones.

#include "patterns/bank_stride/partition.hpp"
#include "patterns/bank_stride/problem.hpp"
#include "patterns/bank_stride/words.hpp"
#include "portable/prepare.hpp"

namespace tilestride::bank_stride {

/// Independent loads; every thread sums what it has loaded.
template <class Exec, class W>
struct Loads {
  Buffers<Exec> p;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    unsigned char* const scratch = scratch_of(team, p.bytes);
    copy_words<W>(team, p.bytes, scratch, p.image.data());
    if (p.second.data() != nullptr) copy_words<W>(team, p.bytes, scratch, p.second.data());
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.threads), [&](int thread) {
      unsigned char const* at = scratch + p.offsets(thread % lanes_of<Exec>);
      std::uint32_t sum = 0;
      for (int round = 0; round < p.repeat; ++round, at += p.advance) {
        for (int step = 0; step < steps; ++step) {
          W const word = *reinterpret_cast<W const*>(at + step * step_bytes);
          sum += first_of(word) + rest_of(word);
        }
      }
      p.out(thread) = sum;
    });
  }
};

/// One word after the other: each holds 1, by which the address then is one byte further, and the next load's constant
/// offset one byte back. The elements behind a word's first are summed apart from the chain.
template <class Exec, class W>
struct Chain {
  Buffers<Exec> p;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    unsigned char* const scratch = scratch_of(team, p.bytes);
    copy_words<W>(team, p.bytes, scratch, p.image.data());
    if (p.second.data() != nullptr) copy_words<W>(team, p.bytes, scratch, p.second.data());
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.threads), [&](int thread) {
      unsigned char const* const start = scratch + p.offsets(thread % lanes_of<Exec>);
      unsigned char const* at = start;
      std::uint32_t sum = 0;
      for (int round = 0; round < p.repeat; ++round) {
        for (int step = 0; step < steps; ++step) {
          W const word = *reinterpret_cast<W const*>(at - step);
          at += first_of(word);
          sum += rest_of(word);
        }
        sum += static_cast<std::uint32_t>(at - start);
        at -= steps;
      }
      p.out(thread) = sum;
    });
  }
};

/// Independent stores; what scratch held before and after is copied to global memory.
template <class Exec, class W>
struct Stores {
  Buffers<Exec> p;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    unsigned char* const scratch = scratch_of(team, p.bytes);
    copy_words<W>(team, p.bytes, p.before.data(), scratch);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.threads), [&](int thread) {
      int const lane = thread % lanes_of<Exec>;
      unsigned char* at = scratch + p.offsets(lane);
      auto value = static_cast<std::uint32_t>(lane);
      for (int round = 0; round < p.repeat; ++round, at += p.advance, value += stored_per_round) {
        for (int step = 0; step < steps; ++step)
          *reinterpret_cast<W*>(at + step * step_bytes) =
              word_from<W>(value + stored_per_step * static_cast<std::uint32_t>(step));
      }
    });
    team.team_barrier();
    copy_words<W>(team, p.bytes, p.after.data(), scratch);
  }
};

struct Scratch {
  template <class Exec, class T>
  static TeamShape shape(BankStride<Exec, T> const& p) {
    return team_shape<Exec>(p.buffers.threads, 1, static_cast<std::size_t>(p.buffers.bytes + step_bytes));
  }

  template <class Kernel, class Exec, class T>
  static void launch(BankStride<Exec, T> const& p) {
    TeamShape const team = shape(p);
    using Policy = Kokkos::TeamPolicy<Exec, typename Traits<Exec>::template Bounds<busy_threads, 1>>;
    Kokkos::parallel_for("tilestride::bank_stride::scratch",
                         Policy(p.exec, 1, team.threads, team.lanes)
                             .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team.scratch))),
                         Kernel{p.buffers});
  }

  template <class Arrays, class Exec, class T>
  static void run_arrays(BankStride<Exec, T> const& p) {
    return p.store ? launch<PartitionStores<Exec, Arrays>>(p) : launch<PartitionLoads<Exec, Arrays>>(p);
  }

  template <class Exec, class T>
  static void run(BankStride<Exec, T> const& p) {
    if (p.apart) return run_arrays<ScratchViews<Exec>>(p);
    if (p.partition) return run_arrays<Partition>(p);
    with_int(WordSizes{}, p.word, [&](auto bytes) {
      using W = Word<decltype(bytes)::value>;
      if (p.chained) return launch<Chain<Exec, W>>(p);
      return p.store ? launch<Stores<Exec, W>>(p) : launch<Loads<Exec, W>>(p);
    });
  }
};

}  // namespace tilestride::bank_stride
