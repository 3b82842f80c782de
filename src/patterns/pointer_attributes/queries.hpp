// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

constexpr int pointer_queries = 64;  ///< addresses that are asked for in one repetition, one a page of an allocation

}  // namespace tilestride
