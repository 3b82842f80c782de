// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One team on one multiprocessor accesses words of its scratch, again and again. What the lanes of a warp ask for is
// data (requests.hpp); every warp asks for the same.
//
//   throughput  1024 threads, each with 16 independent accesses in flight per round: the banks are busy all the time
//   latency     one warp; what a load brings is a part of the address of the next
//
// The compiler must not hoist a load out of the rounds or drop a store that a later round overwrites. So addresses
// advance by a number of bytes from round to round that is 0, but is known at run time only.

#include <cstring>
#include <map>
#include <set>

#include "model/case.hpp"
#include "patterns/bank_stride/requests.hpp"
#include "portable/traits.hpp"
#include "portable/values.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::bank_stride {

constexpr int busy_threads = 1024;  ///< of the team that keeps the banks busy

/// Lanes of a warp in the requests. A host, which has no warps, serves those of 32 one after the other.
constexpr int host_lanes = 32;
template <class Exec>
constexpr int lanes_of = is_host<Exec> ? host_lanes : Traits<Exec>::warp;

/// The same of a case; 32 before its device is known.
inline int lanes_in(Case const& c) { return c.hardware.warp > 0 ? c.hardware.warp : host_lanes; }

/// What the kernels see.
template <class Exec>
struct Buffers {
  using Bytes = Kokkos::View<unsigned char*, Exec>;

  int threads, repeat, bytes, advance;  ///< as in Arguments
  Kokkos::View<int*, Exec> offsets;     ///< of each lane's first word
  Bytes image;                          ///< what scratch holds before loads
  Bytes before, after;                  ///< what it held before and after stores
  Kokkos::View<std::uint32_t*, Exec> out;
};

inline std::vector<Request> requests_of_round(int lanes, Case const& c) {
  return requests_of_round(lanes, c.choice("access"), c.integer("stride"), c.integer("base"),
                           static_cast<int>(c.integer("word")), c.choice("measure") == "latency");
}

/// Bytes of scratch that the requests reach, in whole steps.
inline int bytes_reached(std::vector<Request> const& requests) {
  std::int64_t end = 0;
  for (Request const& request : requests) {
    for (std::int64_t const address : request.address) end = std::max(end, address + request.word);
  }
  return static_cast<int>((end + step_bytes - 1) / step_bytes * step_bytes);
}

template <class Space, class T>
struct BankStride {
  using Exec = Space;
  using Element = T;
  using Image = std::vector<unsigned char>;
  static constexpr int lanes = lanes_of<Exec>;  ///< of a warp

  Exec exec;
  std::vector<Request> requests;  ///< of one warp in one round
  bool store, chained, partition;
  int word;
  Image image;
  Buffers<Exec> buffers;

  BankStride(Exec const& instance, Case const& c)
      : exec(instance),
        requests(requests_of_round(lanes, c)),
        store(c.choice("op") == "store"),
        chained(c.choice("measure") == "latency"),
        partition(c.choice("access") == "partition"),
        word(static_cast<int>(c.integer("word"))),
        image(static_cast<std::size_t>(bytes_reached(requests))) {
    buffers.threads = chained ? lanes : busy_threads;
    buffers.repeat = static_cast<int>(c.integer("repeat"));
    buffers.bytes = static_cast<int>(image.size());
    buffers.advance = 0;
    buffers.offsets = view<int>("offsets", std::size_t(lanes));
    buffers.image = view<unsigned char>("image", image.size());
    buffers.before = view<unsigned char>("before", image.size());
    buffers.after = view<unsigned char>("after", image.size());
    buffers.out = view<std::uint32_t>("out", static_cast<std::size_t>(buffers.threads));
    draw_image();
    auto const offsets = Kokkos::create_mirror_view(buffers.offsets);
    for (std::size_t lane = 0; lane < std::size_t(lanes); ++lane)
      offsets(lane) = static_cast<int>(requests.front().address[lane]);
    Kokkos::deep_copy(exec, buffers.offsets, offsets);
    Kokkos::deep_copy(exec, buffers.image, Kokkos::View<unsigned char*, Kokkos::HostSpace>(image.data(), image.size()));
    poison();
  }

  template <class Element>
  Kokkos::View<Element*, Exec> view(char const* label, std::size_t n) const {
    return Kokkos::View<Element*, Exec>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tilestride::bank_stride::") + label), n);
  }

  /// Random bytes; floats are small whole numbers, which sum exactly. A chain finds 1 in every element on its way.
  void draw_image() {
    for (std::size_t i = 0; i < image.size(); ++i)
      image[i] = static_cast<unsigned char>(value_at<std::int32_t>(1, static_cast<std::int64_t>(i)));
    for (Request const& request : requests) {
      for (std::int64_t const address : request.address) {
        if (request.real) put(address, static_cast<float>(value_at<std::int32_t>(2, address) % 64));
        for (int k = 0; chained && k < word; k += 4)
          word < 4 ? put_low(address, 1) : put(address + k, std::uint32_t(1));
      }
    }
  }

  template <class Element>
  void put(std::int64_t address, Element element) {
    std::memcpy(image.data() + address, &element, sizeof element);
  }
  void put_low(std::int64_t address, std::uint32_t element) {
    std::memcpy(image.data() + address, &element,
                static_cast<std::size_t>(word));  // the low bytes: hosts and devices are little-endian
  }

  void poison() const {
    fill(exec, buffers.out.data(), buffers.threads, Constant<std::uint32_t>{0xa5a5a5a5u});
    fill(exec, buffers.before.data(), buffers.bytes, Constant<unsigned char>{0xa5});
    fill(exec, buffers.after.data(), buffers.bytes, Constant<unsigned char>{0xa5});
    exec.fence("tilestride::poison");
  }

  Check verify() const { return store ? verify_stores() : verify_loads(); }

  /// The sum of every thread, from the same image.
  Check verify_loads() const {
    auto const out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), buffers.out);
    Check check{true, static_cast<double>(buffers.threads), 0, "every thread's sum exactly"};
    for (int thread = 0; thread < buffers.threads; ++thread) {
      std::uint32_t sum = 0;
      for (Request const& request : requests)
        sum += loaded(request, request.address[static_cast<std::size_t>(thread % lanes)]);
      if (out(static_cast<std::size_t>(thread)) != sum * static_cast<std::uint32_t>(buffers.repeat)) ++check.wrong;
    }
    return judged(check);
  }

  std::uint32_t loaded(Request const& request, std::int64_t address) const {
    if (request.real) {
      float element;
      std::memcpy(&element, image.data() + address, sizeof element);
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(element));
    }
    std::uint32_t sum = 0;
    for (int k = 0; k < request.word; k += 4) {
      std::uint32_t element = 0;
      std::memcpy(&element, image.data() + address + k, static_cast<std::size_t>(std::min(request.word, 4)));
      sum += partition && request.word == 2 ? static_cast<std::uint32_t>(static_cast<std::int16_t>(element)) : element;
    }
    return sum;
  }

  /// Every byte of scratch. Where stores collide, one of those of the last round must have won; where none went,
  /// nothing must have changed.
  Check verify_stores() const {
    auto const before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), buffers.before);
    auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), buffers.after);
    std::map<std::int64_t, std::set<std::string>> contenders;
    for (std::size_t step = 0; step < requests.size(); ++step) {
      for (std::size_t lane = 0; lane < std::size_t(lanes); ++lane)
        contenders[requests[step].address[lane]].insert(stored(requests[step], step, lane));
    }
    Check check{true, static_cast<double>(buffers.bytes), 0, "every byte, of colliding stores any"};
    for (std::int64_t at = 0; at < buffers.bytes;) {
      auto const i = static_cast<std::size_t>(at);
      auto const here = contenders.find(at);
      std::size_t const length = here == contenders.end() ? 1 : here->second.begin()->size();
      std::string const found(after.data() + i, after.data() + i + length);
      bool const right = here == contenders.end() ? after(i) == before(i) : here->second.count(found) != 0;
      if (!right) check.wrong += static_cast<double>(length);
      at += static_cast<std::int64_t>(length);
    }
    return judged(check);
  }

  /// The bytes that a lane leaves with its step of the last round.
  std::string stored(Request const& request, std::size_t step, std::size_t lane) const {
    auto const last = static_cast<std::uint32_t>(buffers.repeat - 1);
    auto const value = static_cast<std::uint32_t>(lane + stored_per_step * step) + stored_per_round * last;
    auto const real = static_cast<float>(value);
    std::string bytes;
    for (int k = 0; k < request.word; k += 4) {
      std::uint32_t const element = value + stored_per_element * static_cast<std::uint32_t>(k / 4);
      auto const* const begin = reinterpret_cast<char const*>(&element);
      bytes.append(request.real ? reinterpret_cast<char const*>(&real) : begin,
                   static_cast<std::size_t>(std::min(request.word, 4)));
    }
    return bytes;
  }

  static Check judged(Check check) {
    check.passed = check.wrong == 0;
    if (!check.passed) check.detail += fmt::format("; {} of {} wrong", check.wrong, check.elements);
    return check;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const {
    return {word,
            store,
            chained,
            partition,
            buffers.threads,
            buffers.repeat,
            buffers.bytes,
            buffers.advance,
            buffers.offsets.data(),
            buffers.image.data(),
            buffers.before.data(),
            buffers.after.data(),
            buffers.out.data(),
            static_cast<double>(requests.size()) * buffers.threads / lanes * buffers.repeat};
  }
};

}  // namespace tilestride::bank_stride
