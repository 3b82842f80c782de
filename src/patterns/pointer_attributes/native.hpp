// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::pointer_attributes {

constexpr int query_count = 64;  ///< addresses that are looked up in one repetition, one in each page of an allocation
constexpr int page_bytes = 4096;

struct Launchers {
  Prepare queries = nullptr;
  static Launchers on_device();
};

}  // namespace tilestride::pointer_attributes
