// SPDX-License-Identifier: BSD-3-Clause
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/text.hpp"
#include "model/units.hpp"
#include "report/terminal.hpp"

namespace tilestride {
namespace {

using Cells = std::vector<std::string>;
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
  return fmt::format("{}{}{}", name_of(result.outcome), result.reason.empty() ? "" : ": ", printable(result.reason));
}

struct Row {
  Cells cells;
  Ink ink = Ink::plain;
};

/// Columns as wide as their widest cell: the first two to the left, the others to the right. The third of a case
/// without a figure is a sentence, to which no column belongs. A line is painted when it is whole: escape codes take no
/// room.
std::string aligned(std::vector<Row> const& rows, bool colour) {
  auto const in_column = [](Cells const& cells, std::size_t i) { return i < 2 || cells.size() > 3; };
  std::vector<std::size_t> widths;
  for (auto const& [cells, ink] : rows) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (in_column(cells, i)) widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  std::string text;
  for (auto const& [cells, ink] : rows) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::size_t const width = in_column(cells, i) ? widths[i] : 0;
      bool const left = i < 2 || i + 1 == cells.size();
      line += (left ? fmt::format("{:<{}}", cells[i], width) : fmt::format("{:>{}}", cells[i], width)) + "  ";
    }
    text += painted(line.substr(0, line.find_last_not_of(' ') + 1), ink, colour) + "\n";
  }
  return text;
}

/// The kernel of a repetition with the most registers per thread, without kernels of a single block. For a product this
/// is the product itself, not the copies before it or the sum after it.
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
  bool const chosen = asked == nullptr || asked->text() == "auto";  // summa has no such key
  if (auto const block = result.notes.find("block"); block != result.notes.end() && chosen)
    remarks.push_back("block " + block->second);
  if (auto const energy = result.notes.find("energy"); energy != result.notes.end())
    remarks.push_back("energy " + energy->second);
  if (result.rounded()) remarks.push_back("inputs rounded to " + result.notes.at("rounded to"));
  if (KernelUse const* kernel = main_kernel(result); kernel != nullptr && kernel->local > 0) {
    remarks.push_back(fmt::format("{} B of local memory per thread", kernel->local));
    if (kernel->spill_stores > 0) remarks.back() += fmt::format(", {} B spilled", kernel->spill_stores);
  }
  return printable(fmt::format("{}", fmt::join(remarks, "; ")));
}

/// One column: its heading, and what it says of a case that passed.
struct Column {
  std::string heading;
  std::function<std::string(Result const&)> cell;
};

/// A measured or predicted quantity of that name; measured values take precedence.
std::string quantity(Result const& result, std::string const& name) {
  for (Quantities const* const quantities : {&result.measured, &result.predicted}) {
    for (auto const& [known, value] : *quantities) {
      if (known == name) return fmt::format("{:.4g}", value);
    }
  }
  return "-";
}

/// The names of all quantities, in the order of their first appearance.
Names quantities_of(std::vector<Result const*> const& passed) {
  Names names;
  for (Result const* const result : passed) {
    for (Quantities const* const quantities : {&result->predicted, &result->measured}) {
      for (auto const& [name, value] : *quantities) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  return names;
}

std::string share_of_ceiling(Result const& result) {
  double const ceiling = result.ceiling();
  return ceiling > 0 ? fmt::format("{:.1f} %", 100 * result.rate() / ceiling) : "-";
}

std::string modelled_rate(Result const& result) {
  Model const& model = result.model;
  if (model.seconds == 0) return "-";
  return fmt::format("{:.1f} {}", result.in_unit(result.amount() / model.seconds), model.limiter);
}

std::string model_achieved(Result const& result) {
  return result.model.seconds > 0 ? fmt::format("{:.2f}", result.model.seconds / result.statistics().time.median) : "-";
}

/// Of the error that the type allows: "0.31"; "0" where every element was compared exactly.
std::string share_of_error(Result const& result, double Accuracy::*error) {
  return result.check.accuracy ? fmt::format("{:.2f}", *result.check.accuracy.*error) : "0";
}

/// "regs" and "occupancy" of the main kernel.
std::string of_kernel(Result const& result, std::string (*say)(KernelUse const&)) {
  KernelUse const* const kernel = main_kernel(result);
  return kernel != nullptr ? say(*kernel) : "-";
}

/// The columns of a table, from left to right: a new one is a line here. Those that none of the cases fills are left
/// out.
std::vector<Column> columns_of(std::vector<Result const*> const& passed) {
  auto const any = [&](auto const& has) {
    return std::any_of(passed.begin(), passed.end(), [&](Result const* r) { return has(*r); });
  };
  Figure const figure = passed.front()->planned->pattern->figure;
  std::vector<Column> columns;
  auto const add = [&](std::string heading, std::function<std::string(Result const&)> cell, bool shown = true) {
    if (shown) columns.push_back({std::move(heading), std::move(cell)});
  };
  add("variant", [](Result const& r) { return solution_name(*r.planned); });
  add("time", [](Result const& r) { return short_time(r.statistics().time.median); });
  add(std::string(unit_of(figure)), [](Result const& r) { return fmt::format("{:.1f}", r.in_unit(r.rate())); });
  add(
      "GB/s", [](Result const& r) { return fmt::format("{:.1f}", r.work.bytes / r.statistics().time.median / 1e9); },
      figure == Figure::compute);
  bool const ranked = any([](Result const& r) { return r.ranks.has_value(); });
  add(
      "slowest",
      [](Result const& r) {
        return r.ranks ? fmt::format("{:+.1f} % rank {}", 100 * (r.ranks->median() / r.ranks->slowest() - 1),
                                     r.ranks->slowest_rank())
                       : "-";
      },
      ranked);
  add(
      "together", [](Result const& r) { return r.ranks ? fmt::format("{:.1f}", r.in_unit(r.ranks->together)) : "-"; },
      ranked && figure != Figure::latency);
  bool const computes = any([](Result const& r) { return r.intensity.has_value(); });
  add(
      "ideal F/B", [](Result const& r) { return r.intensity ? fmt::format("{:.3g}", r.intensity->ideal) : "-"; },
      computes);
  add(
      "req. F/B",
      [](Result const& r) {
        return r.intensity && r.intensity->requested ? fmt::format("{:.3g}", *r.intensity->requested) : "-";
      },
      computes);
  add(
      "cycles", [](Result const& r) { return fmt::format("{:.1f}", r.ceilings.clock / r.rate()); },
      figure == Figure::latency && any([](Result const& r) { return r.ceilings.clock > 0; }));
  std::string const ceiling = passed.back()->ceiling_name();
  add("of " + ceiling, share_of_ceiling, !ceiling.empty());
  add("model", modelled_rate);
  add("achieved", model_achieved);
  for (std::string const& name : quantities_of(passed))
    add(name, [name](Result const& r) { return quantity(r, name); });
  bool const kernels = any([](Result const& r) { return !r.kernels.empty(); });
  add(
      "regs",
      [](Result const& r) { return of_kernel(r, [](KernelUse const& k) { return std::to_string(k.registers); }); },
      kernels);
  add(
      "occupancy",
      [](Result const& r) {
        return of_kernel(r, [](KernelUse const& k) { return fmt::format("{:.2f}", k.occupancy); });
      },
      kernels);
  bool const rounds = any([](Result const& r) { return r.check.accuracy.has_value(); });
  add(
      "worst err", [](Result const& r) { return share_of_error(r, &Accuracy::worst); }, rounds);
  add(
      "rms err", [](Result const& r) { return share_of_error(r, &Accuracy::rms); }, rounds);
  bool const metered = any([](Result const& r) { return r.energy.has_value(); });
  add(
      "W", [](Result const& r) { return r.energy ? fmt::format("{:.0f}", r.energy->watts) : "-"; }, metered);
  add(
      figure == Figure::latency ? "nJ" : fmt::format("{}/J", figure == Figure::compute ? "GFLOP" : "GB"),
      [figure](Result const& r) {
        if (!r.energy) return std::string("-");
        return fmt::format("{:.2f}", figure == Figure::latency ? 1e9 / r.per_joule() : r.per_joule() / 1e9);
      },
      metered);
  add("+-", [](Result const& r) {
    Estimate const t = r.statistics().time;
    return fmt::format("{:.2f} %", 50 * (t.high - t.low) / t.median);
  });
  add("n", [](Result const& r) { return std::to_string(r.statistics().count); });
  add("", remarks);
  return columns;
}

using Shown = std::vector<Result const*>;

/// The fastest that solves the problem; null when none does.
Result const* best_of(Shown const& passed) {
  Result const* best = nullptr;
  for (Result const* const result : passed) {
    bool const solves = result->planned->variant->role != Role::bound && !result->rounded();
    if (solves && (best == nullptr || result->rate() > best->rate())) best = result;
  }
  return best;
}

/// The problem, and what the machine reached beside it.
std::string title_of(Shown const& shown, Shown const& passed) {
  std::string title = shown.front()->planned->problem();
  if (passed.empty()) return title;
  Ceilings const& c = passed.back()->ceilings;
  if (c.copy > 0) title += fmt::format("   copy {:.1f} GB/s", c.copy / 1e9);
  if (c.read > 0) title += fmt::format("   read {:.1f} GB/s", c.read / 1e9);
  if (c.fma > 0) title += fmt::format("   fma {:.1f} GFLOP/s", c.fma / 1e9);
  return title;
}

Ink ink_of(Outcome outcome) {
  bool const bad = outcome == Outcome::failed || outcome == Outcome::error;
  return bad ? Ink::bad : outcome == Outcome::passed ? Ink::plain : Ink::dim;
}

std::vector<Row> rows_of(Shown const& shown, Shown const& passed) {
  std::vector<Row> rows;
  std::vector<Column> columns;
  if (!passed.empty()) {
    columns = columns_of(passed);
    Row& heading = rows.emplace_back(Row{{""}, Ink::dim});
    for (Column const& column : columns) heading.cells.push_back(column.heading);
  }
  Result const* const best = best_of(passed);
  for (Result const* const one : shown) {
    Result const& result = *one;
    auto& [cells, ink] = rows.emplace_back(Row{{&result == best ? " *" : "  "}, ink_of(result.outcome)});
    if (&result == best) ink = Ink::best;
    if (result.outcome == Outcome::passed) {
      for (Column const& column : columns) cells.push_back(column.cell(result));
    } else {
      cells.insert(cells.end(), {solution_name(*result.planned), what_became(result)});
    }
  }
  return rows;
}

/// All were skipped, or not run, for the same reason.
bool are_alike(Shown const& shown) {
  Result const& first = *shown.front();
  return (first.outcome == Outcome::skipped || first.outcome == Outcome::not_run) &&
         std::all_of(shown.begin(), shown.end(),
                     [&](Result const* r) { return r->outcome == first.outcome && r->reason == first.reason; });
}

/// The cases that were skipped for one reason.
struct Skips {
  std::map<std::string, std::size_t> by_words;
  std::size_t count = 0;
};

/// "no program here has space cuda (40)"
std::string text_of(Skips const& skips) {
  auto const most = std::max_element(skips.by_words.begin(), skips.by_words.end(),
                                     [](auto const& a, auto const& b) { return a.second < b.second; });
  return fmt::format("{}{} ({})", printable(most->first), skips.by_words.size() > 1 ? ", or similar" : "", skips.count);
}

}  // namespace

std::string group_table(std::vector<Result> const& results, TableStyle style) {
  Shown shown, passed;
  for (Result const& result : results) {
    if (result.outcome != Outcome::skipped || style.skipped) shown.push_back(&result);
    if (result.outcome == Outcome::passed) passed.push_back(&result);
  }
  if (shown.empty()) return "";
  std::string const title = title_of(shown, passed) + "\n";
  return title + (are_alike(shown) ? fmt::format("    {}\n", what_became(*shown.front()))
                                   : aligned(rows_of(shown, passed), style.colour));
}

std::string table_legend(std::vector<Result> const& results) {
  std::set<std::string> shares;
  bool errors = false, models = false, intensities = false, ranked = false;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    if (!result.ceiling_name().empty()) shares.insert("of " + result.ceiling_name());
    errors = errors || result.check.accuracy.has_value();
    models = models || result.model.seconds > 0;
    intensities = intensities || result.intensity.has_value();
    ranked = ranked || result.ranks.has_value();
  }
  if (tally(results).passed == 0) return "";
  std::string text = "* the fastest that solves the problem";
  if (!shares.empty())
    text += fmt::format("; {}: share of the rate in the title, measured beside it", fmt::join(shares, ", "));
  if (intensities)
    text += ";\n  ideal F/B, req. F/B: flops for a byte that must be moved, and for one that the kernel asks for";
  if (models) text += ";\n  model: what theory allows, and what limits it; achieved: measured / model";
  if (errors) text += ";\n  worst err, rms err: shares of the error that rounding explains";
  if (ranked)
    text +=
        ";\n  time and rate: median of the ranks; slowest: how far below, and which; together: work of all ranks over "
        "the time"
        "\n  from the first that begins to the last that ends";
  return text + ";\n  +-: half of the median's 95 % interval; n: samples\n";
}

std::string skip_line(std::vector<Result> const& results) {
  std::map<std::optional<SkipReason>, Skips> kinds;
  for (Result const& result : results) {
    if (result.outcome != Outcome::skipped) continue;
    Skips& skips = kinds[result.skip_reason];
    ++skips.by_words[result.reason];
    ++skips.count;
  }
  if (kinds.empty()) return "";
  std::vector<Skips> parts;
  for (auto const& [reason, skips] : kinds) parts.push_back(skips);
  std::stable_sort(parts.begin(), parts.end(), [](Skips const& a, Skips const& b) { return a.count > b.count; });
  std::vector<std::string> texts;
  for (Skips const& skips : parts) texts.push_back(text_of(skips));
  std::size_t const all = tally(results).skipped;
  return fmt::format("{} {} skipped (--verbose lists them): {}\n", all, all == 1 ? "case" : "cases",
                     fmt::join(texts, "; "));
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
    if (!result.ranks) continue;
    text += fmt::format("FOM {} slowest_rank_time = {:.3f} us\n", name, result.ranks->slowest() * 1e6);
    if (figure != Figure::latency && result.ranks->together > 0)
      text +=
          fmt::format("FOM {} together = {:.3f} {}\n", name, result.in_unit(result.ranks->together), unit_of(figure));
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
