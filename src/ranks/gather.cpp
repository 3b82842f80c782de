// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/gather.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "ranks/journal.hpp"
#include "ranks/merge.hpp"
#include "ranks/ranked_run.hpp"

namespace tilestride {
namespace {

/// A file, mapped: pages that are not needed any more cost no memory.
class Mapped {
 public:
  explicit Mapped(std::string const& path) {
    int const descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    if (descriptor >= 0 && fstat(descriptor, &facts) == 0 && facts.st_size > 0) {
      void* const at = mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (at != MAP_FAILED) text_ = {static_cast<char const*>(at), static_cast<std::size_t>(facts.st_size)};
    }
    if (descriptor >= 0) close(descriptor);
  }
  ~Mapped() {
    if (!text_.empty()) munmap(const_cast<char*>(text_.data()), text_.size());
  }
  Mapped(Mapped&& other) noexcept : text_(std::exchange(other.text_, {})) {}
  Mapped(Mapped const&) = delete;
  Mapped& operator=(Mapped const&) = delete;

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// The line of a case, and the launch that wrote it.
struct Line {
  std::string launch;
  std::string_view text;
};
using LinesOfCase = std::unordered_map<std::size_t, std::vector<Line>>;

/// One rank's journal: where each case stands. Other messages are few, and parsed here.
struct OfRank {
  Mapped file;
  LinesOfCase cases{};
  RankFacts facts{};
  Json hello = Json::object(), machine = Json::object();
};

Json parsed(std::string_view line) { return Json::parse(line.begin(), line.end(), nullptr, false); }

OfRank read_rank(std::string const& path, CaseIndex const& index) {
  constexpr std::string_view a_case = R"({"kind":"case","name":")", a_step = R"({"kind":"step")";
  OfRank rank{Mapped(path)};
  std::string launch;
  std::string_view const text = rank.file.text();
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    std::string_view const line = text.substr(begin, end - begin);
    if (line.empty() || line.substr(0, a_step.size()) == a_step) continue;
    if (line.substr(0, a_case.size()) == a_case) {
      std::string_view const rest = line.substr(a_case.size());
      auto const found = index.find(std::string(rest.substr(0, rest.find('"'))));
      if (found != index.end()) rank.cases[found->second].push_back({launch, line});
      continue;
    }
    Json const message = parsed(line);
    if (!message.is_object()) continue;
    std::string const kind = text_of(message, "kind");
    try {
      if (kind == "hello") rank.hello = message;
      if (kind == "machine") rank.machine = message;
      if (kind == "rank") launch = text_of(message, "launch");
      if (kind == "rank" || kind == "machine") add_facts(rank.facts, message);
    } catch (Json::exception const&) {  // half a line, or another program's
    }
  }
  return rank;
}

/// The last launch in which every rank has the case, else the last in which any has.
std::string launch_of(std::vector<OfRank> const& ranks, std::size_t i) {
  std::map<std::string, std::size_t> by_launch;
  for (OfRank const& rank : ranks) {
    auto const lines = rank.cases.find(i);
    if (lines == rank.cases.end()) continue;
    for (Line const& line : lines->second) ++by_launch[line.launch];
  }
  auto const whole = std::find_if(by_launch.rbegin(), by_launch.rend(),
                                  [&](auto const& launch) { return launch.second == ranks.size(); });
  return whole != by_launch.rend() ? whole->first : by_launch.empty() ? "" : by_launch.rbegin()->first;
}

/// Work of any kind for i = 0 … n - 1, on all cores.
template <class Work>
void on_all_cores(std::size_t n, Work const& work) {
  std::atomic<std::size_t> next{0};
  auto const run = [&] {
    for (std::size_t i = 0; (i = next++) < n;) work(i);
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < std::thread::hardware_concurrency(); ++t) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // namespace

Gathered gather_journals(std::string const& folder, std::size_t count, Plan const& plan, CaseIndex const& index) {
  std::vector<std::optional<OfRank>> read(count);
  on_all_cores(count,
               [&](std::size_t r) { read[r].emplace(read_rank(journal_path(folder, static_cast<int>(r)), index)); });
  std::vector<OfRank> ranks;
  for (auto& one : read) ranks.push_back(std::move(*one));
  Gathered gathered;
  for (OfRank const& rank : ranks) gathered.ranks.push_back(rank.facts);
  if (!ranks.empty()) gathered.hello = ranks.front().hello;
  if (!ranks.empty()) gathered.machine = ranks.front().machine;
  std::vector<std::optional<Result>> results(plan.cases.size());
  on_all_cores(plan.cases.size(), [&](std::size_t i) {
    std::string const launch = launch_of(ranks, i);
    OfEachRank of_each(count);
    for (std::size_t r = 0; r < count; ++r) {
      auto const lines = ranks[r].cases.find(i);
      if (lines == ranks[r].cases.end()) continue;
      for (Line const& line : lines->second) {
        if (line.launch == launch) of_each[r] = result_from_json(parsed(line.text), plan, index);
      }
    }
    if (std::any_of(of_each.begin(), of_each.end(), [](auto const& one) { return one.has_value(); }))
      results[i] = merged(of_each, gathered.ranks);
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) gathered.results.emplace(i, std::move(*results[i]));
  }
  return gathered;
}

}  // namespace tilestride
