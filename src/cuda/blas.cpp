// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS as the library of space cuda. It is column-major: a row-major matrix is to it the transposed one.
#include "cuda/blas.hpp"

#include <cublas_v2.h>
#include <fmt/format.h>

#include "cuda/instance.hpp"
#include "cuda/int8_matrix.hpp"
#include "cuda/owners.hpp"
#include "cuda/split_matrix.hpp"

namespace tilestride::cuda {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(fmt::format("cuBLAS: {}", cublasGetStatusString(status)));
}

/// A handle on the instance's stream. Its workspace is its own, so that a recorded call (recording.hpp) contains no
/// allocation; 32 MiB is what cuBLAS recommends for Hopper.
class Handle {
 public:
  explicit Handle(NativeContext const& context) {
    check(cublasCreate(&handle_));
    check(cublasSetStream(handle_, stream_of(context.exec)));
    check(cublasSetWorkspace(handle_, workspace_.get(), workspace_bytes));
  }
  ~Handle() { cublasDestroy(handle_); }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  operator cublasHandle_t() const { return handle_; }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t(32) << 20;
  DeviceMemory workspace_ = device_memory(workspace_bytes);
  cublasHandle_t handle_{};
};

template <class Call>
NativeKernel with_handle(NativeContext const& context, Call call) {
  auto handle = std::make_shared<Handle>(context);
  int version = 0;
  check(cublasGetVersion(*handle, &version));
  NativeKernel kernel;
  kernel.run = [handle, call] { check(call(*handle)); };
  kernel.notes["library"] = fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  return kernel;
}

/// The scalars of the calls below; static, since cuBLAS may read them after the call has returned.
template <class T>
constexpr T one = 1;
template <class T>
constexpr T zero = 0;

template <class T>
T const* in(void const* p) {
  return static_cast<T const*>(p);
}
template <class T>
T* out(void* p) {
  return static_cast<T*>(p);
}

}  // namespace

/// Row-major C = A B is column-major Ct = Bt At.
NativeKernel gemm(NativeContext const& context, matmul::Arguments const& p) {
  if (context.type == Type::f32)
    return with_handle(context, [p](cublasHandle_t h) {
      return cublasSgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one<float>, in<float>(p.b), p.n,
                            in<float>(p.a), p.k, &zero<float>, out<float>(p.c), p.n);
    });
  return with_handle(context, [p](cublasHandle_t h) {
    return cublasDgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one<double>, in<double>(p.b), p.n,
                          in<double>(p.a), p.k, &zero<double>, out<double>(p.c), p.n);
  });
}

namespace {

/// C = A B + beta C, A and B of `type`, their product summed and stored in f32.
cublasStatus_t call_gemm(cublasHandle_t h, matmul::Arguments const& p, void const* a, void const* b, cudaDataType type,
                         cublasComputeType_t compute, float const& beta) {
  return cublasGemmEx_64(h, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one<float>, b, type, p.n, a, type, p.k, &beta,
                         p.c, CUDA_R_32F, p.n, compute, CUBLAS_GEMM_DEFAULT);
}

NativeKernel gemm_of(NativeContext const& context, matmul::Arguments const& p, cudaDataType type,
                     cublasComputeType_t compute) {
  return with_handle(context, [=](cublasHandle_t h) { return call_gemm(h, p, p.a, p.b, type, compute, zero<float>); });
}

/// Memory for the two pieces of each element.
struct Pieces {
  std::shared_ptr<void> high, low;
  explicit Pieces(std::int64_t elements) : high(memory(elements)), low(memory(elements)) {}

 private:
  static DeviceMemory memory(std::int64_t elements) {
    return device_memory(static_cast<std::size_t>(elements) * sizeof(float));
  }
};

}  // namespace

/// Of the four products of pieces the three that count, the small ones first.
NativeKernel gemm_3xtf32(NativeContext const& context, matmul::Arguments const& p) {
  cudaStream_t const stream = stream_of(context.exec);
  return with_handle(context, [=, a = Pieces(p.m * p.k), b = Pieces(p.k * p.n)](cublasHandle_t h) {
    split(stream, in<float>(p.a), out<float>(a.high.get()), out<float>(a.low.get()), p.m * p.k);
    split(stream, in<float>(p.b), out<float>(b.high.get()), out<float>(b.low.get()), p.k * p.n);
    auto const multiply = [&](auto const& left, auto const& right, float const& beta) {
      return call_gemm(h, p, left.get(), right.get(), CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, beta);
    };
    check(multiply(a.low, b.high, zero<float>));
    check(multiply(a.high, b.low, one<float>));
    return multiply(a.high, b.high, one<float>);
  });
}

/// One product of remainders for each modulus: small ones all in one call; large ones a call each, for which the
/// library has faster kernels. The units want both operands along K.
NativeKernel gemm_int8(NativeContext const& context, matmul::Arguments const& p) {
  if (p.k >= std::int64_t(1) << 17)
    return no_kernel(SkipReason::limit, "a sum of 2^17 products of 8-bit numbers does not fit into 32 bits");
  struct Operand {
    std::shared_ptr<void> exponents, remainders;
    Operand(std::int64_t count, Integers const& integers, cudaStream_t stream)
        : exponents(device_memory(static_cast<std::size_t>(count) * sizeof(int))) {
      auto const bytes = static_cast<std::size_t>(((integers.moduli - 1) * count + padded(count)) * integers.depth);
      remainders = device_memory(bytes);
      check(cudaMemsetAsync(remainders.get(), 0, bytes, stream), "cudaMemsetAsync");
    }
  };
  constexpr std::int64_t least_alone = std::int64_t(1) << 35;  // multiply-adds: 45 us of an H200
  Integers const integers = integers_of(p.moduli, p.k);
  std::int64_t const rows = padded(p.m), pitch = padded(p.n);
  std::shared_ptr<void> const products =
      device_memory(static_cast<std::size_t>(integers.moduli * rows * pitch) * sizeof(std::int32_t));
  cudaStream_t const stream = stream_of(context.exec);
  return with_handle(context, [=, a = Operand(p.m, integers, stream),
                               b = Operand(p.n, integers, stream)](cublasHandle_t h) {
    auto* const a_exponents = static_cast<int*>(a.exponents.get());
    auto* const b_exponents = static_cast<int*>(b.exponents.get());
    split_rows(stream, in<double>(p.a), p.m, p.k, integers, a_exponents, out<std::int8_t>(a.remainders.get()));
    split_columns(stream, in<double>(p.b), p.k, p.n, integers, b_exponents, out<std::int8_t>(b.remainders.get()));
    auto const* const left = in<std::int8_t>(b.remainders.get());
    auto const* const right = in<std::int8_t>(a.remainders.get());
    auto* const product = out<std::int32_t>(products.get());
    std::int64_t const depth = integers.depth, next_left = p.n * depth, next_right = p.m * depth;
    if (p.m * p.n * depth < least_alone)
      check(cublasGemmStridedBatchedEx_64(h, CUBLAS_OP_T, CUBLAS_OP_N, pitch, rows, depth, &one<std::int32_t>, left,
                                          CUDA_R_8I, depth, next_left, right, CUDA_R_8I, depth, next_right,
                                          &zero<std::int32_t>, product, CUDA_R_32I, pitch, rows * pitch,
                                          integers.moduli, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    else
      for (std::int64_t i = 0; i < integers.moduli; ++i)
        check(cublasGemmEx_64(h, CUBLAS_OP_T, CUBLAS_OP_N, pitch, rows, depth, &one<std::int32_t>, left + i * next_left,
                              CUDA_R_8I, depth, right + i * next_right, CUDA_R_8I, depth, &zero<std::int32_t>,
                              product + i * rows * pitch, CUDA_R_32I, pitch, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    join(stream, product, p.m, p.n, integers, a_exponents, b_exponents, out<double>(p.c));
    return CUBLAS_STATUS_SUCCESS;
  });
}

NativeKernel gemm_tf32(NativeContext const& context, matmul::Arguments const& p) {
  return gemm_of(context, p, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
}

NativeKernel gemm_bf16(NativeContext const& context, matmul::Arguments const& p) {
  return gemm_of(context, p, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
}

/// Row-major A is column-major At, so that C, which is its own transpose, is (At)t At.
NativeKernel gemm_with_itself(NativeContext const& context, aat::Arguments const& p) {
  if (context.type == Type::f32)
    return with_handle(context, [p](cublasHandle_t h) {
      return cublasSgemm_64(h, CUBLAS_OP_T, CUBLAS_OP_N, p.m, p.m, p.k, &one<float>, in<float>(p.a), p.k,
                            in<float>(p.a), p.k, &zero<float>, out<float>(p.c), p.m);
    });
  return with_handle(context, [p](cublasHandle_t h) {
    return cublasDgemm_64(h, CUBLAS_OP_T, CUBLAS_OP_N, p.m, p.m, p.k, &one<double>, in<double>(p.a), p.k,
                          in<double>(p.a), p.k, &zero<double>, out<double>(p.c), p.m);
  });
}

NativeKernel geam(NativeContext const& context, transpose::Arguments const& p) {
  if (context.type == Type::f32)
    return with_handle(context, [p](cublasHandle_t h) {
      return cublasSgeam_64(h, CUBLAS_OP_T, CUBLAS_OP_N, p.rows, p.cols, &one<float>, in<float>(p.in), p.cols,
                            &zero<float>, nullptr, p.rows, out<float>(p.out), p.rows);
    });
  if (context.type == Type::f64)
    return with_handle(context, [p](cublasHandle_t h) {
      return cublasDgeam_64(h, CUBLAS_OP_T, CUBLAS_OP_N, p.rows, p.cols, &one<double>, in<double>(p.in), p.cols,
                            &zero<double>, nullptr, p.rows, out<double>(p.out), p.rows);
    });
  return no_kernel(SkipReason::not_in_library, "cuBLAS has no transpose of integers");
}

NativeKernel dot(NativeContext const& context, stream::Arguments const& p) {
  if (p.op != stream::Op::dot) return no_kernel(SkipReason::not_in_library, "BLAS has no routine for this operation");
  auto const to_device = [](cublasHandle_t h) { return cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE); };
  if (context.type == Type::f32)
    return with_handle(context, [=](cublasHandle_t h) {
      check(to_device(h));
      return cublasSdot_64(h, p.n, in<float>(p.a), 1, in<float>(p.b), 1, out<float>(p.sum));
    });
  if (context.type == Type::f64)
    return with_handle(context, [=](cublasHandle_t h) {
      check(to_device(h));
      return cublasDdot_64(h, p.n, in<double>(p.a), 1, in<double>(p.b), 1, out<double>(p.sum));
    });
  return no_kernel(SkipReason::not_in_library, "BLAS has no integer types");
}

}  // namespace tilestride::cuda
