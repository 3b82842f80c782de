// SPDX-License-Identifier: BSD-3-Clause
#include "results/read.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "model/text.hpp"

namespace tilestride {
namespace {

constexpr int most_depth = 64;  // of objects in objects; a document has six

/// Refuses, while a text is parsed, what the parser itself takes.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json const& parsed) {
    using Event = Json::parse_event_t;
    if (depth > most_depth) throw NoDocument("is no result document: it is nested too deeply");
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(parsed.get<std::string>()).second)
      throw NoDocument(
          fmt::format("has the key \"{}\" twice in one object", printable(parsed.get<std::string>(), 100)));
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;  ///< of each object that is open
};

Json parse(std::ifstream& stream) try {
  Watch watch;
  return Json::parse(
      stream, [&watch](int depth, Json::parse_event_t event, Json& parsed) { return watch(depth, event, parsed); });
} catch (Json::parse_error const& problem) {
  throw NoDocument(fmt::format("is no whole JSON: it cannot be read beyond byte {}", problem.byte));
} catch (Json::exception const&) {  // a number that no double holds
  throw NoDocument("is no result document: it has a number that is too large");
}

bool is_result(Json const& result) {
  return result.is_object() && result.contains("name") && result["name"].is_string() && result.contains("outcome") &&
         result["outcome"].is_string();
}

void check_form(Json const& document) {
  NoDocument const none("is no result document of this program");
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_number_integer()) throw none;
  if (document["schema"] != result_schema)
    throw NoDocument(
        fmt::format("is of schema {}, and this program reads schema {}", document["schema"].dump(), result_schema));
  for (char const* key : {"deck", "status", "only"}) {
    if (!document.contains(key) || !document[key].is_string()) throw none;
  }
  for (char const* key : {"rules", "results"}) {
    if (!document.contains(key) || !document[key].is_array()) throw none;
  }
  for (Json const& result : document["results"]) {
    if (!is_result(result)) throw none;
  }
}

}  // namespace

Json read_document(std::string const& path) {
  std::filesystem::path file(path);
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) file /= "result.json";
  std::ifstream stream(file);
  if (!stream) throw NoDocument(fmt::format("cannot be opened: {}", std::strerror(errno)));
  Json document = parse(stream);
  check_form(document);
  return document;
}

char const* counted_work(std::string const& unit) {
  return unit == unit_of(Figure::compute) ? "flops" : unit == unit_of(Figure::latency) ? "operations" : "bytes";
}

}  // namespace tilestride
