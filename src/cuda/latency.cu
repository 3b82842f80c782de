// SPDX-License-Identifier: BSD-3-Clause
// The chase through each kind of memory. A link of the chain has the form that the load needs as its address, so that
// there is no other instruction between two loads: a pointer in global memory, an offset in shared and constant memory
// (whose base is part of the instruction), an address in local memory, the number of a texel in a texture.
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/cluster.hpp"
#include "cuda/cycles.hpp"
#include "cuda/instance.hpp"
#include "cuda/neighbour.hpp"
#include "cuda/owners.hpp"
#include "model/units.hpp"
#include "patterns/latency/multiply_add.hpp"
#include "patterns/latency/native.hpp"

namespace tilestride::latency {
namespace {

using namespace cuda;

constexpr int setting_up = 256;  ///< threads that copy links; one of them then follows them

/// Follows `load` from where the chase stands and notes where it ends. A link is the number of a line times `scale`,
/// and `shift` more.
template <class Load>
__device__ void follow(Chase* chase, std::int64_t* cycles, std::int64_t steps, std::uint32_t scale, std::uint32_t shift,
                       Load const& load) {
  std::uint32_t link = chase->line * scale + shift;
  std::int64_t const begin = clock64();
  for (std::int64_t s = 0; s < steps; ++s) link = load(link);
  std::int64_t const end = clock64();
  chase->line = (link - shift) / scale;
  chase->steps += steps;
  *cycles = end - begin;
}

/// The chain starts at 0 and leaves its end in a word of its own: chase->line is where the other variants go on.
__global__ void chase_registers(MultiplyAdd step, std::int64_t steps, Chase* chase, std::uint32_t* chain_end,
                                std::int64_t* cycles) {
  std::uint32_t x = 0;
  std::int64_t const begin = clock64();
#pragma unroll 64
  for (std::int64_t s = 0; s < steps; ++s) x = step(x);
  std::int64_t const end = clock64();
  *chain_end = x;
  chase->steps += steps;
  *cycles = end - begin;
}

__device__ void follow_pointers(Line const* lines, std::int64_t steps, Chase* chase, std::int64_t* cycles) {
  Line const* line = lines + chase->line;
  std::int64_t const begin = clock64();
  for (std::int64_t s = 0; s < steps; ++s) line = line->next;
  std::int64_t const end = clock64();
  chase->line = static_cast<std::uint32_t>(line - lines);
  chase->steps += steps;
  *cycles = end - begin;
}

__global__ void chase_global(Line const* lines, std::int64_t steps, Chase* chase, std::int64_t* cycles) {
  follow_pointers(lines, steps, chase, cycles);
}

__global__ void chase_read_only(Line const* lines, std::int64_t steps, Chase* chase, std::int64_t* cycles) {
  auto address = reinterpret_cast<std::uint64_t>(lines + chase->line);
  std::int64_t const begin = clock64();
  for (std::int64_t s = 0; s < steps; ++s)
    address = __ldg(reinterpret_cast<unsigned long long const*>(address));  // Line::next, the first of a line
  std::int64_t const end = clock64();
  chase->line = static_cast<std::uint32_t>((address - reinterpret_cast<std::uint64_t>(lines)) / sizeof(Line));
  chase->steps += steps;
  *cycles = end - begin;
}

__global__ void chase_shared(Line const* lines, int count, std::int64_t steps, Chase* chase, std::int64_t* cycles) {
  extern __shared__ char shared_bytes[];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    *reinterpret_cast<std::uint32_t*>(shared_bytes + i * sizeof(Line)) = lines[i].next_line * sizeof(Line);
  __syncthreads();
  if (threadIdx.x != 0) return;
  follow(chase, cycles, steps, sizeof(Line), 0,
         [](std::uint32_t offset) { return *reinterpret_cast<std::uint32_t const*>(shared_bytes + offset); });
}

/// The second block of the cluster has the links in its shared memory, as addresses that the first one uses; the first
/// one has none.
__global__ void chase_cluster(Line const* lines, int count, std::int64_t steps, Chase* chase, std::int64_t* cycles) {
  extern __shared__ Line shared_lines[];
  Line const* const there = cluster::in_block(shared_lines, 1);
  for (int i = static_cast<int>(threadIdx.x); blockIdx.x == 1 && i < count; i += static_cast<int>(blockDim.x))
    shared_lines[i].next = there + lines[i].next_line;
  cluster::sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) follow_pointers(there, steps, chase, cycles);
  cluster::sync();  // the second block keeps its memory until then
}

constexpr int constant_lines = 65536 / sizeof(Line);  ///< all that a module has
__constant__ std::uint32_t constant_words[constant_lines * words_of_line];

__global__ void chase_constant(std::int64_t steps, Chase* chase, std::int64_t* cycles) {
  follow(chase, cycles, steps, sizeof(Line), 0, [](std::uint32_t offset) {
    return *reinterpret_cast<std::uint32_t const*>(reinterpret_cast<char const*>(constant_words) + offset);
  });
}

/// Neighbouring words of a thread's array lie a warp apart, 128 bytes: the array has a word where others have a line.
/// The driver sets it aside for every thread that could be resident, a quarter of a million: 2 GB for these 8 KiB.
constexpr int local_lines = 2048;

/// The array does not begin at address 0, and an addition would lie between one load and the next: links are addresses.
__global__ void chase_local(Line const* lines, int count, std::int64_t steps, Chase* chase, std::int64_t* cycles) {
  std::uint32_t links[local_lines];
  auto const base = static_cast<std::uint32_t>(__cvta_generic_to_local(links));
  for (int i = 0; i < count; ++i) links[i] = base + lines[i].next_line * sizeof(std::uint32_t);
  follow(chase, cycles, steps, sizeof(std::uint32_t), base, [](std::uint32_t address) {
    std::uint32_t next;
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(next) : "r"(address) : "memory");
    return next;
  });
}

__global__ void chase_texture(cudaTextureObject_t texture, std::int64_t steps, Chase* chase, std::int64_t* cycles) {
  follow(chase, cycles, steps, words_of_line, next_word_at,
         [=](std::uint32_t word) { return tex1Dfetch<std::uint32_t>(texture, static_cast<int>(word)); });
}

/// launch(where the kernel leaves its cycles)
NativeKernel launched_by(Arguments const& p, std::function<void(std::int64_t*)> launch) {
  CycleCount const cycles;
  NativeKernel native;
  native.run = [cycles, launch = std::move(launch)] {
    launch(cycles.data());
    check(cudaGetLastError(), "launch of a chase");
  };
  native.measure = cycles.per_operation(static_cast<double>(p.steps));
  return native;
}

NativeKernel too_large(std::int64_t count, char const* memory, double bytes) {
  return no_kernel(SkipReason::limit,
                   fmt::format("{} of lines do not fit into {} of {}",
                               short_bytes(static_cast<double>(count) * sizeof(Line)), short_bytes(bytes), memory));
}

NativeKernel launch_registers(NativeContext const& context, Arguments const& p) {
  MultiplyAdd const step{1664525u, 1013904223u};
  cudaStream_t const stream = stream_of(context.exec);
  std::shared_ptr<void> const word = device_memory(sizeof(std::uint32_t));
  auto* const chain_end = static_cast<std::uint32_t*>(word.get());
  NativeKernel native = launched_by(p, [p, step, stream, word, chain_end](std::int64_t* cycles) {
    chase_registers<<<1, 1, 0, stream>>>(step, p.steps, p.chase, chain_end, cycles);
  });
  native.verify = [p, step, stream, word, chain_end] {
    Chase found{};
    std::uint32_t end = 0;
    check(cudaMemcpyAsync(&found, p.chase, sizeof found, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync of a chase");
    check(cudaMemcpyAsync(&end, chain_end, sizeof end, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync of a chase");
    check(cudaStreamSynchronize(stream), "cudaMemcpyAsync of a chase");
    bool const right = found.steps == p.steps && found.line == 0 && end == step.after(p.steps);
    return Check{right, 1, right ? 0.0 : 1.0, "the end of the chain exactly"};
  };
  return native;
}

NativeKernel launch_global(NativeContext const& context, Arguments const& p) {
  return launched_by(p, [p, stream = stream_of(context.exec)](std::int64_t* cycles) {
    chase_global<<<1, 1, 0, stream>>>(p.lines, p.steps, p.chase, cycles);
  });
}

NativeKernel launch_read_only(NativeContext const& context, Arguments const& p) {
  return launched_by(p, [p, stream = stream_of(context.exec)](std::int64_t* cycles) {
    chase_read_only<<<1, 1, 0, stream>>>(p.lines, p.steps, p.chase, cycles);
  });
}

NativeKernel launch_cluster(NativeContext const& context, Arguments const& p) {
  auto const* const function = reinterpret_cast<void const*>(chase_cluster);
  if (auto const skip = cluster::why_not(device_of(context.exec), function))
    return no_kernel(skip->reason, skip->words);
  int const most = attribute_of(context.exec, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (p.count > most / std::int64_t(sizeof(Line))) return too_large(p.count, "a block's shared memory", most);
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
  return launched_by(p, [p, stream = stream_of(context.exec), count = static_cast<int>(p.count)](std::int64_t* cycles) {
    cluster::launch_pairs(chase_cluster, 2, setting_up, count * sizeof(Line), stream, p.lines, count, p.steps, p.chase,
                          cycles);
  });
}

/// The lines of another GPU, whose links are addresses there.
NativeKernel launch_peer(NativeContext const& context, Arguments const& p) {
  if (auto const skip = why_no_neighbour(device_of(context.exec))) return no_kernel(skip->reason, skip->words);
  std::size_t const bytes = static_cast<std::size_t>(p.count) * sizeof(Line);
  auto const memory = std::make_shared<NeighbourMemory>(device_of(context.exec), bytes);
  auto const* const there = static_cast<Line const*>(memory->data());
  std::vector<Line> lines(static_cast<std::size_t>(p.count));
  check(cudaMemcpy(lines.data(), p.lines, bytes, cudaMemcpyDefault), "cudaMemcpy of the lines");
  for (Line& line : lines) line.next = there + line.next_line;
  check(cudaMemcpy(memory->data(), lines.data(), bytes, cudaMemcpyDefault), "cudaMemcpy of the lines");
  return launched_by(p, [p, memory, there, stream = stream_of(context.exec)](std::int64_t* cycles) {
    chase_global<<<1, 1, 0, stream>>>(there, p.steps, p.chase, cycles);
  });
}

NativeKernel launch_shared(NativeContext const& context, Arguments const& p) {
  int const most = attribute_of(context.exec, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (p.count > most / std::int64_t(sizeof(Line))) return too_large(p.count, "a block's shared memory", most);
  check(cudaFuncSetAttribute(chase_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
  return launched_by(p, [p, stream = stream_of(context.exec), count = static_cast<int>(p.count)](std::int64_t* cycles) {
    chase_shared<<<1, setting_up, count * sizeof(Line), stream>>>(p.lines, count, p.steps, p.chase, cycles);
  });
}

NativeKernel launch_constant(NativeContext const& context, Arguments const& p) {
  if (p.count > constant_lines) return too_large(p.count, "constant memory", constant_lines * sizeof(Line));
  cudaStream_t const stream = stream_of(context.exec);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(p.count) * words_of_line);
  constexpr std::size_t word = sizeof(std::uint32_t);  // of each line: the rest of it was never written
  check(cudaMemcpy2DAsync(words.data(), sizeof(Line), &p.lines->next_line, sizeof(Line), word,
                          static_cast<std::size_t>(p.count), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpy2DAsync of the lines");
  check(cudaStreamSynchronize(stream), "cudaMemcpy2DAsync of the lines");
  for (std::size_t i = 0; i < words.size(); i += words_of_line) words[i] *= sizeof(Line);
  check(cudaMemcpyToSymbolAsync(constant_words, words.data(), words.size() * word, 0, cudaMemcpyHostToDevice, stream),
        "cudaMemcpyToSymbolAsync");
  check(cudaStreamSynchronize(stream), "cudaMemcpyToSymbolAsync");
  return launched_by(
      p, [p, stream](std::int64_t* cycles) { chase_constant<<<1, 1, 0, stream>>>(p.steps, p.chase, cycles); });
}

NativeKernel launch_local(NativeContext const& context, Arguments const& p) {
  if (p.count > local_lines)
    return too_large(p.count, "local memory that is set aside here", local_lines * sizeof(Line));
  return launched_by(p, [p, stream = stream_of(context.exec), count = static_cast<int>(p.count)](std::int64_t* cycles) {
    chase_local<<<1, 1, 0, stream>>>(p.lines, count, p.steps, p.chase, cycles);
  });
}

NativeKernel launch_texture(NativeContext const& context, Arguments const& p) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<Line*>(p.lines);
  resource.res.linear.desc = cudaCreateChannelDesc<std::uint32_t>();
  resource.res.linear.sizeInBytes = static_cast<std::size_t>(p.count) * sizeof(Line);
  std::size_t most = 0;  // texels
  check(cudaDeviceGetTexture1DLinearMaxWidth(&most, &resource.res.linear.desc, device_of(context.exec)),
        "cudaDeviceGetTexture1DLinearMaxWidth");
  if (static_cast<std::size_t>(p.count) * words_of_line > most)
    return too_large(p.count, "a texture over linear memory", 4 * static_cast<double>(most));
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture{};
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "cudaCreateTextureObject");
  std::shared_ptr<void> const owner(nullptr, [texture](void*) { cudaDestroyTextureObject(texture); });
  return launched_by(p, [p, texture, owner, stream = stream_of(context.exec)](std::int64_t* cycles) {
    chase_texture<<<1, 1, 0, stream>>>(texture, p.steps, p.chase, cycles);
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.registers = launch_registers;
  table.global = launch_global;
  table.read_only = launch_read_only;
  table.shared = launch_shared;
  table.cluster = launch_cluster;
  table.constant = launch_constant;
  table.local = launch_local;
  table.texture = launch_texture;
  table.peer = launch_peer;
  return table;
}

}  // namespace tilestride::latency
