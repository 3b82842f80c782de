// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The library's own copy: cudaMemcpyAsync on a CUDA device, one std::memcpy per thread on a host.

#include "patterns/stream/problem.hpp"

namespace tilestride::stream {

struct LibraryCopy {
  template <class Exec, class T>
  static void run(Stream<Exec, T> const& p) {
    library_copy(p.exec, p.c.data(), p.a.data(), p.n * std::int64_t(sizeof(T)));
  }
};

}  // namespace tilestride::stream
