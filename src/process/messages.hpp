// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the front and its workers say to each other, one JSON object a line, and what a result document is made of: the
// only place where results become JSON and JSON becomes results.
//
//   front -> worker                                        worker -> front
//                                                          {"kind": "hello", "protocol": …, "program": …, "spaces":
//                                                          […]}
//   {"command": "describe"}                                {"kind": "machine", "spaces": {…}, "environment": {…}}
//   {"command": "measure", "seed": …, "until": …,          {"kind": "step", "case": …, "phase": …, "limit": …}   often
//    "cases": [{…}, …]}     the cases of one problem       {"kind": "case", "name": …, "outcome": …, …}          each
//    once
//                                                          {"kind": "times", "preparing": …, …}                  at the
//                                                          end
//   {"command": "quit"}, or the end of the stream          {"kind": "unavailable", "reason": …}   instead of all others
//
// Cases go by name. Both sides agree on each: what the worker's program does not have, or counts otherwise, it skips.

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

/// Keys in the order in which they are written: for people who open the file.
using Json = nlohmann::ordered_json;

/// Version of the result document; it grows when a reader of the old one would be misled by the new one.
constexpr int result_schema = 2;

/// Version of what front and worker say to each other.
constexpr int protocol_version = 1;

/// In one line, whatever bytes its texts hold: what is no UTF-8 is replaced.
std::string to_line(Json const& json);

// ---- results

/// One case as it stands in cases.jsonl and in the result document. Rates are B/s and FLOP/s, times seconds. What has
/// no meaning (the time of a case that failed) is absent, never null and never NaN.
Json to_json(Result const& result);

/// The index of every case of a plan by its name.
using CaseIndex = std::unordered_map<std::string, std::size_t>;
CaseIndex index_cases(Plan const& plan);

/// The reverse of to_json; nothing when the plan has no case of that name or the line is not one of ours.
std::optional<Result> result_from_json(Json const& json, Plan const& plan, CaseIndex const& index);

/// What a result document says of the samples of one case.
struct Reference {
  std::vector<double> samples;  ///< seconds per repetition
  double amount = 0;            ///< bytes or flops of one
};

/// The passed cases of a result document, by name. Throws std::runtime_error, with the reason, when it is none.
std::unordered_map<std::string, Reference> read_references(std::string const& file);

// ---- from the front

/// The command that measures these cases, all of one problem. `until`: monotonic_now() after which it is not begun any
/// more, and sampling ends early; 0: no limit.
Json measure_command(std::vector<Case const*> const& cases, std::int64_t seed, double until);

/// A case as a worker's own catalogue has it, or why it has none that is the same.
struct AgreedCase {
  std::string name;  ///< as the front calls it
  std::optional<Case> found;
  std::string lacking;  ///< empty when found
};
std::vector<AgreedCase> cases_of_command(Json const& command, Catalogue const& catalogue, Build const& build);

// ---- from a worker

Json hello_message(std::string const& program);
Json machine_message(std::map<std::string, std::string> const& spaces);
Json unavailable_message(std::string const& reason);
Json step_message(std::string const& case_name, Phase phase, double limit);
Json times_message(PhaseTimes const& times);
PhaseTimes times_from_json(Json const& json);

/// A case that the worker's program does not have.
Json lacking_message(AgreedCase const& agreed);

}  // namespace tilestride
