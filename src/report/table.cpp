// SPDX-License-Identifier: BSD-3-Clause
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "deck/units.hpp"

namespace tilestride {
namespace {

using Row = std::vector<std::string>;

/// "padded tile=32": the variant and the keys that only some variants have.
std::string solution_name(Case const& c) {
  std::string name = c.variant->name;
  for (Value const& value : c.values) {
    if (c.pattern->is_variant_key(*value.key)) name += fmt::format(" {}={}", value.key->name, value.text());
  }
  return name;
}

/// "skipped: space hip is not in this build".
std::string what_became(Result const& result) {
  return fmt::format("{}{}{}", name_of(result.outcome), result.reason.empty() ? "" : ": ", result.reason);
}

/// Columns as wide as their widest cell: the first two to the left, the others to the right.
std::string aligned(std::vector<Row> const& rows) {
  std::vector<std::size_t> widths;
  for (Row const& row : rows) {
    for (std::size_t i = 0; i < row.size() && row.size() > 3; ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (Row const& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t const width = i < widths.size() && row.size() > 3 ? widths[i]
                                : i == 1 && widths.size() > 1       ? widths[1]
                                                                    : 0;
      line +=
          i < 2 || i + 1 == row.size() ? fmt::format("{:<{}}", row[i], width) : fmt::format("{:>{}}", row[i], width);
      line += "  ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

Row figures(Result const& result, bool best) {
  Statistics const s = result.statistics();
  double const ceiling = result.ceiling_name() == "fma" ? result.ceilings.fma : result.ceilings.copy;
  Row row{best ? " *" : "  ", solution_name(*result.planned), short_time(s.time.median),
          fmt::format("{:.1f}", result.rate() / 1e9)};
  if (result.ceiling_name() == "fma") row.push_back(fmt::format("{:.1f}", result.work.bytes / s.time.median / 1e9));
  row.push_back(ceiling > 0 ? fmt::format("{:.1f} %", 100 * result.rate() / ceiling) : "-");
  bool const modelled = result.model.seconds > 0;
  row.push_back(modelled ? fmt::format("{:.1f} {}", result.amount() / result.model.seconds / 1e9, result.model.limiter)
                         : "-");
  row.push_back(modelled ? fmt::format("{:.2f}", result.model.seconds / s.time.median) : "-");
  row.push_back(fmt::format("{:.2f} %", 50 * (s.time.high - s.time.low) / s.time.median));
  row.push_back(std::to_string(s.count));
  std::vector<std::string> remarks = result.flags;
  if (auto const core = result.notes.find("core type"); core != result.notes.end())
    remarks.push_back(core->second + " kernels");
  row.push_back(fmt::format("{}", fmt::join(remarks, "; ")));
  return row;
}

}  // namespace

std::string group_table(std::vector<Result> const& results) {
  Result const *any = nullptr, *best = nullptr;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    any = &result;
    if (result.planned->variant->role != Role::bound && (best == nullptr || result.rate() > best->rate()))
      best = &result;
  }
  Case const& first = *results.front().planned;
  std::string title = first.problem();
  bool const all_alike = std::all_of(results.begin(), results.end(), [&](Result const& r) {
    bool const alike = r.outcome == Outcome::skipped || r.outcome == Outcome::not_run;
    return alike && r.outcome == results.front().outcome && r.reason == results.front().reason;
  });
  if (all_alike) return fmt::format("{}\n    {}\n", title, what_became(results.front()));
  if (any != nullptr) {
    Ceilings const& c = any->ceilings;
    if (c.copy > 0) title += fmt::format("   copy {:.1f} GB/s", c.copy / 1e9);
    if (c.fma > 0) title += fmt::format("   fma {:.1f} GFLOP/s", c.fma / 1e9);
  }
  std::vector<Row> rows;
  if (any != nullptr) {
    Row head{"", "variant", "time", first.pattern->figure};
    bool const compute = any->ceiling_name() == "fma";
    if (compute) head.push_back("GB/s");
    head.insert(head.end(), {compute ? "of fma" : "of copy", "model", "achieved", "+-", "n", ""});
    rows.push_back(head);
  }
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed)
      rows.push_back(figures(result, &result == best));
    else
      rows.push_back({"  ", solution_name(*result.planned), what_became(result)});
  }
  return title + "\n" + aligned(rows);
}

std::string table_legend() {
  return "  * fastest solution; of copy, of fma: share of the ceiling in the title, measured in the same rounds; "
         "model: what theory predicts\n"
         "  and what limits it; achieved: measured / model; +-: half the 95 % interval of the median of n samples";
}

std::string fom_lines(std::vector<Result> const& results) {
  std::string text;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    std::string const name = result.planned->name();
    char const* const metric = result.ceiling_name() == "fma" ? "compute" : "bandwidth";
    text += fmt::format("FOM {} {} = {:.3f} {}\n", name, metric, result.rate() / 1e9, result.planned->pattern->figure);
    text += fmt::format("FOM {} time_median = {:.3f} us\n", name, result.statistics().time.median * 1e6);
  }
  return text;
}

Tally tally(std::vector<Result> const& results) {
  Tally t;
  for (Result const& result : results) {
    switch (result.outcome) {
      case Outcome::passed: ++t.passed; break;
      case Outcome::failed: ++t.failed; break;
      case Outcome::error: ++t.errors; break;
      case Outcome::skipped: ++t.skipped; break;
      case Outcome::not_run: ++t.not_run; break;
    }
  }
  return t;
}

}  // namespace tilestride
