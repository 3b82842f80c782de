// SPDX-License-Identifier: BSD-3-Clause
// OpenBLAS as the library of the host spaces.
#include <cblas.h>

#include <type_traits>

#include "patterns/aat/native.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/stream/native.hpp"
#include "patterns/transpose/native.hpp"
#include "portable/native.hpp"

namespace tilestride {
namespace {

/// OpenBLAS keeps one number of threads for everybody: it is set again before each call, which costs nothing when it
/// stands.
NativeKernel on_threads(NativeContext const& context, std::function<void()> call) {
  NativeKernel kernel;
  kernel.run = [threads = context.threads, call = std::move(call)] {
    if (openblas_get_num_threads() != threads) openblas_set_num_threads(threads);
    call();
  };
  kernel.notes["library"] = openblas_get_config();
  kernel.notes["core type"] = openblas_get_corename();
  return kernel;
}

NativeKernel omatcopy(NativeContext const& context, transpose::Arguments const& p) {
  auto const rows = static_cast<blasint>(p.rows), cols = static_cast<blasint>(p.cols);
  if (context.type == Type::f32)
    return on_threads(context, [=] {
      cblas_somatcopy(CblasRowMajor, CblasTrans, rows, cols, 1.0f, static_cast<float const*>(p.in), cols,
                      static_cast<float*>(p.out), rows);
    });
  if (context.type == Type::f64)
    return on_threads(context, [=] {
      cblas_domatcopy(CblasRowMajor, CblasTrans, rows, cols, 1.0, static_cast<double const*>(p.in), cols,
                      static_cast<double*>(p.out), rows);
    });
  return no_kernel(SkipReason::not_in_library, "OpenBLAS has no transpose of integers");
}

NativeKernel dot(NativeContext const& context, stream::Arguments const& p) {
  if (p.op != stream::Op::dot) return no_kernel(SkipReason::not_in_library, "BLAS has no routine for this operation");
  if (p.n >= (1ll << 31)) return no_kernel(SkipReason::limit, "this OpenBLAS counts elements in 32 bits");
  auto const n = static_cast<blasint>(p.n);
  if (context.type == Type::f32)
    return on_threads(context, [=] {
      *static_cast<float*>(p.sum) = cblas_sdot(n, static_cast<float const*>(p.a), 1, static_cast<float const*>(p.b), 1);
    });
  if (context.type == Type::f64)
    return on_threads(context, [=] {
      *static_cast<double*>(p.sum) =
          cblas_ddot(n, static_cast<double const*>(p.a), 1, static_cast<double const*>(p.b), 1);
    });
  return no_kernel(SkipReason::not_in_library, "BLAS has no integer types");
}

NativeKernel gemm(NativeContext const& context, matmul::Arguments const& p) {
  auto const m = static_cast<blasint>(p.m), n = static_cast<blasint>(p.n), k = static_cast<blasint>(p.k);
  if (context.type == Type::f32)
    return on_threads(context, [=] {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, static_cast<float const*>(p.a), k,
                  static_cast<float const*>(p.b), n, 0.0f, static_cast<float*>(p.c), n);
    });
  return on_threads(context, [=] {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, static_cast<double const*>(p.a), k,
                static_cast<double const*>(p.b), n, 0.0, static_cast<double*>(p.c), n);
  });
}

NativeKernel gemm_with_itself(NativeContext const& context, aat::Arguments const& p) {
  auto const m = static_cast<blasint>(p.m), k = static_cast<blasint>(p.k);
  if (context.type == Type::f32)
    return on_threads(context, [=] {
      auto const* const a = static_cast<float const*>(p.a);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, k, 1.0f, a, k, a, k, 0.0f, static_cast<float*>(p.c),
                  m);
    });
  return on_threads(context, [=] {
    auto const* const a = static_cast<double const*>(p.a);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, k, 1.0, a, k, a, k, 0.0, static_cast<double*>(p.c), m);
  });
}

}  // namespace

transpose::Launchers transpose::Launchers::on_host() {
  Launchers table;
  table.vendor = omatcopy;
  return table;
}
stream::Launchers stream::Launchers::on_host() {
  Launchers table;
  table.vendor = dot;
  return table;
}
matmul::Launchers matmul::Launchers::on_host() {
  Launchers table;
  table.vendor = gemm;
  return table;
}
aat::Launchers aat::Launchers::on_host() {
  Launchers table;
  table.vendor = gemm_with_itself;
  return table;
}

}  // namespace tilestride
