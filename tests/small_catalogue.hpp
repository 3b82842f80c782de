// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A made-up catalogue for the tests: every kind of key, shared and variant keys, nothing to run. It looks like the real
// one but does not follow it, so that a change of the real patterns breaks no test of deck and plan.

#include <string>
#include <utility>
#include <vector>

#include "plan/plan.hpp"

namespace tilestride {

inline Variant small_variant(std::string name, std::vector<std::string> keys = {}) {
  Variant variant{};
  variant.name = std::move(name);
  variant.keys = std::move(keys);
  return variant;
}

/// A pattern that refuses nothing, needs nothing and does nothing.
inline Pattern small_pattern(std::string name, std::vector<Type> types, Figure figure, std::vector<Key> keys,
                             std::vector<Variant> variants) {
  Pattern pattern{};
  pattern.name = std::move(name);
  pattern.types = std::move(types);
  pattern.figure = figure;
  pattern.keys = std::move(keys);
  pattern.variants = std::move(variants);
  pattern.refuse = [](Case const&) { return std::string(); };
  pattern.needs = [](Case const&) { return 0.0; };
  pattern.work = [](Case const&) { return Work{}; };
  pattern.model = [](Case const&, Ceilings const&) { return Model{}; };
  return pattern;
}

inline Catalogue make_small_catalogue() {
  // One integer key with choices, which only two variants have.
  Pattern transpose = small_pattern("transpose", {Type::f32, Type::f64, Type::i32}, Figure::bandwidth,
                                    {{"shape", KeyKind::shape, "4096x4096", {"rows", "cols"}, "extents of the input"},
                                     {"tile", KeyKind::integer, "32", {"8", "16", "32"}, "edge of the tile"}},
                                    {small_variant("copy"), small_variant("row_read"), small_variant("tiled", {"tile"}),
                                     small_variant("padded", {"tile"}), small_variant("vendor")});

  // Variant keys that stand before the shared one, and a variant with two of them.
  Pattern matmul = small_pattern(
      "matmul", {Type::f64, Type::f32}, Figure::compute,
      {{"block", KeyKind::integer, "16", {"16", "32", "64"}, "edge of the block"},
       {"unroll", KeyKind::integer, "1", {}, "elements per thread"},
       {"shape", KeyKind::shape, "512x512x512", {"M", "N", "K"}, "extents of the product"}},
      {small_variant("simple"), small_variant("shared", {"block"}), small_variant("registers", {"block", "unroll"})});

  // A choice, a size, an integer without choices; and problems that make no sense.
  Pattern overlap = small_pattern("overlap", {Type::f64, Type::i32}, Figure::bandwidth,
                                  {{"op", KeyKind::choice, "copy", {"copy", "triad"}, "what is computed"},
                                   {"bytes", KeyKind::bytes, "64 MiB", {}, "size of one array"},
                                   {"streams", KeyKind::integer, "4", {}, "how many at once"}},
                                  {small_variant("serial"), small_variant("three_stage", {"streams"}),
                                   small_variant("kokkos_instances", {"streams"})});
  overlap.refuse = [](Case const& c) {
    return c.integer("bytes") % size_of(c.type) == 0 ? std::string() : "these are no whole number of elements";
  };
  return {transpose, matmul, overlap};
}

inline Catalogue const& small_catalogue() {
  static Catalogue const catalogue = make_small_catalogue();
  return catalogue;
}

inline Build const& small_build() {
  static Build const build{{"serial", "openmp"}, "openmp"};
  return build;
}

}  // namespace tilestride
