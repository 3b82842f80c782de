// SPDX-License-Identifier: BSD-3-Clause
#include "process/in_turns.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "process/conversation.hpp"
#include "process/messages.hpp"
#include "process/signals.hpp"

namespace tilestride {
namespace {

/// One program: its worker, and its results.
class Side {
 public:
  Side(Plan const& plan, CaseIndex const& index, Contender const& contender)
      : plan_(plan), index_(index), contender_(contender) {}

  /// Starts a worker if there is none, and lets it prepare the cases, up to its first turn.
  void begin(std::vector<Case const*> const& cases, std::int64_t seed, long rounds) {
    open_ = cases.size();
    std::string const command = to_line(measure_command(cases, seed, 0, rounds));
    bool const is_new = !worker_;
    send(command);
    bool const ended_before = !worker_ && !is_new && open_ == cases.size();  // after the last problem, where it threw
    if (ended_before) send(command);
  }

  /// One turn: a sample, or the end of the group.
  void go_on() { send(to_line(go_command())); }

  /// All cases of the group have ended, or there is no worker left for them.
  bool is_done() const { return open_ == 0 || !worker_; }

  /// Ends what a dead worker left open, with the reason.
  void close(std::vector<Case const*> const& cases) {
    for (Case const* const c : cases) {
      std::size_t const i = index_.at(c->name());
      if (results_.count(i) != 0) continue;
      Result& result = results_[i];
      result.planned = c;
      result.outcome = Outcome::error;
      result.reason = death_;
    }
  }

  std::map<std::size_t, Result> take_results() { return std::move(results_); }

 private:
  void send(std::string const& command) {
    if (!worker_) worker_.emplace(*contender_.program, contender_.supervision);
    worker_->process().send(command);
    listen();
  }

  /// Until the worker waits for its next turn, has finished the group, or has ended.
  void listen() {
    bool waits = false;
    worker_->listen([&] { return !waits && open_ > 0 && caught_signal() == 0; },
                    [&](std::string const& kind, Json const& message) {
                      waits = waits || kind == "turn";
                      return take(kind, message);
                    });
    if (waits || open_ == 0 || caught_signal() != 0) return;
    int const status = worker_->process().wait();
    std::string reason = worker_->state().refusal();
    if (reason.empty() && !worker_->state().greeted()) reason = worker_->why_not_started(status);
    if (!reason.empty())
      throw std::runtime_error(fmt::format("{} cannot be used: {}", contender_.program->path, reason));
    death_ = worker_->state().nonsense().empty()
                 ? worker_->what_happened(status)
                 : "its worker said what has no meaning here: " + worker_->state().nonsense();
    worker_.reset();
  }

  bool take(std::string const& kind, Json const& message) {
    if (kind != "case")
      return kind == "step" || kind == "turn" || kind == "times" || kind == "machine" || kind == "unavailable";
    auto result = result_from_json(message, plan_, index_);
    if (!result) return false;
    result->program = contender_.program->name;
    results_[index_.at(result->planned->name())] = *result;
    --open_;
    return true;
  }

  Plan const& plan_;
  CaseIndex const& index_;
  Contender const& contender_;
  std::optional<Conversation> worker_;
  std::size_t open_ = 0;  ///< cases of the group without a result
  std::string death_;     ///< of the last worker
  std::map<std::size_t, Result> results_;
};

/// Turns until both have finished the cases of one problem.
void measure_group_in_turns(std::array<Side, 2>& sides, std::vector<Case const*> const& cases, std::int64_t seed,
                            long rounds) {
  for (Side& side : sides) side.begin(cases, seed, rounds);
  for (bool second_first = false; caught_signal() == 0; second_first = !second_first) {
    bool both_done = true;
    for (std::size_t const i : {std::size_t{second_first}, std::size_t{!second_first}}) {
      if (sides[i].is_done()) continue;
      sides[i].go_on();
      both_done = false;
    }
    if (both_done) break;
  }
  if (caught_signal() != 0) return;
  for (Side& side : sides) side.close(cases);
}

}  // namespace

PairedResults measure_in_turns(Plan const& plan, std::array<Contender, 2> const& contenders, long rounds,
                               std::int64_t seed) {
  CaseIndex const index = index_cases(plan);
  std::array<Side, 2> sides{Side(plan, index, contenders[0]), Side(plan, index, contenders[1])};
  for (std::size_t g = 0; g < plan.groups.size() && caught_signal() == 0; ++g) {
    std::vector<Case const*> cases;
    for (std::size_t const i : plan.groups[g]) {
      if (!plan.cases[i].skip) cases.push_back(&plan.cases[i]);
    }
    if (!cases.empty()) measure_group_in_turns(sides, cases, seed + static_cast<std::int64_t>(g), rounds);
  }
  return {sides[0].take_results(), sides[1].take_results()};
}

}  // namespace tilestride
