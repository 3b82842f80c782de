// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A slice is multiplied while the next one is under way: two buffers for each operand.

#include "patterns/common/ways.hpp"
#include "patterns/matmul/blocked.hpp"
#include "patterns/summa/problem.hpp"

namespace tilestride::summa {

/// The product of one slice, as the kernels of matmul take it.
template <class Exec_, class T>
struct SliceProduct {
  using Exec = Exec_;
  using Element = T;
  static constexpr char const* label = "tilestride::summa";
  Exec exec;
  Matrix<Exec, T> a, b, c;
};

template <class Exec, class T>
SliceProduct<Exec, T> product_of(Summa<Exec, T> const& p, std::int64_t slice) {
  auto const m = static_cast<std::size_t>(p.m), k = static_cast<std::size_t>(p.k),
             width = static_cast<std::size_t>(p.width());
  return {p.exec, Matrix<Exec, T>(p.slice_of_a(slice), m, width), Matrix<Exec, T>(p.slice_of_b(slice), width, k),
          slice == 0 ? p.c : p.part};
}

/// Enqueues the product of a slice.
using Multiply = std::function<void(std::int64_t slice)>;

template <class T>
struct Add {
  T* sum;
  T const* part;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sum[i] += part[i]; }
};

/// This rank's part of what is sent of a slice: its own one to all others of its row or column, or theirs to it.
template <class Exec, class T>
void exchange(Summa<Exec, T> const& p, Transport const& way, std::int64_t slice) {
  Grid const grid = p.slices.grid;
  int const row = grid.row(p.ranks.rank()), column = grid.column(p.ranks.rank());
  auto const bytes_a = static_cast<std::size_t>(p.m * p.width()) * sizeof(T);
  auto const bytes_b = static_cast<std::size_t>(p.width() * p.k) * sizeof(T);
  Messages sends, receives;
  if (p.owns_a(slice)) {
    for (int other = 0; other < grid.columns; ++other) {
      if (other != column) sends.push_back({grid.rank(row, other), p.slice_of_a(slice), bytes_a});
    }
  } else {
    receives.push_back({grid.rank(row, p.slices.owning_column(slice)), p.slice_of_a(slice), bytes_a});
  }
  if (p.owns_b(slice)) {
    for (int other = 0; other < grid.rows; ++other) {
      if (other != row) sends.push_back({grid.rank(other, column), p.slice_of_b(slice), bytes_b});
    }
  } else {
    receives.push_back({grid.rank(p.slices.owning_row(slice), column), p.slice_of_b(slice), bytes_b});
  }
  way.exchange(sends, receives);
}

template <class Exec, class T>
void run(Summa<Exec, T> const& p, Transport const& way, Multiply const& multiply) {
  exchange(p, way, 0);
  for (std::int64_t slice = 0; slice < p.slices.count; ++slice) {
    multiply(slice);
    if (slice > 0)
      Kokkos::parallel_for("tilestride::summa::add",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, p.m * p.k),
                           Add<T>{p.c.data(), p.part.data()});
    if (slice + 1 < p.slices.count) exchange(p, way, slice + 1);
    p.exec.fence("tilestride::summa::step");
  }
  p.ranks.in_step();
}

template <class Exec, class T>
Trial trial_of_slices(std::shared_ptr<Summa<Exec, T>> const& p, Transport const& way, Multiply const& multiply) {
  Trial trial = trial_of(p, [p, way, multiply] { run(*p, way, multiply); });
  trial.clock = wall_clock(p->exec);
  trial.notes = way.notes;
  trial.notes["grid"] = fmt::format("{} x {}", p->slices.grid.rows, p->slices.grid.columns);
  return trial;
}

/// The portable product: the blocks of matmul, by the rule that picks them.
template <class Exec, class T>
Trial with_blocked(std::shared_ptr<Summa<Exec, T>> const& p, Transport const& way, Bench& bench, Case const& c) {
  using Kernel = matmul::Blocked;
  static Key const key = block_key<Kernel, float, double>("");
  Case asked = c;
  asked.values.push_back({&key});  // auto
  auto const choice = Kernel::choose(product_of(*p, 1), bench.device, asked);
  return with_block(Tag<typename Kernel::template Blocks<is_host<Exec>, T>>{}, choice.block, [&](auto block) {
    using Block = typename decltype(block)::type;
    TeamShape const shape = Kernel::template shape<Block, Exec, T>();
    if (auto const skip = tilestride::why_not<Exec>(shape, bench.device)) return skipped(skip->reason, skip->words);
    Trial trial = trial_of_slices<Exec, T>(
        p, way, [p, choice](std::int64_t slice) { Kernel::template run<Block>(product_of(*p, slice), choice); });
    trial.notes["block"] = choice.block;
    return trial;
  });
}

/// The library's product of each slice.
template <class Exec, class T>
Trial with_library(std::shared_ptr<Summa<Exec, T>> const& p, Transport const& way, Bench&, Case const& c) {
  auto const launcher = find_launcher<&matmul::Launchers::vendor, Exec>();
  if (launcher == nullptr) return not_built_in(c);
  NativeContext const context{&p->exec, c.type, static_cast<int>(is_host<Exec> ? p->exec.concurrency() : 1)};
  std::vector<NativeKernel> kernels;
  for (std::int64_t slice = 0; slice < p->slices.count; ++slice) {
    auto const product = product_of(*p, slice);
    kernels.push_back(
        launcher(context, {product.a.data(), product.b.data(), product.c.data(), p->m, p->k, p->width(), 0, 0}));
    if (auto const& skip = kernels.back().skip) return skipped(skip->reason, skip->words);
  }
  Trial trial = trial_of_slices<Exec, T>(
      p, way, [kernels](std::int64_t slice) { kernels[static_cast<std::size_t>(slice)].run(); });
  trial.notes.insert(kernels.front().notes.begin(), kernels.front().notes.end());
  return trial;
}

/// open(exec, ranks) gives the transport, on an instance of its own, so that messages do not wait for products.
template <bool library, class Open>
Trial prepare_by(Bench& bench, Case const& c, Open const& open) {
  if (auto const skip = why_not(bench, c)) return skipped(skip->reason, skip->words);
  return with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    auto beside = std::make_shared<Exec>(*std::static_pointer_cast<Exec>(bench.exec));
    if constexpr (!is_host<Exec>) *beside = instance_beside(*beside);
    Transport way = open(*beside, *bench.ranks);
    if (auto const skip = of_any_rank(*bench.ranks, way.skip)) return skipped(skip->reason, skip->words);
    way.exchange = [beside, exchange = way.exchange](Messages const& sends, Messages const& receives) {
      exchange(sends, receives);
    };
    return with_type<float, double>(c.type, [&](auto type) {
      using T = typename decltype(type)::type;
      auto const p = problem_on<Summa<Exec, T>>(bench, c);
      return library ? with_library<Exec, T>(p, way, bench, c) : with_blocked<Exec, T>(p, way, bench, c);
    });
  });
}

/// A variant with the portable product, or with the library's.
template <class Way, bool library = false>
Trial by(Bench& bench, Case const& c) {
  return prepare_by<library>(bench, c, [](auto const& exec, Ranks& ranks) { return Way::open(exec, ranks); });
}

}  // namespace tilestride::summa
