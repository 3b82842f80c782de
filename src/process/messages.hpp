// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The messages between the front process and its workers, one JSON object per line, and the parts of a result document:
// the only place that converts results to JSON and back.
//
//   front -> worker                                   worker -> front
//                                                     {"kind": "hello", "protocol": …, "program": …, "spaces": […]}
//   {"command": "describe"}                           {"kind": "machine", "spaces": {…}, "environment": {…}}
//   {"command": "measure", "seed": …, "until": …,     {"kind": "step", "case": …, "phase": …, "limit": …}  often
//    "rounds": …, "cases": [{…}, …]}  of one problem  {"kind": "case", "name": …, "outcome": …, …}         each once
//                                                     {"kind": "times", "preparing": …, …}                 at the end
//   {"command": "go"}  where rounds > 0               {"kind": "turn"}  before each sample: waits for "go"
//   {"command": "quit"}, or the end of the stream     {"kind": "unavailable", "reason": …}  instead of all others
//
// Cases are identified by name, and checked on both sides: a case that the worker's program does not have, or defines
// differently, is skipped.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "measure/phase.hpp"
#include "model/phase_times.hpp"
#include "model/result.hpp"
#include "plan/plan.hpp"

namespace tilestride {

/// Keys keep the order in which they are written, for people who read the file.
using Json = nlohmann::ordered_json;

/// Version of the result document; incremented by changes that readers of the old version would misunderstand.
constexpr int result_schema = 2;

/// Version of the protocol between front and worker.
constexpr int protocol_version = 2;

/// On one line; invalid UTF-8 in texts is replaced.
std::string to_line(Json const& json);

/// A text of an object; empty where there is none.
std::string text_of(Json const& object, char const* key);

/// At least one, and all are above 0: what samples and rates are.
bool all_positive(std::vector<double> const& numbers);

// ---- results

/// One case as in cases.jsonl and in the result document. Rates are B/s and FLOP/s, times seconds. What has no meaning
/// (the time of a case that failed) is absent, never null and never NaN.
Json to_json(Result const& result);

/// What of it differs from rank to rank, for the journals of all ranks but the first.
Json to_short_json(Result result);

/// The index of every case of a plan by its name.
using CaseIndex = std::unordered_map<std::string, std::size_t>;
CaseIndex index_cases(Plan const& plan);

/// The reverse of to_json; nothing when the plan has no case of that name or the line has another format.
std::optional<Result> result_from_json(Json const& json, Plan const& plan, CaseIndex const& index);

// ---- from the front

/// The command that measures these cases, all of one problem. `until`: monotonic_now() after which no case is started
/// and sampling ends early; 0: no limit. `rounds`: of samples, each in a turn that "go" begins; 0: without turns. What
/// the cases' memory card has of their space goes with them.
Json measure_command(std::vector<Case const*> const& cases, std::int64_t seed, double until, long rounds = 0);

/// Begins a worker's turn.
Json go_command();

/// A case in a worker's own catalogue, or the reason why it has no equal case.
struct AgreedCase {
  std::string name;  ///< in the front's plan
  std::optional<Case> found;
  std::string lacking;  ///< empty when found
};
std::vector<AgreedCase> cases_of_command(Json const& command, Catalogue const& catalogue, Build const& build);

// ---- from a worker

Json hello_message(std::string const& program);
Json machine_message(std::map<std::string, std::string> const& spaces);
Json unavailable_message(std::string const& reason);
Json turn_message();
Json step_message(std::string const& case_name, Phase phase, double limit);
Json times_message(PhaseTimes const& times);
PhaseTimes times_from_json(Json const& json);

/// A case that the worker's program does not have.
Json lacking_message(AgreedCase const& agreed);
/// A case that the program of another rank does not have.
Json elsewhere_message(AgreedCase const& agreed);

}  // namespace tilestride
