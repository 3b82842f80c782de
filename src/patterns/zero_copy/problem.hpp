// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the variants share: the host's words, room on the device for a copy of all of them, and for what is made of the
// touched ones.

#include "patterns/zero_copy/native.hpp"
#include "patterns/zero_copy/walk.hpp"
#include "portable/host_device.hpp"
#include "portable/values.hpp"

namespace tilestride::zero_copy {

constexpr std::uint64_t salt = 1;
constexpr Word unwritten = poison_value<Word>();
constexpr std::int64_t line_words = line_bytes / std::int64_t(sizeof(Word));
constexpr std::int64_t guard = line_words;  ///< words past the end of what is written, which must stay as they are

/// Element w of what gather makes; past the end, what was there before.
struct IsGathered {
  Word const* out;
  Touched touched;
  KOKKOS_FUNCTION bool operator()(std::int64_t w) const {
    if (w >= touched.count * 4) return out[w] == unwritten;
    Word sum = 0;
    for (int r = 0; r < touched.reuse; ++r) {
      std::int64_t const p = (w / 4 + r * touched.shift) % touched.count;
      sum = sum_of(sum, value_at<Word>(salt, touched.pack(p) * 4 + w % 4));
    }
    return out[w] == sum;
  }
};

struct IsValue {
  Word const* data;
  KOKKOS_FUNCTION bool operator()(std::int64_t w) const { return data[w] == value_at<Word>(salt, w); }
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
  Pinned host;
  OnDevice copy, out;

  ZeroCopy(Exec const& instance, Case const& c)
      : exec(instance),
        n(c.integer("bytes") / std::int64_t(sizeof(Word))),
        touched(c.integer("bytes") / line_bytes, c.integer("touched"), static_cast<int>(c.integer("reuse"))),
        host(pinned("host")),
        copy(on_device("copy", n)),
        out(on_device("out", touched.count * 4 + guard)) {
    fill(Host(), host.data(), n, Values<Word>{salt});
    Host().fence("tilestride::zero_copy::fill");
    poison();
  }

  /// Of all the words.
  Pinned pinned(std::string const& name) const {
    require_host_memory(static_cast<double>(n) * sizeof(Word), "pinned");
    return uninitialized<Pinned>("tilestride::zero_copy::" + name, n);
  }
  OnDevice on_device(std::string const& name, std::int64_t words) const {
    return uninitialized<OnDevice>("tilestride::zero_copy::" + name, words);
  }

  std::int64_t lines() const { return n / line_words; }
  double bytes() const { return static_cast<double>(n) * sizeof(Word); }

  void poison() const {
    tilestride::poison(exec, copy.data(), n);
    tilestride::poison(exec, out.data(), touched.count * 4 + guard);
  }

  Check verify() const {
    Check const made =
        check_all(exec, touched.count * 4 + guard, IsGathered{out.data(), touched}, "every element exactly");
    return made.passed ? check_all(Host(), n, IsValue{host.data()}, "every element exactly, inputs untouched") : made;
  }

  /// A pinned copy of all the words: what mapping is a share of.
  std::vector<Yardstick> yardsticks() const {
    return {{"copy", bytes(), [p = *this] { Kokkos::deep_copy(p.exec, p.copy, p.host); }}};
  }

  /// `from`: the words, where the kernel is to read them.
  Walk<Gather> gather(Word const* from, int blocks) const {
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
