// SPDX-License-Identifier: BSD-3-Clause
#include "process/worker_state.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>
#include <fstream>

#include "machine/host.hpp"
#include "measure/phase.hpp"
#include "model/text.hpp"
#include "model/units.hpp"
#include "process/messages.hpp"

namespace tilestride {
namespace {

constexpr char const* worker_banner = "---- worker, ";

/// Why the first message of a program is not a valid hello; empty when it is.
std::string why_no_hello(Json const& json, std::string const& line) {
  if (!json.is_object() || text_of(json, "kind") != "hello")
    return "it does not answer as a worker does: " + printable(line, 100);
  auto const version = json.find("protocol");
  if (version == json.end() || *version != protocol_version)
    return fmt::format("it speaks protocol {}, and this program {}: build both from one revision",
                       version == json.end() ? "0" : to_line(*version), protocol_version);
  for (char const* key : {"git revision", "build"}) {
    if (!json.contains(key)) return fmt::format("it does not answer as a worker does: no {}", key);
  }
  return "";
}

std::string after_text(std::string const& log) {
  std::string const words = last_words(log);
  return words.empty() ? "" : "; its last words: " + words;
}

std::string signal_text(int status) {
  return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

}  // namespace

void begin_log(std::string const& log, std::string const& program) {
  if (!log.empty()) std::ofstream(log, std::ios::app) << worker_banner << utc_now() << ", " << program << "\n";
}

std::string last_words(std::string const& log) {
  std::ifstream stream(log);
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(worker_banner, 0) == 0)
      last.clear();
    else if (line.find_first_not_of(" \t\r-") != std::string::npos && line.rfind("[0x", 0) != 0 && line != "Backtrace:")
      last = line.substr(0, 200);
  }
  return last;
}

void WorkerState::take(std::string const& line, OnMessage const& on_message) {
  if (!refusal_.empty() || !nonsense_.empty()) return;
  Json const json = Json::parse(line, nullptr, false);
  if (!greeted_) {
    if (refusal_ = why_no_hello(json, line); !refusal_.empty()) return;
    greeted_ = true;
    limit_ = no_limit;  // until its first step: it waits for a command
  }
  std::string const kind = json.is_object() ? text_of(json, "kind") : "";
  try {
    if (kind == "step") {
      if (std::string const name = text_of(json, "case"); !name.empty()) case_name_ = name;
      phase_ = text_of(json, "phase");
      limit_ = json.at("limit").get<double>();
      if (may_hang()) announced_ = limit_;
    } else if (kind == "unavailable") {
      refusal_ = text_of(json, "reason");
    }
    if (!on_message(kind, json)) nonsense_ = printable(line, 200);
  } catch (Json::exception const&) {  // a key is missing, or has a value of another type
    nonsense_ = printable(line, 200);
  }
}

bool WorkerState::may_hang() const { return limit_ < no_limit; }

void WorkerState::wait(double seconds) {
  if (seconds > limit_) hang_ = fmt::format("{} took longer than {}", phase_, short_time(limit_));
}

std::string WorkerState::why_not_started(int status, std::string const& log) const {
  if (!hang_.empty()) return "no answer within " + short_time(hello_limit_);
  std::string const words = last_words(log);
  return fmt::format("it does not start: {}", !words.empty() ? words
                                              : WIFSIGNALED(status)
                                                  ? signal_text(status)
                                                  : fmt::format("exit status {}", WEXITSTATUS(status)));
}

std::string WorkerState::what_happened(int status, std::string const& log) const {
  if (!hang_.empty()) return "hung: " + hang_ + "; the worker was killed";
  std::string text = WIFSIGNALED(status)
                         ? fmt::format("worker died, {}, while {}", signal_text(status), phase_)
                         : fmt::format("worker ended with status {} while {}", WEXITSTATUS(status), phase_);
  return text + after_text(log);
}

std::string WorkerState::how_it_vanished(std::string const& log) const {
  return "vanished while " + phase_ + after_text(log);
}

}  // namespace tilestride
