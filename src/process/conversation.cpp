// SPDX-License-Identifier: BSD-3-Clause
#include "process/conversation.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "machine/host.hpp"
#include "model/text.hpp"
#include "model/units.hpp"
#include "process/messages.hpp"

namespace tilestride {
namespace {

constexpr double hello_limit = 20;  ///< seconds until a worker's first message; only loading is done before it

/// Seconds between two reads of messages. A worker announces every sample; without this interval the front would wake
/// up during each of them.
constexpr auto between_looks = std::chrono::milliseconds(20);

constexpr char const* worker_banner = "---- worker, ";

/// The last line printed by the last worker, without the frames of a backtrace.
std::string last_words(std::string const& log) {
  std::ifstream stream(log);
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(worker_banner, 0) == 0)
      last.clear();
    else if (line.find_first_not_of(" \t\r") != std::string::npos && line.rfind("[0x", 0) != 0 && line != "Backtrace:")
      last = line.substr(0, 200);
  }
  return last;
}

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

WorkerProcess started(Program const& program, Supervision const& supervision) {
  if (!supervision.log.empty())
    std::ofstream(supervision.log, std::ios::app) << worker_banner << utc_now() << ", " << program.name << "\n";
  return {program.path, supervision.kokkos, supervision.log, supervision.clean_environment};
}

}  // namespace

Conversation::Conversation(Program const& program, Supervision const& supervision)
    : program_(program), supervision_(supervision), process_(started(program, supervision)), limit_(hello_limit) {}

void Conversation::listen(std::function<bool()> const& go_on, OnMessage const& on_message) {
  double seen = monotonic_now(), looked = seen;
  while (!ended_ && in_order() && go_on()) {
    std::vector<std::string> const lines = process_.exchange(100, ended_);
    double const now = monotonic_now();
    if (now - looked > 1) seen += now - looked;  // this process was stopped, and perhaps the worker too
    looked = now;
    if (!lines.empty()) seen = now;
    for (std::string const& line : lines) {
      if (refusal_.empty() && nonsense_.empty()) take(line, on_message);
    }
    if (now - seen > limit_)
      hang_ = fmt::format("{} took longer than {}; the worker was killed", phase_, short_time(limit_));
    if (!ended_ && go_on()) std::this_thread::sleep_for(between_looks);
  }
  if (!in_order()) process_.kill_now();
}

void Conversation::take(std::string const& line, OnMessage const& on_message) {
  Json const json = Json::parse(line, nullptr, false);
  if (!greeted_) {
    if (refusal_ = why_no_hello(json, line); !refusal_.empty()) return;
    greeted_ = true;
    limit_ = 0x1p30;  // until its first step: it waits for a command
    if (supervision_.on_hello) supervision_.on_hello(program_, json);
    return;
  }
  std::string const kind = json.is_object() ? text_of(json, "kind") : "";
  try {
    if (kind == "step") {
      case_name_ = text_of(json, "case");
      phase_ = text_of(json, "phase");
      limit_ = json.at("limit").get<double>();
    } else if (kind == "machine") {
      if (supervision_.on_machine) supervision_.on_machine(program_, json);
    } else if (kind == "unavailable") {
      refusal_ = text_of(json, "reason");
    }
    if (!on_message(kind, json)) nonsense_ = printable(line, 200);
  } catch (Json::exception const&) {  // a key is missing, or has a value of another type
    nonsense_ = printable(line, 200);
  }
}

std::string Conversation::why_not_started(int status) const {
  if (!hang_.empty()) return "no answer within " + short_time(hello_limit);
  std::string const words = last_words(supervision_.log);
  return fmt::format("it does not start: {}",
                     !words.empty() ? words
                     : WIFSIGNALED(status)
                         ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                         : fmt::format("exit status {}", WEXITSTATUS(status)));
}

std::string Conversation::what_happened(int status) const {
  if (!hang_.empty()) return "hung: " + hang_;
  std::string text =
      WIFSIGNALED(status)
          ? fmt::format("worker died, signal {} ({}), while {}", WTERMSIG(status), strsignal(WTERMSIG(status)), phase_)
          : fmt::format("worker ended with status {} while {}", WEXITSTATUS(status), phase_);
  if (std::string const words = last_words(supervision_.log); !words.empty()) text += "; its last words: " + words;
  return text;
}

}  // namespace tilestride
