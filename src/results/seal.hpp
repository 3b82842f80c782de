// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The seal of a result document: checksums that reveal an edit by hand. It is no signature: who edits the document can
// compute them again.

#include <string>

#include "process/messages.hpp"

namespace tilestride {

/// How a canonical form writes a number that is not whole. nlohmann::json's digits are read back as the same double,
/// but in 1 of 1200 numbers they are one more than needed: no other program writes the same. Seals had them at first.
enum class Digits { fewest, of_nlohmann_json };

/// The form of a document that its checksums are of: on one line without white space, the keys of each object in the
/// order of their bytes, numbers in the fewest digits that are read back as the same double (with an exponent of at
/// least two digits below 1e-4 and from 1e16 on, as Python writes them), whole numbers below 2^63 without fraction or
/// exponent, in texts only those characters escaped that must be. White space, line ends, the order of keys and 2.0 for
/// 2 make no difference.
std::string canonical(Json const& json, Digits digits = Digits::fewest);

/// {"algorithm": "sha256", "numbers": "fewest digits", "deck": …, "programs": {…}, "samples": …, "summary": …} of a
/// document; in the form of its seal where it has one already: a seal without `numbers` has nlohmann::json's digits.
///   deck      of the text of the deck
///   programs  of the executable file of each program, as the document has it in `programs`
///   samples   of the canonical form of [[name, outcome, samples], …], in the order of the results
///   summary   of the canonical form of the document without its seal
Json seal_of(Json const& document);

}  // namespace tilestride
