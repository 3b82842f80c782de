// SPDX-License-Identifier: BSD-3-Clause
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/units.hpp"

namespace tilestride {
namespace {

using Row = std::vector<std::string>;
using Names = std::vector<std::string>;

/// "padded tile=32": the variant and the keys that only some variants have.
std::string solution_name(Case const& c) {
  std::string name = c.variant->name;
  for (Value const& value : c.values) {
    if (c.pattern->is_variant_key(*value.key)) name += fmt::format(" {}={}", value.key->name, value.text());
  }
  return name;
}

/// "skipped: no program here has space hip".
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

/// The columns that only some groups have.
struct Columns {
  bool bytes = false;    ///< GB/s beside GFLOP/s
  bool cycles = false;   ///< beside ns
  std::string ceiling;   ///< name of the yardstick that the figure is a share of; empty: none
  bool kernels = false;  ///< registers and occupancy
  Names quantities;      ///< predicted and measured, in the order of their first appearance
};

double const* find(Quantities const& quantities, std::string const& name) {
  for (auto const& [known, value] : quantities) {
    if (known == name) return &value;
  }
  return nullptr;
}

Columns columns_of(std::vector<Result> const& results) {
  Columns columns;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    columns.bytes = columns.bytes || result.planned->pattern->figure == Figure::compute;
    columns.cycles =
        columns.cycles || (result.planned->pattern->figure == Figure::latency && result.ceilings.clock > 0);
    columns.kernels = columns.kernels || !result.kernels.empty();
    columns.ceiling = result.ceiling_name();
    for (Quantities const* quantities : {&result.predicted, &result.measured}) {
      for (auto const& [name, value] : *quantities) {
        if (std::find(columns.quantities.begin(), columns.quantities.end(), name) == columns.quantities.end())
          columns.quantities.push_back(name);
      }
    }
  }
  return columns;
}

Row heading(Columns const& columns, Pattern const& pattern) {
  Row row{"", "variant", "time", std::string(unit_of(pattern.figure))};
  if (columns.bytes) row.push_back("GB/s");
  if (columns.cycles) row.push_back("cycles");
  if (!columns.ceiling.empty()) row.push_back("of " + columns.ceiling);
  row.insert(row.end(), {"model", "achieved"});
  row.insert(row.end(), columns.quantities.begin(), columns.quantities.end());
  if (columns.kernels) row.insert(row.end(), {"regs", "occupancy"});
  row.insert(row.end(), {"+-", "n", ""});
  return row;
}

/// The kernel of a repetition whose threads take most registers, single blocks aside: of a product, of the copies
/// before it and the sum after it, the product.
KernelUse const* main_kernel(Result const& result) {
  auto const it =
      std::max_element(result.kernels.begin(), result.kernels.end(), [](KernelUse const& a, KernelUse const& b) {
        return std::pair(a.blocks > 1, a.registers) < std::pair(b.blocks > 1, b.registers);
      });
  return it == result.kernels.end() ? nullptr : &*it;
}

std::string remarks(Result const& result) {
  Names remarks = result.flags;
  if (auto const core = result.notes.find("core type"); core != result.notes.end())
    remarks.push_back(core->second + " kernels");
  Value const* const asked = result.planned->find("block");
  if (auto const block = result.notes.find("block"); block != result.notes.end() && asked->text() == "auto")
    remarks.push_back("block " + block->second);
  if (result.rounded()) remarks.push_back("inputs rounded to " + result.notes.at("rounded to"));
  if (KernelUse const* kernel = main_kernel(result); kernel != nullptr && kernel->local > 0) {
    remarks.push_back(fmt::format("{} B of local memory a thread", kernel->local));
    if (kernel->spill_stores > 0) remarks.back() += fmt::format(", {} B spilled", kernel->spill_stores);
  }
  return fmt::format("{}", fmt::join(remarks, "; "));
}

Row figures(Result const& result, Columns const& columns, bool best) {
  Statistics const s = result.statistics();
  bool const modelled = result.model.seconds > 0;
  Row row{best ? " *" : "  ", solution_name(*result.planned), short_time(s.time.median),
          fmt::format("{:.1f}", result.in_unit(result.rate()))};
  if (columns.bytes) row.push_back(fmt::format("{:.1f}", result.work.bytes / s.time.median / 1e9));
  if (columns.cycles) row.push_back(fmt::format("{:.1f}", result.ceilings.clock / result.rate()));
  if (!columns.ceiling.empty()) {
    double const ceiling = result.ceiling();
    row.push_back(ceiling > 0 ? fmt::format("{:.1f} %", 100 * result.rate() / ceiling) : "-");
  }
  row.push_back(
      modelled ? fmt::format("{:.1f} {}", result.in_unit(result.amount() / result.model.seconds), result.model.limiter)
               : "-");
  row.push_back(modelled ? fmt::format("{:.2f}", result.model.seconds / s.time.median) : "-");
  for (std::string const& name : columns.quantities) {
    double const* value = find(result.measured, name);
    if (value == nullptr) value = find(result.predicted, name);
    row.push_back(value != nullptr ? fmt::format("{:.4g}", *value) : "-");
  }
  if (columns.kernels) {
    KernelUse const* kernel = main_kernel(result);
    row.push_back(kernel != nullptr ? std::to_string(kernel->registers) : "-");
    row.push_back(kernel != nullptr ? fmt::format("{:.2f}", kernel->occupancy) : "-");
  }
  row.push_back(fmt::format("{:.2f} %", 50 * (s.time.high - s.time.low) / s.time.median));
  row.push_back(std::to_string(s.count));
  row.push_back(remarks(result));
  return row;
}

}  // namespace

std::string group_table(std::vector<Result> const& results) {
  Result const *any = nullptr, *best = nullptr;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    any = &result;
    bool const solves = result.planned->variant->role != Role::bound && !result.rounded();
    if (solves && (best == nullptr || result.rate() > best->rate())) best = &result;
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
    if (c.read > 0) title += fmt::format("   read {:.1f} GB/s", c.read / 1e9);
    if (c.fma > 0) title += fmt::format("   fma {:.1f} GFLOP/s", c.fma / 1e9);
  }
  Columns const columns = columns_of(results);
  std::vector<Row> rows;
  if (any != nullptr) rows.push_back(heading(columns, *first.pattern));
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed)
      rows.push_back(figures(result, columns, &result == best));
    else
      rows.push_back({"  ", solution_name(*result.planned), what_became(result)});
  }
  return title + "\n" + aligned(rows);
}

std::string table_legend() {
  return "  * fastest solution; of copy, of read, of fma: share of the ceiling in the title, measured in the same "
         "rounds; "
         "model: what theory predicts\n"
         "  and what limits it; achieved: measured / model; +-: half the 95 % interval of the median of n samples";
}

std::string fom_lines(std::vector<Result> const& results) {
  std::string text;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    std::string const name = result.planned->name();
    Figure const figure = result.planned->pattern->figure;
    text +=
        fmt::format("FOM {} {} = {:.3f} {}\n", name, name_of(figure), result.in_unit(result.rate()), unit_of(figure));
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
