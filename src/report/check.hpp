// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "process/messages.hpp"

namespace tilestride {

/// What the check of a result document found, each in a sentence that names the case and the field.
struct Findings {
  std::vector<std::string> differences;  ///< empty: all agrees
  std::vector<std::string> remarks;      ///< what could not be checked, and why
};

/// Computes again what follows from the samples of a document (statistics, rates, ceilings, counts, the status), judges
/// the rules of its deck again, and compares the seal. `document`: by read_document.
Findings check_document(Json const& document, Catalogue const& catalogue);

}  // namespace tilestride
