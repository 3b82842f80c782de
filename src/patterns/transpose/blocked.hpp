// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A larger tile, with 32 to 64 bytes per thread in registers: enough loads are in flight for the memory, and
// neighbouring teams write along the same rows of `out`. Where the matrix is large, the range that a tile writes is
// shifted, row by row, to begin at a sector of the device's memory.

#include "patterns/common/scratch.hpp"
#include "patterns/transpose/blocked_host.hpp"
#include "portable/divisor.hpp"

namespace tilestride::transpose {

enum class Stores { anywhere, from_sectors };

/// A tile of Rows x Columns of `in`; Resident teams shall be resident on a multiprocessor, as far as they fit.
template <int Rows, int Columns, int Threads, int Resident, Stores How>
struct DeviceBlock {
  static constexpr int rows = Rows, columns = Columns, threads = Threads, resident = Resident;
  static constexpr int down_in = threads / columns;  ///< from a thread's word to its next, rows of in
  static constexpr int down_out = threads / rows;    ///< likewise, rows of out
  static std::string name() { return fmt::format("{}x{}{}", rows, columns, How == Stores::anywhere ? "" : "-sectors"); }

  /// What a tile stores of a row of `out` begins at a multiple of so many words.
  template <class Exec, class Word>
  static constexpr int multiple = How == Stores::anywhere ? 1 : Traits<Exec>::sector / int(sizeof(Word));

  /// Rows of `in` that a tile loads before its own, for up to multiple - 1 that it stores from: whole rounds of the
  /// team, which all threads skip where rows of `out` begin at sectors.
  template <class Exec, class Word>
  static constexpr int before = down_in*((multiple<Exec, Word> - 1 + down_in - 1) / down_in);

  /// From a row of the tile, as it leaves, to the next: one word more, so that lanes that store a row of `in` are in
  /// different banks.
  template <class Exec, class Word>
  static constexpr int pitch = before<Exec, Word> + rows + 1;
};

struct BlockedOnDevice {
  template <bool on_host, class T>
  using Blocks = std::conditional_t<
      sizeof(T) == 4,
      std::tuple<DeviceBlock<64, 64, 256, 4, Stores::from_sectors>, DeviceBlock<128, 32, 256, 4, Stores::from_sectors>,
                 DeviceBlock<64, 64, 256, 4, Stores::anywhere>, DeviceBlock<32, 32, 128, 12, Stores::anywhere>>,
      std::tuple<DeviceBlock<64, 32, 256, 4, Stores::from_sectors>, DeviceBlock<32, 32, 128, 8, Stores::anywhere>,
                 DeviceBlock<32, 16, 128, 12, Stores::from_sectors>>>;

  struct Choice {
    std::string block;
  };

  /// Measured on an H200. Few teams: the time is that of one, and small ones end earlier. Stores from sectors cost
  /// instructions and pay where rows of `out` do not begin at sectors, as far as time goes to memory; with words of 4
  /// bytes from 3 teams per multiprocessor on, with words of 8 bytes from 16 on (below 2 they make no difference). With
  /// words of 4 bytes 128x32 is up to 8 % faster than 64x64 where both matrices lie in L2, and where tiles of 64
  /// columns have a tenth or more of their columns outside the matrix; otherwise it is 2 to 6 % slower, and 10 % where
  /// it takes a round of teams more.
  template <class Exec, class T>
  static Choice choose(Transpose<Exec, T> const& p, Device const& device, Case const& c) {
    if (c.choice("block") != "auto") return {c.choice("block")};
    std::int64_t const multiprocessors = std::max(device.hardware.multiprocessors, 1);
    auto const up = [](std::int64_t extent, int to) { return (extent + to - 1) / to * to; };
    if (sizeof(T) == 8) {
      std::int64_t const teams = up(p.rows, 64) * up(p.cols, 32) / (64 * 32);
      return {teams < 2 * multiprocessors ? "32x16-sectors" : teams < 16 * multiprocessors ? "32x32" : "64x32-sectors"};
    }
    std::int64_t const square = up(p.rows, 64) * up(p.cols, 64), high = up(p.rows, 128) * up(p.cols, 32);
    std::int64_t const teams = square / (64 * 64);
    if (2 * teams < multiprocessors) return {"32x32"};
    if (teams < 3 * multiprocessors || p.rows * sizeof(T) % Traits<Exec>::sector == 0) return {"64x64"};
    std::int64_t const before = Traits<Exec>::sector / static_cast<int>(sizeof(T)) - 1;  // rows that a tile also takes
    auto const rounds = [&](int rows, int cols) {
      return (up(p.rows + before, rows) * up(p.cols, cols) / (rows * cols) - 1) / (4 * multiprocessors);
    };
    bool const fits = teams < 5 * multiprocessors && rounds(128, 32) <= rounds(64, 64);
    return {fits || 10 * high < 9 * square ? "128x32-sectors" : "64x64-sectors"};
  }

  template <class Block, class Exec, class Word>
  static constexpr int scratch = Block::template pitch<Exec, Word>* Block::columns;  ///< words

  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return team_shape<Exec>(Block::threads, 1, scratch<Block, Exec, T> * sizeof(T));
  }

  template <class Block, class Exec, class T>
  static void run(Transpose<Exec, T> const& p, Choice const&) {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;  // whatever it means
    turn<Block>(p.exec, reinterpret_cast<Word const*>(p.in.data()), reinterpret_cast<Word*>(p.out.data()), p.rows,
                p.cols);
  }

  template <class Block, class Exec, class Word>
  static void turn(Exec const& exec, Word const* in, Word* out, std::int64_t rows, std::int64_t cols) {
    using Turn = TurnBlock<Block, Exec, Word>;
    Turn const turn_block(in, out, rows, cols);
    constexpr std::size_t bytes = Turn::words * sizeof(Word);
    constexpr int resident = teams_that_fit<Exec>(Block::resident, {Block::threads, 0, bytes});
    using Bounds = typename Traits<Exec>::template Bounds<Block::threads, resident>;
    static_assert(sizeof(Turn) <= 48);  // one line of parameters: docs/kokkos/launch_parameters.md
    Kokkos::parallel_for("tilestride::transpose::blocked",
                         Kokkos::TeamPolicy<Exec, Bounds>(exec, turn_block.tiles(), Block::threads, 1)
                             .set_scratch_size(0, Kokkos::PerTeam(bytes)),
                         turn_block);
  }

  /// A tile that stores from sectors stores what is less than `multiple` words before it, too, and not all of its own
  /// last words: no two teams store to the same sector, which would have memory read it first.
  template <class Block, class Exec, class Word>
  struct TurnBlock {
    static constexpr int multiple = Block::template multiple<Exec, Word>, before = Block::template before<Exec, Word>;
    static constexpr int pitch = Block::template pitch<Exec, Word>, words = scratch<Block, Exec, Word>;
    static constexpr int loaded = before + Block::rows, down_in = Block::down_in, down_out = Block::down_out;
    static_assert(Block::rows % multiple == 0 && Block::rows % down_in == 0);

    Word const* in;  ///< rows x cols
    Word* out;       ///< cols x rows
    std::int64_t rows, cols;
    int most;  ///< rows before its own that a tile may store from
    Divisor tiles_down;

    TurnBlock(Word const* from, Word* to, std::int64_t rows_, std::int64_t cols_)
        : in(from),
          out(to),
          rows(rows_),
          cols(cols_),
          most(rows % multiple == 0 ? 0 : multiple - 1),
          tiles_down(static_cast<int>((rows + most + Block::rows - 1) / Block::rows)) {}

    int tiles() const { return tiles_down.by * static_cast<int>((cols + Block::columns - 1) / Block::columns); }

    /// The column of tiles in which a team's tile is. With 16 words per thread the compiler divides: nvcc would keep
    /// the quotient in registers that a warp shares, and then store each word before it reads the next one from scratch
    /// (12 % slower on an H200).
    KOKKOS_FUNCTION int column_of(int league_rank) const {
      if constexpr (Block::rows * Block::columns / Block::threads >= 16) return league_rank / tiles_down.by;
      return tiles_down.quotient(league_rank);
    }

    template <class Member>
    KOKKOS_FUNCTION void operator()(Member const& team) const {
      int const across = column_of(team.league_rank());
      std::int64_t const row = std::int64_t(team.league_rank() - across * tiles_down.by) * Block::rows - before;
      std::int64_t const col = std::int64_t(across) * Block::columns;
      int const first = row < 0 ? before : before - most;
      int const end = rows - row < loaded ? static_cast<int>(rows - row) : loaded;
      int const cols_here = cols - col < Block::columns ? static_cast<int>(cols - col) : Block::columns;
      Word* const tile = scratch_of<Word>(team, words);
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
        for (int k = 0; k < loaded / down_in; ++k) to[std::int64_t(k) * down_in] = held[k];
      }
      team.team_barrier();
      {
        int const c = team.team_rank() / Block::rows, lane = team.team_rank() % Block::rows;
        Word* to = out + (col + c) * rows + row;
        auto const begin = static_cast<unsigned>((col + c) * rows + row + before);  // of its own first word
        auto const step = static_cast<unsigned>(down_out * rows);
        Word held[Block::columns / down_out];
        int at[Block::columns / down_out];  // the row of in that its word is from
        for (int k = 0; k < Block::columns / down_out; ++k) {
          at[k] = lane + before - static_cast<int>((begin + unsigned(k) * step) % multiple);
          held[k] = tile[(c + k * down_out) * pitch + at[k]];
        }
        for (int k = 0; k < Block::columns / down_out; ++k) {
          if (c + k * down_out < cols_here && at[k] >= first && at[k] < end) to[at[k]] = held[k];
          to += down_out * rows;
        }
      }
    }
  };
};

using Blocked = ByKind<BlockedOnDevice, BlockedOnHost>;

}  // namespace tilestride::transpose
