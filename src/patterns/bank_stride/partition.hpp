// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// short[128], float[64] and int[256] in scratch: one block that is split by hand, or an array each. Each warp walks all
// three from end to end, its lanes side by side.

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
KOKKOS_INLINE_FUNCTION void copy_words(Member const& team, int bytes, void* to, void const* from) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, bytes / int(sizeof(W))),
                       [&](int i) { static_cast<W*>(to)[i] = static_cast<W const*>(from)[i]; });
}

/// Copies the three arrays of a thread's team between scratch and a buffer in which they lie one behind the other: as
/// often as the buffer has them.
template <class Arrays, class Member>
KOKKOS_INLINE_FUNCTION void fill_arrays(Member const& team, Arrays at, int bytes, unsigned char const* from) {
  for (int begin = 0; begin < bytes; begin += arrays_bytes, at.advance(arrays_bytes)) {
    copy_words<std::int16_t>(team, 2 * shorts, at.s(), from + begin);
    copy_words<float>(team, 4 * floats, at.f(), from + begin + begin_f);
    copy_words<std::int32_t>(team, 4 * ints, at.i(), from + begin + begin_i);
  }
}
template <class Arrays, class Member>
KOKKOS_INLINE_FUNCTION void empty_arrays(Member const& team, Arrays at, int bytes, unsigned char* to) {
  for (int begin = 0; begin < bytes; begin += arrays_bytes, at.advance(arrays_bytes)) {
    copy_words<std::int16_t>(team, 2 * shorts, to + begin, at.s());
    copy_words<float>(team, 4 * floats, to + begin + begin_f, at.f());
    copy_words<std::int32_t>(team, 4 * ints, to + begin + begin_i, at.i());
  }
}

/// One block of scratch, split by hand.
class Partition {
 public:
  template <class Member>
  KOKKOS_FUNCTION Partition(Member const& team, int bytes) : block_(scratch_of(team, bytes)) {}

  KOKKOS_FUNCTION std::int16_t* s() const { return reinterpret_cast<std::int16_t*>(block_); }
  KOKKOS_FUNCTION float* f() const { return reinterpret_cast<float*>(block_ + begin_f); }
  KOKKOS_FUNCTION std::int32_t* i() const { return reinterpret_cast<std::int32_t*>(block_ + begin_i); }
  KOKKOS_FUNCTION void advance(int bytes) { block_ += bytes; }

 private:
  unsigned char* block_;
};

/// A View in scratch for each array.
template <class Exec>
class ScratchViews {
 public:
  template <class Member>
  KOKKOS_FUNCTION ScratchViews(Member const& team, int bytes)
      : s_(team.team_scratch(0), bytes / arrays_bytes * shorts),
        f_(team.team_scratch(0), bytes / arrays_bytes * floats),
        i_(team.team_scratch(0), bytes / arrays_bytes * ints) {}

  KOKKOS_FUNCTION std::int16_t* s() const { return s_.data() + first_ * shorts; }
  KOKKOS_FUNCTION float* f() const { return f_.data() + first_ * floats; }
  KOKKOS_FUNCTION std::int32_t* i() const { return i_.data() + first_ * ints; }
  KOKKOS_FUNCTION void advance(int bytes) { first_ += bytes / arrays_bytes; }

 private:
  template <class T>
  using InScratch = Kokkos::View<T*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  InScratch<std::int16_t> s_;
  InScratch<float> f_;
  InScratch<std::int32_t> i_;
  int first_ = 0;  ///< of the three, in arrays
};

template <class Exec, class Arrays>
struct PartitionLoads {
  static constexpr int lanes = lanes_of<Exec>;
  Buffers<Exec> p;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    Arrays const arrays(team, p.bytes);
    fill_arrays(team, arrays, p.bytes, p.image.data());
    if (p.second.data() != nullptr) fill_arrays(team, arrays, p.bytes, p.second.data());
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.threads), [&](int thread) {
      int const lane = thread % lanes;
      Arrays at = arrays;
      std::uint32_t sum = 0;
      for (int round = 0; round < p.repeat; ++round, at.advance(p.advance)) {
        for (int n = 0; n < shorts; n += lanes) sum += static_cast<std::uint32_t>(at.s()[n + lane]);
        for (int n = 0; n < floats; n += lanes)
          sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(at.f()[n + lane]));
        for (int n = 0; n < ints; n += lanes) sum += static_cast<std::uint32_t>(at.i()[n + lane]);
      }
      p.out(thread) = sum;
    });
  }
};

template <class Exec, class Arrays>
struct PartitionStores {
  static constexpr int lanes = lanes_of<Exec>;
  Buffers<Exec> p;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    Arrays const arrays(team, p.bytes);
    empty_arrays(team, arrays, p.bytes, p.before.data());
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.threads), [&](int thread) {
      int const lane = thread % lanes;
      Arrays at = arrays;
      auto value = static_cast<std::uint32_t>(lane);
      for (int round = 0; round < p.repeat; ++round, at.advance(p.advance), value += stored_per_round) {
        std::uint32_t next = value;
        for (int n = 0; n < shorts; n += lanes, next += stored_per_step)
          at.s()[n + lane] = static_cast<std::int16_t>(next);
        for (int n = 0; n < floats; n += lanes, next += stored_per_step) at.f()[n + lane] = static_cast<float>(next);
        for (int n = 0; n < ints; n += lanes, next += stored_per_step)
          at.i()[n + lane] = static_cast<std::int32_t>(next);
      }
    });
    team.team_barrier();
    empty_arrays(team, arrays, p.bytes, p.after.data());
  }
};

}  // namespace tilestride::bank_stride
