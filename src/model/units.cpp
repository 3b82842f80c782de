// SPDX-License-Identifier: BSD-3-Clause
#include "model/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace tilestride {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Quantity {
  double number;
  std::string_view unit;
};

/// A plain positive decimal and what follows it: "1.5 GiB". No sign, no exponent, no "inf".
std::optional<Quantity> split(std::string_view text) {
  text = trim(text);
  if (text.empty() || (text.front() < '0' || text.front() > '9')) return {};
  double number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number) || number <= 0) return {};
  return Quantity{number, trim(text.substr(static_cast<std::size_t>(end - text.data())))};
}

struct Unit {
  std::string_view name;
  double factor;
};

template <std::size_t N>
std::optional<double> scaled(std::string_view text, std::array<Unit, N> const& units) {
  auto const quantity = split(text);
  if (!quantity) return {};
  for (Unit const& unit : units) {
    double const product = quantity->number * unit.factor;
    if (unit.name == quantity->unit && product > 0 && std::isfinite(product)) return product;
  }
  return {};
}

constexpr std::array<Unit, 6> sizes{
    {{"TiB", 1ll << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}};
constexpr std::array<Unit, 6> times{{{"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
constexpr std::array<Unit, 3> byte_rates{{{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}}};
constexpr std::array<Unit, 3> flop_rates{{{"TFLOP/s", 1e12}, {"GFLOP/s", 1e9}, {"MFLOP/s", 1e6}}};

}  // namespace

std::optional<Bytes> parse_bytes(std::string_view text) {
  if (auto const share = split(text); share && share->unit == "%") {
    if (share->number > 100 || share->number != std::floor(share->number)) return {};
    return Bytes{0, static_cast<std::int64_t>(share->number)};
  }
  text = trim(text);
  std::int64_t count = 0;  // plain counts beyond 2^53 would lose their last digits in a double
  if (auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
      error == std::errc{} && end == text.data() + text.size())
    return count >= 1 && count < (1ll << 62) ? std::optional(Bytes{count, 0}) : std::nullopt;
  auto const bytes = scaled(text, sizes);
  if (!bytes || *bytes >= 0x1p62 || *bytes != std::floor(*bytes)) return {};
  return Bytes{static_cast<std::int64_t>(*bytes), 0};
}

std::optional<double> parse_duration(std::string_view text) { return scaled(text, times); }

std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  std::vector<std::int64_t> extents;
  while (true) {
    auto const x = text.find('x');
    std::string_view const part = trim(text.substr(0, x));
    std::int64_t extent = 0;
    auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (part.empty() || error != std::errc{} || end != part.data() + part.size() || extent < 1 || extent >= (1ll << 31))
      return {};
    extents.push_back(extent);
    if (x == std::string_view::npos) return extents;
    text.remove_prefix(x + 1);
  }
}

std::optional<Rate> parse_rate(std::string_view text) {
  if (auto const rate = scaled(text, byte_rates)) return Rate{*rate, "B/s"};
  if (auto const rate = scaled(text, flop_rates)) return Rate{*rate, "FLOP/s"};
  return {};
}

std::string exact_bytes(std::int64_t bytes) {
  for (Unit const& unit : sizes) {
    auto const factor = static_cast<std::int64_t>(unit.factor);
    if (bytes % factor == 0 && bytes != 0) return fmt::format("{}{}", bytes / factor, unit.name);
  }
  return "0B";
}

std::string short_bytes(double bytes) {
  for (Unit const& unit : sizes) {
    if (bytes >= unit.factor && unit.factor > 1) return fmt::format("{:.2f} {}", bytes / unit.factor, unit.name);
  }
  return fmt::format("{:.0f} B", bytes);
}

std::string short_time(double seconds) {
  if (seconds >= 120)
    return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::fmod(std::floor(seconds), 60));
  for (Unit const& unit : {Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}}) {
    double const number = seconds / unit.factor;
    if (number < 0.9995) continue;  // 999.6 us are 1.00 ms
    return fmt::format("{:.{}f} {}", number, number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2, unit.name);
  }
  return fmt::format("{:.0f} ns", seconds * 1e9);
}

std::string shape_text(std::int64_t const* extents, int rank) {
  std::string text = std::to_string(extents[0]);
  for (int i = 1; i < rank; ++i) text += "x" + std::to_string(extents[i]);
  return text;
}

}  // namespace tilestride
