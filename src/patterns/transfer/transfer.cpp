// SPDX-License-Identifier: BSD-3-Clause
// Words that cross the link between host and device: no arithmetic but what on_device and round_trip need. The trials
// themselves are in src/cuda/transfer.cu.
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "deck/units.hpp"
#include "harness/result.hpp"
#include "harness/whole.hpp"
#include "patterns/patterns.hpp"
#include "patterns/transfer/fit.hpp"

namespace tilestride {
namespace {

constexpr char const* no_link = "a host has no link to itself";

double bytes_of(Case const& c) { return static_cast<double>(c.find("bytes")->n[0]); }

std::string refuse(Case const& c) {
  if (c.find("bytes")->n[0] % 4 == 0) return "";
  return fmt::format("{} bytes are no whole number of words of 4 bytes", c.find("bytes")->n[0]);
}

double needs(Case const& c) {
  bool const both = c.choice("direction") == "both";
  bool const steps = both && (c.variant->name == "on_device" || c.variant->name == "round_trip");
  return (steps ? 4 : both ? 2 : 1) * bytes_of(c);
}

Work work(Case const& c) { return {(c.choice("direction") == "both" ? 2 : 1) * bytes_of(c)}; }

double measured(Result const& result, std::string const& name) {
  for (auto const& [known, value] : result.measured) {
    if (known == name) return value;
  }
  return 0;
}

double seconds_of(Result const& result) { return result.statistics().time.median; }

/// The results that passed, by variant, memory, direction and bytes that cross the link.
using Link = std::tuple<std::string, std::string, std::string>;
using BySize = std::map<double, Result const*>;
using Links = std::map<Link, BySize>;

Links links_of(std::vector<Result> const& results) {
  Links links;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    Case const& c = *result.planned;
    links[{c.variant->name, c.choice("memory"), c.choice("direction")}][result.work.bytes] = &result;
  }
  return links;
}

void tell_the_fit(Link const& link, BySize const& sizes, std::vector<std::string>& sentences) {
  std::vector<TimedTransfer> transfers;
  for (auto const& [bytes, result] : sizes) transfers.push_back({bytes, seconds_of(*result)});
  auto const fit = fit_link(transfers);
  if (!fit) return;
  auto const& [variant, memory, direction] = link;
  sentences.push_back(fmt::format("{}, {} {}: {} + bytes / {:.1f} GB/s over {} sizes, {:.1f} % off at the median",
                                  variant, memory, direction, short_time(fit->latency), fit->rate / 1e9,
                                  transfers.size(), 100 * fit->error));
  if (fit->latency > 0) sentences.back() += "; half that rate at " + short_bytes(fit->latency * fit->rate);
}

/// After how many copies of each size this memory has earned what pinning it cost.
void tell_break_even(Link const& link, BySize const& pinned, Links const& links, std::vector<std::string>& sentences) {
  auto const& [variant, memory, direction] = link;
  auto const pageable = links.find({variant, "pageable", direction});
  if (memory == "pageable" || pageable == links.end()) return;
  std::vector<std::string> sizes;
  for (auto const& [bytes, result] : pinned) {
    auto const slow = pageable->second.find(bytes);
    double const pin = 1e-6 * measured(*result, "pin us");
    if (slow == pageable->second.end() || pin == 0) continue;
    auto const copies = copies_until_pinning_pays(pin, seconds_of(*slow->second), seconds_of(*result));
    sizes.push_back(fmt::format("{} of {}", copies ? fmt::format("{:.0f}", *copies) : "never", short_bytes(bytes)));
  }
  if (!sizes.empty())
    sentences.push_back(fmt::format("{}, {} {}: pinning pays after so many copies: {}", variant, memory, direction,
                                    fmt::join(sizes, ", ")));
}

/// Whether the calls return before the copy is done, at the largest size.
void tell_what_blocks(Link const& link, BySize const& sizes, std::vector<std::string>& sentences) {
  auto const& [variant, memory, direction] = link;
  auto const& [bytes, result] = *sizes.rbegin();
  sentences.push_back(fmt::format("{}, {} {} of {}: the calls hold the host for {:.1f} % of the time", variant, memory,
                                  direction, short_bytes(bytes),
                                  100e-6 * measured(*result, "host us") / seconds_of(*result)));
}

void tell_round_trip(Link const& link, BySize const& sizes, Links const& links, std::vector<std::string>& sentences) {
  auto const& [variant, memory, direction] = link;
  auto const stays = links.find({"on_device", memory, direction});
  if (variant != "round_trip" || stays == links.end()) return;
  auto const& [bytes, far] = *sizes.rbegin();
  auto const near = stays->second.find(bytes);
  if (near == stays->second.end()) return;
  sentences.push_back(
      fmt::format("{} of intermediates by way of {} host memory: {:.1f}x the time of leaving them on the device",
                  short_bytes(bytes / 2), memory, seconds_of(*far) / seconds_of(*near->second)));
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> sentences;
  Links const links = links_of(results);
  for (auto const& [link, sizes] : links) {
    auto const& [variant, memory, direction] = link;
    tell_round_trip(link, sizes, links, sentences);
    bool const told_by_kokkos = variant == "native" && links.count({"kokkos", memory, direction}) != 0;
    if (told_by_kokkos || variant == "on_device" || variant == "round_trip") continue;
    tell_the_fit(link, sizes, sentences);
    tell_break_even(link, sizes, links, sentences);
    tell_what_blocks(link, sizes, sentences);
  }
  return sentences;
}

}  // namespace

Pattern transfer_pattern() {
  Pattern pattern{
      "transfer",
      "copies between host and device: what is the link worth, what does pinned memory give, and what does it cost?",
      {Type::i32},
      Figure::bandwidth,
      "in the columns, from parts measured when the case is prepared: `model us` = the time of the smallest copy + "
      "bytes / `link`, which is the rate of plain cudaMemcpyAsync in a row from pinned memory, the same way or ways at "
      "a time; from or to pageable memory one way after the other, each no faster than one thread's memcpy by way of a "
      "small buffer; round_trip: one way after the other, kernels not counted; `achieved` = model / time. `host us`: "
      "how long the calls hold the host. `pin us`: cudaHostAlloc, "
      "or cudaHostRegister of pages that are there. Both ways: the bytes of both are counted",
      {
          {"bytes", KeyKind::bytes, "64 MiB", {}, "size of one transfer"},
          {"memory",
           KeyKind::choice,
           "pinned",
           {"pageable", "pinned", "registered", "write_combined"},
           "of the host: as malloc gives it; cudaHostAlloc; that of malloc with cudaHostRegister; not cached by the "
           "CPU"},
          {"direction", KeyKind::choice, "h2d", {"h2d", "d2h", "both"}, "to the device, from it, both at a time"},
      },
      {
          Variant{"kokkos", "deep_copy on an instance, one instance each way", Role::solution, prepare_whole, {}}
              .only_on_devices(no_link),
          Variant{"round_trip",
                  "two kernels; what is between them goes to the host and back",
                  Role::solution,
                  prepare_whole,
                  {}}
              .only_on_devices(no_link),
          Variant{"on_device", "the same two kernels; nothing leaves the device", Role::bound, prepare_whole, {}}
              .only_on_devices(no_link),
          Variant{"native", "cudaMemcpyAsync, one stream each way", Role::native, prepare_whole, {}}.twin_of("kokkos"),
      },
      refuse,
      needs,
      work,
      nullptr,
      findings,
  };
  pattern.on_hosts = "a host has one memory: nothing to transfer, every case is skipped";
  return pattern;
}

}  // namespace tilestride
