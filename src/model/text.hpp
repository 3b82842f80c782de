// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Text of unknown origin (decks, arguments, file names, what libraries say) on its way to a terminal or into a file.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilestride {

/// One character of a text.
struct Character {
  enum class Kind { shown, control, invalid };
  std::string_view bytes;
  Kind kind = Kind::shown;  ///< invalid: one byte that is not part of UTF-8
};

std::vector<Character> characters_of(std::string_view text);

bool is_utf8(std::string_view text);

/// The text for a message: on one line and in UTF-8. Control characters and invalid bytes are escaped as \n and \xNN.
/// After `most` characters it is cut.
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

/// FNV-1a of 64 bits, in hexadecimal: it reveals an edit, not an attack.
std::string fingerprint(std::string_view text);

}  // namespace tilestride
