// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The register-blocked product on a device. A team computes a block of C, each thread up to 16x8 elements of it in
// registers. Slabs of A and B, a few steps of the depth, go through two buffers in scratch: while one is multiplied,
// the next is loaded from memory. Shared by all problems that multiply matrices.

#include <limits>

#include "patterns/common/pack.hpp"
#include "patterns/common/tiles.hpp"
#include "portable/divisor.hpp"

namespace tilestride {

/// A block of Rows x Columns elements of C, which advances Depth steps at a time. A thread has ThreadRows x
/// ThreadColumns of it; Resident is the wanted number of resident teams per multiprocessor, as far as they fit. The
/// rest was measured on an H200, in percent. `full` and `alone` are shares of a multiprocessor's peak: with Resident
/// teams, and with one warp on each scheduler. `by_element` is what is left of that where operands are loaded element
/// by element; 0: they are not.
template <int Rows, int Columns, int Depth, int ThreadRows, int ThreadColumns, int Resident, int Full, int Alone,
          int ByElement = 0>
struct ProductBlock {
  static constexpr int rows = Rows, columns = Columns, depth = Depth;
  static constexpr int thread_rows = ThreadRows, thread_columns = ThreadColumns;
  static constexpr int threads = Rows / ThreadRows * (Columns / ThreadColumns);
  static constexpr int resident = Resident;
  static constexpr double full = Full / 100.0, alone = Alone / 100.0, by_element = ByElement / 100.0;
  static std::string name() { return fmt::format("{}x{}x{}", Rows, Columns, Depth); }
};

/// How lanes share the columns of a block: eight lie side by side. A thread reads its columns of a step in packs; so
/// they are neighbours in scratch. In memory they need not be: where rows of C are not whole packs and elements are
/// stored one by one, a thread has every eighth column, and the eight lanes store neighbours.
template <class T>
struct Columns {
  static constexpr int pack = Pack<T>::size;
  static constexpr int lanes = 8;
  static constexpr int together = lanes * pack;  ///< columns, after which the order begins anew

  /// Where in scratch a spread column of the block lies, and which column lies there.
  KOKKOS_FUNCTION static constexpr int place_of(int column) {
    return column / together * together + column % lanes * pack + column % together / lanes;
  }
  KOKKOS_FUNCTION static constexpr int at(int place) {
    return place / together * together + place % pack * lanes + place % together / pack;
  }
};

/// The part of an operand's slabs that one thread loads. A slab has Extent rows of A or columns of B, and Depth steps.
/// In memory its elements are contiguous along the depth (A) or across it (B); scratch has them across it, so that a
/// thread reads those for one step in packs. Memory is read in packs, too.
template <class Block, class T, int Extent, bool along_depth>
struct SlabPart {
  static constexpr int pack = Pack<T>::size;
  static constexpr int pitch = Extent + (along_depth ? pack : 0);  // lanes store down a column without conflict
  static constexpr int size = Block::depth * pitch;
  static constexpr int side_by_side = (along_depth ? 8 : Extent) / pack;  // threads along what is contiguous
  static constexpr int lines = Block::threads / side_by_side;             // that the team covers at once
  static constexpr int count = Extent * Block::depth / (pack * Block::threads);
  static_assert(count > 0 && count * pack * Block::threads == Extent * Block::depth);

  int line, place;
  std::int64_t step;
  T const* from[count];
  Pack<T> held[count];

  /// Of pack i: the first element (row of A, column of B), and the step.
  KOKKOS_FUNCTION int element(int i) const { return along_depth ? line + i % (Extent / lines) * lines : place; }
  KOKKOS_FUNCTION int k(int i) const { return along_depth ? place + i / (Extent / lines) * 8 : line + i * lines; }

  /// The slabs from element `first` and step k0 on. Elements outside get what the last one inside has: they are
  /// multiplied, but not stored.
  KOKKOS_FUNCTION SlabPart(int thread, T const* data, std::int64_t pitch_of_data, std::int64_t first,
                           std::int64_t extent, std::int64_t k0)
      : line(thread / side_by_side), place(thread % side_by_side * pack), step(along_depth ? 1 : pitch_of_data) {
    for (int i = 0; i < count; ++i) {
      std::int64_t const last = extent - (along_depth ? 1 : pack);
      std::int64_t const inside = first + element(i) < last ? first + element(i) : last;
      from[i] = data + (k0 + k(i)) * step + inside * (along_depth ? pitch_of_data : 1);
    }
  }

  /// The next slab, which is whole.
  KOKKOS_FUNCTION void load() {
    for (int i = 0; i < count; ++i) {
      held[i] = *reinterpret_cast<Pack<T> const*>(from[i]);
      from[i] += Block::depth * step;
    }
  }
  /// The next slab, of which `steps` are left, and zeros.
  KOKKOS_FUNCTION void load(int steps) {
    for (int i = 0; i < count; ++i) {
      held[i] = k(i) < steps ? *reinterpret_cast<Pack<T> const*>(from[i]) : Pack<T>{};
      from[i] += steps * step;
    }
  }
  KOKKOS_FUNCTION void store(T* slab) const {
    for (int i = 0; i < count; ++i) {
      T* const to = slab + k(i) * pitch + element(i);
      if constexpr (along_depth) {
        for (int s = 0; s < pack; ++s) to[s * pitch] = held[i].v[s];
      } else {
        *reinterpret_cast<Pack<T>*>(to) = held[i];
      }
    }
  }
};

/// The same for an operand where it lies, whose rows need not be whole packs: loaded element by element, its columns
/// spread. Where an element lies is counted anew for each load, in 32 bits; as many pointers as there are elements
/// would leave no registers for the sums.
template <class Block, class T, int Extent, bool along_depth>
struct SlabPartByElement {
  static constexpr int pitch = SlabPart<Block, T, Extent, along_depth>::pitch;
  static constexpr int size = SlabPart<Block, T, Extent, along_depth>::size;
  static constexpr int side_by_side = along_depth ? 8 : Extent < Block::threads ? Extent : Block::threads;
  static constexpr int lines = Block::threads / side_by_side;
  static constexpr int count = Extent * Block::depth / Block::threads;
  static constexpr int of_a_step = along_depth ? Extent / lines : Extent / side_by_side;
  static_assert(count * Block::threads == Extent * Block::depth && count % of_a_step == 0);

  int line, place;
  int last;  ///< element of the block that is inside
  int pitch_of_data;
  T const* from;  ///< the block's first element at the slab's first step
  T held[count];

  KOKKOS_FUNCTION int element(int i) const {
    return along_depth ? line + i % of_a_step * lines : place + i % of_a_step * side_by_side;
  }
  KOKKOS_FUNCTION int k(int i) const { return along_depth ? place + i / of_a_step * 8 : line + i / of_a_step * lines; }

  /// Whether such counts fit into 32 bits.
  static bool fits(std::int64_t pitch_of_data_) {
    return pitch_of_data_ <= std::numeric_limits<int>::max() / (along_depth ? Extent : Block::depth) - 1;
  }

  KOKKOS_FUNCTION SlabPartByElement(int thread, T const* data, std::int64_t pitch_, std::int64_t first,
                                    std::int64_t extent, std::int64_t k0)
      : line(thread / side_by_side),
        place(thread % side_by_side),
        last(static_cast<int>(extent - first < Extent ? extent - first : Extent) - 1),
        pitch_of_data(static_cast<int>(pitch_)),
        from(data + (along_depth ? first * pitch_ + k0 : k0 * pitch_ + first)) {}

  KOKKOS_FUNCTION T const& at(int i) const {
    int const inside = element(i) < last ? element(i) : last;
    return from[along_depth ? inside * pitch_of_data + k(i) : k(i) * pitch_of_data + inside];
  }
  KOKKOS_FUNCTION void advance(int steps) { from += along_depth ? steps : std::int64_t(steps) * pitch_of_data; }

  KOKKOS_FUNCTION void load() {
    for (int i = 0; i < count; ++i) held[i] = at(i);
    advance(Block::depth);
  }
  KOKKOS_FUNCTION void load(int steps) {
    for (int i = 0; i < count; ++i) held[i] = k(i) < steps ? at(i) : T(0);
    advance(steps);
  }
  KOKKOS_FUNCTION void store(T* slab) const {
    for (int i = 0; i < count; ++i)
      slab[k(i) * pitch + (along_depth ? element(i) : Columns<T>::place_of(element(i)))] = held[i];
  }
};

template <class Block>
int blocks_across(std::int64_t n) {
  return static_cast<int>((n + Block::columns - 1) / Block::columns);
}

/// Of an m x n matrix; of a symmetric one those on the diagonal and below.
template <class Block, bool symmetric>
int block_count(std::int64_t m, std::int64_t n) {
  auto const down = static_cast<int>((m + Block::rows - 1) / Block::rows);
  return symmetric ? down * (down + 1) / 2 : down * blocks_across<Block>(n);
}

/// Copies of operands whose rows are not whole packs, with zeros behind what there is. An item makes a pack.
template <class T>
struct OperandsInPacks {
  struct Operand {
    T const* from;
    std::int64_t rows, columns;  ///< of the matrix
    Pack<T>* to;
    std::int64_t copied_rows, packs;  ///< of its copy, and in each row of that
    bool spread = false;              ///< its columns

    KOKKOS_FUNCTION std::int64_t size() const { return copied_rows * packs; }
    KOKKOS_FUNCTION void make(std::int64_t i) const {
      std::int64_t const row = i / packs, column = (i - row * packs) * Pack<T>::size;
      int const place = static_cast<int>(column % Columns<T>::together);
      Pack<T> pack{};
      for (int e = 0; e < Pack<T>::size; ++e) {
        std::int64_t const source = spread ? column - place + Columns<T>::at(place + e) : column + e;
        if (row < rows && source < columns) pack.v[e] = from[row * columns + source];
      }
      to[i] = pack;
    }
  };
  Operand a, b;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i < a.size())
      a.make(i);
    else
      b.make(i - a.size());
  }
};

/// C = alpha A B by blocks; C is stored Width elements at once. Rows of A and B are whole packs, unless `by_element`.
/// The first `whole` blocks are made by a team each; those that are left would not fill the device, and `splits` teams,
/// at most one for each slab, share the depth of each: a second kernel, SumOfParts, makes C of what they leave in
/// `parts`. Of a symmetric C only the blocks on the diagonal and below are computed, and written twice.
template <class Block, class T, int Width, class LayoutOfB, bool symmetric, bool by_element = false>
struct BlockedProduct {
  T const* a;  ///< (M, K)
  T const* b;  ///< (K, N)
  T* c;        ///< (M, N)
  T* parts;    ///< (splits, left, rows, columns), of blocks
  std::int64_t m, n;
  std::int64_t k, ldb;  ///< leading dimensions of A and B: from a row to the next, of B by columns from a column
  int whole, left, splits;

  /// gemm has this factor, and it has a second use: multiplied by alpha, the sums are stored from other registers than
  /// the accumulators. Otherwise ptxas chooses the accumulators to suit the stores, in the register bank of the other
  /// operands, and one multiply-add in twenty waits: 5 % on an H200.
  T alpha = 1;

  Divisor across{blocks_across<Block>(n)};

  struct SumOfParts {};

  static_assert(Block::depth % 2 == 0 && (!symmetric || Block::rows == Block::columns));
  static constexpr bool b_along_depth = std::is_same_v<LayoutOfB, Kokkos::LayoutLeft>;
  template <int extent, bool along_depth>
  using Part = std::conditional_t<by_element, SlabPartByElement<Block, T, extent, along_depth>,
                                  SlabPart<Block, T, extent, along_depth>>;
  using PartOfA = Part<Block::rows, true>;
  using PartOfB = Part<Block::columns, b_along_depth>;
  static constexpr int slabs_size = PartOfA::size + PartOfB::size;
  static constexpr int scratch = 2 * slabs_size * int(sizeof(T)) + 16;

  // A thread's elements are packs that alternate with those of the other lanes of its group, 4 lanes down and 8 across,
  // so that lanes read neighbouring packs. Neighbouring lanes share a row or a column: scratch then serves twice as
  // many at once. A group is a warp of an NVIDIA GPU; elsewhere it is only a way to count.
  static constexpr int pack = Pack<T>::size;
  static constexpr int lanes_down = 4, lanes_across = Columns<T>::lanes, group = lanes_down * lanes_across;
  static constexpr int down = lanes_down * pack, right = lanes_across * pack;  // from a thread's pack to its next
  static constexpr int groups_down = Block::rows / (lanes_down * Block::thread_rows);
  static_assert(Block::columns * groups_down * group == lanes_across * Block::thread_columns * Block::threads);

  KOKKOS_FUNCTION static int first_row(int thread) {
    int const own = thread / group, lane = thread % group;
    return own % groups_down * (lanes_down * Block::thread_rows) + (lane % 2 + lane / 4 % 2 * 2) * pack;
  }
  KOKKOS_FUNCTION static int first_column(int thread) {
    int const own = thread / group, lane = thread % group;
    return own / groups_down * (lanes_across * Block::thread_columns) + (lane / 2 % 2 + lane / 8 * 2) * pack;
  }

  static constexpr bool spread = Width == 1 && !symmetric;  ///< the columns

  struct Sums {
    T of[Block::thread_rows][Block::thread_columns] = {};
  };

  /// What a thread multiplies in one step: of A for its rows, of B for its columns.
  struct Operands {
    Pack<T> x[Block::thread_rows / pack], y[Block::thread_columns / pack];

    KOKKOS_FUNCTION void read(T const* of_a, T const* of_b) {
      for (int i = 0; i < Block::thread_rows / pack; ++i) x[i] = *reinterpret_cast<Pack<T> const*>(of_a + i * down);
      for (int j = 0; j < Block::thread_columns / pack; ++j) y[j] = *reinterpret_cast<Pack<T> const*>(of_b + j * right);
    }

    /// The sums are updated row by row in alternating direction: every multiply-add shares an operand with the one
    /// before, which is then not fetched again from its register bank.
    KOKKOS_FUNCTION void multiply_add(Sums& sums) const {
      for (int i = 0; i < Block::thread_rows; ++i) {
        for (int turn = 0; turn < Block::thread_columns; ++turn) {
          int const j = i % 2 == 0 ? turn : Block::thread_columns - 1 - turn;
          sums.of[i][j] += x[i / pack].v[i % pack] * y[j / pack].v[j % pack];
        }
      }
    }
  };

  /// Multiplies Steps of a slab, of which the first is in operands[0]; each is read while the one before is multiplied.
  template <int... Steps>
  KOKKOS_FUNCTION static void multiply(std::integer_sequence<int, Steps...>, T const* of_a, T const* of_b,
                                       Operands (&operands)[2], Sums& sums) {
    (..., (operands[(Steps + 1) % 2].read(of_a + (Steps + 1) * PartOfA::pitch, of_b + (Steps + 1) * PartOfB::pitch),
           operands[Steps % 2].multiply_add(sums)));
  }

  // Unrolled, the steps of a slab overlap. But f64 has few registers to spare for that, and over more than two steps
  // ptxas gives up more of the order in which operands are in common: there the others stay a loop, which ends where
  // only the run time knows, or the compiler would unroll it.
  static constexpr int unrolled = sizeof(T) == 4 ? Block::depth : 2;
  int looped = Block::depth - unrolled;

  /// A slab but for its last step, which is left in operands[1].
  KOKKOS_FUNCTION void multiply_slab(T const* of_a, T const* of_b, Operands (&operands)[2], Sums& sums) const {
    if constexpr (unrolled < Block::depth) {
      for (int s = 0; s < looped; s += unrolled) {
        multiply(std::make_integer_sequence<int, unrolled>{}, of_a, of_b, operands, sums);
        of_a += unrolled * PartOfA::pitch;
        of_b += unrolled * PartOfB::pitch;
      }
    }
    multiply(std::make_integer_sequence<int, unrolled - 1>{}, of_a, of_b, operands, sums);
  }

  static constexpr int block_size = Block::rows * Block::columns;

  /// Where a block goes, or what lies behind an element of it: rows `pitch` elements apart.
  struct Target {
    T* to;
    std::int64_t pitch;
    int rows, columns;

    KOKKOS_FUNCTION Target behind(int row, int column) const {
      return {to + row * pitch + column, pitch, rows - row, columns - column};
    }
  };

  /// The sums of a thread, from its first one on, Together at once; Step columns lie between neighbours in scratch.
  template <int Together, int Step>
  KOKKOS_FUNCTION void store(Sums const& sums, Target const& target) const {
    for (int i = 0; i < Block::thread_rows; ++i) {
      int const row = i / pack * down + i % pack;
      bool const inside = row < target.rows;
      T* const to = target.to + row * target.pitch;
      for (int j = 0; j < Block::thread_columns; j += Together) {
        int const column = j / pack * right + j % pack * Step;
        Piece<T, Together> piece;
        for (int s = 0; s < Together; ++s) piece.v[s] = sums.of[i][j + s];
        if (inside && column < target.columns) *reinterpret_cast<Piece<T, Together>*>(to + column) = piece;
      }
    }
  }
  KOKKOS_FUNCTION void store_turned(Sums const& sums, Target const& target) const {
    for (int j = 0; j < Block::thread_columns; ++j) {
      int const row = j / pack * right + j % pack;
      if (row >= target.rows) continue;
      for (int i = 0; i < Block::thread_rows; i += Width) {
        int const column = i / pack * down + i % pack;
        if (column >= target.columns) continue;
        Piece<T, Width> piece;
        for (int s = 0; s < Width; ++s) piece.v[s] = sums.of[i + s][j];
        *reinterpret_cast<Piece<T, Width>*>(target.to + row * target.pitch + column) = piece;
      }
    }
  }

  struct Position {
    int row, column;  ///< in blocks
  };
  KOKKOS_FUNCTION Position position(int block) const {
    if constexpr (symmetric) {  // row r of the triangle begins at r (r + 1) / 2; the root of a square is exact
      auto const r = static_cast<int>((Kokkos::sqrt(8.0 * block + 1) - 1) / 2);
      return {r, block - r * (r + 1) / 2};
    } else {
      int const row = across.quotient(block);
      return {row, block - row * across.by};
    }
  }

  KOKKOS_FUNCTION Target block_of_c(Position const& at) const {
    std::int64_t const row = std::int64_t(at.row) * Block::rows, column = std::int64_t(at.column) * Block::columns;
    return {c + row * n + column, n, m - row < Block::rows ? static_cast<int>(m - row) : Block::rows,
            n - column < Block::columns ? static_cast<int>(n - column) : Block::columns};
  }
  KOKKOS_FUNCTION Target mirrored_block_of_c(Position const& at) const { return block_of_c({at.column, at.row}); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const part = team.league_rank() - whole;  // of those that are shared, or negative
    Position const at = position(part < 0 ? team.league_rank() : whole + part % left);

    // What does not fill a slab comes first: all later ones are whole.
    std::int64_t const slabs = (k + Block::depth - 1) / Block::depth;
    int const rest = static_cast<int>(k - (slabs - 1) * Block::depth);
    std::int64_t begin = 0, end = slabs;
    if (part >= 0) {
      int const split = part / left;
      begin = slabs * split / splits;
      end = slabs * (split + 1) / splits;
    }
    std::int64_t const k0 = begin == 0 ? 0 : rest + (begin - 1) * Block::depth;

    int const thread = team.team_rank();
    PartOfA a_part(thread, a, k, std::int64_t(at.row) * Block::rows, m, k0);
    PartOfB b_part(thread, b, ldb, std::int64_t(at.column) * Block::columns, b_along_depth ? n : ldb, k0);
    auto* const scratch_a = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(scratch - 16, 16));
    T* const scratch_b = scratch_a + PartOfA::size;
    int const own_row = first_row(thread), own_column = first_column(thread);

    a_part.load(begin == 0 ? rest : Block::depth);
    b_part.load(begin == 0 ? rest : Block::depth);
    a_part.store(scratch_a);
    b_part.store(scratch_b);
    team.team_barrier();
    Sums sums;
    Operands operands[2];
    T const* of_a = scratch_a + own_row;
    T const* of_b = scratch_b + own_column;
    operands[0].read(of_a, of_b);
    int now = 0;
    for (std::int64_t slab = begin + 1; slab < end; ++slab) {
      a_part.load();
      b_part.load();
      multiply_slab(of_a + now, of_b + now, operands, sums);
      now = slabs_size - now;
      a_part.store(scratch_a + now);
      b_part.store(scratch_b + now);
      team.team_barrier();
      operands[0].read(of_a + now, of_b + now);
      operands[1].multiply_add(sums);  // the last step of the slab before
    }
    multiply_slab(of_a + now, of_b + now, operands, sums);
    operands[1].multiply_add(sums);
    Target const block =
        part < 0 ? block_of_c(at)
                 : Target{parts + std::int64_t(part) * block_size, Block::columns, Block::rows, Block::columns};
    // Multiplied here, once for all that follows: with a product in each of two stores every store gets a branch.
    for (int i = 0; i < Block::thread_rows; ++i) {
      for (int j = 0; j < Block::thread_columns; ++j) sums.of[i][j] *= alpha;
    }
    if (Width != pack && part >= 0)  // parts are whole packs, in the order of scratch
      store<pack, 1>(sums, block.behind(own_row, own_column));
    else if constexpr (spread)
      store<Width, lanes_across>(sums, block.behind(own_row, Columns<T>::at(own_column)));
    else
      store<Width, 1>(sums, block.behind(own_row, own_column));
    if constexpr (symmetric) {
      if (part < 0 && at.row != at.column) store_turned(sums, mirrored_block_of_c(at).behind(own_column, own_row));
    }
  }

  static constexpr int packs_across = Block::columns / pack;
  static constexpr int patch_rows = symmetric ? pack : 1;
  static constexpr int patches = Block::rows / patch_rows * packs_across;  ///< of a block
  static constexpr int loads = 8 / patch_rows;  ///< parts whose loads are under way at the same time

  /// One patch of the blocks that teams shared: the sum of its parts, in their order. A patch is one pack. Of a
  /// symmetric C it is pack x pack elements, since it is stored turned as well.
  KOKKOS_FUNCTION void operator()(SumOfParts, std::int64_t i) const {
    auto const block = static_cast<int>(i / patches), patch = static_cast<int>(i % patches);
    int const row = patch / packs_across * patch_rows, column = patch % packs_across * pack;
    auto const* from = reinterpret_cast<Pack<T> const*>(parts + std::int64_t(block) * block_size) + row * packs_across +
                       patch % packs_across;
    std::int64_t const step = std::int64_t(left) * (block_size / pack);  // to the next part
    Pack<T> sum[patch_rows] = {};
    for (int split = 0; split < splits; split += loads) {
      Pack<T> part[loads][patch_rows];
      for (int s = 0; s < loads; ++s) {
        for (int e = 0; e < patch_rows; ++e)
          part[s][e] = split + s < splits ? from[s * step + std::int64_t(e) * packs_across] : Pack<T>{};
      }
      for (int s = 0; s < loads; ++s) {
        for (int e = 0; e < patch_rows; ++e) sum[e] = sum[e] + part[s][e];
      }
      from += loads * step;
    }
    Position const at = position(whole + block);
    put_patch(sum, block_of_c(at).behind(row, spread ? Columns<T>::at(column) : column));
    if constexpr (symmetric) {
      if (at.row == at.column) return;
      Pack<T> turned[pack];
      for (int e = 0; e < pack; ++e) {
        for (int f = 0; f < pack; ++f) turned[e].v[f] = sum[f].v[e];
      }
      put_patch(turned, mirrored_block_of_c(at).behind(column, row));
    }
  }
  template <int rows>
  KOKKOS_FUNCTION static void put_patch(Pack<T> const (&patch)[rows], Target const& target) {
    constexpr int step = spread ? lanes_across : 1;
    for (int e = 0; e < rows && e < target.rows; ++e) {
      for (int f = 0; f < pack && f * step < target.columns; f += Width) {
        Piece<T, Width> piece;
        for (int s = 0; s < Width; ++s) piece.v[s] = patch[e].v[f + s];
        *reinterpret_cast<Piece<T, Width>*>(target.to + e * target.pitch + f * step) = piece;
      }
    }
  }
};

}  // namespace tilestride
