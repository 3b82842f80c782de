// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a league costs whose threads do next to nothing:
//
//   for each team, for each thread i of it:  x = in[i];  if (x != 0) out[i] = x                  (op = load)
//                                            out[i] = in[i]                                      (op = copy)
//                                            tile[i] = in[i];  barrier;  out[i] = tile[i + 1]    (op = exchange)
//
// One word of 4096 is not 0: with op = load a thread waits for its load and ends. With op = copy it stores the word,
// and with op = exchange it waits for its team too, and stores what its neighbour has loaded. With op = nothing it does
// none of it. The last team writes its number, so that a league of another size shows.

#include "patterns/common/blocks.hpp"
#include "patterns/launch/native.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"

namespace tilestride::launch {

using Word = std::int32_t;

/// Element i of the input.
struct Sparse {
  KOKKOS_FUNCTION Word operator()(std::int64_t i) const {
    return scramble(static_cast<std::uint64_t>(i)) % 4096 == 0 ? static_cast<Word>(i % 1000003 + 1) : 0;
  }
};

inline std::int64_t teams_of(Case const& c) { return c.integer("threads") / c.integer("team"); }

inline Op op_of(Case const& c) {
  std::string const& op = c.choice("op");
  if (op == "nothing") return Op::nothing;
  if (op == "load") return Op::load;
  return op == "copy" ? Op::copy : Op::exchange;
}

/// Elements of `in` and `out`: one per thread that loads.
inline std::int64_t words_of(Case const& c) { return op_of(c) == Op::nothing ? 0 : c.integer("threads"); }

template <class Space, class T>
struct Launch {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<Word*, Exec>;

  Exec exec;
  Op op;
  int team;
  std::int64_t teams, words;
  Memory memory{"tilestride::launch"};
  Array in, out, last;

  Launch(Exec const& instance, Case const& c)
      : exec(instance),
        op(op_of(c)),
        team(static_cast<int>(c.integer("team"))),
        teams(teams_of(c)),
        words(words_of(c)),
        in(memory.input<Array>(exec, "in", words, Sparse{})),
        out(memory.output<Array>(exec, "out", words)),
        last(memory.output<Array>(exec, "last", 1)) {}

  Check verify() const {
    Word found = 0;
    Kokkos::deep_copy(exec, Kokkos::View<Word, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&found),
                      Kokkos::View<Word const, Exec, Kokkos::MemoryUnmanaged>(last.data()));
    exec.fence("tilestride::launch::verify");
    if (found != static_cast<Word>(teams - 1))
      return {false, 1, 1, fmt::format("the last team must be number {}, and is {}", teams - 1, found)};
    Check check =
        op == Op::load
            ? check_all(exec, words, IsTaken{out.data()}, "every word that is not 0 exactly, all others untouched")
            : check_all(exec, words, IsMoved{out.data(), team, op == Op::exchange ? 1 : 0}, "every word exactly");
    ++check.elements;
    return check;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const { return {op, in.data(), out.data(), last.data(), teams * team, team}; }

  struct IsTaken {
    Word const* out;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      Word const x = Sparse{}(i);
      return x == 0 ? is_untouched(out[i]) : out[i] == x;
    }
  };

  struct IsMoved {
    Word const* out;
    int team, by;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      std::int64_t const first = i / team * team;
      return out[i] == Sparse{}(first + (i - first + by) % team);
    }
  };
};

}  // namespace tilestride::launch
