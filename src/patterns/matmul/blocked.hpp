// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A block of C in the registers of a team, up to 128 elements a thread: what is read from scratch is used 8 and 16
// times, and the multiply-adds are the limit. Which block, and in how many shares the depth is split so that there are
// blocks for all multiprocessors, is a rule.

#include <algorithm>
#include <cmath>

#include "patterns/matmul/blocked_host.hpp"
#include "patterns/matmul/matmul.hpp"
#include "patterns/product_blocks.hpp"
#include "patterns/warp.hpp"

namespace tilestride {

/// C = Σ of its partial sums, in their order, a pack at a time.
template <class T>
struct SumOfParts {
  Pack<T> const* parts;  ///< (splits, packs)
  T* c;
  std::int64_t elements, packs;
  int splits;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Pack<T> sum = parts[i];
    for (int s = 1; s < splits; ++s) sum = sum + parts[s * packs + i];
    if ((i + 1) * Pack<T>::size <= elements) {
      reinterpret_cast<Pack<T>*>(c)[i] = sum;
    } else {
      for (std::int64_t e = i * Pack<T>::size; e < elements; ++e) c[e] = sum.v[e % Pack<T>::size];
    }
  }
};

/// Over any problem that has a, b and c: aat hands over A for B, seen by columns, and has a symmetric C.
template <bool symmetric>
struct BlockedOnDevice {
  using F32 = std::conditional_t<
      symmetric, std::tuple<ProductBlock<128, 128, 8, 16, 8, 2, 83, 72>, ProductBlock<64, 64, 8, 8, 8, 6, 78, 56>>,
      std::tuple<ProductBlock<256, 128, 8, 16, 8, 1, 83, 72>, ProductBlock<128, 128, 8, 16, 8, 2, 83, 72>,
                 ProductBlock<128, 64, 16, 8, 8, 3, 79, 56>, ProductBlock<64, 64, 8, 8, 8, 6, 78, 56>>>;
  using F64 = std::conditional_t<
      symmetric, std::tuple<ProductBlock<128, 128, 8, 8, 8, 1, 81, 70>, ProductBlock<64, 64, 8, 8, 8, 4, 76, 66>>,
      std::tuple<ProductBlock<128, 128, 8, 8, 8, 1, 81, 70>, ProductBlock<128, 64, 8, 8, 8, 2, 79, 70>,
                 ProductBlock<64, 64, 8, 8, 8, 4, 76, 66>>>;

  template <bool, class T>
  using Blocks = std::conditional_t<sizeof(T) == 4, F32, F64>;

  template <class Problem>
  struct Choice {
    std::string block;
    int splits = 1;
    Kokkos::View<Pack<typename Problem::Element>*, typename Problem::Exec>
        parts{};  ///< (splits, packs of M·N), if several
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
    int const multiprocessors = std::max(device.multiprocessors, 1);
    double least = std::numeric_limits<double>::infinity();
    for_each_block(Tag<Blocks<false, typename Problem::Element>>{}, [&](auto block) {
      using Block = typename decltype(block)::type;
      if (asked != "auto" && asked != Block::name()) return;
      for (int splits = 1; splits <= most_splits<Block>(e, multiprocessors); ++splits) {
        double const cost = cost_of<Block>(e, splits, multiprocessors);
        if (cost >= least) continue;
        least = cost;
        choice.block = Block::name();
        choice.splits = splits;
      }
    });
    if (choice.splits > 1) {
      auto const properties =
          Kokkos::view_alloc(p.exec, Kokkos::WithoutInitializing, std::string(Problem::label) + "::blocked::parts");
      choice.parts = decltype(choice.parts)(properties, choice.splits * packs_of<typename Problem::Element>(e));
    }
    return choice;
  }

  template <class... Each, class Body>
  static void for_each_block(Tag<std::tuple<Each...>>, Body const& body) {
    (body(Tag<Each>{}), ...);
  }

  /// Partial sums take no more than twice what A and B do, and each has a slab at least; a few for each multiprocessor
  /// are enough.
  template <class Block>
  static std::int64_t most_splits(Extents const& e, int multiprocessors) {
    std::int64_t const room = 2 * (e.m * e.k + e.k * e.n) / (e.m * e.n);
    std::int64_t const slabs = (e.k + Block::depth - 1) / Block::depth;
    return std::clamp<std::int64_t>(std::min(room, slabs), 1, 4 * multiprocessors);
  }

  /// The time, in what a multiprocessor could multiply and add meanwhile. Blocks come in rounds of as many as fit;
  /// those of the last spread over the multiprocessors. The first slab and the way of the sums to memory take as long
  /// as some steps, which other blocks of the multiprocessor hide; partial sums cost a launch and twice the way to
  /// memory, whose rate stands in much the same proportion to arithmetic on all large GPUs.
  template <class Block>
  static double cost_of(Extents const& e, int splits, int multiprocessors) {
    constexpr double around = 32.0 / Block::resident, balance = 30, launch = 1 << 20;
    double const steps = static_cast<double>(e.k) / splits + around;
    int const blocks = block_count<Block, symmetric>(e.m, e.n) * splits;
    int const fit = multiprocessors * Block::resident;
    int const left = (blocks % fit + multiprocessors - 1) / multiprocessors;
    double const sums =
        splits == 1 ? 0 : launch + balance * 2 * splits * static_cast<double>(e.m * e.n) / multiprocessors;
    return steps * (blocks / fit * cost_together<Block>(Block::resident) + cost_together<Block>(left)) + sums;
  }

  /// Of one step of so many blocks on one multiprocessor. Its four schedulers have a whole number of warps each, and
  /// the rate grows with it from `alone` to `full`.
  template <class Block>
  static double cost_together(int blocks) {
    constexpr int warp_each = 4 * warp_lanes;
    constexpr int most = Block::resident * Block::threads / warp_each;
    int const warps = (blocks * Block::threads + warp_each - 1) / warp_each;
    double const rate = Block::alone + (Block::full - Block::alone) * (warps - 1) / std::max(most - 1, 1);
    return static_cast<double>(warps) * warp_each * Block::thread_rows * Block::thread_columns / rate;
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
    T* const to = choice.splits > 1 ? choice.parts.data()->v : p.c.data();
    int const blocks = block_count<Block, symmetric>(e.m, e.n);
    TeamShape const team = shape<Block, Exec, T>();
    Kokkos::parallel_for(
        std::string(Problem::label) + "::blocked",
        Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Block::threads, Block::resident>>(p.exec, blocks * choice.splits,
                                                                                        team.threads, team.lanes)
            .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team.scratch))),
        BlockedProduct<Block, T, Width, LayoutOfB, symmetric>{p.a.data(), p.b.data(), to, e.m, e.n, e.k,
                                                              packs_of<T>(e) * Pack<T>::size, blocks, choice.splits});
    if (choice.splits == 1) return;
    Kokkos::parallel_for(std::string(Problem::label) + "::blocked::sum",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, packs_of<T>(e)),
                         SumOfParts<T>{choice.parts.data(), p.c.data(), e.m * e.n, packs_of<T>(e), choice.splits});
  }

  /// A partial sum's, of which the last may not be full.
  template <class T>
  static std::int64_t packs_of(Extents const& e) {
    return (e.m * e.n + Pack<T>::size - 1) / Pack<T>::size;
  }
};

using Blocked = ByKind<BlockedOnDevice<false>, HostBlocked>;

/// Bytes that a blocked product of M x K and K x N needs for itself: its partial sums, at most (most_splits), or what
/// it packs of B.
inline double blocked_bytes(Case const& c, std::int64_t m, std::int64_t n, std::int64_t k) {
  auto const element = static_cast<double>(size_of(c.type));
  if (is_host_space(c.space))
    return element *
           static_cast<double>(HostBlocked::panel_elements(static_cast<std::size_t>(n), static_cast<std::size_t>(k)));
  return 2 * element *
         (static_cast<double>(m) * static_cast<double>(k) + static_cast<double>(k) * static_cast<double>(n));
}

}  // namespace tilestride
