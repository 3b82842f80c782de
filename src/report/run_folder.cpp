// SPDX-License-Identifier: BSD-3-Clause
#include "report/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <stdexcept>

#include "harness/machine.hpp"

namespace tilestride {

namespace fs = std::filesystem;

RunFolder::RunFolder(fs::path path) : path_(std::move(path)) {
  fs::path const file = path_ / "cases.jsonl";
  std::error_code error;
  if (auto const size = fs::file_size(file, error); !error && size > 0) {  // a kill may have left half a line: end it
    std::ifstream stream(file, std::ios::binary);
    stream.seekg(-1, std::ios::end);
    if (stream.get() != '\n') std::ofstream(file, std::ios::app) << '\n';
  }
  cases_.open(file, std::ios::app);
  if (!cases_) throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
}

RunFolder RunFolder::create(fs::path const& path, std::string const& resolved_deck) {
  if (fs::exists(path / "cases.jsonl") || fs::exists(path / "result.json"))
    throw std::runtime_error(fmt::format("{} holds results already; name another folder with -o, or go on there with --resume", path.string()));
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw std::runtime_error(fmt::format("{} cannot be made: {}", path.string(), error.message()));
  std::ofstream deck(path / "deck.toml");
  deck << resolved_deck;
  deck.close();
  if (!deck) throw std::runtime_error(fmt::format("{} cannot be written: {}", (path / "deck.toml").string(), std::strerror(errno)));
  return RunFolder(path);
}

RunFolder RunFolder::resume(fs::path const& path) {
  if (!fs::exists(path / "deck.toml")) throw std::runtime_error(fmt::format("{} holds no run to go on with", path.string()));
  return RunFolder(path);
}

fs::path RunFolder::default_path(std::string const& deck_file, std::string const& host) {
  std::string time = utc_now();
  time.erase(std::remove_if(time.begin(), time.end(), [](unsigned char c) { return std::isalnum(c) == 0; }), time.end());
  return fs::path("results") / fmt::format("{}-{}-{}", fs::path(deck_file).stem().string(), host, time);
}

std::vector<Result> RunFolder::finished(Plan const& plan) const {
  CaseIndex const index = index_cases(plan);
  std::map<std::size_t, Result> last;
  std::ifstream stream(path_ / "cases.jsonl");
  for (std::string line; std::getline(stream, line);) {
    Json const json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) continue;
    if (auto result = result_from_json(json, plan, index)) last[static_cast<std::size_t>(result->planned - plan.cases.data())] = std::move(*result);
  }
  std::vector<Result> results;
  for (auto& [i, result] : last) results.push_back(std::move(result));
  return results;
}

void RunFolder::append(Json const& line) { cases_ << line.dump() << '\n' << std::flush; }

void RunFolder::write_document(Json const& json) const {
  fs::path const draft = path_ / "result.json.tmp";  // a kill leaves the old document or the new one, never half of it
  std::ofstream stream(draft);
  char const* separator = "{\n";
  for (auto const& [key, value] : json.items()) {  // a line for each fact, one for each result: fit for diff and grep
    stream << separator << Json(key).dump() << ": ";
    separator = ",\n";
    if (!value.is_array() || value.empty()) {
      stream << value.dump();
      continue;
    }
    char const* before = "[\n ";
    for (Json const& element : value) {
      stream << before << element.dump();
      before = ",\n ";
    }
    stream << "\n]";
  }
  stream << "\n}\n";
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("{} cannot be written: {}", draft.string(), std::strerror(errno)));
  fs::rename(draft, document());
}

}  // namespace tilestride
