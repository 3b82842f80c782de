// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A block of C in the registers of a team, up to 128 elements per thread: what is read from scratch is used 8 and 16
// times, and the multiply-adds are the limit. Blocks that would leave multiprocessors idle are split along the depth.
// Which block, and in how many shares, is a rule.

#include <algorithm>
#include <cmath>

#include "patterns/common/product_blocks.hpp"
#include "patterns/matmul/blocked_host.hpp"
#include "patterns/matmul/problem.hpp"

namespace tilestride::matmul {

/// Over any problem that has a, b and c: aat hands over A for B, seen by columns, and has a symmetric C.
template <bool symmetric>
struct BlockedOnDevice {
  using F32 = std::conditional_t<
      symmetric, std::tuple<ProductBlock<128, 128, 8, 16, 8, 2, 87, 49>, ProductBlock<64, 64, 8, 8, 8, 6, 84, 48>>,
      std::tuple<ProductBlock<128, 128, 8, 16, 8, 2, 87, 49, 87>, ProductBlock<128, 64, 16, 8, 8, 3, 85, 60, 96>,
                 ProductBlock<128, 32, 16, 8, 4, 4, 68, 53, 100>, ProductBlock<64, 64, 8, 8, 8, 6, 84, 48, 84>,
                 ProductBlock<64, 64, 16, 8, 4, 4, 76, 61, 97>, ProductBlock<32, 64, 8, 8, 8, 12, 80, 56, 84>,
                 ProductBlock<32, 32, 8, 8, 4, 16, 62, 44, 93>, ProductBlock<32, 32, 32, 4, 4, 8, 53, 44, 100>>>;
  using Large64 = ProductBlock<128, 128, 8, 8, 8, 1, 83, 68>;
  using Small64 = ProductBlock<64, 64, 8, 8, 8, 4, 75, 66>;
  using F64 = std::conditional_t<symmetric, std::tuple<Large64, Small64>,
                                 std::tuple<Large64, ProductBlock<128, 64, 8, 8, 8, 2, 81, 74>, Small64>>;

  template <bool, class T>
  using Blocks = std::conditional_t<sizeof(T) == 4, F32, F64>;

  template <class Problem>
  struct Choice {
    using Packs = Kokkos::View<Pack<typename Problem::Element>*, typename Problem::Exec>;
    std::string block;
    bool by_element = false;    ///< how operands are loaded whose rows are not whole packs, in place of being copied
    int whole = 0, splits = 1;  ///< blocks that are not split, and in how many shares the others are
    Packs parts{};              ///< the partial sums of those
    Packs a{}, b{};             ///< copies of operands whose rows are not whole packs
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
    using T = typename Problem::Element;
    auto const e = extents(p);
    std::string const& asked = c.choice("block");
    Choice<Problem> choice{asked};
    int const multiprocessors = std::max(device.hardware.multiprocessors, 1);
    Copied const copied = copied_elements<T>(e);
    double least = std::numeric_limits<double>::infinity();
    std::int64_t elements = 0;  // of the partial sums
    for_each_block(Tag<Blocks<false, T>>{}, [&](auto block) {
      using Block = typename decltype(block)::type;
      using Exec = typename Problem::Exec;
      if (asked != "auto" && asked != Block::name()) return;
      Fit const fit{multiprocessors, resident<Block, Exec, T>(), Traits<Exec>::schedulers * Traits<Exec>::warp,
                    sizeof(T)};
      Rounds const rounds = rounds_of<Block>(e, fit);
      for (bool const by_element : {false, true}) {
        if (by_element && (copied.a + copied.b == 0 || !can_load_by_element<Block, T>(e))) continue;
        double const copies = by_element ? 0 : cost_of_copies(copied, fit);
        for (int splits = 1; splits <= most_splits<Block>(e, rounds, fit); ++splits) {
          double const cost = copies + cost_of<Block>(e, rounds, splits, by_element, fit);
          if (cost >= least) continue;
          least = cost;
          choice.block = Block::name();
          choice.by_element = by_element;
          choice.splits = splits;
          choice.whole = rounds.whole + (splits == 1 ? rounds.left : 0);
          elements = splits == 1 ? 0 : std::int64_t(splits) * rounds.left * (Block::rows * Block::columns);
        }
      }
    });
    auto const packs = [&](char const* of, std::int64_t count) {
      return typename Choice<Problem>::Packs(
          Kokkos::view_alloc(p.exec, Kokkos::WithoutInitializing, fmt::format("{}::blocked::{}", Problem::label, of)),
          static_cast<std::size_t>(count / Pack<T>::size));
    };
    if (elements > 0) choice.parts = packs("parts", elements);
    if (!choice.by_element && copied.a > 0) choice.a = packs("a", copied.a);
    if (!choice.by_element && copied.b > 0) choice.b = packs("b", copied.b);
    return choice;
  }

  /// Whether rows of C are whole packs; the columns of a copy of B are spread where they are not.
  static bool stores_packs(Extents const& e, int element) { return e.n * element % int(sizeof(Pack<char>)) == 0; }

  /// The depth, and the leading dimension of B, rounded up to packs, or to what is spread together.
  struct InPacks {
    std::int64_t k, ldb;
  };
  template <class T>
  static InPacks in_packs(Extents const& e) {
    auto const up = [](std::int64_t extent, int to) { return (extent + to - 1) / to * to; };
    std::int64_t const k = up(e.k, Pack<T>::size);
    return {k, symmetric ? k : stores_packs(e, sizeof(T)) ? e.n : up(e.n, Columns<T>::together)};
  }

  /// Elements of the copies of A and B, where their rows are not whole packs.
  struct Copied {
    std::int64_t a, b;
  };
  template <class T>
  static Copied copied_elements(Extents const& e) {
    auto const [k, ldb] = in_packs<T>(e);
    return {e.k != k ? e.m * k : 0, !symmetric && (e.k != k || e.n != ldb) ? k * ldb : 0};
  }
  template <class Block, class T>
  static bool can_load_by_element(Extents const& e) {
    using Product = BlockedProduct<Block, T, 1, Kokkos::LayoutRight, symmetric, true>;
    if constexpr (Block::by_element > 0) return Product::PartOfA::fits(e.k) && Product::PartOfB::fits(e.n);
    return false;
  }

  template <class... Each, class Body>
  static void for_each_block(Tag<std::tuple<Each...>>, Body const& body) {
    (body(Tag<Each>{}), ...);
  }

  /// How teams of a block fit the device.
  struct Fit {
    int multiprocessors;
    int resident;   ///< teams on each
    int warp_each;  ///< threads: a warp on each of its schedulers
    int element;    ///< bytes

    /// Of a multiprocessor in a clock.
    double multiply_adds() const { return warp_each * 4.0 / element; }
  };

  /// Blocks that fill the device, as often as there are enough of them, and those that are left.
  struct Rounds {
    int whole, left;
  };
  template <class Block>
  static Rounds rounds_of(Extents const& e, Fit const& fit) {
    int const blocks = block_count<Block, symmetric>(e.m, e.n), round = fit.multiprocessors * fit.resident;
    return {blocks / round * round, blocks % round};
  }

  /// Partial sums take no more than twice what A and B do, and each has two slabs at least; a few for each
  /// multiprocessor are enough.
  template <class Block>
  static std::int64_t most_splits(Extents const& e, Rounds const& rounds, Fit const& fit) {
    if (rounds.left == 0) return 1;
    std::int64_t const sums = std::int64_t(rounds.left) * Block::rows * Block::columns;
    std::int64_t const room = 2 * (e.m * e.k + e.k * e.n) / sums;
    std::int64_t const slabs = (e.k + Block::depth - 1) / Block::depth;
    return std::clamp<std::int64_t>(std::min(room, slabs / 2), 1, 4 * fit.multiprocessors);
  }

  // What a product costs, in clocks. The figures were fitted to 48,000 measurements on an H200: each block, in several
  // numbers of shares, with copies and without, at 594 shapes drawn at random, and `full` and `alone` of f64 to 2,300
  // at 150. Fitted to three quarters of the shapes, they choose for the others what takes 0.8 % longer than the best on
  // average, and 10 % at most. On other GPUs memory stands in much the same proportion to arithmetic.
  static constexpr double of_copies = 8800, of_sums = 5000;  ///< a launch, and its place in the queue
  static constexpr double of_first_slab = 1500;  ///< until it is there; other teams of the multiprocessor hide it
  /// A multiprocessor's, in a clock.
  static constexpr double copied_bytes = 7.6, summed_bytes = 26, stored_bytes = 21;

  static double cost_of_copies(Copied const& copied, Fit const& fit) {
    auto const elements = static_cast<double>(copied.a + copied.b);
    return elements == 0 ? 0 : of_copies + elements * fit.element / copied_bytes / fit.multiprocessors;
  }

  /// Blocks come in rounds of as many as fit, and so do the shares of those that are left; what does not fill a round
  /// spreads over the multiprocessors. Partial sums cost a second kernel, and the way to memory and back.
  template <class Block>
  static double cost_of(Extents const& e, Rounds const& rounds, int splits, bool by_element, Fit const& fit) {
    int const at_once = fit.multiprocessors * fit.resident;
    bool const in_packs = stores_packs(e, fit.element);
    auto const slabs = static_cast<double>((e.k + Block::depth - 1) / Block::depth);
    auto const cost_of_teams = [&](int count, double slabs_of_each) {
      int const last = (count % at_once + fit.multiprocessors - 1) / fit.multiprocessors;
      return count / at_once * cost_together<Block>(fit.resident, slabs_of_each, by_element, in_packs, fit) +
             cost_together<Block>(last, slabs_of_each, by_element, in_packs, fit);
    };
    if (splits == 1) return cost_of_teams(rounds.whole + rounds.left, slabs);
    int const shares = rounds.left * splits;
    double const parts = static_cast<double>(shares) * Block::rows * Block::columns * fit.element;
    return cost_of_teams(rounds.whole, slabs) + cost_of_teams(shares, slabs / splits) + of_sums +
           parts / summed_bytes / fit.multiprocessors;
  }

  /// Of so many teams on one multiprocessor. Its schedulers have a whole number of warps each, and the rate grows with
  /// it from `alone` to `full`, by less with each. Elements that are stored one by one take longer, the less so the
  /// more teams there are.
  template <class Block>
  static double cost_together(int teams, double slabs, bool by_element, bool in_packs, Fit const& fit) {
    if (teams == 0) return 0;
    auto const warps_of = [&](int count) { return (count * Block::threads + fit.warp_each - 1) / fit.warp_each; };
    int const warps = warps_of(teams), most = warps_of(fit.resident);
    double const missing = static_cast<double>(most - warps) / std::max(most - 1, 1);  // 1: one warp each; 0: full
    double const rate =
        (Block::full - (Block::full - Block::alone) * missing * missing) * (by_element ? Block::by_element : 1);
    double const elements = Block::rows * Block::columns;
    double const of_a_slab = warps * fit.warp_each / double(Block::threads) * elements * Block::depth;
    double const stores = elements * fit.element / stored_bytes * (in_packs ? 1 : 1 + 0.76 / fit.resident);
    return of_first_slab / teams + slabs * of_a_slab / fit.multiply_adds() / rate + teams * stores;
  }

  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return team_shape<Exec>(Block::threads, 1, BlockedProduct<Block, T, 1, Kokkos::LayoutLeft, symmetric>::scratch);
  }

  /// Teams that a multiprocessor holds at once: Block::resident, as far as they fit.
  template <class Block, class Exec, class T>
  static constexpr int resident() {
    return teams_that_fit<Exec>(Block::resident, {Block::threads, 0, shape<Block, Exec, T>().scratch});
  }

  template <class Block, class Problem>
  static void run(Problem const& p, Choice<Problem> const& choice) {
    if constexpr (Block::by_element > 0) {
      if (choice.by_element) return multiply<Block, 1, true>(p, choice);
    }
    if (stores_packs(extents(p), sizeof(typename Problem::Element)))
      multiply<Block, Pack<typename Problem::Element>::size, false>(p, choice);
    else
      multiply<Block, 1, false>(p, choice);
  }

  template <class T, class Problem>
  static OperandsInPacks<T> operands_in_packs(Problem const& p, Choice<Problem> const& choice) {
    auto const e = extents(p);
    auto const [k, ldb] = in_packs<T>(e);
    return {{p.a.data(), e.m, e.k, choice.a.data(), choice.a.size() > 0 ? e.m : 0, k / Pack<T>::size},
            {p.b.data(), e.k, e.n, choice.b.data(), choice.b.size() > 0 ? k : 0, ldb / Pack<T>::size,
             !stores_packs(e, sizeof(T))}};
  }

  template <class Block, int Width, bool by_element, class Problem>
  static void multiply(Problem const& p, Choice<Problem> const& choice) {
    using Exec = typename Problem::Exec;
    using T = typename Problem::Element;
    using Product = BlockedProduct<Block, T, Width, typename decltype(p.b)::array_layout, symmetric, by_element>;
    using Items = Kokkos::IndexType<std::int64_t>;
    auto const copies = operands_in_packs<T>(p, choice);
    if (copies.a.size() + copies.b.size() > 0)
      Kokkos::parallel_for(std::string(Problem::label) + "::blocked::packs",
                           Kokkos::RangePolicy<Exec, Items>(p.exec, 0, copies.a.size() + copies.b.size()), copies);
    auto const e = extents(p);
    auto const [k, ldb] = by_element ? InPacks{e.k, e.n} : in_packs<T>(e);
    T const* const a = copies.a.size() > 0 ? choice.a.data()->v : p.a.data();
    T const* const b = symmetric ? a : copies.b.size() > 0 ? choice.b.data()->v : p.b.data();
    int const left = block_count<Block, symmetric>(e.m, e.n) - choice.whole;
    Product const product{a,
                          b,
                          p.c.data(),
                          reinterpret_cast<T*>(choice.parts.data()),
                          e.m,
                          e.n,
                          k,
                          ldb,
                          choice.whole,
                          left,
                          choice.splits};
    using Bounds = typename Traits<Exec>::template Bounds<Block::threads, resident<Block, Exec, T>()>;
    TeamShape const team = shape<Block, Exec, T>();
    Kokkos::parallel_for(
        std::string(Problem::label) + "::blocked",
        Kokkos::TeamPolicy<Exec, Bounds>(p.exec, choice.whole + left * choice.splits, team.threads, team.lanes)
            .set_scratch_size(0, Kokkos::PerTeam(team.scratch)),
        product);
    if (left == 0) return;
    using FewThreads = typename Traits<Exec>::template Bounds<128, 8>;  // registers for the loads under way
    using Patches = Kokkos::RangePolicy<Exec, typename Product::SumOfParts, Items, FewThreads>;
    Kokkos::parallel_for(std::string(Problem::label) + "::blocked::sum",
                         Patches(p.exec, 0, std::int64_t(left) * Product::patches), product);
  }
};

using Blocked = ByKind<BlockedOnDevice<false>, BlockedOnHost>;

/// Bytes that a blocked product of M x K and K x N needs for itself: its partial sums, at most (most_splits), and
/// copies of its operands. On a host what is packed of B stays in caches.
inline double blocked_bytes(Case const& c, std::int64_t m, std::int64_t n, std::int64_t k) {
  auto const element = static_cast<double>(size_of(c.type));
  if (is_host_space(c.space)) return 0;
  auto const up = [](std::int64_t extent, int to) { return static_cast<double>((extent + to - 1) / to * to); };
  return 3 * element * up(k, 4) * (static_cast<double>(m) + up(n, 32));  // 4: a pack; 32: Columns::together
}

}  // namespace tilestride::matmul
