// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/case.hpp"
#include "process/messages.hpp"

namespace tilestride {

/// The samples of one case in a result document.
struct Reference {
  std::vector<double> samples;  ///< seconds per repetition
  double amount = 0;            ///< bytes or flops of one
};

/// The passed cases of a result document, by name. Throws std::runtime_error, with the reason, when the file is not a
/// result document.
std::unordered_map<std::string, Reference> read_references(std::string const& file);

/// The rates at the median of the passed cases of a result document. Throws likewise.
Card card_of(Json const& document);

/// The CPU, or the device, that a space was measured on by that document; empty where it does not say.
std::string measured_on(Json const& document, std::string const& space);

}  // namespace tilestride
