// SPDX-License-Identifier: BSD-3-Clause
#include "report/document.hpp"

#include "machine/host.hpp"
#include "report/comparisons.hpp"
#include "results/seal.hpp"

namespace tilestride {
namespace {

/// With the names that its rule and its cases have in the deck.
Json rule_json(Verdict const& verdict, Redaction const& redaction) {
  return {
      {"rule", redaction.paths(verdict.rule->text)},
      {"judgement", name_of(verdict.judgement)},
      {"text", redaction.paths(verdict.text)},
      {"reached", {{"median", verdict.reached.median}, {"low", verdict.reached.low}, {"high", verdict.reached.high}}},
      {"at_least", verdict.rule->at_least}};
}

/// Without factors where there are none.
Json quote_json(Quote const& quote) {
  Published const& figure = *quote.figure;
  Json json{{"case", quote.literal->planned->name()},
            {"published", figure.value},
            {"unit", figure.unit},
            {"device", figure.device},
            {"here", quote.here}};
  if (!figure.over.empty()) json["over"] = figure.over;
  if (figure.peak) json["peak"] = true;
  if (quote.hardware > 0) json["hardware"] = quote.hardware;
  if (quote.best != nullptr) {
    json["best"] = quote.best->planned->name();
    json["rewriting"] = quote.rewriting;
  }
  return json;
}

}  // namespace

char const* name_of(Judgement judgement) {
  switch (judgement) {
    case Judgement::met: return "met";
    case Judgement::within_noise: return "met within noise";
    case Judgement::not_met: return "NOT MET";
    case Judgement::skipped: return "skipped";
  }
  return "";
}

Json to_json(Tally const& cases) {
  return {{"passed", cases.passed},
          {"failed", cases.failed},
          {"errors", cases.errors},
          {"skipped", cases.skipped},
          {"not_run", cases.not_run}};
}

Json document(Plan const& plan, RunRecord const& record, std::vector<Result> const& results,
              std::vector<Verdict> const& verdicts, std::string const& status, Redaction const& redaction) {
  Json json{{"schema", result_schema},
            {"program", "tilestride"},
            {"title", plan.run.title},
            {"started", record.header.at("started")},
            {"finished", utc_now()},
            {"status", status},
            {"counts", to_json(tally(results))},
            {"only", record.header.at("only")},
            {"kokkos_flags", record.header.at("kokkos_flags")}};
  json["machine"] = Json::object();
  for (auto const& [name, value] : host_facts().facts()) json["machine"][name] = value;
  json["machine"]["host"] = record.header.at("host");  // hidden by --redact
  json["environment"] = record.environment;
  json["influences"] = {{"clean_environment", plan.run.clean_environment},
                        {"unseen", record.header.at("unseen")},
                        {"tools", record.header.at("tools")}};
  if (std::string const card = record.header.at("memory_card"); !card.empty()) json["memory_card"] = {{"sha256", card}};
  json["programs"] = record.programs;
  if (!record.ranks.empty()) {
    json["ranks"] = record.ranks;
    json["slow_ranks"] = record.screen;
    if (!record.slow_messages.is_null()) json["slow_messages"] = record.slow_messages;
  }
  json["spent"] = {{"seconds", record.seconds},
                   {"sampling", record.times.sampling},
                   {"warming_up", record.times.warming_up},
                   {"preparing", record.times.preparing},
                   {"verifying", record.times.verifying}};
  json["deck"] = record.deck;
  json["rules"] = Json::array();
  for (Verdict const& verdict : verdicts) json["rules"].push_back(rule_json(verdict, redaction));
  json["results"] = Json::array();
  for (Result const& result : results) json["results"].push_back(to_json(redaction.result(result)));
  json["published"] = Json::array();
  for (Quote const& quote : quotes(results)) json["published"].push_back(quote_json(quote));
  json["seal"] = seal_of(Json::parse(to_line(json)));  // of what a reader of the file gets
  return json;
}

}  // namespace tilestride
