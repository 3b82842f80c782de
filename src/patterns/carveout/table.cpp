// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "model/result.hpp"
#include "model/units.hpp"
#include "patterns/carveout/native.hpp"
#include "patterns/carveout/settings.hpp"
#include "patterns/common/findings.hpp"

namespace tilestride::carveout {
namespace {

std::string refuse(Case const& c) {
  if (c.integer("blocks") > most_blocks)
    return fmt::format("at most {} blocks: their output is to stay in L2", most_blocks);
  if (c.integer("passes") > 1'000'000) return "at most 1000000 passes";
  return "";
}

double needs(Case const& c) { return static_cast<double>(table_bytes + c.integer("blocks") * threads * 4 + (1 << 16)); }

double passes_of_all_blocks(Case const& c) {
  return static_cast<double>(c.integer("blocks")) * static_cast<double>(c.integer("passes"));
}

/// What is read from L1 or from shared memory.
Work work(Case const& c) { return {passes_of_all_blocks(c) * static_cast<double>(c.integer("working_set"))}; }

/// What is read and written in registers and in what they spill to.
Work spilled_work(Case const& c) { return {2.0 * passes_of_all_blocks(c) * threads * live * 4}; }

/// L1 and shared memory are one memory, which serves 128 bytes per cycle.
Model served_by(char const* memory, Case const& c, Ceilings const& ceilings) {
  if (ceilings.scratch == 0) return {};
  return {work(c).bytes / (128 * ceilings.scratch), memory};
}
Model cache_model(Case const& c, Ceilings const& ceilings) { return served_by("L1", c, ceilings); }
Model scratch_model(Case const& c, Ceilings const& ceilings) { return served_by("scratch", c, ceilings); }

std::string setting_of(Case const& c) {
  std::string text = "carveout=" + c.choice("carveout");
  if (c.choice("preference") != "none") text += " preference=" + c.choice("preference");
  if (c.find("bank_size") != nullptr && c.choice("bank_size") != "default")
    text += " bank_size=" + c.choice("bank_size");
  return text;
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
      return fmt::format("{} ({:.0f} GB/s, {:.0f} blocks per multiprocessor)", setting_of(*result.planned),
                         result.rate() / 1e9, result.measured_value("blocks/SM"));
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
                                      sweep.name, banks->planned->choice("bank_size"),
                                      banks->measured_value("bank bytes"), banks->rate() / sweep.untouched->rate()));
    }
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  std::vector<std::string> const settings{"carveout", "preference"};
  std::vector<std::string> const set_settings{"working_set", "carveout", "preference"};
  std::vector<std::string> const bank_settings{"working_set", "carveout", "preference", "bank_size"};
  std::string const parts = "Kokkos kernel; carve-out of its function by raw CUDA";
  std::string const cached = "the working set is read through L1";
  std::string const spilled = "96 live values per thread in 64 registers: the rest spills to L1";
  Pattern p;
  p.name = "carveout";
  p.meaning =
      "L1 and shared memory are one memory: what does dividing it otherwise change for kernels that need one of them?";
  p.types = {Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "bytes read from L1 or shared memory / (128 B x multiprocessors x clock): all served by the multiprocessor's own "
      "memory; none for spills, part of which are registers";
  p.keys = {
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
       {"none", "shared", "l1", "equal", "device_shared", "device_l1", "device_equal"},
       "cudaFuncSetCacheConfig, the older way to say it, or cudaDeviceSetCacheConfig, for functions that have none; "
       "set "
       "last"},
      {"bank_size",
       KeyKind::choice,
       "default",
       {"default", "4", "8"},
       "bytes, cudaDeviceSetSharedMemConfig: deprecated, and only compute capability 3 had a choice"},
  };
  p.variants = {
      hybrid("hybrid_cache_hungry", cached, parts, prepare_whole<&Launchers::hybrid_cache_hungry>)
          .with_keys(set_settings)
          .with_model(cache_model),
      hybrid("hybrid_scratch_hungry", "the working set is staged in team scratch", parts,
             prepare_whole<&Launchers::hybrid_scratch_hungry>)
          .with_keys(set_settings)
          .with_model(scratch_model),
      hybrid("hybrid_spill_heavy", spilled, parts, prepare_whole<&Launchers::hybrid_spill_heavy>)
          .with_keys(settings)
          .with_work(spilled_work),
      native("native_cache_hungry", cached, prepare_whole<&Launchers::native_cache_hungry>)
          .twin_of("hybrid_cache_hungry")
          .with_keys(set_settings)
          .with_model(cache_model),
      native("native_scratch_hungry", "the working set is staged in dynamic shared memory, up to the opt-in limit",
             prepare_whole<&Launchers::native_scratch_hungry>)
          .twin_of("hybrid_scratch_hungry")
          .with_keys(bank_settings)
          .with_model(scratch_model),
      native("native_scratch_of_doubles",
             "native_scratch_hungry in words of 8 bytes, each thread's beside its neighbour's",
             prepare_whole<&Launchers::native_scratch_of_doubles>)
          .with_keys(bank_settings)
          .with_model(scratch_model),
      native("native_spill_heavy", spilled, prepare_whole<&Launchers::native_spill_heavy>)
          .twin_of("hybrid_spill_heavy")
          .with_keys(settings)
          .with_work(spilled_work),
  };
  p.on_hosts = "nothing: a host has no shared memory beside its L1";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::carveout
