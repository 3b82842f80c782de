// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A larger tile turns the corner, 64 bytes of it in the registers of each thread: as many loads are under way as the
// memory needs, and teams side by side write along the same rows of `out`. Two kernels: one for rows of `out` that
// begin on a sector of 32 bytes, and one whose tiles are shifted, row by row, until they do.

#include "patterns/pack.hpp"
#include "patterns/scratch.hpp"
#include "patterns/transpose/blocked_host.hpp"

namespace tilestride {

/// A tile of Rows x Columns of `in`; Resident teams are to fit a multiprocessor. Pack elements travel together where
/// the rows of both matrices consist of whole packs.
template <int Rows, int Columns, int Threads, int Resident, int Pack>
struct TransposeBlock {
  static constexpr int rows = Rows, columns = Columns, threads = Threads, resident = Resident, pack = Pack;
  static std::string name() { return fmt::format("{}x{}", rows, columns); }
};

struct DeviceBlockedTranspose {
  template <bool on_host, class T>
  using Blocks = std::conditional_t<sizeof(T) == 4,
                                    std::tuple<TransposeBlock<64, 64, 256, 4, 2>, TransposeBlock<128, 32, 256, 4, 2>>,
                                    std::tuple<TransposeBlock<32, 32, 256, 6, 1>, TransposeBlock<64, 32, 256, 4, 1>>>;

  struct Choice {
    std::string block;
  };

  template <class Exec, class T>
  static Choice choose(Transpose<Exec, T> const& p, Device const&, Case const& c) {
    if (c.choice("block") != "auto") return {c.choice("block")};
    if (sizeof(T) == 4) return {"64x64"};
    return {begin_on_sectors(p) ? "32x32" : "64x32"};  // a shifted tile loads eight rows more: fewer of a long one
  }

  static constexpr int shift = 8;  ///< words: a sector of small ones, two of large ones

  /// Whether all rows of `out` do.
  template <class Exec, class T>
  static bool begin_on_sectors(Transpose<Exec, T> const& p) {
    return p.rows * std::int64_t(sizeof(T)) % 32 == 0;
  }

  /// Words of scratch: the tile as it leaves, whose rows are one word longer, so that lanes that store a row of `in`
  /// are in different banks.
  template <class Block>
  static constexpr int turned = Block::columns*(Block::rows + 1);
  template <class Block>
  static constexpr int turned_and_shifted = Block::columns*(Block::rows + shift + 1);

  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return team_shape<Exec>(Block::threads, 1, turned_and_shifted<Block> * sizeof(T));
  }

  template <class Block, class Exec, class T>
  static void run(Transpose<Exec, T> const& p, Choice const&) {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;  // whatever it means
    auto const* const in = reinterpret_cast<Word const*>(p.in.data());
    auto* const out = reinterpret_cast<Word*>(p.out.data());
    if (begin_on_sectors(p) && p.cols % Block::pack == 0)
      turn<Block>(p.exec, in, out, p.rows, p.cols);
    else
      turn_shifted<Block>(p.exec, in, out, p.rows, p.cols);
  }

  template <class Block, class Exec>
  static auto policy(Exec const& exec, std::int64_t tiles, std::size_t scratch) {
    using Bounds = Kokkos::LaunchBounds<Block::threads, Block::resident>;
    return Kokkos::TeamPolicy<Exec, Bounds>(exec, static_cast<int>(tiles), Block::threads, 1)
        .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch)));
  }

  /// A thread has patches of Pack x Pack words of `in`, turns them in registers, and then has as many packs of `out`.
  /// In scratch one pack is left out after each Pack rows.
  template <class Block, class Exec, class Word>
  static void turn(Exec const& exec, Word const* in, Word* out, std::int64_t rows, std::int64_t cols) {
    constexpr int Pack = Block::pack;
    using Packed = Piece<Word, Pack>;
    constexpr int row_in = Block::columns / Pack, row_out = Block::rows / Pack;  // packs of a row of the tile
    constexpr int patches = row_in * row_out / Block::threads;                   // of a thread
    constexpr int down_in = Block::threads / row_in * Pack;  // from a thread's patch to its next, rows of in
    constexpr int down_out = Block::threads / row_out;       // from a thread's pack to its next, rows of out
    static_assert(down_out % Pack == 0, "then its packs are a constant distance apart in scratch, too");

    int const tiles_down = static_cast<int>((rows + Block::rows - 1) / Block::rows);
    auto const league =
        policy<Block>(exec, tiles_down * ((cols + Block::columns - 1) / Block::columns), turned<Block> * sizeof(Word));
    using Member = typename std::decay_t<decltype(league)>::member_type;
    Kokkos::parallel_for(
        "tilestride::transpose::blocked", league, KOKKOS_LAMBDA(Member const& team) {
          std::int64_t const row = std::int64_t(team.league_rank() % tiles_down) * Block::rows;
          std::int64_t const col = std::int64_t(team.league_rank() / tiles_down) * Block::columns;
          int const rows_here = rows - row < Block::rows ? static_cast<int>(rows - row) : Block::rows;
          int const cols_here = cols - col < Block::columns ? static_cast<int>(cols - col) : Block::columns;
          auto* const tile = scratch_of<Packed>(team, turned<Block> / Pack);
          Packed held[patches * Pack];
          {
            int const r = team.team_rank() / row_in * Pack, c = team.team_rank() % row_in * Pack;
            Word const* from = in + (row + r) * cols + col + c;
            Packed* const to = tile + c / Pack * (Pack * row_out + 1) + r / Pack;
            int const left = c < cols_here ? rows_here - r : 0;
            for (int k = 0; k < patches * Pack; ++k) {
              if (k / Pack * down_in < left) held[k] = *reinterpret_cast<Packed const*>(from);
              from += (k % Pack < Pack - 1 ? 1 : down_in - Pack + 1) * cols;
            }
            for (int k = 0; k < patches * Pack; ++k) {
              Packed column;
              for (int i = 0; i < Pack; ++i) column.v[i] = held[k / Pack * Pack + i].v[k % Pack];
              to[k % Pack * row_out + k / Pack * (down_in / Pack)] = column;
            }
          }
          team.team_barrier();
          {
            int const c = team.team_rank() / row_out, r = team.team_rank() % row_out * Pack;
            Packed const* const from = tile + c * row_out + c / Pack + r / Pack;
            Word* to = out + (col + c) * rows + row + r;
            int const left = r < rows_here ? cols_here - c : 0;
            for (int k = 0; k < patches * Pack; ++k) held[k] = from[k * (down_out * row_out + down_out / Pack)];
            for (int k = 0; k < patches * Pack; ++k) {
              if (k * down_out < left) *reinterpret_cast<Packed*>(to) = held[k];
              to += down_out * rows;
            }
          }
        });
  }

  /// Any shape. What a tile writes of a row of `out` begins on a sector, up to eight words before the tile does: no two
  /// teams write to the same sector, which would have memory read it first. So a tile has eight rows of `in` more.
  template <class Block, class Exec, class Word>
  static void turn_shifted(Exec const& exec, Word const* in, Word* out, std::int64_t rows, std::int64_t cols) {
    constexpr int loaded = Block::rows + shift, pitch = loaded + 1;
    constexpr int down_in = Block::threads / Block::columns;  // from a thread's word to its next, rows of in
    constexpr int down_out = Block::threads / Block::rows;    // likewise, rows of out
    static_assert(loaded % down_in == 0);

    int const tiles_down = static_cast<int>((rows + shift - 1 + Block::rows - 1) / Block::rows);
    auto const league = policy<Block>(exec, tiles_down * ((cols + Block::columns - 1) / Block::columns),
                                      turned_and_shifted<Block> * sizeof(Word));
    using Member = typename std::decay_t<decltype(league)>::member_type;
    Kokkos::parallel_for(
        "tilestride::transpose::blocked", league, KOKKOS_LAMBDA(Member const& team) {
          std::int64_t const row = std::int64_t(team.league_rank() % tiles_down) * Block::rows - shift;
          std::int64_t const col = std::int64_t(team.league_rank() / tiles_down) * Block::columns;
          int const first = row < 0 ? shift : 0;
          int const end = rows - row < loaded ? static_cast<int>(rows - row) : loaded;
          int const cols_here = cols - col < Block::columns ? static_cast<int>(cols - col) : Block::columns;
          Word* const tile = scratch_of<Word>(team, turned_and_shifted<Block>);
          {
            int const r = team.team_rank() / Block::columns, c = team.team_rank() % Block::columns;
            Word const* from = in + (row + r) * cols + col + c;
            Word* const to = tile + c * pitch + r;
            int const left = c < cols_here ? end - r : 0;
            Word held[loaded / down_in];
            for (int k = 0; k < loaded / down_in; ++k) {
              if (k * down_in < left && k * down_in >= first - r) held[k] = *from;
              from += down_in * cols;
            }
            for (int k = 0; k < loaded / down_in; ++k) to[k * down_in] = held[k];
          }
          team.team_barrier();
          {
            int const c = team.team_rank() / Block::rows, lane = team.team_rank() % Block::rows;
            Word* to = out + (col + c) * rows + row;
            auto const begin =
                static_cast<unsigned>((col + c) * rows + row);  // of its first row: what counts is modulo 8
            auto const step = static_cast<unsigned>(down_out * rows);
            Word held[Block::columns / down_out];
            int at[Block::columns / down_out];  // the row of in that its word is from
            for (int k = 0; k < Block::columns / down_out; ++k) {
              at[k] = lane + shift - static_cast<int>((begin + unsigned(k) * step) % shift);
              held[k] = tile[(c + k * down_out) * pitch + at[k]];
            }
            for (int k = 0; k < Block::columns / down_out; ++k) {
              if (c + k * down_out < cols_here && at[k] >= first && at[k] < end) to[at[k]] = held[k];
              to += down_out * rows;
            }
          }
        });
  }
};

using BlockedTranspose = ByKind<DeviceBlockedTranspose, HostBlockedTranspose>;

}  // namespace tilestride
