// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How to write to a stream: colours and lines that are overwritten are for terminals alone.

#include <cstddef>
#include <string>
#include <string_view>

namespace tilestride {

/// What a stream can show.
struct Terminal {
  bool is_one = false;    ///< someone reads it as it is written
  bool erases = false;    ///< it knows escape sequences: a line can be overwritten
  bool colour = false;    ///< it does, and the user has not set NO_COLOR (https://no-color.org)
  std::size_t width = 0;  ///< columns; 0: it is no terminal
};

/// Of an open file, as it is now: a window changes its size. Environment: TERM, NO_COLOR.
Terminal terminal_of(int descriptor);

enum class Ink { plain, good, bad, best, dim };

/// The text between the escape codes of that ink; the text alone without `colour`.
std::string painted(std::string_view text, Ink ink, bool colour);

/// As many characters of a UTF-8 text as surely fit into so many columns: one beyond ASCII may take two.
std::string fitted(std::string_view text, std::size_t columns);

}  // namespace tilestride
