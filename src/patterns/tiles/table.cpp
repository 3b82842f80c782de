// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "model/spaces.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/tiles/walks.hpp"
#include "portable/host_space.hpp"

namespace tilestride::tiles {
namespace {

template <class Kernel>
Trial kernel(Bench& bench, Case const& c) {
  return with_host_space(c, "a device's warps ask for sectors: stride_copy and transpose have those", [&](auto space) {
    using Exec = typename decltype(space)::type;
    return with_type<float, double, std::int32_t>(
        c.type, [&](auto type) { return prepare_on<Tiles<Exec, typename decltype(type)::type>, Kernel>(bench, c); });
  });
}

std::string refuse(Case const& c) {
  if (c.find("bytes")->percent == 0 && rows_of(c) == 0)
    return fmt::format("{} bytes hold no row of {} elements", c.integer("bytes"), c.integer("pitch"));
  return "";
}

double elements(Case const& c) { return static_cast<double>(rows_of(c) * c.integer("pitch")); }

double needs(Case const& c) {
  return 2 * (elements(c) * static_cast<double>(size_of(c.type)) + double(matrix_alignment));
}

Work work(Case const& c) { return {0, 0, elements(c)}; }

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "tiles";
  p.meaning = "a host's threads walk a matrix tile by tile: what does an element cost along rows, and down columns?";
  p.types = {Type::f32, Type::f64, Type::i32};
  p.figure = Figure::latency;
  p.formula = "none: a cost is measured, the time of all threads for each element";
  p.keys = {
      {"bytes", KeyKind::bytes, "16 MiB", {}, "size of a matrix; what fills no row is left out"},
      {"pitch", KeyKind::integer, "1024", {}, "from row to row, elements"},
  };
  p.variants = {
      portable("rows", "tiles copied along their rows", kernel<Rows>),
      portable("columns_read", "tiles summed down their columns", kernel<ColumnsRead>),
      portable("columns_stored", "tiles stored down their columns", kernel<ColumnsStored>),
  };
  p.on_hosts = "what it is about; on devices it has no meaning";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = no_model;
  return p;
}

}  // namespace tilestride::tiles
