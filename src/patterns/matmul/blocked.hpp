// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A block of C in the registers of a team, up to 128 elements a thread: what is read from scratch is used 8 and 16
// times, and the multiply-adds are the limit. Which block, and in how many shares the depth is split so that there are
// blocks for all multiprocessors, is a rule.

#include <algorithm>
#include <cmath>

#include "patterns/matmul/matmul.hpp"
#include "patterns/product_blocks.hpp"

namespace tilestride {

/// C = Σ of its partial sums, in their order.
template <class T, int Width>
struct SumOfParts {
  Piece<T, Width> const* parts;  ///< (splits, M·N)
  Piece<T, Width>* c;
  std::int64_t pieces;
  int splits;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Piece<T, Width> sum = parts[i];
    for (int s = 1; s < splits; ++s) {
      for (int v = 0; v < Width; ++v) sum.v[v] += parts[s * pieces + i].v[v];
    }
    c[i] = sum;
  }
};

struct Blocked {
  template <bool on_host, class T>
  using Blocks = std::conditional_t<
      on_host, std::tuple<>,
      std::conditional_t<
          sizeof(T) == 4,
          std::tuple<ProductBlock<256, 128, 8, 16, 8, 1, 83, 83>, ProductBlock<128, 128, 8, 16, 8, 2, 83, 72>,
                     ProductBlock<128, 64, 16, 8, 8, 3, 79, 56>, ProductBlock<64, 64, 8, 8, 8, 6, 78, 28>>,
          std::tuple<ProductBlock<128, 128, 8, 8, 8, 1, 77, 77>, ProductBlock<128, 64, 8, 8, 8, 2, 73, 55>,
                     ProductBlock<64, 64, 8, 8, 8, 4, 73, 30>>>>;

  template <class Exec, class T>
  struct Choice {
    std::string block;
    int splits = 1;
    Kokkos::View<T*, Exec> parts{};  ///< (splits, M·N) where the depth is split
  };

  template <class Exec, class T>
  static Choice<Exec, T> choose(Matmul<Exec, T> const& p, Device const& device, Case const& c) {
    Choice<Exec, T> choice{c.choice("block")};
    double least = std::numeric_limits<double>::infinity();
    auto const weigh = [&](auto block) {
      using Block = typename decltype(block)::type;
      if (c.choice("block") != "auto" && c.choice("block") != Block::name()) return;
      for (int splits = 1; splits <= most_splits<Block>(p.m, p.n, p.k); ++splits) {
        double const cost = cost_of<Block>(p.m, p.n, p.k, splits, device.multiprocessors);
        if (cost >= least) continue;
        least = cost;
        choice.block = Block::name();
        choice.splits = splits;
      }
    };
    for_each_block(Tag<Blocks<is_host<Exec>, T>>{}, weigh);
    if (choice.splits > 1)
      choice.parts = Kokkos::View<T*, Exec>(
          Kokkos::view_alloc(p.exec, Kokkos::WithoutInitializing, "tilestride::matmul::blocked::parts"),
          choice.splits * p.m * p.n);
    return choice;
  }

  template <class... Each, class Body>
  static void for_each_block(Tag<std::tuple<Each...>>, Body const& body) {
    (body(Tag<Each>{}), ...);
  }

  /// Partial sums take no more than twice what A and B do, and each has a slab at least.
  template <class Block>
  static std::int64_t most_splits(std::int64_t m, std::int64_t n, std::int64_t k) {
    return std::max<std::int64_t>(1, std::min(2 * (m * k + k * n) / (m * n), (k + Block::depth - 1) / Block::depth));
  }

  /// What a multiprocessor could multiply and add meanwhile. Blocks come to each in rounds of as many as fit; the last
  /// round takes as long as its blocks do at full speed, but no less than one does alone. A block's first slab and the
  /// way of its sums to memory cost it some steps; partial sums cost two ways to memory, whose balance with arithmetic
  /// is much the same on all large GPUs, and a launch.
  template <class Block>
  static double cost_of(std::int64_t m, std::int64_t n, std::int64_t k, int splits, int multiprocessors) {
    constexpr double steps_around = 48, balance = 30, launch = 1 << 20;
    auto const blocks =
        static_cast<double>((m + Block::rows - 1) / Block::rows * ((n + Block::columns - 1) / Block::columns) * splits);
    double const each = Block::rows * Block::columns * (static_cast<double>(k) / splits + steps_around);
    auto const busiest = static_cast<int>(std::ceil(blocks / std::max(multiprocessors, 1)));
    int const last = busiest % Block::resident;
    double const rounds = (busiest - last) * each / Block::full;
    double const last_round = last == 0 ? 0 : std::max(each / Block::alone, last * each / Block::full);
    double const sums = splits == 1 ? 0 : launch + balance * 2 * splits * static_cast<double>(m * n) / multiprocessors;
    return rounds + last_round + sums;
  }

  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return team_shape<Exec>(Block::threads, 1, BlockedProduct<Block, T, 1, Kokkos::LayoutRight>::scratch);
  }

  template <class Block, class Exec, class T>
  static void run(Matmul<Exec, T> const& p, Choice<Exec, T> const& choice) {
    constexpr int pack = Pack<T>::size;
    if (p.n % pack == 0 && p.k % pack == 0)
      multiply<Block, pack>(p, choice);
    else
      multiply<Block, 1>(p, choice);
  }

  template <class Block, int Width, class Exec, class T>
  static void multiply(Matmul<Exec, T> const& p, Choice<Exec, T> const& choice) {
    T* const to = choice.splits > 1 ? choice.parts.data() : p.c.data();
    auto const across = static_cast<int>((p.n + Block::columns - 1) / Block::columns);
    auto const blocks = static_cast<int>((p.m + Block::rows - 1) / Block::rows) * across;
    TeamShape const team = shape<Block, Exec, T>();
    Kokkos::parallel_for("tilestride::matmul::blocked",
                         Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Block::threads, Block::resident>>(
                             p.exec, blocks * choice.splits, team.threads, team.lanes)
                             .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team.scratch))),
                         BlockedProduct<Block, T, Width, Kokkos::LayoutRight>{p.a.data(), p.b.data(), to, p.m, p.n, p.k,
                                                                              across, blocks, choice.splits});
    if (choice.splits == 1) return;
    using Pieces = Piece<T, Width>;
    std::int64_t const pieces = p.m * p.n / Width;
    Kokkos::parallel_for("tilestride::matmul::blocked::sum",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, pieces),
                         SumOfParts<T, Width>{reinterpret_cast<Pieces const*>(to),
                                              reinterpret_cast<Pieces*>(p.c.data()), pieces, choice.splits});
  }
};

}  // namespace tilestride
