// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the variants share: the host's words, room on the device for a copy of all of them, and for what is made of the
// touched ones.

#include "patterns/zero_copy/native.hpp"
#include "patterns/zero_copy/walk.hpp"
#include "portable/host_device.hpp"
#include "portable/memory.hpp"

namespace tilestride::zero_copy {

constexpr std::uint64_t salt = 1;
constexpr Word unwritten = poison_value<Word>();
constexpr std::int64_t line_words = line_bytes / std::int64_t(sizeof(Word));

/// Element w of what gather makes.
struct IsGathered {
  Word const* out;
  Touched touched;
  KOKKOS_FUNCTION bool operator()(std::int64_t w) const {
    Word sum = 0;
    for (int r = 0; r < touched.reuse; ++r) {
      std::int64_t const p = (w / 4 + r * touched.shift) % touched.count;
      sum = sum_of(sum, value_at<Word>(salt, touched.pack(p) * 4 + w % 4));
    }
    return out[w] == sum;
  }
};

template <class Space>
struct ZeroCopy {
  using Exec = Space;
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Pinned = PinnedArray<Exec, Word>;
  using OnDevice = DeviceArray<Exec, Word>;

  Exec exec;
  std::int64_t n;  ///< words
  Touched touched;
  Memory memory{"tilestride::zero_copy"};
  Pinned host;
  OnDevice copy, out;

  ZeroCopy(Exec const& instance, Case const& c)
      : exec(instance),
        n(c.integer("bytes") / std::int64_t(sizeof(Word))),
        touched(c.integer("bytes") / line_bytes, c.integer("touched"), static_cast<int>(c.integer("reuse"))),
        host(memory.input<Pinned>(Host(), "host", pinned_words(), Values<Word>{salt})),
        copy(memory.work<OnDevice>(exec, "copy", n)),
        out(memory.output<OnDevice>(exec, "out", touched.count * 4)) {}

  /// n, where the host has so much memory left.
  std::int64_t pinned_words() const {
    require_host_memory(static_cast<double>(n) * sizeof(Word), "pinned");
    return n;
  }

  std::int64_t lines() const { return n / line_words; }
  double bytes() const { return static_cast<double>(n) * sizeof(Word); }

  Check verify() const {
    return check_all(exec, touched.count * 4, IsGathered{out.data(), touched}, "every element exactly");
  }

  /// A pinned copy of all the words: what mapping is a share of.
  std::vector<Yardstick> yardsticks() const {
    return {{"copy", bytes(), [p = *this] { Kokkos::deep_copy(p.exec, p.copy, p.host); }}};
  }

  /// `from`: the words, where the kernel is to read them.
  template <class Step = Gather>
  Walk<Step> gather(Word const* from, int blocks) const {
    return {
        reinterpret_cast<Pack const*>(from), reinterpret_cast<Pack*>(out.data()), touched, 0, touched.count, blocks};
  }
};

/// Blocks that have something to do, and no more than the device holds at a time or the case asks for.
template <class Exec>
int blocks_for(Bench const& bench, Exec const& exec, Case const& c, std::int64_t items) {
  std::int64_t const multiprocessors = bench.device.hardware.multiprocessors;
  std::int64_t const resident = multiprocessors > 0 ? multiprocessors * walk_resident
                                                    : std::max<std::int64_t>(1, exec.concurrency() / walk_threads);
  bool const asked = c.find("blocks") != nullptr && c.integer("blocks") > 0;
  return static_cast<int>(std::min(asked ? c.integer("blocks") : resident, std::max<std::int64_t>(1, items)));
}

/// For the packs of all touched lines.
template <class Exec>
int blocks_for(Bench const& bench, ZeroCopy<Exec> const& p, Case const& c) {
  return blocks_for(bench, p.exec, c, (p.touched.count + Walk<Gather>::piece - 1) / Walk<Gather>::piece);
}

/// A trial that makes what gather makes.
template <class Exec>
Trial gathering_trial(std::shared_ptr<ZeroCopy<Exec>> const& p, std::function<void()> run) {
  Trial trial = trial_of(p, std::move(run));
  if (auto* const notes = Launchers::on_device().notes) trial.notes = notes(&p->exec);
  return trial;
}

}  // namespace tilestride::zero_copy
