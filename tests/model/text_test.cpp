// SPDX-License-Identifier: BSD-3-Clause
#include "model/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilestride {
namespace {

/// The UTF-8 of a code point by its definition: the bits spread over `length` bytes, whether or not that is allowed.
std::string spread(unsigned code, int length) {
  if (length == 1) return {static_cast<char>(code)};
  std::string bytes;
  for (int i = 0; i + 1 < length; ++i, code >>= 6) bytes.insert(bytes.begin(), static_cast<char>(0x80 | (code & 0x3f)));
  unsigned const mark = 0xf00u >> length & 0xffu;  // 110xxxxx, 1110xxxx, 11110xxx
  bytes.insert(bytes.begin(), static_cast<char>(mark | code));
  return bytes;
}

TEST(Utf8, HasEveryCodePointInItsShortestFormAndNoOther) {
  // All of the first plane and of the end; samples of what lies between and behind.
  auto const step = [](unsigned code) { return code < 0x11000 || (code > 0x10f000 && code < 0x111000) ? 1u : 97u; };
  for (unsigned code = 0; code < 0x200000; code += step(code)) {
    int const shortest = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    bool const exists = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    ASSERT_EQ(is_utf8(spread(code, shortest)), exists) << std::hex << code;
    for (int longer = shortest + 1; longer <= 4; ++longer)
      ASSERT_FALSE(is_utf8(spread(code, longer))) << std::hex << code;
  }
}

TEST(Utf8, IsNotWhatIsCutOrHasStrayBytes) {
  for (std::string const text :
       {"\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "a\xff", "\xc3\xc3\xb6", "\xf8\x88\x80\x80\x80"})
    EXPECT_FALSE(is_utf8(text)) << printable(text);
  for (std::string const text : {"", "plain", "Größe", "\xf0\x9f\x98\x80\n"}) EXPECT_TRUE(is_utf8(text)) << text;
}

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("Größe \xe2\x82\xac \xf0\x9f\x98\x80 a\\b"), "Größe \xe2\x82\xac \xf0\x9f\x98\x80 a\\b");
  EXPECT_EQ(printable("two\nlines\tand \x1b[31mred\x7f"), "two\\nlines\\x09and \\x1b[31mred\\x7f");
  EXPECT_EQ(printable("C1 \xc2\x9b and no-break\xc2\xa0space"), "C1 \\xc2\\x9b and no-break\xc2\xa0space");
  EXPECT_EQ(printable("surrogate \xed\xa0\x80, overlong \xc0\x80, beyond \xf4\x90\x80\x80"),
            "surrogate \\xed\\xa0\\x80, overlong \\xc0\\x80, beyond \\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
}

TEST(Printable, IsCutAfterWholeCharacters) {
  EXPECT_EQ(printable("öäü", 3), "öäü");
  EXPECT_EQ(printable("öäü", 2), "öä ...");
}

TEST(Printable, IsUtf8OnOneLineWhateverItIsGiven) {
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    for (int k = 0; k < 256; ++k) bytes += {static_cast<char>(i), static_cast<char>(k)};
  std::string const shown = printable(bytes);
  EXPECT_TRUE(is_utf8(shown));
  for (Character const& c : characters_of(shown)) ASSERT_EQ(c.kind, Character::Kind::shown);
}

/// The test vectors of the authors of FNV (Fowler, Noll, Vo).
TEST(Fingerprint, IsFnv1a) {
  EXPECT_EQ(fingerprint(""), "cbf29ce484222325");
  EXPECT_EQ(fingerprint("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(fingerprint("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace tilestride
