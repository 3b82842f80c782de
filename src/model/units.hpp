// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Quantities as in decks and reports. Sizes are binary (KiB, MiB, GiB, TiB), rates decimal (1 GB/s = 1e9 B/s).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestride {

/// A size in bytes, or a share of the memory it will be allocated in.
struct Bytes {
  std::int64_t count = 0;    ///< bytes, when `percent` is 0
  std::int64_t percent = 0;  ///< 1..100
};

/// "64 MiB", "1.5GiB", "4096", "4096 B", "25 %". Nothing when the text is not a positive whole number of bytes below
/// 2^62.
std::optional<Bytes> parse_bytes(std::string_view text);

/// "2 s", "500 ms", "10 min", "1 h" in seconds; positive and finite.
std::optional<double> parse_duration(std::string_view text);

/// "4096x4096", "10007 x 513": the extents, each at least 1 and below 2^31.
std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text);

/// "3900 GB/s", "50 TFLOP/s": in B/s or FLOP/s, and which of the two.
struct Rate {
  double per_second = 0;
  std::string unit;  ///< "B/s" or "FLOP/s"
};
std::optional<Rate> parse_rate(std::string_view text);

/// "1GiB", "1000B": the largest unit that divides exactly. The form used in the names of cases.
std::string exact_bytes(std::int64_t bytes);

/// "1.00 GiB", "977 B": for reading.
std::string short_bytes(double bytes);

/// "93.3 us", "1.21 ms", "12.0 s", "2 min 05 s": three figures.
std::string short_time(double seconds);

/// "4096x4096".
std::string shape_text(std::int64_t const* extents, int rank);

}  // namespace tilestride
