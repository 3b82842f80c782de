// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/check.hpp"
#include "cuda/constant_chase.hpp"
#include "cuda/follow.hpp"

namespace tilestride::cuda {
namespace {

__constant__ std::uint32_t constant_words[constant_lines * words_of_line];

__global__ void chase_constant(std::int64_t steps, Chase* chase) {
  follow(chase, steps, sizeof(Line), 0, [](std::uint32_t offset) {
    return *reinterpret_cast<std::uint32_t const*>(reinterpret_cast<char const*>(constant_words) + offset);
  });
}

}  // namespace

void set_constant_lines(std::vector<std::uint32_t> const& next_lines, cudaStream_t stream) {
  std::vector<std::uint32_t> words(next_lines.size() * words_of_line);
  for (std::size_t i = 0; i < next_lines.size(); ++i) words[i * words_of_line] = next_lines[i] * sizeof(Line);
  check(cudaMemcpyToSymbolAsync(constant_words, words.data(), words.size() * sizeof(words[0]), 0,
                                cudaMemcpyHostToDevice, stream),
        "cudaMemcpyToSymbolAsync");
  check(cudaStreamSynchronize(stream), "cudaMemcpyToSymbolAsync");
}

void launch_constant_chase(std::int64_t steps, Chase* chase, cudaStream_t stream) {
  chase_constant<<<1, 1, 0, stream>>>(steps, chase);
}

}  // namespace tilestride::cuda
