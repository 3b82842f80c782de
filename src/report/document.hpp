// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/phase_times.hpp"
#include "process/messages.hpp"
#include "report/expect.hpp"
#include "report/redaction.hpp"
#include "report/table.hpp"

namespace tilestride {

/// The contents of a result document besides the results.
struct RunRecord {
  Json header = Json::object();       ///< the first line of cases.jsonl
  Json programs = Json::object();     ///< by name: {"build": {…}, "sha256": …, "spaces": {…}} from their workers
  Json environment = Json::object();  ///< of the workers
  Json ranks = Json::array();         ///< where each rank ran; empty without ranks
  Json screen = Json::array();        ///< the ranks that are slow
  Json slow_messages;                 ///< between ranks; null: none
  std::string deck;                   ///< the resolved deck
  PhaseTimes times;                   ///< of all workers
  double seconds = 0;                 ///< of the whole run; of a resumed run, only the resumed part
};

/// The result document, schema 2: the machine, the environment and what influences figures unseen once, the build facts
/// of each program, the deck, the rules and the results, each with the name of its program; and its seal. `redaction`:
/// for rules and results, the only parts of the record that are not redacted yet.
Json document(Plan const& plan, RunRecord const& record, std::vector<Result> const& results,
              std::vector<Verdict> const& verdicts, std::string const& status, Redaction const& redaction);

/// {"passed": …, "failed": …, …}
Json to_json(Tally const& cases);

/// "met", "met within noise", "NOT MET", "skipped".
char const* name_of(Judgement judgement);

}  // namespace tilestride
