// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "deck/units.hpp"
#include "harness/result.hpp"
#include "harness/whole.hpp"
#include "patterns/carveout/settings.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

bool spills(Case const& c) { return c.variant->name.find("spill") != std::string::npos; }

std::string refuse(Case const& c) {
  if (c.integer("blocks") > Carveout::most_blocks)
    return fmt::format("at most {} blocks: their output is to stay in L2", Carveout::most_blocks);
  if (c.integer("passes") > 1'000'000) return "at most 1000000 passes";
  return "";
}

double needs(Case const& c) {
  return static_cast<double>(Carveout::table_bytes + c.integer("blocks") * Carveout::threads * 4 + (1 << 16));
}

/// What the kernel asks of L1, of shared memory, or of registers and their spills.
Work work(Case const& c) {
  double const passes = static_cast<double>(c.integer("blocks")) * static_cast<double>(c.integer("passes"));
  if (spills(c)) return {2.0 * passes * Carveout::threads * Carveout::live * 4};
  return {passes * static_cast<double>(c.find("working_set")->n[0])};
}

/// L1 and shared memory are one memory, which serves 128 bytes a cycle.
Model model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.scratch == 0 || spills(c)) return {};
  return {work(c).bytes / (128 * ceilings.scratch),
          c.variant->name.find("scratch") == std::string::npos ? "L1" : "scratch"};
}

std::string setting_of(Case const& c) {
  std::string text = "carveout=" + c.choice("carveout");
  if (c.choice("preference") != "none") text += " preference=" + c.choice("preference");
  if (c.find("bank_size") != nullptr && c.choice("bank_size") != "default")
    text += " bank_size=" + c.choice("bank_size");
  return text;
}

double measured(Result const& result, std::string const& name) {
  for (auto const& [known, value] : result.measured) {
    if (known == name) return value;
  }
  return 0;
}

/// All settings of one kernel on one working set.
struct Sweep {
  std::string name;
  Result const *fastest = nullptr, *slowest = nullptr, *untouched = nullptr;
  std::vector<Result const*> banks;
};

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<Sweep> sweeps;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    Case const& c = *result.planned;
    std::string name = c.problem() + " " + c.variant->name;
    if (Value const* set = c.find("working_set")) name += " working_set=" + set->text();
    auto sweep = std::find_if(sweeps.begin(), sweeps.end(), [&](Sweep const& known) { return known.name == name; });
    if (sweep == sweeps.end()) sweep = sweeps.insert(sweeps.end(), {name, nullptr, nullptr, nullptr, {}});
    bool const asks_for_banks = c.find("bank_size") != nullptr && c.choice("bank_size") != "default";
    if (asks_for_banks) {
      sweep->banks.push_back(&result);
      continue;
    }
    if (sweep->fastest == nullptr || result.rate() > sweep->fastest->rate()) sweep->fastest = &result;
    if (sweep->slowest == nullptr || result.rate() < sweep->slowest->rate()) sweep->slowest = &result;
    if (setting_of(c) == "carveout=default") sweep->untouched = &result;
  }
  std::vector<std::string> sentences;
  for (Sweep const& sweep : sweeps) {
    auto const told = [](Result const& result) {
      return fmt::format("{} ({:.0f} GB/s, {:.0f} blocks a multiprocessor)", setting_of(*result.planned),
                         result.rate() / 1e9, measured(result, "blocks/SM"));
    };
    if (sweep.fastest != sweep.slowest) {
      std::string sentence = fmt::format("{}: {} is {:.2f}x {}", sweep.name, told(*sweep.fastest),
                                         sweep.fastest->rate() / sweep.slowest->rate(), told(*sweep.slowest));
      if (sweep.untouched != nullptr)
        sentence +=
            fmt::format(" and {:.2f}x what the driver chooses", sweep.fastest->rate() / sweep.untouched->rate());
      sentences.push_back(sentence);
    }
    for (Result const* banks : sweep.banks) {
      if (sweep.untouched == nullptr) break;
      sentences.push_back(fmt::format("{}: bank_size={} is read back as {:.0f} bytes and runs {:.2f}x as fast",
                                      sweep.name, banks->planned->choice("bank_size"), measured(*banks, "bank bytes"),
                                      banks->rate() / sweep.untouched->rate()));
    }
  }
  return sentences;
}

}  // namespace

Pattern carveout_pattern() {
  std::string const no_carveout = "on a host L1 is not divided";
  std::vector<std::string> const settings{"carveout", "preference"};
  std::vector<std::string> const set_settings{"working_set", "carveout", "preference"};
  std::vector<std::string> const bank_settings{"working_set", "carveout", "preference", "bank_size"};
  Pattern pattern{
      "carveout",
      "L1 and shared memory are one memory: what does dividing it otherwise change for kernels that need one of them?",
      {Type::i32},
      Figure::bandwidth,
      "bytes asked of L1 or shared memory / (128 B x multiprocessors x clock): all served by the multiprocessor's own "
      "memory; none for spills, part of which are registers",
      {
          {"blocks", KeyKind::integer, "2112", {}, "of the grid, 256 threads each"},
          {"passes", KeyKind::integer, "128", {}, "over the working set"},
          {"working_set", KeyKind::bytes, "16 KiB", {}, "of a block, which it reads again and again"},
          {"carveout",
           KeyKind::choice,
           "default",
           {"default", "0", "10", "20", "25", "30", "40", "50", "60", "70", "75", "80", "90", "100"},
           "percent for shared memory, of what both have; default: as the driver likes"},
          {"preference",
           KeyKind::choice,
           "none",
           {"none", "shared", "l1", "equal"},
           "cudaFuncSetCacheConfig, the older way to say it; set last"},
          {"bank_size",
           KeyKind::choice,
           "default",
           {"default", "4", "8"},
           "bytes, cudaDeviceSetSharedMemConfig: deprecated, and only compute capability 3 had a choice"},
      },
      {
          Variant{"kokkos_cache_hungry", "the working set is read through L1", Role::solution, prepare_whole,
                  set_settings}
              .only_on_devices(no_carveout),
          Variant{"kokkos_scratch_hungry", "the working set is staged in team scratch", Role::solution, prepare_whole,
                  set_settings}
              .only_on_devices(no_carveout),
          Variant{"kokkos_spill_heavy", "96 live values a thread in 64 registers: the rest spills to L1",
                  Role::solution, prepare_whole, settings}
              .only_on_devices(no_carveout),
          Variant{"cache_hungry", "the working set is read through L1", Role::native, prepare_whole, set_settings}
              .twin_of("kokkos_cache_hungry"),
          Variant{"scratch_hungry", "the working set is staged in dynamic shared memory, up to the opt-in limit",
                  Role::native, prepare_whole, bank_settings}
              .twin_of("kokkos_scratch_hungry"),
          Variant{"spill_heavy", "96 live values a thread in 64 registers: the rest spills to L1", Role::native,
                  prepare_whole, settings}
              .twin_of("kokkos_spill_heavy"),
      },
      refuse,
      needs,
      work,
      model,
      findings,
  };
  pattern.on_hosts = "nothing: a host has no shared memory beside its L1";
  return pattern;
}

}  // namespace tilestride
