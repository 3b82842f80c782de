// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A kernel accesses the host's words directly: each access crosses the link. `By` launches it: ByKokkos (kokkos.hpp) or
// raw CUDA.

#include "patterns/zero_copy/problem.hpp"

namespace tilestride::zero_copy {

/// Reads, 16 bytes per thread.
template <class By, class Exec>
Trial mapped(Bench const& bench, std::shared_ptr<ZeroCopy<Exec>> const& p, Case const& c) {
  Walk<Gather> const walk = p->gather(By::mapped_address(p->host), blocks_for(bench, *p, c));
  return gathering_trial(p, [p, walk] { By::launch(By::lane(p->exec), walk); });
}

/// Reads as `mapped` the first time, and keeps what it reads in device memory, where the later uses read it. They are a
/// kernel of their own: what a block reads again, another block has kept.
template <class By, class Exec>
Trial kept(Bench const& bench, std::shared_ptr<ZeroCopy<Exec>> const& p, Case const& c) {
  int const blocks = blocks_for(bench, *p, c);
  auto first = p->template gather<Keep>(By::mapped_address(p->host), blocks);
  first.touched.reuse = 1;
  first.kept = reinterpret_cast<Pack*>(p->copy.data());
  auto const later = p->template gather<Later>(p->copy.data(), blocks);
  return gathering_trial(p, [p, first, later] {
    By::launch(By::lane(p->exec), first);
    if (later.touched.reuse > 1) By::launch(By::lane(p->exec), later);
  });
}

/// Reads of single words that lie apart.
template <class By, class Exec>
Trial uncoalesced(Bench const& bench, std::shared_ptr<ZeroCopy<Exec>> const& p, Case const& c) {
  if (p->touched.reuse != 1) return skipped(SkipReason::not_applicable, "single words are read once: reuse must be 1");
  std::int64_t const words = p->touched.count * 4;
  std::int64_t const stride = std::min(c.integer("stride"), words);
  std::int64_t const rows = (words + stride - 1) / stride;
  StridedGather const walk{By::mapped_address(p->host),
                           p->out.data(),
                           p->touched,
                           stride,
                           rows,
                           blocks_for(bench, p->exec, c, words / walk_threads)};
  return gathering_trial(p, [p, walk] { By::launch(By::lane(p->exec), walk); });
}

/// Element w of what scatter writes; in lines that are not touched, what was there before.
struct IsScattered {
  Word const* out;
  Touched touched;
  KOKKOS_FUNCTION bool operator()(std::int64_t w) const {
    return out[w] == (touched.holds(w / line_words) ? value_at<Word>(salt, w) : unwritten);
  }
};

/// Writes, 16 bytes per thread, of values in device memory. The reference is an additional yardstick: a pinned copy of
/// all the words to the host.
template <class By, class Exec>
Trial mapped_write(Bench& bench, std::shared_ptr<ZeroCopy<Exec>> const& p, Case const& c) {
  using Host = typename ZeroCopy<Exec>::Host;
  auto const from =
      p->memory.template input<typename ZeroCopy<Exec>::OnDevice>(p->exec, "from", p->n, Values<Word>{salt});
  auto const to = p->memory.template output<typename ZeroCopy<Exec>::Pinned>(Host(), "to", p->pinned_words());
  Walk<Scatter> const walk{reinterpret_cast<Pack const*>(from.data()),
                           reinterpret_cast<Pack*>(By::mapped_address(to)),
                           p->touched,
                           0,
                           p->touched.count,
                           blocks_for(bench, *p, c)};
  Trial trial = gathering_trial(p, [p, from, to, walk] { By::launch(By::lane(p->exec), walk); });
  trial.verify = [p, to] {
    return check_all(Host(), p->n, IsScattered{to.data(), p->touched},
                     "every element exactly, and none in other lines");
  };
  auto const is_known = [](Yardstick const& yardstick) { return yardstick.name == "d2h"; };
  if (std::none_of(bench.yardsticks.begin(), bench.yardsticks.end(), is_known))
    bench.yardsticks.push_back({"d2h", p->bytes(), [p, from, to] { Kokkos::deep_copy(p->exec, to, from); }});
  return trial;
}

}  // namespace tilestride::zero_copy
