// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/gather.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>
#include <utility>

#include "ranks/journal.hpp"
#include "ranks/merge.hpp"
#include "ranks/ranked_run.hpp"

namespace tilestride {
namespace {

/// Cases that a core merges before it takes others: each journal is opened once for all of them.
constexpr std::size_t cases_at_once = 8;

/// A file, open for reading. One that is not there is empty.
class File {
 public:
  explicit File(std::string const& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(File const&) = delete;
  File& operator=(File const&) = delete;

  std::size_t size() const {
    struct stat facts {};
    return descriptor_ >= 0 && fstat(descriptor_, &facts) == 0 ? static_cast<std::size_t>(facts.st_size) : 0;
  }

  /// Fewer bytes where there are no more.
  std::string read(std::size_t begin, std::size_t bytes) const {
    std::string text(bytes, '\0');
    std::size_t done = 0;
    for (ssize_t n = 1; done < bytes && n > 0; done += static_cast<std::size_t>(std::max<ssize_t>(n, 0)))
      n = pread(descriptor_, text.data() + done, bytes - done, static_cast<off_t>(begin + done));
    text.resize(done);
    return text;
  }

 private:
  int descriptor_;
};

/// Where the line of a case stands in a journal.
struct Line {
  std::size_t case_index = 0, launch = 0;  ///< into the plan, and into the launches of its journal
  std::size_t begin = 0, bytes = 0;
};

/// One rank's journal: its case lines are only found; other messages are few, and parsed here.
struct OfRank {
  struct Launch {
    std::string id, program;
  };
  std::vector<Line> lines{};         ///< by case, and in the order of the file
  std::vector<Launch> launches{{}};  ///< the first: before any
  RankFacts facts{};
  std::map<std::string, Json> hellos{}, machines{};  ///< by program

  std::pair<std::vector<Line>::const_iterator, std::vector<Line>::const_iterator> of_case(std::size_t i) const {
    auto const before = [](Line const& a, Line const& b) { return a.case_index < b.case_index; };
    return std::equal_range(lines.begin(), lines.end(), Line{i}, before);
  }
};

Json parsed(std::string_view line) { return Json::parse(line.begin(), line.end(), nullptr, false); }

void take(OfRank& rank, std::string& program, Json const& message) {
  if (!message.is_object()) return;
  std::string const kind = text_of(message, "kind");
  if (kind == "hello") rank.hellos[program = text_of(message, "program")] = message;
  if (kind == "machine") rank.machines[program] = message;
  if (kind == "rank") rank.launches.push_back({text_of(message, "launch"), program});
  if (kind == "rank" || kind == "machine") add_facts(rank.facts, message);
}

OfRank read_rank(std::string const& path, CaseIndex const& index) {
  constexpr std::string_view a_case = R"({"kind":"case","name":")", a_step = R"({"kind":"step")";
  OfRank rank;
  std::string program, name;
  File const file(path);
  std::string const whole = file.read(0, file.size());
  std::string_view const text = whole;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    std::string_view const line = text.substr(begin, end - begin);
    if (line.empty() || line.substr(0, a_step.size()) == a_step) continue;
    if (line.substr(0, a_case.size()) == a_case) {
      std::string_view const rest = line.substr(a_case.size());
      name = rest.substr(0, rest.find('"'));
      auto const found = index.find(name);
      if (found != index.end()) rank.lines.push_back({found->second, rank.launches.size() - 1, begin, line.size()});
      continue;
    }
    try {
      take(rank, program, parsed(line));
    } catch (Json::exception const&) {
      continue;  // half a line, or another program's
    }
  }
  std::stable_sort(rank.lines.begin(), rank.lines.end(),
                   [](Line const& a, Line const& b) { return a.case_index < b.case_index; });
  return rank;
}

/// The last launch in which every rank has the case, else the last in which any has.
std::string launch_of(std::vector<OfRank> const& ranks, std::size_t i) {
  std::map<std::string_view, std::size_t> by_launch;
  for (OfRank const& rank : ranks) {
    auto const [begin, end] = rank.of_case(i);
    for (auto line = begin; line != end; ++line) ++by_launch[rank.launches[line->launch].id];
  }
  auto const whole = std::find_if(by_launch.rbegin(), by_launch.rend(),
                                  [&](auto const& launch) { return launch.second == ranks.size(); });
  return std::string(whole != by_launch.rend() ? whole->first : by_launch.empty() ? "" : by_launch.rbegin()->first);
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

Gathered gather_journals(std::string const& folder, std::size_t count, Plan const& plan, CaseIndex const& index,
                         bool redact) {
  auto const path = [&](std::size_t r) { return journal_path(folder, static_cast<int>(r)); };
  std::vector<OfRank> ranks(count);
  on_all_cores(count, [&](std::size_t r) { ranks[r] = read_rank(path(r), index); });
  Gathered gathered;
  for (OfRank const& rank : ranks) gathered.ranks.push_back(rank.facts);
  if (count > 0) gathered.hellos = ranks.front().hellos;
  if (count > 0) gathered.machines = ranks.front().machines;
  std::vector<RankFacts> const shown = redact ? redacted(gathered.ranks) : gathered.ranks;
  std::vector<std::optional<Result>> results(plan.cases.size());
  on_all_cores((plan.cases.size() + cases_at_once - 1) / cases_at_once, [&](std::size_t part) {
    std::size_t const first = part * cases_at_once, last = std::min(first + cases_at_once, plan.cases.size());
    std::vector<OfEachRank> of_each(last - first, OfEachRank(count));
    std::vector<std::string> launches, programs(last - first);
    for (std::size_t i = first; i < last; ++i) launches.push_back(launch_of(ranks, i));
    for (std::size_t r = 0; r < count; ++r) {
      File const file(path(r));
      for (std::size_t i = first; i < last; ++i) {
        auto const [begin, end] = ranks[r].of_case(i);
        for (auto line = begin; line != end; ++line) {
          OfRank::Launch const& launch = ranks[r].launches[line->launch];
          if (launch.id != launches[i - first]) continue;
          of_each[i - first][r] = result_from_json(parsed(file.read(line->begin, line->bytes)), plan, index);
          programs[i - first] = launch.program;
        }
      }
    }
    for (std::size_t i = first; i < last; ++i) {
      OfEachRank const& one = of_each[i - first];
      if (std::none_of(one.begin(), one.end(), [](auto const& result) { return result.has_value(); })) continue;
      results[i] = merged(one, shown, plan.run.one_by_one);
      results[i]->program = programs[i - first];
    }
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) gathered.results.emplace(i, std::move(*results[i]));
  }
  return gathered;
}

}  // namespace tilestride
