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

/// Over any problem that has a, b and c: aat hands over A for B, seen by columns, and has a symmetric C.
template <bool symmetric>
struct BlockedOnDevice {
  using F32 = std::conditional_t<
      symmetric, std::tuple<ProductBlock<128, 128, 8, 16, 8, 2, 83, 72>, ProductBlock<64, 64, 8, 8, 8, 6, 78, 28>>,
      std::tuple<ProductBlock<256, 128, 8, 16, 8, 1, 83, 83>, ProductBlock<128, 128, 8, 16, 8, 2, 83, 72>,
                 ProductBlock<128, 64, 16, 8, 8, 3, 79, 56>, ProductBlock<64, 64, 8, 8, 8, 6, 78, 28>>>;
  using F64 = std::conditional_t<
      symmetric, std::tuple<ProductBlock<128, 128, 8, 8, 8, 1, 77, 77>, ProductBlock<64, 64, 8, 8, 8, 4, 73, 30>>,
      std::tuple<ProductBlock<128, 128, 8, 8, 8, 1, 77, 77>, ProductBlock<128, 64, 8, 8, 8, 2, 73, 55>,
                 ProductBlock<64, 64, 8, 8, 8, 4, 73, 30>>>;

  template <bool on_host, class T>
  using Blocks = std::conditional_t<on_host, std::tuple<>, std::conditional_t<sizeof(T) == 4, F32, F64>>;

  template <class Problem>
  struct Choice {
    std::string block;
    int splits = 1;
    Kokkos::View<typename Problem::Element*, typename Problem::Exec> parts{};  ///< (splits, M·N) where it is split
  };

  struct Extents {
    std::int64_t m, n, k;
  };
  template <class Problem>
  static Extents extents(Problem const& p) {
    return {static_cast<std::int64_t>(p.c.extent(0)), static_cast<std::int64_t>(p.c.extent(1)),
            static_cast<std::int64_t>(p.a.extent(1))};
  }

  template <class Problem>
  static Choice<Problem> choose(Problem const& p, Device const& device, Case const& c) {
    auto const e = extents(p);
    std::string const& asked = c.choice("block");
    Choice<Problem> choice{asked};
    double least = std::numeric_limits<double>::infinity();
    for_each_block(Tag<Blocks<false, typename Problem::Element>>{}, [&](auto block) {
      using Block = typename decltype(block)::type;
      if (asked != "auto" && asked != Block::name()) return;
      for (int splits = 1; splits <= most_splits<Block>(e); ++splits) {
        double const cost = cost_of<Block>(e, splits, std::max(device.multiprocessors, 1));
        if (cost >= least) continue;
        least = cost;
        choice.block = Block::name();
        choice.splits = splits;
      }
    });
    if (choice.splits > 1) {
      auto const properties =
          Kokkos::view_alloc(p.exec, Kokkos::WithoutInitializing, std::string(Problem::label) + "::blocked::parts");
      choice.parts = decltype(choice.parts)(properties, choice.splits * e.m * e.n);
    }
    return choice;
  }

  template <class... Each, class Body>
  static void for_each_block(Tag<std::tuple<Each...>>, Body const& body) {
    (body(Tag<Each>{}), ...);
  }

  /// Partial sums take no more than twice what A and B do, and each has a slab at least.
  template <class Block>
  static std::int64_t most_splits(Extents const& e) {
    return std::max<std::int64_t>(
        1, std::min(2 * (e.m * e.k + e.k * e.n) / (e.m * e.n), (e.k + Block::depth - 1) / Block::depth));
  }

  /// The time, in what a multiprocessor could multiply and add meanwhile. Blocks come to each in rounds of as many as
  /// fit; the last round takes what its blocks do at full speed, but no less than one does alone. A block's first slab
  /// and the way of its sums to memory cost some steps; partial sums cost a launch and twice the way to memory, whose
  /// rate stands in much the same proportion to arithmetic on all large GPUs.
  template <class Block>
  static double cost_of(Extents const& e, int splits, int multiprocessors) {
    constexpr double around = 48, balance = 30, launch = 1 << 20;
    double const elements = static_cast<double>(Block::rows) * Block::columns;
    double const block = elements * (static_cast<double>(e.k) / splits + around);
    int const busiest = (block_count<Block, symmetric>(e.m, e.n) * splits + multiprocessors - 1) / multiprocessors;
    int const last = busiest % Block::resident;
    double const rounds = (busiest - last) * block / Block::full;
    double const last_round = last == 0 ? 0 : std::max(block / Block::alone, last * block / Block::full);
    double const sums =
        splits == 1 ? 0 : launch + balance * 2 * splits * static_cast<double>(e.m * e.n) / multiprocessors;
    return rounds + last_round + sums;
  }

  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return team_shape<Exec>(Block::threads, 1, BlockedProduct<Block, T, 1, Kokkos::LayoutLeft, symmetric>::scratch);
  }

  template <class Block, class Problem>
  static void run(Problem const& p, Choice<Problem> const& choice) {
    auto const e = extents(p);
    constexpr int pack = Pack<typename Problem::Element>::size;
    if (e.n % pack == 0 && e.k % pack == 0)
      multiply<Block, pack>(p, e, choice);
    else
      multiply<Block, 1>(p, e, choice);
  }

  template <class Block, int Width, class Problem>
  static void multiply(Problem const& p, Extents const& e, Choice<Problem> const& choice) {
    using Exec = typename Problem::Exec;
    using T = typename Problem::Element;
    using LayoutOfB = typename decltype(p.b)::array_layout;
    T* const to = choice.splits > 1 ? choice.parts.data() : p.c.data();
    int const blocks = block_count<Block, symmetric>(e.m, e.n);
    TeamShape const team = shape<Block, Exec, T>();
    Kokkos::parallel_for(std::string(Problem::label) + "::blocked",
                         Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Block::threads, Block::resident>>(
                             p.exec, blocks * choice.splits, team.threads, team.lanes)
                             .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team.scratch))),
                         BlockedProduct<Block, T, Width, LayoutOfB, symmetric>{p.a.data(), p.b.data(), to, e.m, e.n,
                                                                               e.k, blocks, choice.splits});
    if (choice.splits == 1) return;
    using Pieces = Piece<T, Width>;
    std::int64_t const pieces = e.m * e.n / Width;
    Kokkos::parallel_for(std::string(Problem::label) + "::blocked::sum",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, pieces),
                         SumOfParts<T, Width>{reinterpret_cast<Pieces const*>(to),
                                              reinterpret_cast<Pieces*>(p.c.data()), pieces, choice.splits});
  }
};

using Blocked = BlockedOnDevice<false>;

}  // namespace tilestride
