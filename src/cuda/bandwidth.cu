// SPDX-License-Identifier: BSD-3-Clause
// The reads of src/patterns/bandwidth/ in raw CUDA, from each kind of memory: a block of 1024 threads for each reader.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "cuda/cluster.hpp"
#include "cuda/instance.hpp"
#include "cuda/neighbour.hpp"
#include "cuda/owners.hpp"
#include "model/units.hpp"
#include "patterns/bandwidth/reading.hpp"

namespace tilestride::bandwidth {
namespace {

using namespace cuda;

__device__ Pack pack_of(uint4 const& x) { return {{x.x, x.y, x.z, x.w}}; }

extern __shared__ Pack staged[];

/// The range, moved `shift` packs on and around.
__device__ void stage(Pack const* set, Range const& range, std::uint32_t shift, std::uint32_t mark) {
  for (std::uint32_t i = threadIdx.x; i < range.count; i += blockDim.x)
    staged[(i + shift) % range.count] = marked(set[range.begin + i], mark);
}

// Where packs are read. `begin` is called once by all threads of a block, `load` with the bytes from the beginning of
// the block's range to a pack, and `end` once.

struct FromGlobal {
  Pack const* set;
  __device__ void begin(Range const& range) { set += range.begin; }
  __device__ Pack load(std::uint32_t offset) const { return pack_at(set, offset); }
  __device__ void end() const {}
};

struct FromReadOnly {
  Pack const* set;
  __device__ void begin(Range const& range) { set += range.begin; }
  __device__ Pack load(std::uint32_t offset) const {
    return pack_of(__ldg(reinterpret_cast<uint4 const*>(&pack_at(set, offset))));
  }
  __device__ void end() const {}
};

struct FromTexture {
  cudaTextureObject_t texture;
  int first = 0;
  __device__ void begin(Range const& range) { first = static_cast<int>(range.begin); }
  __device__ Pack load(std::uint32_t offset) const {
    return pack_of(tex1Dfetch<uint4>(texture, first + static_cast<int>(offset / sizeof(Pack))));
  }
  __device__ void end() const {}
};

struct FromShared {
  Pack const* set;
  std::uint32_t mark;
  __device__ void begin(Range const& range) const {
    stage(set, range, 0, mark);
    __syncthreads();
  }
  __device__ Pack load(std::uint32_t offset) const { return pack_at(staged, offset); }
  __device__ void end() const {}
};

/// Each block of a pair has in its shared memory what the other one reads. That of the second lies one pack further, so
/// that a sum shows whose memory was read.
struct FromCluster {
  Reading reading;
  Pack const* set;
  Pack const* other = nullptr;
  std::uint32_t shift = 0, bytes = 0;
  __device__ void begin(Range const& range) {
    auto const rank = static_cast<int>(blockIdx.x % 2);
    stage(set, range_of(reading, static_cast<int>(blockIdx.x ^ 1u)), rank == 0 ? 0 : 1, reading.mark);
    shift = rank == 0 ? sizeof(Pack) : 0;
    bytes = static_cast<std::uint32_t>(sizeof(Pack)) * range.count;
    other = cluster::in_block(staged, rank ^ 1);
    cluster::sync();
  }
  __device__ Pack load(std::uint32_t offset) const {
    std::uint32_t const place = offset + shift;
    return pack_at(other, place < bytes ? place : 0);
  }
  /// The other block may still read.
  __device__ void end() const { cluster::sync(); }
};

template <class From>
__global__ void __launch_bounds__(team_threads) read_packs(Reading reading, From from, std::uint32_t* out) {
  Range const range = range_of(reading, static_cast<int>(blockIdx.x));
  Share share(reading, range, static_cast<int>(threadIdx.x));
  from.begin(range);
  std::uint32_t sum = 0;
  for (; share.left >= in_flight; share.left -= in_flight) {
    Pack x[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) x[i] = from.load(share.next());
#pragma unroll
    for (int i = 0; i < in_flight; ++i) sum += sum_of(x[i]);
  }
  for (; share.left > 0; --share.left) sum += sum_of(from.load(share.next()));
  out[blockIdx.x * team_threads + threadIdx.x] = sum;
  from.end();
}

constexpr std::int64_t constant_packs = 65536 / pack_bytes;  ///< all that a module has
__constant__ uint4 constant_set[constant_packs];

/// All lanes of a warp ask for the packs of lane 0, then for those of lane 1, …; each lane sums its own.
__global__ void __launch_bounds__(team_threads) read_constant(Reading reading, std::uint32_t* out) {
  Range const range = range_of(reading, static_cast<int>(blockIdx.x));
  int const lane = static_cast<int>(threadIdx.x) % 32;
  Share share(reading, range, static_cast<int>(threadIdx.x) - lane);  // of lane 0
  std::int64_t const all = reading.passes * range.count;
  std::uint32_t sum = 0;
  for (std::int64_t first = static_cast<int>(threadIdx.x) - lane; first < all; first += team_threads) {
    std::uint32_t offset = share.next();
    int const lanes = all - first < 32 ? static_cast<int>(all - first) : 32;
#pragma unroll 4
    for (int l = 0; l < lanes; ++l) {
      std::uint32_t const x = sum_of(pack_of(constant_set[range.begin + offset / sizeof(Pack)]));
      if (l == lane) sum += x;
      offset += sizeof(Pack);
      if (offset == share.end) offset = 0;
    }
  }
  out[blockIdx.x * team_threads + threadIdx.x] = sum;
}

/// What pack i is where stores have arrived.
__host__ __device__ inline Pack stored_pack(std::int64_t i) {
  auto const first = static_cast<std::uint32_t>(i) * 2654435761u;
  return {{first, first + 1, first + 2, first + 3}};
}

__global__ void __launch_bounds__(team_threads) store_packs(Reading reading, Pack* to) {
  Range const range = range_of(reading, static_cast<int>(blockIdx.x));
  Share share(reading, range, static_cast<int>(threadIdx.x));
  for (; share.left > 0; --share.left) {
    std::int64_t const i = range.begin + share.next() / sizeof(Pack);
    to[i] = stored_pack(i);
  }
}

unsigned blocks_of(Arguments const& p) { return static_cast<unsigned>(p.reading.readers); }

std::size_t bytes_of(Arguments const& p) { return static_cast<std::size_t>(p.reading.packs * pack_bytes); }

/// Bytes of the longest range.
std::size_t longest_of(Arguments const& p) { return static_cast<std::size_t>(longest_range(p.reading) * pack_bytes); }

NativeKernel too_large(std::size_t bytes, char const* memory, double most) {
  return no_kernel(SkipReason::limit, fmt::format("{} do not fit into {} of {}",
                                                  short_bytes(static_cast<double>(bytes)), short_bytes(most), memory));
}

NativeKernel kernel_of(std::function<void()> launch) {
  NativeKernel native;
  native.run = [launch = std::move(launch)] {
    launch();
    check(cudaGetLastError(), "bandwidth");
  };
  return native;
}

/// `owner` keeps what `from` reads.
template <class From>
NativeKernel reading_kernel(NativeContext const& context, Arguments const& p, From const& from, std::size_t scratch = 0,
                            std::shared_ptr<void> const& owner = nullptr) {
  return kernel_of([p, from, scratch, owner, stream = stream_of(context.exec)] {
    read_packs<<<blocks_of(p), team_threads, scratch, stream>>>(p.reading, from, p.out);
  });
}

NativeKernel launch_global(NativeContext const& context, Arguments const& p) {
  return reading_kernel(context, p, FromGlobal{p.set});
}

NativeKernel launch_read_only(NativeContext const& context, Arguments const& p) {
  return reading_kernel(context, p, FromReadOnly{p.set});
}

NativeKernel launch_texture(NativeContext const& context, Arguments const& p) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<Pack*>(p.set);
  resource.res.linear.desc = cudaCreateChannelDesc<uint4>();
  resource.res.linear.sizeInBytes = bytes_of(p);
  std::size_t most = 0;  // texels
  check(cudaDeviceGetTexture1DLinearMaxWidth(&most, &resource.res.linear.desc, device_of(context.exec)),
        "cudaDeviceGetTexture1DLinearMaxWidth");
  if (static_cast<std::size_t>(p.reading.packs) > most)
    return too_large(bytes_of(p), "a texture over linear memory", static_cast<double>(most) * sizeof(uint4));
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture{};
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "cudaCreateTextureObject");
  std::shared_ptr<void> const owner(nullptr, [texture](void*) { cudaDestroyTextureObject(texture); });
  return reading_kernel(context, p, FromTexture{texture}, 0, owner);
}

/// Allows a kernel that much dynamic shared memory; false where a block cannot have it.
bool allow_shared(NativeContext const& context, void const* function, std::size_t bytes, int& most) {
  most = attribute_of(context.exec, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (bytes > static_cast<std::size_t>(most)) return false;
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
  return true;
}

NativeKernel launch_shared(NativeContext const& context, Arguments const& p) {
  int most = 0;
  if (!allow_shared(context, reinterpret_cast<void const*>(read_packs<FromShared>), longest_of(p), most))
    return too_large(longest_of(p), "a block's shared memory", most);
  NativeKernel native = reading_kernel(context, p, FromShared{p.set, p.reading.mark}, longest_of(p));
  native.through_scratch = true;
  return native;
}

NativeKernel launch_cluster(NativeContext const& context, Arguments const& p) {
  auto* const kernel = read_packs<FromCluster>;
  if (auto const skip = cluster::why_not(device_of(context.exec), reinterpret_cast<void const*>(kernel)))
    return no_kernel(skip->reason, skip->words);
  if (p.reading.readers % 2 != 0)
    return no_kernel(SkipReason::not_applicable, "the blocks of clusters of two: an even number of readers");
  if (p.reading.parts && p.reading.packs % p.reading.readers != 0)
    return no_kernel(SkipReason::not_applicable, "the parts of a cluster's two blocks have one length");
  int most = 0;
  if (!allow_shared(context, reinterpret_cast<void const*>(kernel), longest_of(p), most))
    return too_large(longest_of(p), "a block's shared memory", most);
  NativeKernel native = kernel_of([=, stream = stream_of(context.exec)] {
    cluster::launch_pairs(kernel, blocks_of(p), team_threads, longest_of(p), stream, p.reading,
                          FromCluster{p.reading, p.set}, p.out);
  });
  native.through_scratch = true;
  return native;
}

NativeKernel launch_constant(NativeContext const& context, Arguments const& p) {
  if (p.reading.packs > constant_packs)
    return too_large(bytes_of(p), "constant memory", static_cast<double>(constant_packs * pack_bytes));
  cudaStream_t const stream = stream_of(context.exec);
  check(cudaMemcpyToSymbolAsync(constant_set, p.set, bytes_of(p), 0, cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyToSymbolAsync");
  check(cudaStreamSynchronize(stream), "cudaMemcpyToSymbolAsync");
  return kernel_of([p, stream] { read_constant<<<blocks_of(p), team_threads, 0, stream>>>(p.reading, p.out); });
}

NativeKernel launch_peer(NativeContext const& context, Arguments const& p) {
  if (auto const skip = why_no_neighbour(device_of(context.exec))) return no_kernel(skip->reason, skip->words);
  auto const memory = std::make_shared<NeighbourMemory>(device_of(context.exec), bytes_of(p));
  check(cudaMemcpy(memory->data(), p.set, bytes_of(p), cudaMemcpyDefault), "cudaMemcpy to another GPU");
  return reading_kernel(context, p, FromGlobal{static_cast<Pack const*>(memory->data())}, 0, memory);
}

/// Every pack, and then none: what is judged next must have been stored anew.
Check check_stored(NeighbourMemory const& memory, std::int64_t packs) {
  std::vector<Pack> found(static_cast<std::size_t>(packs));
  std::size_t const bytes = found.size() * sizeof(Pack);
  check(cudaDeviceSynchronize(), "stores to another GPU");
  check(cudaMemcpy(found.data(), memory.data(), bytes, cudaMemcpyDefault), "cudaMemcpy from another GPU");
  memory.erase();
  Check all{true, 4 * static_cast<double>(packs), 0, "every word that was stored, exactly"};
  for (std::int64_t i = 0; i < packs; ++i) {
    Pack const expected = stored_pack(i);
    for (int w = 0; w < 4; ++w) all.wrong += found[static_cast<std::size_t>(i)].v[w] == expected.v[w] ? 0 : 1;
  }
  all.passed = all.wrong == 0;
  if (!all.passed) all.detail += fmt::format("; {} of {} wrong", all.wrong, all.elements);
  return all;
}

NativeKernel launch_peer_store(NativeContext const& context, Arguments const& p) {
  if (auto const skip = why_no_neighbour(device_of(context.exec))) return no_kernel(skip->reason, skip->words);
  auto const memory = std::make_shared<NeighbourMemory>(device_of(context.exec), bytes_of(p));
  memory->erase();
  NativeKernel native = kernel_of([p, memory, stream = stream_of(context.exec)] {
    store_packs<<<blocks_of(p), team_threads, 0, stream>>>(p.reading, static_cast<Pack*>(memory->data()));
  });
  native.verify = [memory, packs = p.reading.packs] { return check_stored(*memory, packs); };
  return native;
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.global = launch_global;
  table.read_only = launch_read_only;
  table.texture = launch_texture;
  table.shared = launch_shared;
  table.cluster = launch_cluster;
  table.constant = launch_constant;
  table.peer = launch_peer;
  table.peer_store = launch_peer_store;
  return table;
}

}  // namespace tilestride::bandwidth
