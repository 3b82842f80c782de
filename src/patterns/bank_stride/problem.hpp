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
#include "portable/memory.hpp"
#include "portable/traits.hpp"
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
  Bytes second;                         ///< what is then written over it, in a probe; else empty
  Bytes before, after;                  ///< what it held before and after stores
  Kokkos::View<std::uint32_t*, Exec> out;
};

/// A probe: other rounds, over other bytes in scratch than those that lie in global memory.
constexpr int probe_rounds = 8;

template <class Array>
struct ElementsOf {
  Array array;
  KOKKOS_FUNCTION auto operator()(std::int64_t i) const { return array(static_cast<std::size_t>(i)); }
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

  using Bytes = typename Buffers<Exec>::Bytes;

  Exec exec;
  std::vector<Request> requests;  ///< of one warp in one round
  bool store, chained, partition, apart;
  int word;
  Image image;             ///< what loads find
  std::uint32_t link = 1;  ///< what a chain finds in the first element of every word: 1 for the same word again
  Memory memory{"tilestride::bank_stride"};
  Buffers<Exec> buffers;

  BankStride(Exec const& instance, Case const& c)
      : exec(instance),
        requests(requests_of_round(lanes, c)),
        store(c.choice("op") == "store"),
        chained(c.choice("measure") == "latency"),
        partition(has_three_arrays(c.choice("access"))),
        apart(c.choice("access") == "arrays"),
        word(static_cast<int>(c.integer("word"))),
        image(draw_image(static_cast<std::size_t>(bytes_reached(requests)), 1)) {
    buffers.threads = chained ? lanes : busy_threads;
    buffers.repeat = static_cast<int>(c.integer("repeat"));
    buffers.bytes = static_cast<int>(image.size());
    buffers.advance = 0;
    std::vector<int> offsets;
    for (std::int64_t const address : requests.front().address) offsets.push_back(static_cast<int>(address));
    buffers.offsets = input<Kokkos::View<int*, Exec>>("offsets", offsets);
    buffers.image = input<Bytes>("image", image);
    Constant<unsigned char> const untouched{0xa5};
    buffers.before = memory.work<Bytes>(exec, "before", store ? buffers.bytes : 0);
    buffers.after = memory.preset_output<Bytes>(exec, "after", store ? buffers.bytes : 0, untouched);
    buffers.out = memory.preset_output<Kokkos::View<std::uint32_t*, Exec>>(exec, "out", store ? 0 : buffers.threads,
                                                                           Constant<std::uint32_t>{0xa5a5a5a5u});
  }

  template <class Array, class Element>
  Array on_device(char const* label, std::vector<Element> const& values) const {
    Array const array(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), values.size());
    Kokkos::deep_copy(
        exec, array,
        Kokkos::View<Element const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size()));
    exec.fence("tilestride::bank_stride::on_device");
    return array;
  }

  template <class Array, class Element>
  Array input(char const* name, std::vector<Element> const& values) const {
    return memory.input<Array>(exec, name, static_cast<std::int64_t>(values.size()),
                               ElementsOf<Array>{on_device<Array>("tilestride::bank_stride::values", values)});
  }

  /// Random bytes; floats are small whole numbers, which sum exactly. A chain finds `next` in the first element of
  /// every word, and 1 in the others.
  Image draw_image(std::size_t bytes, std::uint32_t next) const {
    Image drawn(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      drawn[i] = static_cast<unsigned char>(value_at<std::int32_t>(next, static_cast<std::int64_t>(i)));
    auto const put = [&](std::size_t at, auto element, std::size_t size) {
      std::memcpy(drawn.data() + at, &element, size);  // the low bytes: hosts and devices are little-endian
    };
    if (partition) {
      for (std::size_t at = begin_f; at < bytes; at += 4)
        put(at, static_cast<float>(value_at<std::int32_t>(next + 1, static_cast<std::int64_t>(at)) % 64), 4);
    }
    auto const size = static_cast<std::size_t>(word);
    for (std::size_t at = 0; chained && at + size <= bytes; at += size) {
      for (std::size_t k = 0; k < size; k += 4)
        put(at + k, k == 0 ? next : std::uint32_t(1), std::min<std::size_t>(size, 4));
    }
    return drawn;
  }

  Check verify() const { return store ? verify_stores() : verify_loads(); }

  /// A few rounds of the same kernel, each at other addresses, over bytes that are written over the image in scratch:
  /// its sums, or what it stored, show every round and where its words were.
  template <class Call>
  Check probe(Call const& call, Case const&) const {
    BankStride other = *this;
    other.buffers.repeat = partition ? probe_of_arrays : std::min(buffers.repeat, probe_rounds);
    other.buffers.advance = chained ? 0 : partition ? buffers.bytes : step_bytes;
    other.link = static_cast<std::uint32_t>(1 + word);  // to the word behind it
    other.buffers.bytes += other.buffers.repeat * (chained ? steps * word : other.buffers.advance);
    other.buffers.bytes = (other.buffers.bytes + step_bytes - 1) / step_bytes * step_bytes;
    auto const bytes = static_cast<std::size_t>(other.buffers.bytes);
    other.image = draw_image(bytes, other.link);
    other.buffers.image = on_device<Bytes>("tilestride::bank_stride::first", draw_image(bytes, 1));
    other.buffers.second = on_device<Bytes>("tilestride::bank_stride::second", other.image);
    if (store) {
      other.buffers.before = Bytes("tilestride::bank_stride::before", bytes);
      other.buffers.after = Bytes("tilestride::bank_stride::after", bytes);
    }
    memory.poison();
    call(other);
    Check check = other.verify();
    check.detail = "probe of scratch: " + check.detail;
    return check;
  }

  /// The sum of every thread, from the same image.
  Check verify_loads() const {
    auto const out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), buffers.out);
    std::vector<std::uint32_t> expected;
    for (std::size_t lane = 0; lane < std::size_t(lanes); ++lane)
      expected.push_back(chained ? sum_of_chain(requests.front().address[lane]) : sum_of_loads(lane));
    Check check{true, static_cast<double>(buffers.threads), 0, "every thread's sum exactly"};
    for (std::size_t thread = 0; thread < out.extent(0); ++thread) {
      if (out(thread) != expected[thread % std::size_t(lanes)]) ++check.wrong;
    }
    return judged(check);
  }

  /// Rounds at the same addresses have the same sum.
  std::uint32_t sum_of_loads(std::size_t lane) const {
    std::uint32_t sum = 0;
    for (int round = 0; round < (buffers.advance == 0 ? 1 : buffers.repeat); ++round) {
      for (Request const& request : requests)
        sum += loaded(request, request.address[lane] + std::int64_t(round) * buffers.advance);
    }
    return buffers.advance == 0 ? sum * static_cast<std::uint32_t>(buffers.repeat) : sum;
  }

  /// Each word's first element leads to the next word; link - 1 bytes on.
  std::uint32_t sum_of_chain(std::int64_t start) const {
    std::uint32_t sum = 0;
    std::int64_t at = start;
    bool const alike = link == 1;  // all rounds
    for (int round = 0; round < (alike ? 1 : buffers.repeat); ++round) {
      for (int step = 0; step < steps; ++step) {
        for (int k = 4; k < word; k += 4) sum += element_at(at + k, 4);
        at += element_at(at, std::min(word, 4)) - 1;
      }
      sum += static_cast<std::uint32_t>(at + steps - start);
    }
    return alike ? sum * static_cast<std::uint32_t>(buffers.repeat) : sum;
  }

  std::uint32_t element_at(std::int64_t address, int bytes) const {
    std::uint32_t element = 0;
    std::memcpy(&element, image.data() + address, static_cast<std::size_t>(bytes));
    return element;
  }

  std::uint32_t loaded(Request const& request, std::int64_t address) const {
    if (request.real) {
      float element;
      std::memcpy(&element, image.data() + address, sizeof element);
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(element));
    }
    std::uint32_t sum = 0;
    for (int k = 0; k < request.word; k += 4) {
      std::uint32_t const element = element_at(address + k, std::min(request.word, 4));
      sum += partition && request.word == 2 ? static_cast<std::uint32_t>(static_cast<std::int16_t>(element)) : element;
    }
    return sum;
  }

  /// Every byte of scratch. Where lanes collide, what one of them left last must be there; where no store went, nothing
  /// must have changed.
  Check verify_stores() const {
    auto const before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), buffers.before);
    auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), buffers.after);
    std::map<std::int64_t, std::set<std::string>> contenders;
    for (std::size_t lane = 0; lane < std::size_t(lanes); ++lane) {
      for (auto const& [address, bytes] : left_by(lane)) contenders[address].insert(bytes);
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

  /// What a lane stored last at each address. Rounds at the same addresses leave the last one.
  std::map<std::int64_t, std::string> left_by(std::size_t lane) const {
    std::map<std::int64_t, std::string> left;
    for (int round = buffers.advance == 0 ? buffers.repeat - 1 : 0; round < buffers.repeat; ++round) {
      for (std::size_t step = 0; step < requests.size(); ++step)
        left[requests[step].address[lane] + std::int64_t(round) * buffers.advance] =
            stored(requests[step], step, lane, round);
    }
    return left;
  }

  /// The bytes that a lane stores with its step of a round.
  std::string stored(Request const& request, std::size_t step, std::size_t lane, int round) const {
    auto const value = static_cast<std::uint32_t>(lane + stored_per_step * step) +
                       stored_per_round * static_cast<std::uint32_t>(round);
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
            apart,
            buffers.threads,
            buffers.repeat,
            buffers.bytes,
            buffers.advance,
            buffers.offsets.data(),
            buffers.image.data(),
            buffers.second.data(),
            buffers.before.data(),
            buffers.after.data(),
            buffers.out.data(),
            static_cast<double>(requests.size()) * buffers.threads / lanes * buffers.repeat};
  }
};

}  // namespace tilestride::bank_stride
