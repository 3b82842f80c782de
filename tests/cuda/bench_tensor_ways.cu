// SPDX-License-Identifier: BSD-3-Clause

// How well the kernel of a product of BF16 on matrix units is chosen. Reads shapes from standard input, MxNxK, one in a
// line (multiples of 8), times every kernel in the way that the model finds best for it, with cuBLAS before and after,
// and compares all elements with cuBLAS'. Not a test: it prints, a person judges.
//
//   build/cuda/tests/tilestride_bench_tensor_ways <shapes.txt >ways.csv
//
// To standard output: a line for each shape and kernel (M,N,K,tile,step of K,share,teams,shares of K,predicted
// cycles,us), and for cuBLAS (M,N,K,cublas,,,,,,us). To standard error: what the choice costs. The figures of
// TensorCosts were fitted to such lines.
//
//   build/cuda/tests/tilestride_bench_tensor_ways check
//
// Nothing is timed: each kernel is compared with cuBLAS in each of its ways (plain, K divided, steps shared) at extents
// below, at and beside those of its tile and its step.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>

#include "cuda/tensor_bf16.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

__global__ void fill(__nv_bfloat16* to, std::size_t count, unsigned seed) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u + seed;
    x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
    to[i] = __float2bfloat16(static_cast<float>(x >> 8) / 16777216.0f - 0.5f);
  }
}

__global__ void count_different(float const* x, float const* y, std::size_t count, float most, unsigned* different) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    if (!(fabsf(x[i] - y[i]) <= most)) atomicAdd(different, 1u);  // NaN is different
}

Arguments shape_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  Arguments shape{};
  shape.m = m, shape.n = n, shape.k = k;
  return shape;
}

/// Of one shape: operands, the library's product and ours.
struct Product {
  Arguments p;
  cudaStream_t stream;
  cublasHandle_t library;
  DeviceMemory a, b, c, expected, different = device_memory(sizeof(unsigned));

  Product(Arguments shape, cudaStream_t on, cublasHandle_t handle)
      : p(shape),
        stream(on),
        library(handle),
        a(device_memory(p.m * p.k * 2)),
        b(device_memory(p.k * p.n * 2)),
        c(device_memory(p.m * p.n * 4)),
        expected(device_memory(p.m * p.n * 4)) {
    p.a = a.get(), p.b = b.get(), p.c = c.get();
    fill<<<2048, 256, 0, stream>>>(static_cast<__nv_bfloat16*>(a.get()), p.m * p.k, 1);
    fill<<<2048, 256, 0, stream>>>(static_cast<__nv_bfloat16*>(b.get()), p.k * p.n, 77);
    multiply_by_library();
  }
  void multiply_by_library() const {
    float const one = 1, zero = 0;
    auto const m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
    if (cublasGemmEx(library, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, p.b, CUDA_R_16BF, n, p.a, CUDA_R_16BF, k, &zero,
                     expected.get(), CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS)
      throw std::runtime_error("cublasGemmEx");
  }
  /// Makes NaN of C: what a kernel does not store is found.
  void poison() const { check(cudaMemsetAsync(c.get(), 0xff, p.m * p.n * 4, stream), "cudaMemsetAsync"); }
  /// Elements that are further apart than sums of k products in two orders can be.
  unsigned wrong() const {
    unsigned count = 0;
    check(cudaMemsetAsync(different.get(), 0, sizeof count, stream), "cudaMemsetAsync");
    count_different<<<2048, 256, 0, stream>>>(
        static_cast<float const*>(c.get()), static_cast<float const*>(expected.get()), p.m * p.n,
        2e-4f * std::sqrt(static_cast<float>(p.k)), static_cast<unsigned*>(different.get()));
    check(cudaMemcpyAsync(&count, different.get(), sizeof count, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return count;
  }
};

/// What a way is called where it is wrong.
std::string name_of(TensorChoice<float> const& choice) {
  auto const& kernel = choice.kernel;
  return fmt::format("tiles of {}x{}, steps of {}, shared {}x{}, {} teams, splits: {}", kernel.m, kernel.n, kernel.k,
                     kernel.down, kernel.across, kernel.teams, choice.shares());
}

/// Microseconds of a call: the median of three replays of about 0.15 ms. Then a rest as long as these took, so that
/// clocks are not those of the power cap.
template <class Call>
double microseconds_of(Call const& call, double guess, cudaStream_t stream) {
  int const calls = static_cast<int>(std::clamp(150 / guess, 1.0, 20.0));
  auto const replay = replay_of(stream, call, calls);
  if (!replay) throw std::runtime_error("a call that cannot be recorded");
  EventPair const events;
  double spent = events.seconds_of(stream, "a product", replay);  // warms up
  std::vector<double> times(3);
  for (double& seconds : times) spent += seconds = events.seconds_of(stream, "a product", replay);
  std::this_thread::sleep_for(std::chrono::duration<double>(spent));
  return median_of(times) * 1e6 / calls;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

int multiprocessors_of_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return attribute(device, cudaDevAttrMultiProcessorCount);
}

/// cuBLAS on a stream, with a workspace: it may not allocate one while it is recorded.
struct Library {
  cublasHandle_t handle{};
  DeviceMemory workspace = device_memory(64 << 20);

  explicit Library(cudaStream_t stream) {
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS || cublasSetStream(handle, stream) != CUBLAS_STATUS_SUCCESS ||
        cublasSetWorkspace(handle, workspace.get(), 64 << 20) != CUBLAS_STATUS_SUCCESS)
      throw std::runtime_error("cublasCreate");
  }
  ~Library() { cublasDestroy(handle); }
  Library(Library const&) = delete;
  Library& operator=(Library const&) = delete;
};

/// Each kernel in each way that the shape allows.
std::vector<TensorChoice<float>> ways_of(Arguments const& p, int multiprocessors) {
  std::vector<TensorChoice<float>> ways;
  for (auto const& kernel : bf16_kernels()) {
    int const groups = kernel.tiles(p, multiprocessors).count(), steps = divided_up(p.k, kernel.k);
    int const at_once = TensorConfig<float>({kernel, 1}).most_clusters(multiprocessors, kernel.resident);
    if (at_once == 0) continue;
    int const most = std::min(kernel.most_splits(groups, steps, at_once), 3);
    for (int splits = 1; splits <= most; ++splits) ways.push_back({kernel, splits});
    if (kernel.can_stream(groups, at_once)) ways.push_back({kernel, 1, true});
  }
  return ways;
}

/// The number of ways that were compared.
int check_all_ways() {
  Stream const stream = make_stream();
  Library const library(stream.get());
  int const multiprocessors = multiprocessors_of_device();
  int count = 0;
  for (Arguments shape : {shape_of(1, 8, 8), shape_of(17, 8, 72), shape_of(63, 72, 200), shape_of(64, 64, 256),
                          shape_of(65, 136, 264), shape_of(130, 1032, 8), shape_of(258, 264, 2056),
                          shape_of(2000, 24, 520), shape_of(4104, 4104, 72), shape_of(6000, 3000, 328)}) {
    Product const product(shape, stream.get(), library.handle);
    for (auto const& way : ways_of(product.p, multiprocessors)) {
      TensorLaunch<float> const launch(way, product.p, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, multiprocessors,
                                       stream.get());
      product.poison();
      launch();
      if (unsigned const wrong = product.wrong())
        throw std::runtime_error(
            fmt::format("{}x{}x{}: {} elements are wrong in {}", shape.m, shape.n, shape.k, wrong, name_of(way)));
      ++count;
    }
  }
  return count;
}

void run() {
  Stream const stream = make_stream();
  Library const library(stream.get());
  int const multiprocessors = multiprocessors_of_device();

  std::vector<double> first, candidate, all;  // shares of cuBLAS: of the model's first way, the best candidate, of all
  std::string line;
  while (std::getline(std::cin, line)) {
    long long m = 0, n = 0, k = 0;
    if (std::sscanf(line.c_str(), "%lldx%lldx%lld", &m, &n, &k) != 3) throw std::runtime_error("no shape: " + line);
    Product const product(shape_of(m, n, k), stream.get(), library.handle);
    auto const by_library = [&] { product.multiply_by_library(); };
    double const guess = std::max(1.0, 2.0 * double(m) * double(n) * double(k) / 700e6);
    double of_library = microseconds_of(by_library, guess, stream.get());
    std::vector<double> times;
    for (auto const& [cycles, choice] :
         candidates(bf16_kernels(), product.p, multiprocessors, bf16_costs(), bf16_kernels().size())) {
      TensorLaunch<float> const launch(choice, product.p, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, multiprocessors,
                                       stream.get());
      product.poison();
      times.push_back(microseconds_of([&] { launch(); }, cycles / 1.8e3, stream.get()));
      auto const& kernel = choice.kernel;
      fmt::print("{},{},{},{}x{},{},{}x{},{},{},{:.0f},{:.3f}\n", m, n, k, kernel.m, kernel.n, kernel.k, kernel.down,
                 kernel.across, kernel.teams, choice.shares(), cycles, times.back());
      if (unsigned const wrong = product.wrong())
        throw std::runtime_error(fmt::format("{}: {} elements are wrong in {}", line, wrong, name_of(choice)));
    }
    of_library = (of_library + microseconds_of(by_library, guess, stream.get())) / 2;
    fmt::print("{},{},{},cublas,,,,,,{:.3f}\n", m, n, k, of_library);
    first.push_back(of_library / times.front());
    candidate.push_back(of_library / *std::min_element(times.begin(), times.begin() + timed_candidates));
    all.push_back(of_library / *std::min_element(times.begin(), times.end()));
  }
  if (all.empty()) throw std::runtime_error("no shapes");
  auto const tell = [&](char const* what, std::vector<double> const& shares) {
    double slower = 0;
    for (std::size_t i = 0; i < all.size(); ++i) slower += all[i] / shares[i] / static_cast<double>(all.size());
    fmt::print(stderr, "{:<40} {:.3f} {:.3f} {:.3f}   {:.3f}\n", what, quantile(shares, 0.5), quantile(shares, 0.1),
               quantile(shares, 0), slower);
  };
  fmt::print(stderr,
             "{} shapes, of cuBLAS:                       median, nine of ten, worst; times the fastest kernel\n",
             all.size());
  tell("the first by the model", first);
  tell(fmt::format("the fastest of the first {}", timed_candidates).c_str(), candidate);
  tell("the fastest of all", all);
}

}  // namespace
}  // namespace tilestride::matmul

int main(int count, char** words) {
  try {
    if (count == 2 && words[1] == std::string("check"))
      fmt::print("{} ways agree with cuBLAS\n", tilestride::matmul::check_all_ways());
    else
      tilestride::matmul::run();
  } catch (std::exception const& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
