// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/result.hpp"
#include "harness/spent.hpp"
#include "plan/plan.hpp"

namespace tilestride {

/// Keys in the order in which they are written: for people who open the file.
using Json = nlohmann::ordered_json;

/// Version of the result document; it grows when a reader of the old one would be misled by the new one.
constexpr int result_schema = 1;

/// One case as it stands in cases.jsonl and in the result document. Rates are B/s and FLOP/s, times seconds. What has
/// no meaning (the time of a case that failed) is absent, never null and never NaN.
Json to_json(Result const& result);

/// In one line, whatever bytes its texts hold: what is no UTF-8 is replaced.
std::string to_line(Json const& json);

/// The index of every case of a plan by its name.
using CaseIndex = std::unordered_map<std::string, std::size_t>;
CaseIndex index_cases(Plan const& plan);

/// The reverse of to_json; nothing when the plan has no case of that name or the line is not one of ours.
std::optional<Result> result_from_json(Json const& json, Plan const& plan, CaseIndex const& index);

/// The reverse of spent_line (report/lines.hpp).
Spent spent_from_json(Json const& json);

/// What a result document says of the samples of one case.
struct Reference {
  std::vector<double> samples;  ///< seconds per repetition
  double amount = 0;            ///< bytes or flops of one
};

/// The passed cases of a result document, by name. Throws std::runtime_error, with the reason, when it is none.
std::unordered_map<std::string, Reference> read_references(std::string const& file);

}  // namespace tilestride
