// SPDX-License-Identifier: BSD-3-Clause
// Words that cross the link between host and device: no arithmetic but what on_device and round_trip need.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "model/result.hpp"
#include "model/units.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/transfer/copy.hpp"
#include "patterns/transfer/fit.hpp"
#include "patterns/transfer/two_steps.hpp"

namespace tilestride::transfer {
namespace {

/// A round trip, and what its time is set against.
struct Detour {
  char const *far, *near;
};
constexpr Detour detour{"round_trip", "on_device"};

double bytes_of(Case const& c) { return static_cast<double>(c.integer("bytes")); }
bool is_both_ways(Case const& c) { return c.choice("direction") == "both"; }

std::string refuse(Case const& c) { return refuse_bytes(c.integer("bytes"), c.type); }

double needs(Case const& c) { return (is_both_ways(c) ? 2 : 1) * bytes_of(c); }

/// The arrays of both ways, and what is between the two steps; counted generously.
double two_steps_needs(Case const& c) { return (is_both_ways(c) ? 4 : 1) * bytes_of(c); }

Work work(Case const& c) { return {(is_both_ways(c) ? 2 : 1) * bytes_of(c)}; }

double median_seconds(Result const& result) { return result.statistics().time.median; }

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
  for (auto const& [bytes, result] : sizes) transfers.push_back({bytes, median_seconds(*result)});
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
    double const pin = 1e-6 * result->measured_value("pin us");
    if (slow == pageable->second.end() || pin == 0) continue;
    auto const copies = copies_until_pinning_pays(pin, median_seconds(*slow->second), median_seconds(*result));
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
                                  100e-6 * result->measured_value("host us") / median_seconds(*result)));
}

/// What becomes of the largest copy, and of pinning its memory, where much of the host's memory is pinned already.
void tell_cost_of_much(Link const& link, BySize const& sizes, Links const& links, std::vector<std::string>& sentences) {
  auto const& [variant, memory, direction] = link;
  auto const& [bytes, crowded] = *sizes.rbegin();
  double const beside = crowded->measured_value("beside GiB");
  auto const plain = links.find({variant, "pinned", direction});
  if (beside == 0 || plain == links.end()) return;
  auto const alone = plain->second.find(bytes);
  if (alone == plain->second.end()) return;
  sentences.push_back(fmt::format(
      "{}, {} of {}: with {:.1f} GiB more pinned the copy takes {:.2f}x the time, pinning its memory {:.2f}x", variant,
      direction, short_bytes(bytes), beside, median_seconds(*crowded) / median_seconds(*alone->second),
      crowded->measured_value("pin us") / alone->second->measured_value("pin us")));
}

void tell_round_trip(Link const& link, BySize const& sizes, Links const& links, std::vector<std::string>& sentences) {
  auto const& [variant, memory, direction] = link;
  auto const stays = links.find({detour.near, memory, direction});
  if (stays == links.end()) return;
  auto const& [bytes, far] = *sizes.rbegin();
  auto const near = stays->second.find(bytes);
  if (near == stays->second.end()) return;
  sentences.push_back(
      fmt::format("{} of intermediates by way of {} host memory: {:.1f}x the time of leaving them on the device",
                  short_bytes(bytes / 2), memory, median_seconds(*far) / median_seconds(*near->second)));
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> sentences;
  Links const links = links_of(results);
  for (auto const& [link, sizes] : links) {
    auto const& [variant, memory, direction] = link;
    if (variant == detour.far) tell_round_trip(link, sizes, links, sentences);
    if (variant == detour.far || variant == detour.near) continue;
    std::string const& twin = sizes.begin()->second->planned->variant->twin;
    if (links.count({twin, memory, direction}) != 0) continue;  // the twin tells it
    tell_the_fit(link, sizes, sentences);
    tell_break_even(link, sizes, links, sentences);
    tell_what_blocks(link, sizes, sentences);
    tell_cost_of_much(link, sizes, links, sentences);
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "transfer";
  p.meaning =
      "copies between host and device: what is the link worth, what does pinned memory give, what does it cost?";
  p.types = {Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "in the columns, from parts measured when the case is prepared: `model us` = the time of the smallest copy + "
      "bytes / `link`, which is the rate of deep_copy on an instance in a row from pinned memory, the same way or ways "
      "at a time; from or to pageable memory one way after the other, each one thread's memcpy by way of a small "
      "buffer "
      "and then the link; round_trip: one way after the other, kernels not counted; `achieved` = model / time. `host "
      "us`: "
      "how long the calls hold the host, the median over the samples. `pin us`: allocating pinned memory, or "
      "cudaHostRegister of pages that are there, the median of five after a first one. `beside GiB`, `beside ms`: what "
      "much_pinned pins besides, and the time for it, "
      "once; the link was measured before. Both ways: the bytes of both "
      "are "
      "counted";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "size of one transfer"},
      {"memory",
       KeyKind::choice,
       "pinned",
       {"pageable", "pinned", "registered", "write_combined", "much_pinned"},
       "of the host: as malloc gives it; Kokkos' SharedHostPinnedSpace; that of malloc with cudaHostRegister; pinned, "
       "but not cached by the CPU; pinned, while a quarter of the host's free memory, at most 16 GiB, is pinned "
       "besides"},
      {"direction", KeyKind::choice, "h2d", {"h2d", "d2h", "both"}, "to the device, from it, both at a time"},
  };
  p.variants = {
      portable("copy", "deep_copy on an instance, one instance each way", prepare_over_link<Copy>)
          .only_on_devices(no_link),
      portable(detour.far, "two kernels; what is between them goes to the host and back",
               prepare_over_link<TwoSteps<true>>)
          .with_needs(two_steps_needs)
          .only_on_devices(no_link),
      bound(detour.near, "the same two kernels; nothing leaves the device", prepare_over_link<TwoSteps<false>>)
          .with_needs(two_steps_needs)
          .only_on_devices(no_link),
      native("native_copy", "cudaMemcpyAsync, one stream each way", prepare_whole<&Launchers::copy>).twin_of("copy"),
  };
  p.on_hosts = "a host has one memory: nothing to transfer, every case is skipped";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.findings = findings;
  p.published = {{"native_copy",
                  Type::i32,
                  {{"bytes", "256MiB"}, {"memory", "pinned"}, {"direction", "h2d"}},
                  16,
                  "GB/s",
                  "PCIe 3 x16",
                  "",
                  true}};
  return p;
}

}  // namespace tilestride::transfer
