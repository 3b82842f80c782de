// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Copies between the host and the device, from and to several kinds of host memory. Their time is measured on the
// host: every repetition is one transfer, from the call until the data have arrived.

#include "patterns/common/link_probe.hpp"
#include "patterns/transfer/host_memory.hpp"

namespace tilestride::transfer {

constexpr std::uint64_t going_up = 1, going_down = 2;  // salts: what is copied each way
constexpr Word unwritten = poison_value<Word>();
constexpr std::int64_t guard = 16;  // words past the end of what is written, which must stay as they are

/// Element i of what is sent: past the end what was there before. (A kernel reads whole packs, and so past the end.)
struct Sent {
  std::int64_t n;
  std::uint64_t salt;
  KOKKOS_FUNCTION Word operator()(std::int64_t i) const { return i < n ? value_at<Word>(salt, i) : unwritten; }
};
using IsSent = HasValues<Word, Sent>;

inline Check both(Check const& a, Check const& b) {
  return {a.passed && b.passed, a.elements + b.elements, a.wrong + b.wrong,
          a.passed ? b.detail : "upload: " + a.detail};
}

/// What the variants of one problem share: n words up (to the device), n words down, or both.
template <class Space>
struct Transfer {
  using Exec = Space;
  using OnDevice = DeviceArray<Exec, Word>;

  Exec exec;
  std::string kind;  ///< of host memory
  bool up, down;
  std::int64_t n;
  Memory memory{"tilestride::transfer"};
  Pages beside;             ///< what is pinned besides, where much is
  double beside_bytes = 0;  ///< of it
  HostWords up_from, down_to;
  OnDevice up_to, down_from;
  double latency;            ///< s
  double link, in_turn = 0;  ///< B/s of this direction, and of both ways one after the other

  Transfer(Exec const& instance, Case const& c)
      : exec(instance),
        kind(c.choice("memory")),
        up(c.choice("direction") != "d2h"),
        down(c.choice("direction") != "h2d"),
        n(c.integer("bytes") / std::int64_t(sizeof(Word))) {
    require_host_memory(bytes_both_ways(), kind == "pageable" ? "pageable" : "pinned");
    measure_link();
    if (kind == "much_pinned") {
      beside_bytes = much_host_memory();
      beside = pin_once([&] { return in_pinned_space<Exec>(static_cast<std::size_t>(beside_bytes)); });
    }
    if (up) {
      up_from = host_words<Exec>(kind, n, going_up);
      on_reader([&](auto const& reader) { memory.watch(reader, "up from", up_from.data, n, Sent{n, going_up}); });
      up_to = memory.output<OnDevice>(exec, "up to", n + guard);
    }
    if (down) {
      down_to = host_words<Exec>(kind, n + guard, going_up);
      memory.add({"down to", Buffer::Role::output, down_to.data, static_cast<double>(n + guard) * sizeof(Word),
                  [words = down_to.data, n = n] { tilestride::poison(Host(), words, n + guard); }});
      down_from = memory.input<OnDevice>(exec, "down from", n + guard, Sent{n, going_down});
    }
    memory.poison();
  }

  std::int64_t bytes() const { return n * std::int64_t(sizeof(Word)); }
  double bytes_both_ways() const { return static_cast<double>(bytes()) * (up && down ? 2 : 1); }
  double pin() const { return up_from.pages.pin + down_to.pages.pin; }
  std::vector<Yardstick> yardsticks() const { return {}; }

  Check verify() const {
    std::string const bound = "every element exactly, and none past the end";
    Check uploaded{true, 0, 0, bound};
    if (up) uploaded = check_all(exec, n + guard, IsSent{up_to.data(), {n, going_up}}, bound);
    if (!down) return uploaded;
    IsSent const right{down_to.data, {n, going_down}};
    return both(uploaded, on_reader([&](auto const& reader) { return check_all(reader, n + guard, right, bound); }));
  }

  /// Seconds of what goes this way, or both ways at a time.
  double model() const { return latency + bytes_both_ways() / link; }

 private:
  /// Calls body with the space that reads the host's words: the host reads write-combined memory very slowly.
  template <class Body>
  auto on_reader(Body const& body) const {
    return kind == "write_combined" ? body(exec) : body(Host());
  }

  void measure_link() {
    LinkProbe<Exec> const probe(exec);
    latency = probe.small(up, down).first;
    if (!up || !down) {
      link = one_way(probe, up);
    } else {
      in_turn = 2 / (1 / one_way(probe, true) + 1 / one_way(probe, false));
      link = kind == "pageable" ? in_turn : probe.rate(true, true);
    }
  }

  /// From and to pageable memory the calling thread copies every byte, and then the link, which waits for it; so does
  /// the call for the other way.
  double one_way(LinkProbe<Exec> const& probe, bool upwards) const {
    double const rate = probe.rate(upwards, !upwards);
    return kind == "pageable" ? 1 / (1 / rate + 1 / probe.staging_rate(upwards)) : rate;
  }
};

/// `calls` for the copies, and `wait` until they are done. `model` in seconds, 0 where there is none.
template <class Exec>
Trial transfer_trial(std::shared_ptr<Transfer<Exec>> const& p, double model, HostSteps const& steps) {
  return host_trial(p, steps, [p, model](HostTimes const& times) {
    Quantities parts;
    if (model > 0) parts = {{"link GB/s", p->link / 1e9}, {"model us", 1e6 * model}, {"achieved", model / times.whole}};
    parts.emplace_back("host us", 1e6 * times.calls);
    if (p->pin() > 0) parts.emplace_back("pin us", 1e6 * p->pin());
    if (p->beside_bytes > 0) {
      parts.emplace_back("beside GiB", p->beside_bytes / double(1 << 30));
      parts.emplace_back("beside ms", 1e3 * p->beside.pin);
    }
    return parts;
  });
}

/// make(problem) over the transfer of this case, or a skip where there is no such host memory.
template <class Exec, class Make>
Trial over_transfer(Bench& bench, Case const& c, Make const& make) {
  if (auto const skip = why_not(c.choice("memory"), bench.exec.get())) return skipped(skip->reason, skip->words);
  return make(problem_on<Transfer<Exec>>(bench, c));
}

}  // namespace tilestride::transfer
