// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Litmus tests of a memory model: two threads, two locations, and an outcome that only disorder can bring about.
//
//   message passing (mp)                            store buffering (sb)
//   side 0: data = v     side 1: f = flag           side 0: x = v      side 1: y = v
//           flag = v             d = data                   a = y              b = x
//   weak: f is new and d is old                     weak: a and b are both old
//
// A pair of threads runs round after round, each round in locations that have not been used for long. Before a round
// the two threads synchronize, and each waits a random time, so that many timings occur. Versions only grow: v is the
// number of the round, and `old` is what is less. A side waits for a limited time: if the other does not arrive, it
// skips its remaining rounds.
//
// How a test is written lies in Ordering: publish and look (mp), exchange (sb). All else is the same for all, and uses
// volatile words, which order nothing that a form is asked to order.

#include "patterns/litmus/layout.hpp"
#include "portable/values.hpp"

namespace tilestride::litmus {

using Token = long long;

/// What one thread saw, over all runs.
struct Tally {
  long long tries = 0;  ///< of pairs: side 1 counts them
  long long seen = 0;   ///< tries in which side 1 saw what side 0 had written
  long long weak = 0;   ///< outcomes
  long long lost = 0;   ///< rounds that were given up

  KOKKOS_FUNCTION Tally& operator+=(Tally const& more) {
    tries += more.tries;
    seen += more.seen;
    weak += more.weak;
    lost += more.lost;
    return *this;
  }
};

/// One run. Runs are numbered from 1 on since the cells were zero.
struct Run {
  Scope scope;
  bool store_buffering;
  int rounds;
  int blocks;       ///< that take part; those behind them hammer on memory meanwhile
  int pairs;        ///< of threads
  int* cells;       ///< two locations for each pair and slot, `spacing` words apart
  Token* tokens;    ///< two for each pair: where its sides stand
  Token* finished;  ///< for each thread of the blocks: the last run that it has ended
  Tally* tallies;   ///< likewise
  int* hammered;
  long long number;
  long long rounds_before;  ///< of the runs before
};

/// Which word of `cells` is the first or the second location of a pair in a slot: two shuffles of all of them, since an
/// odd factor is a permutation modulo a power of two.
KOKKOS_INLINE_FUNCTION std::int64_t place_of(int pairs, int pair, int slot, int which) {
  std::int64_t const locations = std::int64_t(pairs) * slots;
  std::int64_t const number = std::int64_t(slot) * pairs + pair;
  std::int64_t const shuffled = number * (which == 0 ? 0x9e3779b1 : 0x85ebca6b) % locations;
  return (shuffled + which * locations) * spacing;
}

/// A random while, and the next random number: which the wait is for, so that no compiler leaves it out.
KOKKOS_INLINE_FUNCTION std::uint64_t wait_a_while(std::uint64_t random, unsigned longest) {
  for (unsigned steps = static_cast<unsigned>(random >> 32) % longest + 1; steps > 0; --steps)
    random = scramble(random);
  return random;
}

/// One of two threads.
struct Tester {
  bool store_buffering;
  int pairs, pair, side;
  Token volatile *mine, *other;
  unsigned outcomes = 0;  ///< of the rounds so far, a bit each, the last one lowest: did the load find the old version?
  Tally tally{};

  KOKKOS_FUNCTION Tester(Run const& run, int in_pair, int on_side)
      : store_buffering(run.store_buffering),
        pairs(run.pairs),
        pair(in_pair),
        side(on_side),
        mine(run.tokens + 2 * in_pair + on_side),
        other(run.tokens + 2 * in_pair + 1 - on_side) {}

  /// Tells the other that this side is at its n-th meeting, n = 1, 2, …, and what came of the last two rounds.
  KOKKOS_FUNCTION void arrive(long long meeting) const { *mine = 4 * meeting + outcomes % 4; }

  /// Has the other arrived? It may be one meeting ahead; then the outcome of the last round is its last but one.
  KOKKOS_FUNCTION bool has_met(long long meeting, bool after_a_round) {
    Token const token = *other;
    long long const ahead = token / 4 - meeting;
    if (ahead < 0) return false;
    if (store_buffering && side == 1 && after_a_round) tally.weak += outcomes & (token >> ahead) & 1;
    return true;
  }

  template <class Ordering>
  KOKKOS_FUNCTION void play(int* cells, long long round) {
    int const slot = static_cast<int>(round % slots);
    int const v = static_cast<int>(round + 1);
    int* const first = cells + place_of(pairs, pair, slot, 0);
    int* const second = cells + place_of(pairs, pair, slot, 1);
    if (store_buffering) {
      bool const old = Ordering::exchange(side == 0 ? first : second, side == 0 ? second : first, v) < v;
      outcomes = 2 * outcomes + (old ? 1 : 0);
      tally.seen += side == 1 && !old ? 1 : 0;
    } else if (side == 0) {
      Ordering::publish(first, second, v);
    } else {
      int data = 0;
      int const flag = Ordering::look(second, first, data);
      tally.seen += flag == v ? 1 : 0;
      tally.weak += data < flag ? 1 : 0;
    }
    tally.tries += side;
  }
};

constexpr int patience = 1 << 21;  ///< looks for the other side: a third of a second or more
constexpr int hammer_words = 1 << 22;
constexpr int hammer_patience = 1 << 20;

/// Reads and writes random parts of a block of memory while any tester is running.
template <int Warp>
KOKKOS_INLINE_FUNCTION void hammer(Run const& run, int thread) {
  constexpr int threads = threads_of(Warp);
  Token const volatile* const finished = run.finished + thread % (run.blocks * threads);
  int volatile* const words = run.hammered;
  std::uint64_t random = static_cast<std::uint64_t>(thread);
  for (int i = 0; i < hammer_patience && *finished < run.number; ++i) {
    random = scramble(random);
    words[random % hammer_words] = words[(random >> 32) % hammer_words] + 1;
  }
}

/// What a thread of the grid does. Side 1 of a pair is the second warp of the same block, or of the block before, or
/// the host, which is side 0 for the second warp.
template <class Ordering, int Warp>
KOKKOS_FUNCTION void play_thread(Run const& run, int block, int thread) {
  constexpr int threads = threads_of(Warp);
  if (block >= run.blocks) return hammer<Warp>(run, block * threads + thread);
  int const side = thread / Warp, lane = thread % Warp;
  int const group = run.scope == Scope::block ? block : run.scope == Scope::device ? (block + side) % run.blocks : side;
  Tester tester(run, group * Warp + lane, side);
  std::uint64_t random = scramble(static_cast<std::uint64_t>(run.rounds_before + block * 2 + side));
  long long const meetings_before = run.rounds_before + run.number - 1;
  for (int round = 0; round <= run.rounds; ++round) {  // the last meeting has no round: it is for the outcomes
    long long const meeting = meetings_before + round + 1;
    tester.arrive(meeting);
    int looks = 0;
    while (looks < patience && !tester.has_met(meeting, round > 0)) ++looks;
    if (looks == patience) {
      tester.tally.lost += run.rounds - round + 1;
      break;
    }
    if (round == run.rounds) break;
    random = wait_a_while(random, max_delay);
    tester.template play<Ordering>(run.cells, run.rounds_before + round);
  }
  int const tester_number = block * threads + thread;
  run.tallies[tester_number] += tester.tally;
  *static_cast<Token volatile*>(run.finished + tester_number) = run.number;
}

/// Accesses with fences between them, or with none.
template <class Access, class Fence>
struct FencedOrdering {
  static KOKKOS_FUNCTION void publish(int* data, int* flag, int v) {
    Access::store(data, v);
    Fence::stores();
    Access::store(flag, v);
  }
  static KOKKOS_FUNCTION int look(int* flag, int* data, int& found) {
    int const seen = Access::load(flag);
    Fence::loads();
    found = Access::load(data);
    return seen;
  }
  static KOKKOS_FUNCTION int exchange(int* mine, int* other, int v) {
    Access::store(mine, v);
    Fence::all();
    return Access::load(other);
  }
};

struct NoFence {
  static KOKKOS_FUNCTION void stores() {}
  static KOKKOS_FUNCTION void loads() {}
  static KOKKOS_FUNCTION void all() {}
};

struct PlainAccess {
  static KOKKOS_FUNCTION int load(int* word) { return *word; }
  static KOKKOS_FUNCTION void store(int* word, int v) { *word = v; }
};

struct VolatileAccess {
  static KOKKOS_FUNCTION int load(int* word) { return *static_cast<int volatile*>(word); }
  static KOKKOS_FUNCTION void store(int* word, int v) { *static_cast<int volatile*>(word) = v; }
};

}  // namespace tilestride::litmus
