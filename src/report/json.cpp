// SPDX-License-Identifier: BSD-3-Clause
#include "report/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "harness/machine.hpp"
#include "report/lines.hpp"

namespace tilestride {
namespace {

Json to_json(Estimate const& e) { return {{"median", e.median}, {"low", e.low}, {"high", e.high}}; }

/// Maps become objects; an empty one is left out.
template <class Map>
void put(Json& to, char const* key, Map const& map) {
  if (map.empty()) return;
  Json& object = to[key] = Json::object();
  for (auto const& [name, value] : map) object[name] = value;
}

template <class T>
void get(Json const& from, char const* key, T& to) {
  if (auto const it = from.find(key); it != from.end()) to = it->template get<T>();
}

void get_quantities(Json const& from, char const* key, Quantities& to) {
  if (auto const it = from.find(key); it != from.end()) {
    for (auto const& [name, value] : it->items()) to.emplace_back(name, value.template get<double>());
  }
}

/// There are some, and each is a positive time.
bool are_times(std::vector<double> const& samples) {
  return !samples.empty() && std::all_of(samples.begin(), samples.end(), [](double t) { return t > 0; });
}

Outcome outcome_named(std::string const& name) {
  for (Outcome const outcome : {Outcome::passed, Outcome::failed, Outcome::error, Outcome::skipped, Outcome::not_run}) {
    if (name_of(outcome) == name) return outcome;
  }
  throw std::runtime_error("unknown outcome " + name);
}

void put_figures(Json& to, Result const& result) {
  Statistics const s = result.statistics();
  to["time"] = to_json(s.time);
  to["time"].update({{"min", s.min}, {"max", s.max}, {"mad", s.mad}, {"count", s.count}});
  to["rate"] = result.rate();
  if (result.work.bytes > 0) to["bytes_per_second"] = result.work.bytes / s.time.median;
  if (result.work.flops > 0) to["flops_per_second"] = result.work.flops / s.time.median;
  if (result.model.seconds > 0)
    to["model"] = {{"seconds", result.model.seconds},
                   {"limiter", result.model.limiter},
                   {"achieved", result.model.seconds / s.time.median}};
  if (result.work.operations > 0) to["operations_per_second"] = result.work.operations / s.time.median;
  if (result.ceilings.scratch > 0) to["scratch_wavefronts_per_second"] = result.ceilings.scratch;
  if (result.ceilings.clock > 0) to["clock_rate"] = result.ceilings.clock;
  put(to, "yardsticks", result.yardsticks);
  put(to, "predicted", result.predicted);
  put(to, "measured", result.measured);
  for (KernelUse const& k : result.kernels)
    to["kernels"].push_back({{"name", k.name},
                             {"blocks", k.blocks},
                             {"threads", k.threads},
                             {"registers", k.registers},
                             {"local_bytes", k.local},
                             {"spill_stores", k.spill_stores},
                             {"spill_loads", k.spill_loads},
                             {"scratch_bytes", k.scratch},
                             {"blocks_per_multiprocessor", k.blocks_per_multiprocessor},
                             {"occupancy", k.occupancy}});
  to["samples"] = result.samples;
}

}  // namespace

Json to_json(Result const& result) {
  Case const& c = *result.planned;
  Json json{{"kind", "case"},   {"name", c.name()},       {"pattern", c.pattern->name}, {"variant", c.variant->name},
            {"space", c.space}, {"type", name_of(c.type)}};
  for (Value const& value : c.values) json["keys"][value.key->name] = value.text();
  json["outcome"] = name_of(result.outcome);
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (!result.flags.empty()) json["flags"] = result.flags;
  if (result.check.elements > 0)
    json["verification"] = {{"passed", result.check.passed},
                            {"elements", result.check.elements},
                            {"wrong", result.check.wrong},
                            {"detail", result.check.detail}};
  if (result.outcome == Outcome::passed) {
    json["figure"] = unit_of(c.pattern->figure);
    json["clock"] = result.clock;
    json["session"] = result.session;
    json["repetitions"] = result.repetitions;
    json["bytes"] = result.work.bytes;
    json["flops"] = result.work.flops;
    if (result.work.operations > 0) json["operations"] = result.work.operations;
    put_figures(json, result);
  }
  put(json, "notes", result.notes);
  put(json, "device_before", result.before);
  put(json, "device_after", result.after);
  return json;
}

std::string to_line(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string case_line(Result const& result) { return to_line(to_json(result)); }
std::string machine_line(std::map<std::string, std::string> const& spaces) {
  return to_line(Json{{"kind", "machine"}, {"spaces", spaces}, {"environment", relevant_environment()}});
}
std::string unavailable_line(std::string const& reason) {
  return to_line(Json{{"kind", "unavailable"}, {"reason", reason}});
}

std::string spent_line(Spent const& spent) {
  return to_line(Json{{"kind", "spent"},
                      {"preparing", spent.preparing},
                      {"warming_up", spent.warming_up},
                      {"sampling", spent.sampling},
                      {"verifying", spent.verifying}});
}

Spent spent_from_json(Json const& json) {
  return {json.at("preparing").get<double>(), json.at("warming_up").get<double>(), json.at("sampling").get<double>(),
          json.at("verifying").get<double>()};
}

CaseIndex index_cases(Plan const& plan) {
  CaseIndex index;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) index.emplace(plan.cases[i].name(), i);
  return index;
}

std::optional<Result> result_from_json(Json const& json, Plan const& plan, CaseIndex const& index) try {
  if (json.value("kind", "") != "case") return {};
  auto const found = index.find(json.at("name").get<std::string>());
  if (found == index.end()) return {};
  Result result;
  result.planned = &plan.cases[found->second];
  result.outcome = outcome_named(json.at("outcome").get<std::string>());
  get(json, "reason", result.reason);
  get(json, "flags", result.flags);
  if (auto const it = json.find("verification"); it != json.end()) {
    result.check = {it->at("passed").get<bool>(), it->at("elements").get<double>(), it->at("wrong").get<double>(),
                    it->at("detail").get<std::string>()};
  }
  get(json, "clock", result.clock);
  get(json, "session", result.session);
  get(json, "repetitions", result.repetitions);
  get(json, "bytes", result.work.bytes);
  get(json, "flops", result.work.flops);
  get(json, "operations", result.work.operations);
  get(json, "samples", result.samples);
  get(json, "yardsticks", result.yardsticks);
  get(json, "scratch_wavefronts_per_second", result.ceilings.scratch);
  get(json, "clock_rate", result.ceilings.clock);
  get_quantities(json, "predicted", result.predicted);
  get_quantities(json, "measured", result.measured);
  for (Json const& k : json.value("kernels", Json::array()))
    result.kernels.push_back({k.at("name"), k.at("blocks"), k.at("threads"), k.at("registers"), k.at("local_bytes"),
                              k.at("spill_stores"), k.at("spill_loads"), k.at("scratch_bytes"),
                              k.at("blocks_per_multiprocessor"), k.at("occupancy")});
  bool const passed = result.outcome == Outcome::passed;
  if (passed != are_times(result.samples) || (passed && result.amount() <= 0)) return {};
  for (auto const& [name, rates] : result.yardsticks) {
    if (!are_times(rates)) return {};
  }
  result.ceilings.copy = result.median_rate("copy");
  result.ceilings.read = result.median_rate("read");
  result.ceilings.fma = result.median_rate("fma");
  if (auto const it = json.find("model"); it != json.end())
    result.model = {it->at("seconds").get<double>(), it->at("limiter").get<std::string>()};
  get(json, "notes", result.notes);
  get(json, "device_before", result.before);
  get(json, "device_after", result.after);
  return result;
} catch (std::exception const&) {  // half a line, left by a kill
  return {};
}

std::unordered_map<std::string, Reference> read_references(std::string const& file) try {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot be opened");
  Json const document = Json::parse(stream, nullptr, false);
  if (document.is_discarded() || !document.is_object() || !document.contains("results"))
    throw std::runtime_error("is no result document");
  if (document.value("schema", 0) != result_schema)
    throw std::runtime_error(fmt::format("is not of schema {}", result_schema));
  std::unordered_map<std::string, Reference> references;
  for (Json const& result : document["results"]) {
    if (result.value("outcome", "") != "passed") continue;
    Reference reference;
    reference.samples = result.at("samples").get<std::vector<double>>();
    auto const figure = result.at("figure").get<std::string>();
    reference.amount = result.at(figure == "GFLOP/s" ? "flops" : figure == "ns" ? "operations" : "bytes").get<double>();
    if (!are_times(reference.samples) || reference.amount <= 0)
      throw std::runtime_error("is no result document of this program");
    references.emplace(result.at("name").get<std::string>(), std::move(reference));
  }
  return references;
} catch (Json::exception const&) {
  throw std::runtime_error("is no result document of this program");
}

}  // namespace tilestride
