// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// SHA-256 (FIPS 180-4), as `sha256sum` prints it. Written here, since the only use is a checksum of results: the
// libraries that have it bring all of cryptography with them, and nothing here depends on its being fast or secret.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilestride {

class Sha256 {
 public:
  void add(std::string_view bytes);
  /// In hexadecimal, of all bytes that were added. Nothing can be added afterwards.
  std::string digest();

 private:
  void take(unsigned char const* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};  ///< bytes that do not fill a block yet
  std::size_t in_block_ = 0;
  std::uint64_t length_ = 0;  ///< bytes
};

std::string sha256(std::string_view bytes);

/// Of a file's bytes; empty when it cannot be read.
std::string sha256_of_file(std::string const& path);

}  // namespace tilestride
