// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Pack, exchange, turn: one after the other, each timed; or piece by piece, so that one piece is packed and another is
// turned while a third is under way.

#include "patterns/common/ways.hpp"
#include "patterns/global_transpose/parts.hpp"

namespace tilestride::global_transpose {

/// Rows [begin, end) of the block that goes to one rank, and of the one that comes from another.
struct Piece {
  int to, from;
  std::int64_t begin, end;
};

/// Every block but this rank's own, in strips of whole units.
template <class Exec, class T>
std::vector<Piece> pieces_of(GlobalTranspose<Exec, T> const& p, std::int64_t strips) {
  auto const unit = std::int64_t(message_unit / sizeof(T));
  std::int64_t const rows = ((p.m + strips - 1) / strips + unit - 1) / unit * unit;
  int const ranks = p.ranks.count();
  std::vector<Piece> pieces;
  for (int step = 1; step < ranks; ++step) {
    for (std::int64_t row = 0; row < p.m; row += rows)
      pieces.push_back({(p.rank() + step) % ranks, (p.rank() + ranks - step) % ranks, row, std::min(p.m, row + rows)});
  }
  return pieces;
}

/// What is done with one piece, on instances.
template <class Exec, class T>
struct Steps {
  std::shared_ptr<GlobalTranspose<Exec, T>> p;
  Transport way;

  T* packed(int rank) const { return p->packed.data() + rank * p->block(); }
  T* arrived(int rank) const { return p->arrived.data() + rank * p->block(); }

  void pack(Exec const& exec, Piece const& piece) const {
    global_transpose::pack<Exec, T>(exec, {p->in_block(piece.to) + piece.begin * p->n, p->n},
                                    {packed(piece.to) + piece.begin * p->m, p->m}, piece.end - piece.begin, p->m);
  }
  void turn(Exec const& exec, Piece const& piece) const {
    global_transpose::turn<Exec, T>(exec, {arrived(piece.from) + piece.begin * p->m, p->m},
                                    {p->out_block(piece.from) + piece.begin, p->n}, piece.end - piece.begin, p->m);
  }
  void turn_own(Exec const& exec) const {
    int const own = p->rank();
    global_transpose::turn<Exec, T>(exec, {p->in_block(own), p->n}, {p->out_block(own), p->n}, p->m, p->m);
  }
  void exchange(std::vector<Piece> const& pieces) const {
    Messages sends, receives;
    for (Piece const& piece : pieces) {
      sends.push_back({piece.to, packed(piece.to) + piece.begin * p->m, bytes_of(piece)});
      receives.push_back({piece.from, arrived(piece.from) + piece.begin * p->m, bytes_of(piece)});
    }
    way.exchange(sends, receives);
  }

 private:
  /// Of whole units: the last piece of a block may have some that are of nothing.
  std::size_t bytes_of(Piece const& piece) const {
    std::size_t const bytes = static_cast<std::size_t>((piece.end - piece.begin) * p->m) * sizeof(T);
    return (bytes + message_unit - 1) / message_unit * message_unit;
  }
};

/// All of one step before the next.
template <class Exec, class T>
Trial in_phases(Steps<Exec, T> const& steps, Bench const& bench) {
  auto const account = std::make_shared<HostAccount>();
  auto const pieces = pieces_of(*steps.p, 1);
  auto const call = [=] {
    Exec const& exec = steps.p->exec;
    double const begin = monotonic_now();
    for (Piece const& piece : pieces) steps.pack(exec, piece);
    exec.fence("tilestride::global_transpose::pack");
    double const packed = monotonic_now();
    steps.exchange(pieces);
    double const arrived = monotonic_now();
    steps.turn_own(exec);
    for (Piece const& piece : pieces) steps.turn(exec, piece);
    exec.fence("tilestride::global_transpose::turn");
    account->add({packed - begin, arrived - begin, monotonic_now() - begin});
  };
  Trial trial = trial_of_all<Exec, T>(steps.p, bench, call, [account]() -> Quantities {
    HostTimes const times = account->median();
    return {{"pack us", 1e6 * times.pack},
            {"exchange us", 1e6 * (times.calls - times.pack)},
            {"turn us", 1e6 * (times.whole - times.calls)}};
  });
  trial.before = [account, before = trial.before] {
    account->begin_sample();
    before();
  };
  return trial;
}

/// Piece k under way, while k + 1 is packed and k - 1 is turned.
template <class Exec, class T>
Trial in_pieces(Steps<Exec, T> const& steps, Bench const& bench, std::int64_t strips) {
  auto const pieces = pieces_of(*steps.p, strips);
  Exec packing = steps.p->exec, turning = steps.p->exec;
  if constexpr (!is_host<Exec>) {
    packing = instance_beside(steps.p->exec);
    turning = instance_beside(steps.p->exec);
  }
  return trial_of_all<Exec, T>(steps.p, bench, [=] {
    steps.pack(packing, pieces.front());
    steps.turn_own(turning);
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      packing.fence("tilestride::global_transpose::pack");
      if (k + 1 < pieces.size()) steps.pack(packing, pieces[k + 1]);
      steps.exchange({pieces[k]});
      steps.turn(turning, pieces[k]);
    }
    turning.fence("tilestride::global_transpose::turn");
  });
}

/// The trial of a case by this way: in pieces where it has that key.
template <class Exec, class T>
Trial trial_by(Transport const& way, Bench& bench, Case const& c) {
  if (auto const skip = of_any_rank(*bench.ranks, way.skip)) return skipped(skip->reason, skip->words);
  auto const p = problem_on<GlobalTranspose<Exec, T>>(bench, c);
  p->make_blocks();
  Steps<Exec, T> const steps{p, way};
  Trial trial = c.find("pieces") != nullptr ? in_pieces(steps, bench, c.integer("pieces")) : in_phases(steps, bench);
  trial.notes = way.notes;
  return trial;
}

/// open(exec, ranks) gives the transport.
template <class Open>
Trial prepare_by(Bench& bench, Case const& c, Open const& open) {
  if (auto const skip = why_not_shared(bench, c)) return skipped(skip->reason, skip->words);
  return with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    Transport const way = open(*std::static_pointer_cast<Exec>(bench.exec), *bench.ranks);
    return with_type<float, double>(
        c.type, [&](auto type) { return trial_by<Exec, typename decltype(type)::type>(way, bench, c); });
  });
}

/// A portable variant.
template <class Way>
Trial by(Bench& bench, Case const& c) {
  return prepare_by(bench, c, [](auto const& exec, Ranks& ranks) { return Way::open(exec, ranks); });
}

}  // namespace tilestride::global_transpose
