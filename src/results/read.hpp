// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "process/messages.hpp"

namespace tilestride {

/// A file is no result document that this program can read; what() says why.
struct NoDocument : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a result document, or that of a folder: whole, strict JSON, no key twice in an object, of the schema of this
/// program, with named results that have an outcome. Throws NoDocument.
Json read_document(std::string const& path);

/// What a figure of this unit counts, as a field of `work`: "bytes", "flops" or "operations".
char const* counted_work(std::string const& unit);

}  // namespace tilestride
