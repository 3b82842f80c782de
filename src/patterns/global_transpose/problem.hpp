// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// out = in transposed, n x n, row-major, in blocks of rows over the ranks: rank k has rows [k m, (k + 1) m) of both. Of
// each m x m block but those on the diagonal the ranks of its row and of its column differ:
//
//   out of rank a, columns of rank b  =  (in of rank b, columns of rank a) transposed

#include "patterns/common/collective.hpp"
#include "patterns/common/tiles.hpp"
#include "portable/host_device.hpp"
#include "portable/memory.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::global_transpose {

template <class Space, class T>
struct GlobalTranspose {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  Ranks& ranks;
  std::int64_t n, m;  ///< of the matrix, and rows of a rank
  Memory memory{"tilestride::global_transpose"};
  Array in, out;                  ///< m x n
  mutable Array packed, arrived;  ///< blocks of m x m, one for each rank; only where they are sent

  GlobalTranspose(Exec const& instance, Case const& c, Ranks& all)
      : exec(instance),
        ranks(all),
        n(c.integer("n")),
        m(n / all.count()),
        in(memory.input<Array>(exec, "in", m * n, Entries{first() * n}, matrix_alignment)),
        out(memory.output<Array>(exec, "out", m * n, matrix_alignment)) {}

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), m * n * std::int64_t(sizeof(T)))};
  }

  int rank() const { return ranks.rank(); }
  std::int64_t first() const { return rank() * m; }

  /// The block of a rank in a matrix of rows: its rows are n apart.
  T const* in_block(int of) const { return in.data() + of * m; }
  T* out_block(int of) const { return out.data() + of * m; }

  /// Elements from block to block; messages are of whole units.
  std::int64_t block() const {
    auto const unit = std::int64_t(message_unit / sizeof(T));
    return (m * m + unit - 1) / unit * unit;
  }
  void make_blocks() const {
    if (packed.size() != 0) return;
    packed = memory.work<Array>(exec, "packed", block() * ranks.count());
    arrived = memory.work<Array>(exec, "arrived", block() * ranks.count());
  }

  Check verify() const { return check_all(exec, m * n, IsTransposed{out.data(), n, first()}, "every element exactly"); }

  struct Entries {
    std::int64_t first;
    KOKKOS_FUNCTION T operator()(std::int64_t i) const { return value_at<T>(1, first + i); }
  };

  struct IsTransposed {
    T const* out;
    std::int64_t n, first;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      return out[i] == value_at<T>(1, i % n * n + first + i / n);
    }
  };
};

/// A trial of this problem whose calls are those of all ranks: `call` returns when the part of this one is done.
template <class Exec, class T>
Trial trial_of_all(std::shared_ptr<GlobalTranspose<Exec, T>> const& p, Bench const& bench,
                   std::function<void()> const& call, std::function<Quantities()> const& columns = {}) {
  Trial trial = trial_of(p, [p, call] {
    call();
    p->ranks.in_step();
  });
  trial.before = [p] { p->ranks.in_step(); };  // nobody stores to a matrix that is not yet poisoned
  trial.clock = wall_clock(p->exec);
  trial.measure = [columns, link = link_between(p->ranks, bench.device)] {
    Quantities all = columns ? columns() : Quantities{};
    if (link > 0) all.emplace_back(link_column, link / 1e9);
    return all;
  };
  return trial;
}

}  // namespace tilestride::global_transpose
