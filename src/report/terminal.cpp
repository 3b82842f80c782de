// SPDX-License-Identifier: BSD-3-Clause
#include "report/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "model/text.hpp"

namespace tilestride {
namespace {

constexpr std::size_t usual_width = 80;  // of a terminal that does not tell its own

std::string variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::size_t width_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_width;
}

/// Select Graphic Rendition, ECMA-48 8.3.117.
char const* code_of(Ink ink) {
  switch (ink) {
    case Ink::plain: return "";
    case Ink::good: return "\033[32m";
    case Ink::bad: return "\033[31m";
    case Ink::best: return "\033[1m";
    case Ink::dim: return "\033[2m";
  }
  return "";
}

}  // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  terminal.is_one = isatty(descriptor) == 1;
  if (!terminal.is_one) return terminal;
  std::string const kind = variable("TERM");
  terminal.erases = !kind.empty() && kind != "dumb";
  terminal.colour = terminal.erases && variable("NO_COLOR").empty();
  terminal.width = width_of(descriptor);
  return terminal;
}

std::string painted(std::string_view text, Ink ink, bool colour) {
  std::string const plain(text);
  return colour && ink != Ink::plain && !plain.empty() ? code_of(ink) + plain + "\033[0m" : plain;
}

std::string fitted(std::string_view text, std::size_t columns) {
  std::string shown;
  for (Character const& character : characters_of(text)) {
    std::size_t const needs = character.bytes.size() == 1 ? 1 : 2;
    if (needs > columns) break;
    columns -= needs;
    shown += character.bytes;
  }
  return shown;
}

}  // namespace tilestride
