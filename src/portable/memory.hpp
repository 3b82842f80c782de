// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The buffers of a problem. Each lies between two guards and knows the values that belong into it, so that the verdict
// can tell which kernel wrote past an end or into an input.

#include "portable/values.hpp"

namespace tilestride {

constexpr std::int64_t guard_bytes = 1024;  ///< on each side of a buffer

/// The bytes on both sides of a buffer. Each depends on its address, so that a copy from past the end of one buffer to
/// past the end of another is seen.
class Guards {
 public:
  /// Around `bytes` at `data`; on_device: the host cannot access them.
  Guards(void* data, std::int64_t bytes, bool on_device);
  void write() const;
  bool are_untouched() const;

 private:
  char* sides_[2];
  bool on_device_;
};

template <class T, class Function>
struct HasValues {
  T const* data;
  Function value;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return data[i] == value(i); }
};

class Memory {
 public:
  /// `owner` begins the label of each allocation: "tilestride::transpose".
  explicit Memory(std::string owner) : owner_(std::move(owner)) {}

  /// n elements with data[i] = value(i), which no kernel may change. `exec` fills and checks them. `alignment` in
  /// bytes.
  template <class Array, class Exec, class Function>
  Array input(Exec const& exec, std::string const& name, std::int64_t n, Function const& value,
              std::int64_t alignment = 1) const {
    return allocate<Buffer::Role::input, Array>(
        exec, name, n, [&](auto*) { return value; }, alignment);
  }

  /// The same for values that depend on where the buffer lies: value_at(data)(i).
  template <class Array, class Exec, class ValueAt>
  Array linked_input(Exec const& exec, std::string const& name, std::int64_t n, ValueAt const& value_at,
                     std::int64_t alignment) const {
    return allocate<Buffer::Role::input, Array>(exec, name, n, value_at, alignment);
  }

  /// n elements that a kernel writes and the verdict compares.
  template <class Array, class Exec>
  Array output(Exec const& exec, std::string const& name, std::int64_t n, std::int64_t alignment = 1) const {
    return preset_output<Array>(exec, name, n, poison_of<Array>(), alignment);
  }

  /// The same, with value(i) before a kernel writes it.
  template <class Array, class Exec, class Function>
  Array preset_output(Exec const& exec, std::string const& name, std::int64_t n, Function const& value,
                      std::int64_t alignment = 1) const {
    return allocate<Buffer::Role::output, Array>(
        exec, name, n, [&](auto*) { return value; }, alignment);
  }

  /// n elements that a kernel writes and reads again.
  template <class Array, class Exec>
  Array work(Exec const& exec, std::string const& name, std::int64_t n) const {
    return allocate<Buffer::Role::work, Array>(
        exec, name, n, [](auto*) { return poison_of<Array>(); }, 1);
  }

  /// Memory that another object owns, as an input without guards.
  template <class Exec, class T, class Function>
  void watch(Exec const& exec, std::string const& name, T* data, std::int64_t n, Function const& value) const {
    fill(exec, data, n, value);
    exec.fence("tilestride::memory::watch");
    add({name, Buffer::Role::input, data, static_cast<double>(n) * sizeof(T), filled(exec, data, n, value),
         has_values(exec, name, data, n, value)});
  }

  void add(Buffer buffer) const { buffers_->push_back(std::move(buffer)); }

  std::shared_ptr<Buffers const> buffers() const { return buffers_; }

  void poison() const { reset(false); }
  void fill_inputs() const { reset(true); }

 private:
  template <class Array>
  static auto poison_of() {
    using T = typename Array::non_const_value_type;
    return Constant<T>{poison_value<T>()};
  }

  /// Bytes of a View that, with its header of 128 bytes before it, takes whole pages of 2 MiB, if it takes more than
  /// one. Another process that opens the memory (cudaIpc) gets pages as large only then: on an H200 its copies into
  /// memory of 1 GiB and 1000 bytes reach 240 to 300 GB/s, into 1 GiB and into 1 GiB and 1 MiB 390.
  static std::int64_t in_whole_pages(std::int64_t bytes) {
    constexpr std::int64_t page = 2 << 20, header = 128;
    return bytes <= page ? bytes : (bytes + header + page - 1) / page * page - header;
  }

  template <Buffer::Role role, class Array, class Exec, class ValueAt>
  Array allocate(Exec const& exec, std::string const& name, std::int64_t n, ValueAt const& value_at,
                 std::int64_t alignment) const {
    using T = typename Array::non_const_value_type;
    using Space = typename Array::memory_space;
    std::int64_t const bytes = n * std::int64_t(sizeof(T));
    Kokkos::View<char*, Space> const storage(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, owner_ + "::" + name),
        static_cast<std::size_t>(in_whole_pages(bytes + 2 * guard_bytes + alignment - 1)));
    auto const from = reinterpret_cast<std::uintptr_t>(storage.data() + guard_bytes);
    auto const step = static_cast<std::uintptr_t>(alignment);
    T* const data = reinterpret_cast<T*>((from + step - 1) / step * step);
    auto const value = value_at(data);
    Guards const guards(data, bytes, !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible);
    Buffer buffer{name, role, data, static_cast<double>(bytes), {}};
    buffer.reset = [storage, guards, fill = filled(exec, data, n, value)] {
      fill();
      guards.write();
    };
    std::function<Check()> is_as_filled = [] { return Check{true}; };
    if constexpr (role == Buffer::Role::input) is_as_filled = has_values(exec, name, data, n, value);
    buffer.intact = [guards, is_as_filled, name] {
      return guards.are_untouched() ? is_as_filled() : Check{false, 0, 1, "writes past an end of buffer " + name};
    };
    buffer.reset();
    add(std::move(buffer));
    return Array(data, static_cast<std::size_t>(n));
  }

  template <class Exec, class T, class Function>
  static std::function<void()> filled(Exec const& exec, T* data, std::int64_t n, Function const& value) {
    return [=] {
      fill(exec, data, n, value);
      exec.fence("tilestride::memory::fill");
    };
  }

  template <class Exec, class T, class Function>
  static std::function<Check()> has_values(Exec const& exec, std::string const& name, T const* data, std::int64_t n,
                                           Function const& value) {
    return [=] {
      return check_all(exec, n, HasValues<T, Function>{data, value}, fmt::format("input {} must stay as it was", name));
    };
  }

  void reset(bool inputs) const {
    for (Buffer const& buffer : *buffers_) {
      if ((buffer.role == Buffer::Role::input) == inputs) buffer.reset();
    }
  }

  std::string owner_;
  std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();
};

}  // namespace tilestride
