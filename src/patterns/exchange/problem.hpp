// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages from rank to rank. Each has values that depend on who sends it and who receives it, so that one that goes to
// the wrong place, or that comes from there, is seen.

#include "model/pairs.hpp"
#include "model/statistics.hpp"
#include "patterns/common/ways.hpp"
#include "patterns/exchange/posts.hpp"
#include "portable/memory.hpp"

namespace tilestride::exchange {

using Word = std::int32_t;

/// The part of one rank in one round: slots of what it sends and receives.
struct Round {
  Posts sends, receives;
};

template <class Space>
struct Exchange {
  using Exec = Space;
  using Array = Kokkos::View<Word*, Exec>;
  using Numbers = Kokkos::View<std::int64_t*, Exec>;

  Exec exec;
  Ranks& ranks;
  std::int64_t n;  ///< words of a message
  std::vector<Round> rounds;
  Numbers sent_posts, received_posts;  ///< by slot: the message's place in the list of all
  Memory memory{"tilestride::exchange"};
  Array outbox, inbox;  ///< n words for each slot

  Exchange(Exec const& instance, Case const& c, Ranks& all)
      : exec(instance), ranks(all), n(c.integer("bytes") / std::int64_t(sizeof(Word))) {
    std::vector<std::int64_t> sent, received;
    Posts const posts = posts_of(c.choice("op"), ranks.count());
    rounds.resize(static_cast<std::size_t>(posts.back().round) + 1);
    for (std::size_t i = 0; i < posts.size(); ++i) {
      Round& round = rounds[static_cast<std::size_t>(posts[i].round)];
      if (posts[i].from == ranks.rank()) {
        round.sends.push_back(posts[i]);
        sent.push_back(static_cast<std::int64_t>(i));
      }
      if (posts[i].to == ranks.rank()) {
        round.receives.push_back(posts[i]);
        received.push_back(static_cast<std::int64_t>(i));
      }
    }
    sent_posts = on_space(sent);
    received_posts = on_space(received);
    outbox = memory.input<Array>(exec, "outbox", n * std::int64_t(sent.size()), Sent{sent_posts, n}, alignment);
    inbox = memory.output<Array>(exec, "inbox", n * std::int64_t(received.size()), alignment);
  }

  static constexpr std::int64_t alignment = 256;

  std::vector<Yardstick> yardsticks() const { return {}; }
  std::size_t bytes() const { return static_cast<std::size_t>(n) * sizeof(Word); }
  Word* out(Post const& post) const { return outbox.data() + post.from_slot * n; }
  Word* in(Post const& post) const { return inbox.data() + post.to_slot * n; }

  Messages sends(Round const& round) const {
    Messages messages;
    for (Post const& post : round.sends) messages.push_back({post.to, out(post), bytes()});
    return messages;
  }
  Messages receives(Round const& round) const {
    Messages messages;
    for (Post const& post : round.receives) messages.push_back({post.from, in(post), bytes()});
    return messages;
  }

  Check verify() const {
    return check_all(exec, std::int64_t(inbox.size()), HasValues<Word, Sent>{inbox.data(), Sent{received_posts, n}},
                     "every element exactly");
  }

  /// Word i of a box, by the message that its slot is for.
  struct Sent {
    Numbers posts;
    std::int64_t n;
    KOKKOS_FUNCTION Word operator()(std::int64_t i) const {
      return value_at<Word>(1, posts(static_cast<std::size_t>(i / n)) * n + i % n);
    }
  };

 private:
  static Numbers on_space(std::vector<std::int64_t> const& numbers) {
    auto const copy = uninitialized<Numbers>("tilestride::exchange::posts", std::int64_t(numbers.size()));
    Kokkos::deep_copy(copy, Kokkos::View<std::int64_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                numbers.data(), numbers.size()));
    return copy;
  }
};

/// Seconds of each round in which this rank takes part, of the last calls.
class RoundTimes {
 public:
  explicit RoundTimes(std::size_t rounds) : of_rounds_(rounds) {}

  void add(std::size_t round, double seconds) {
    auto& times = of_rounds_[round];
    if (times.size() < most_kept)
      times.push_back(seconds);
    else
      times[calls_ % most_kept] = seconds;
  }
  void end_call() { ++calls_; }

  std::size_t rounds() const { return of_rounds_.size(); }
  /// 0 where it takes no part.
  double median(std::size_t round) const { return of_rounds_[round].empty() ? 0 : median_of(of_rounds_[round]); }

 private:
  static constexpr std::size_t most_kept = 101;  ///< calls: those of short messages may be millions
  std::vector<std::vector<double>> of_rounds_;
  std::size_t calls_ = 0;
};

/// GB/s of each message that went alone, by the ranks' numbers. Collective.
inline Quantities rates_of_pairs(Ranks& ranks, RoundTimes const& mine, double bytes) {
  std::vector<double> longest;
  for (std::size_t i = 0; i < mine.rounds(); ++i) longest.push_back(ranks.largest(mine.median(i)));
  Quantities rates;
  for (Post const& post : posts_of("each_pair", ranks.count()))
    rates.emplace_back(pair_column(static_cast<std::size_t>(post.from), static_cast<std::size_t>(post.to)),
                       bytes / longest[static_cast<std::size_t>(post.round)] / 1e9);
  return rates;
}

/// A trial whose calls are those of all ranks: `transfer` does the part of this one in a round, and returns when it is
/// done. A call ends when all ranks have what is theirs: only then may who sent it send the next.
template <class Exec>
Trial trial_of_rounds(std::shared_ptr<Exchange<Exec>> const& p, Bench const& bench,
                      std::function<void(Round const&)> const& transfer) {
  auto const times = std::make_shared<RoundTimes>(p->rounds.size());
  Trial trial = trial_of(p, [p, times, transfer] {
    for (std::size_t i = 0; i < p->rounds.size(); ++i) {
      Round const& round = p->rounds[i];
      if (!round.sends.empty() || !round.receives.empty()) {
        double const begin = monotonic_now();
        transfer(round);
        times->add(i, monotonic_now() - begin);
      }
      p->ranks.in_step();
    }
    times->end_call();
  });
  trial.before = [p] { p->ranks.in_step(); };  // nobody stores to an inbox that is not yet poisoned
  trial.clock = wall_clock(p->exec);
  trial.measure = [p, times, link = link_between(p->ranks, bench.device)] {
    Quantities columns;
    if (p->rounds.size() > 1) columns = rates_of_pairs(p->ranks, *times, static_cast<double>(p->bytes()));
    if (link > 0) columns.emplace_back(link_column, link / 1e9);
    return columns;
  };
  return trial;
}

/// A trial of a transport.
template <class Exec>
Trial trial_by(Transport const& way, Bench& bench, Case const& c) {
  if (auto const skip = of_any_rank(*bench.ranks, way.skip)) return skipped(skip->reason, skip->words);
  auto const p = problem_on<Exchange<Exec>>(bench, c);
  Trial trial = trial_of_rounds<Exec>(
      p, bench, [p, way](Round const& round) { way.exchange(p->sends(round), p->receives(round)); });
  trial.notes = way.notes;
  return trial;
}

/// A portable variant.
template <class Way>
Trial prepare_by(Bench& bench, Case const& c) {
  if (auto const skip = why_no_ranks(bench)) return skipped(skip->reason, skip->words);
  return with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    return trial_by<Exec>(Way::open(*std::static_pointer_cast<Exec>(bench.exec), *bench.ranks), bench, c);
  });
}

}  // namespace tilestride::exchange
