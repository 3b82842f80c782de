// SPDX-License-Identifier: BSD-3-Clause
#include "model/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tilestride {
namespace {

/// The number of bytes of the character that the text begins with, by table 3-7 of the Unicode Standard; 0: it begins
/// with none.
std::size_t length_of_first(std::string_view text) {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  unsigned const first = byte(0);
  if (first < 0x80) return 1;
  std::size_t const length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // No overlong forms, no surrogates, nothing beyond U+10FFFF.
  unsigned const least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned const most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

bool is_control(std::string_view character) {
  auto const first = static_cast<unsigned char>(character[0]);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

std::string escaped(std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  std::string text;
  for (char const c : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  while (!text.empty()) {
    std::size_t const length = length_of_first(text);
    std::string_view const bytes = text.substr(0, std::max<std::size_t>(length, 1));
    characters.push_back({bytes, length == 0         ? Character::Kind::invalid
                                 : is_control(bytes) ? Character::Kind::control
                                                     : Character::Kind::shown});
    text.remove_prefix(bytes.size());
  }
  return characters;
}

bool is_utf8(std::string_view text) {
  auto const characters = characters_of(text);
  return std::none_of(characters.begin(), characters.end(),
                      [](Character const& c) { return c.kind == Character::Kind::invalid; });
}

std::string printable(std::string_view text, std::size_t most) {
  auto const characters = characters_of(text);
  std::string shown;
  for (std::size_t i = 0; i < std::min(most, characters.size()); ++i)
    shown +=
        characters[i].kind == Character::Kind::shown ? std::string(characters[i].bytes) : escaped(characters[i].bytes);
  return characters.size() > most ? shown + " ..." : shown;
}

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace tilestride
