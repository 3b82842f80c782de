// SPDX-License-Identifier: BSD-3-Clause
#include "results/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

#include "scratch_folder.hpp"

namespace tilestride {
namespace {

// Of NIST's examples for FIPS 180-4, and `printf '' | sha256sum`.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                   "mnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesArrive) {
  for (std::size_t const length : {1u, 55u, 56u, 63u, 64u, 65u, 128u, 1000u}) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(i * 37);
    Sha256 parts;
    for (std::size_t i = 0; i < length; i += 7) parts.add(std::string_view(text).substr(i, 7));
    EXPECT_EQ(parts.digest(), sha256(text)) << length;
  }
}

TEST(Sha256, ReadsFiles) {
  ScratchFolder const folder;
  EXPECT_EQ(sha256_of_file(folder.path("absent")), "");
  std::string const text(200'000, 'x');
  EXPECT_EQ(sha256_of_file(folder.write("file", text)), sha256(text));
}

}  // namespace
}  // namespace tilestride
