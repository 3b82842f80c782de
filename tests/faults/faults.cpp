// SPDX-License-Identifier: BSD-3-Clause
#include "faults.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "patterns/common/findings.hpp"
#include "patterns/transpose/row_read.hpp"

namespace tilestride::faults {
namespace {

using transpose::RowRead;
using transpose::Transpose;

/// Right, so that there is something beside the faults that must survive them.
using Sound = RowRead;

struct Null {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const&) {}
};

struct WrongElement {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    RowRead::run(p);
    auto const out = p.out;
    Kokkos::parallel_for(
        "tilestride::faults::wrong_element", Kokkos::RangePolicy<Exec>(p.exec, 0, 1),
        KOKKOS_LAMBDA(int) { out(out.extent(0) - 1, out.extent(1) / 2) += 1; });
  }
};

/// Two rows of the result are exchanged: every value is there, at the wrong place.
struct SwappedIndices {
  template <class Exec, class T>
  struct Body {
    Matrix<Exec, T> in, out;
    std::int64_t rows;
    KOKKOS_FUNCTION T load(std::int64_t r, std::int64_t c) const { return in(r, c); }
    KOKKOS_FUNCTION void store(std::int64_t r, std::int64_t c, T x) const { out(c, r < 2 && rows > 1 ? 1 - r : r) = x; }
  };

  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    move_matrix("tilestride::faults::swapped_indices", p.exec, p.rows, p.cols, Body<Exec, T>{p.in, p.out, p.rows});
  }
};

/// Right once, then it no longer writes: its output is stale by the time it counts.
struct Stale {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    static bool written = false;
    if (!written) RowRead::run(p);
    written = true;
  }
};

/// Right, after as many steps as the environment asks for: a difference between two programs that is known exactly.
struct Paced {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    char const* const pace = std::getenv("TILESTRIDE_FAULTS_PACE");
    auto const steps = static_cast<std::int64_t>(2e6 * (pace != nullptr ? std::atof(pace) : 1));
    double volatile sink = 1;
    double x = sink;
    for (std::int64_t i = 0; i < steps; ++i) x = x * 0.999999 + 1e-6;  // each step waits for the one before
    sink = x;
    RowRead::run(p);
  }
};

/// A fault on that rank; the others are right.
template <class Fault>
struct OnRank {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    if (goes_wrong_here())
      Fault::run(p);
    else
      Sound::run(p);
  }
};

/// 40 ms, and 120 ms on that rank: asleep, so that no other work on the cores makes a difference.
struct Slow {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    bool const chosen = std::getenv("TILESTRIDE_FAULTS_RANK") != nullptr && goes_wrong_here();
    std::this_thread::sleep_for(std::chrono::milliseconds(chosen ? 120 : 40));
    RowRead::run(p);
  }
};

/// Leaves without a word.
struct Exits {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const&) {
    std::_Exit(0);
  }
};

struct Throws {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const&) {
    throw std::runtime_error("this variant throws");
  }
};

struct Aborts {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const&) {
    Kokkos::abort("this variant aborts");
  }
};

struct Segfaults {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const&) {
    std::raise(SIGSEGV);
  }
};

struct Hangs {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const&) {
    std::this_thread::sleep_for(std::chrono::hours(1));
  }
};

/// Once it has waited for the others, whose first call takes a second.
struct HangsLater {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    static int calls = 0;
    ++calls;
    if (goes_wrong_here() ? calls == 2 : calls == 1)
      std::this_thread::sleep_for(goes_wrong_here() ? std::chrono::hours(1) : std::chrono::seconds(1));
    RowRead::run(p);
  }
};

/// A store far outside: on a device a sticky error of its context.
struct DeviceFaults {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    auto* const nowhere = reinterpret_cast<T*>(std::uintptr_t{64});
    Kokkos::parallel_for(
        "tilestride::faults::device_fault", Kokkos::RangePolicy<Exec>(p.exec, 0, 1),
        KOKKOS_LAMBDA(int) { *nowhere = T(1); });
  }
};

template <class Kernel>
constexpr Prepare kernel = prepare<Transpose, Kernel, float>;

double elements(Case const& c) { return static_cast<double>(c.shape()[0]) * static_cast<double>(c.shape()[1]); }
double needs(Case const& c) { return 8 * elements(c); }
Work work(Case const& c) { return {8 * elements(c), 0}; }

}  // namespace

bool goes_wrong_here() {
  char const* const wrong = std::getenv("TILESTRIDE_FAULTS_RANK");
  char const* const own = std::getenv("OMPI_COMM_WORLD_RANK");
  return wrong == nullptr || (own != nullptr && std::string(wrong) == own);
}

Pattern pattern() {
  Pattern p;
  p.name = "faults";
  p.meaning = "variants that go wrong";
  p.types = {Type::f32};
  p.figure = Figure::bandwidth;
  p.formula = "none";
  p.keys = {{"shape", KeyKind::shape, "64x48", {"rows", "cols"}, "extents of the input"}};
  p.variants = {
      portable("sound", "right", kernel<Sound>),
      portable("paced", "right, TILESTRIDE_FAULTS_PACE times as slow", kernel<Paced>),
      portable("slow", "right, and slower on one rank", kernel<Slow>),
      portable("exits", "ends its process", kernel<OnRank<Exits>>),
      portable("null", "writes nothing", kernel<Null>),
      portable("wrong_element", "one element is wrong", kernel<OnRank<WrongElement>>),
      portable("swapped_indices", "two rows exchanged", kernel<SwappedIndices>),
      portable("stale", "writes only the first time", kernel<Stale>),
      portable("throws", "throws", kernel<OnRank<Throws>>),
      portable("aborts", "aborts", kernel<OnRank<Aborts>>),
      portable("segfaults", "reads where it must not", kernel<OnRank<Segfaults>>),
      portable("hangs", "never ends", kernel<OnRank<Hangs>>),
      portable("hangs_later", "ends once", kernel<HangsLater>),
      portable("device_faults", "writes where nothing is", kernel<DeviceFaults>),
  };
  p.needs = needs;
  p.work = work;
  p.model = copy_model;
  p.findings = ladder_findings;
  return p;
}

}  // namespace tilestride::faults
