// SPDX-License-Identifier: BSD-3-Clause
#include "process/conversation.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "machine/host.hpp"
#include "process/messages.hpp"

namespace tilestride {
namespace {

/// Seconds between two reads of messages. A worker announces every sample; without this interval the front would wake
/// up during each of them.
constexpr auto between_looks = std::chrono::milliseconds(20);

WorkerProcess started(Program const& program, Supervision const& supervision) {
  begin_log(supervision.log, program.name);
  std::vector<std::string> arguments{"tilestride", "worker"};
  arguments.insert(arguments.end(), supervision.kokkos.begin(), supervision.kokkos.end());
  return {program.path, std::move(arguments), supervision.log, supervision.clean_environment};
}

}  // namespace

Conversation::Conversation(Program const& program, Supervision const& supervision)
    : program_(program), supervision_(supervision), process_(started(program, supervision)) {}

void Conversation::listen(std::function<bool()> const& go_on, WorkerState::OnMessage const& on_message) {
  auto const take = [&](std::string const& kind, WorkerState::Json const& json) {
    if (kind == "hello") {
      if (supervision_.on_hello) supervision_.on_hello(program_, json);
      return true;
    }
    if (kind == "machine" && supervision_.on_machine) supervision_.on_machine(program_, json);
    return on_message(kind, json);
  };
  double seen = monotonic_now(), looked = seen;
  while (!ended_ && state_.in_order() && go_on()) {
    std::vector<std::string> const lines = process_.exchange(100, ended_);
    double const now = monotonic_now();
    if (now - looked > 1) seen += now - looked;  // this process was stopped, and perhaps the worker too
    looked = now;
    if (!lines.empty()) seen = now;
    for (std::string const& line : lines) state_.take(line, take);
    state_.wait(now - seen);
    if (!ended_ && go_on()) std::this_thread::sleep_for(between_looks);
  }
  if (!state_.in_order()) process_.kill_now();
}

}  // namespace tilestride
