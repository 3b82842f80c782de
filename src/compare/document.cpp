// SPDX-License-Identifier: BSD-3-Clause
#include "compare/document.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>

#include "model/spaces.hpp"
#include "model/statistics.hpp"
#include "results/read.hpp"

namespace tilestride {
namespace {

double number_of(Json const& json, char const* key) {
  auto const it = json.find(key);
  return it != json.end() && it->is_number() ? it->get<double>() : 0;
}

/// Lists of facts that stand in `json` under `key`. Those of several lines are for people.
void take_facts(std::map<std::string, std::string>& facts, Json const& json, char const* key,
                std::string const& prefix = "") {
  auto const it = json.find(key);
  if (it == json.end() || !it->is_object()) return;
  for (auto const& [name, value] : it->items()) {
    std::string const text = value.is_string() ? value.get<std::string>() : to_line(value);
    if (text.find('\n') == std::string::npos) facts[prefix + name] = text;
  }
}

/// The deck as it was resolved, without the comments that say where each value comes from.
std::string without_comments(std::string const& deck) {
  std::istringstream lines(deck);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.rfind("  # "));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::map<std::string, std::string> facts_of(Json const& document) {
  std::map<std::string, std::string> facts;
  for (char const* part : {"machine", "environment", "influences"}) take_facts(facts, document, part);
  for (auto const& [program, described] : document.at("programs").items()) {
    take_facts(facts, described, "build", program + ": ");
    take_facts(facts, described, "spaces", program + ": ");
  }
  facts["deck"] = without_comments(text_of(document, "deck"));
  facts["only"] = text_of(document, "only");
  return facts;
}

std::string device_of(std::string const& program, std::string const& space,
                      std::map<std::string, std::string> const& facts) {
  auto const fact = [&](std::string const& name) {
    auto const it = facts.find(name);
    return it == facts.end() ? "" : it->second;
  };
  if (is_host_space(space)) return fmt::format("{}, {} cores", fact("cpu"), fact("cores"));
  return fact(fmt::format("{}: {}: device", program, space));
}

/// "1980 MHz" before and after: their mean.
double clock_of(Json const& json) {
  double sum = 0;
  int count = 0;
  for (char const* when : {"device_before", "device_after"}) {
    auto const it = json.find(when);
    std::string const text = it == json.end() ? "" : text_of(*it, "SM clock");
    if (double const clock = std::strtod(text.c_str(), nullptr); clock > 0) {
      sum += clock;
      ++count;
    }
  }
  return count == 0 ? 0 : sum / count;
}

RecordedCase case_of(Json const& json, std::map<std::string, std::string> const& facts) {
  RecordedCase c;
  c.name = json.at("name").get<std::string>();
  c.pattern = json.at("pattern").get<std::string>();
  c.outcome = json.at("outcome").get<std::string>();
  c.reason = text_of(json, "reason");
  c.device = device_of(text_of(json, "program"), json.at("space").get<std::string>(), facts);
  if (!c.passed()) return c;
  c.clock = json.at("clock").get<std::string>();
  c.unit = json.at("figure").get<std::string>();
  c.amount = json.at("work").at(counted_work(c.unit)).get<double>();
  c.samples = json.at("samples").get<std::vector<double>>();
  Estimate const time = c.samples.empty() ? Estimate() : estimate(c.samples);
  c.seconds = time.median;
  if (!all_positive(c.samples) || !std::isnormal(c.rate()) || c.rate() < 0)
    throw std::runtime_error(fmt::format("{} passed and has no valid samples or work", c.name));
  c.scatter = (time.high - time.low) / (2 * 1.96) / time.median;  // its interval is one of 95 %
  double const written = json.at("time").at("median").get<double>();
  if (std::abs(written - c.seconds) > 1e-9 * c.seconds)
    throw std::runtime_error(fmt::format("{}: its median is {} s, and that of its samples {} s: the file was edited",
                                         c.name, written, c.seconds));
  if (auto const ceilings = json.find("ceilings"); ceilings != json.end()) {
    bool const reads = number_of(*ceilings, "read") > 0;
    c.ceiling = c.unit == "ns" ? 0 : number_of(*ceilings, c.unit == "GFLOP/s" ? "fma" : reads ? "read" : "copy");
  }
  c.multiprocessor_clock = clock_of(json);
  return c;
}

}  // namespace

RecordedRun recorded_run(Json const& document, std::string const& file) {
  if (text_of(document, "program") != "tilestride") throw std::runtime_error("is no result document");
  RecordedRun run{file, text_of(document, "started"), facts_of(document), {}};
  std::set<std::string> names, spaces;
  for (Json const& result : document.at("results")) {
    RecordedCase const& c = run.cases.emplace_back(case_of(result, run.facts));
    if (c.passed()) spaces.insert(result.at("space").get<std::string>());
    if (!names.insert(c.name).second)
      throw std::runtime_error(fmt::format("has {} twice: the file was edited", c.name));
  }
  run.facts["spaces measured"] = fmt::format("{}", fmt::join(spaces, ", "));
  return run;
}

RecordedRun read_run(std::string const& path) try {
  bool const is_folder = std::filesystem::is_directory(path);
  std::string const file = is_folder ? (std::filesystem::path(path) / "result.json").string() : path;
  return recorded_run(read_document(path), file);
} catch (Json::exception const& error) {
  std::string const text = error.what();
  throw std::runtime_error(
      fmt::format("{} is no result document of this program: {}", path, text.substr(text.find("] ") + 2)));
} catch (std::exception const& problem) {
  throw std::runtime_error(fmt::format("{}: {}", path, problem.what()));
}

}  // namespace tilestride
