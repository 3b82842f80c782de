// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Hopper's instructions for products, one wrapper per instruction: barriers in shared memory that count bytes, copies
// of boxes that need no thread, products of a warpgroup. The names and layouts are those of the PTX manual, chapters
// mbarrier, cp.async.bulk.tensor and wgmma. For sources compiled for compute capability 9.0a.

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/check.hpp"

namespace tilestride::cuda::hopper {

// ---- Barriers in shared memory. A phase of one ends when all arrivals and all bytes that it expects have come; its
// parity, 0 in the first phase, is what waiting threads ask for.
using Barrier = std::uint64_t;

__device__ inline std::uint32_t address(void const* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
__device__ inline void init(Barrier& b, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&b)), "r"(arrivals));
}
/// The same address, hidden from nvcc, so that it stays in a register. Otherwise nvcc computes it anew at each step of
/// a loop from the block's rank in its cluster (S2UR), which takes longer than to test a barrier whose phase has ended.
/// Not for memory that threads load or store: nvcc would make generic accesses of these.
__device__ inline unsigned char* kept(unsigned char* shared) {
  asm volatile("" : "+l"(shared));
  return shared;
}
/// What init wrote is seen by the copy engine, and by the blocks of the cluster after its barrier.
__device__ inline void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void arrive(Barrier& b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&b)) : "memory");
}
__device__ inline void arrive_and_expect(Barrier& b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&b)), "r"(bytes) : "memory");
}
/// At the barrier that lies at the same place in the shared memory of that block of the cluster.
__device__ inline void arrive_in_block(Barrier& b, int rank) {
  asm volatile(
      "{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [there];}" ::
          "r"(address(&b)),
      "r"(rank)
      : "memory");
}
/// True for one lane of a warp whose lanes all ask. The compiler then knows that one lane alone runs what depends on
/// it, and makes no loop over lanes around each copy.
__device__ inline bool elected() {
  unsigned yes = 0;
  asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(yes));
  return yes != 0;
}
/// Whether that phase has ended, after waiting for it for a while.
__device__ inline bool ended(Barrier& b, unsigned parity) {
  unsigned done = 0;
  asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
               : "=r"(done)
               : "r"(address(&b)), "r"(parity)
               : "memory");
  return done != 0;
}
__device__ inline void wait(Barrier& b, unsigned parity) {
  while (!ended(b, parity)) {
  }
}
/// The same for all lanes of a warp, which go on together. Each may be told something else when a phase is just ending,
/// and `mma.sync` does not make the compiler bring them together again (`wgmma` does).
__device__ inline void wait_as_warp(Barrier& b, unsigned parity) {
  while (!__all_sync(~0u, ended(b, parity))) {
  }
}

/// Sets a word of global memory, 0 until then, to 1. What this block has written before its last barrier is then
/// visible to the block that takes the signal.
__device__ inline void signal(unsigned& word) {
  asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&word) : "memory");
}
/// Waits for a signal, and makes room for the next one.
__device__ inline void take_signal(unsigned& word) {
  unsigned there = 0;
  do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(&word) : "memory");
  while (there == 0);
  word = 0;
}

/// Waits until `count` blocks have called it, one of which is the `first`: what they have written before is then
/// visible to all of them. Together they add 2^31 to a word of global memory, so its highest bit changes when the last
/// one comes. It need not be set back before the next launch.
__device__ inline void arrive_and_wait(unsigned& word, unsigned count, bool first) {
  constexpr unsigned highest = 1u << 31;
  unsigned const added = first ? highest - (count - 1) : 1;
  unsigned before = 0, now = 0;
  asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;" : "=r"(before) : "l"(&word), "r"(added) : "memory");
  do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&word) : "memory");
  while (((before ^ now) & highest) == 0);
}

/// A place in a ring of stages, and the parity of the phase in which it is.
template <int stages>
struct Place {
  int stage = 0;
  unsigned parity = 0;
  __device__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  __device__ void advance(int by) {
    parity ^= (stage + by) / stages % 2;
    stage = (stage + by) % stages;
  }
};

/// A ring of stages in shared memory, which one thread has the copy engine fill and some warps read.
template <class Stage, int count>
struct Ring {
  static constexpr int stages = count;
  using At = Place<stages>;
  Stage stage[stages];
  Barrier full[stages], empty[stages];

  /// One thread; `used`: how many stages will be.
  __device__ void init(int readers, int used) {
    for (int s = 0; s < used; ++s) {
      hopper::init(full[s], 1);
      hopper::init(empty[s], readers);
    }
    publish_barriers();
  }
  /// The stage to be filled, once all have read it. It is full when as many bytes have come as it has.
  __device__ Stage& claim(At at) {
    wait(empty[at.stage], at.parity ^ 1);
    arrive_and_expect(full[at.stage], sizeof(Stage));
    return stage[at.stage];
  }
  /// Waits until all have read what was put into the first `used` stages; `at` is the next to be filled. Blocks of a
  /// cluster arrive at each other's barriers: none may end before.
  __device__ void drain(At at, int used) {
    for (int s = 0; s < used; ++s) wait(empty[s], s < at.stage ? at.parity : at.parity ^ 1);
  }
  __device__ Stage const& filled(At at) {
    wait(full[at.stage], at.parity);
    return stage[at.stage];
  }
  /// For a whole warp, whose lanes go on together.
  __device__ Stage const& filled_for_warp(At at) {
    wait_as_warp(full[at.stage], at.parity);
    return stage[at.stage];
  }
  /// This warp has read the stage.
  __device__ void release(int s) {
    if (threadIdx.x % 32 == 0) arrive(empty[s]);
  }
};

// ---- Boxes of a matrix to shared memory, one thread asking. What lies outside the matrix arrives as zeros.
__device__ inline void copy_box(void* shared, CUtensorMap const& map, int column, int row, Barrier& b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          address(shared)),
      "l"(&map), "r"(column), "r"(row), "r"(address(&b))
      : "memory");
}

/// The same to that place in all blocks of the cluster whose bits are set in `ranks`; each counts the bytes at its own
/// barrier.
__device__ inline void copy_box(void* shared, CUtensorMap const& map, int column, int row, Barrier& b,
                                std::uint16_t ranks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(address(shared)),
      "l"(&map), "r"(column), "r"(row), "r"(address(&b)), "h"(ranks)
      : "memory");
}
/// The map will be used soon.
__device__ inline void prefetch(CUtensorMap const& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// A row-major matrix in boxes whose rows are 128 bytes, stored swizzled: 16-byte chunk c of row r goes to chunk
/// c ^ r % 8 of its row, so that neither rows nor columns of chunks share a bank. L2 fetches lines of 128 bytes: with
/// 256 it fetches too much where rows begin within a line.
inline CUtensorMap boxes_of(void const* data, CUtensorMapDataType type, int element, std::int64_t rows,
                            std::int64_t columns, int box_rows) {
  static auto const encode = [] {  // not linked: src/cuda/libcuda.cpp says why
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found),
          "cuTensorMapEncodeTiled");
    if (found != cudaDriverEntryPointSuccess) throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  CUtensorMap map{};
  cuuint64_t const extents[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  cuuint64_t const pitch[] = {static_cast<cuuint64_t>(columns * element)};
  cuuint32_t const box[] = {static_cast<cuuint32_t>(128 / element), static_cast<cuuint32_t>(box_rows)};
  cuuint32_t const every[] = {1, 1};
  CUresult const result =
      encode(&map, type, 2, const_cast<void*>(data), extents, pitch, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) throw std::runtime_error("cuTensorMapEncodeTiled: error " + std::to_string(result));
  return map;
}

// ---- Products of a warpgroup (four warps): D (64 x n, in registers) += A (64 x k) B (k x n). Lane l of warp w has of
// D row 16 w + l / 4, columns 8 j + l % 4 * 2 and the next one, in d[4 j] and d[4 j + 1], and of the row eight below
// the same columns in d[4 j + 2] and d[4 j + 3]; 0 <= j < n / 8.

/// An operand in shared memory in 128-byte rows, swizzled as above. K-major: `stride` is from eight rows to the next
/// eight. Major in the other extent: `stride` is that of eight k, `leading` that of 128 bytes of the other extent.
__device__ inline std::uint64_t operand(void const* shared, int leading, int stride) {
  constexpr std::uint64_t swizzle_128 = 1ull << 62;
  std::uint32_t const inside = address(shared) & 0x3ffff;  // without the block's rank in its cluster, bits 24 and up
  return swizzle_128 | std::uint64_t(stride >> 4) << 32 | std::uint64_t(leading >> 4) << 16 | inside >> 4;
}
/// What this thread has written to shared memory is seen by the units and the copy engine too.
__device__ inline void publish_writes() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
/// The same operand `bytes` further on.
__device__ inline std::uint64_t further(std::uint64_t operand, int bytes) { return operand + (bytes >> 4); }

/// Before products: makes what this thread wrote to their registers visible to them.
__device__ inline void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// All but the newest `groups` groups of products are done.
template <int groups>
__device__ inline void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

// The registers of D in the instruction's text and as its operands, in eights.
#define TILESTRIDE_NAMES8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define TILESTRIDE_NAMES16 TILESTRIDE_NAMES8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define TILESTRIDE_NAMES24 TILESTRIDE_NAMES16 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define TILESTRIDE_NAMES32 TILESTRIDE_NAMES24 ",%24,%25,%26,%27,%28,%29,%30,%31"
#define TILESTRIDE_NAMES40 TILESTRIDE_NAMES32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define TILESTRIDE_NAMES48 TILESTRIDE_NAMES40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define TILESTRIDE_NAMES56 TILESTRIDE_NAMES48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define TILESTRIDE_NAMES64 TILESTRIDE_NAMES56 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define TILESTRIDE_NAMES72 TILESTRIDE_NAMES64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define TILESTRIDE_NAMES80 TILESTRIDE_NAMES72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define TILESTRIDE_NAMES88 TILESTRIDE_NAMES80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define TILESTRIDE_NAMES96 TILESTRIDE_NAMES88 ",%88,%89,%90,%91,%92,%93,%94,%95"
#define TILESTRIDE_NAMES104 TILESTRIDE_NAMES96 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define TILESTRIDE_NAMES112 TILESTRIDE_NAMES104 ",%104,%105,%106,%107,%108,%109,%110,%111"
#define TILESTRIDE_NAMES120 TILESTRIDE_NAMES112 ",%112,%113,%114,%115,%116,%117,%118,%119"
#define TILESTRIDE_NAMES128 TILESTRIDE_NAMES120 ",%120,%121,%122,%123,%124,%125,%126,%127"
#define TILESTRIDE_D8(i)                                                                                      \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define TILESTRIDE_D16 TILESTRIDE_D8(0), TILESTRIDE_D8(8)
#define TILESTRIDE_D24 TILESTRIDE_D16, TILESTRIDE_D8(16)
#define TILESTRIDE_D32 TILESTRIDE_D24, TILESTRIDE_D8(24)
#define TILESTRIDE_D40 TILESTRIDE_D32, TILESTRIDE_D8(32)
#define TILESTRIDE_D48 TILESTRIDE_D40, TILESTRIDE_D8(40)
#define TILESTRIDE_D56 TILESTRIDE_D48, TILESTRIDE_D8(48)
#define TILESTRIDE_D64 TILESTRIDE_D56, TILESTRIDE_D8(56)
#define TILESTRIDE_D72 TILESTRIDE_D64, TILESTRIDE_D8(64)
#define TILESTRIDE_D80 TILESTRIDE_D72, TILESTRIDE_D8(72)
#define TILESTRIDE_D88 TILESTRIDE_D80, TILESTRIDE_D8(80)
#define TILESTRIDE_D96 TILESTRIDE_D88, TILESTRIDE_D8(88)
#define TILESTRIDE_D104 TILESTRIDE_D96, TILESTRIDE_D8(96)
#define TILESTRIDE_D112 TILESTRIDE_D104, TILESTRIDE_D8(104)
#define TILESTRIDE_D120 TILESTRIDE_D112, TILESTRIDE_D8(112)
#define TILESTRIDE_D128 TILESTRIDE_D120, TILESTRIDE_D8(120)

/// Keeps the compiler from reading D before the products are waited for, and what sets D from being mixed with them.
template <int registers>
__device__ inline void settle(float (&d)[registers]) {
#pragma unroll
  for (int i = 0; i < registers; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

/// multiply_bf16: k = 16; A K-major, B N-major, or, `turned`, A M-major, B K-major.
/// multiply_tf32: k = 8; A in registers, rows as D has them: column l % 4 in a[0] and a[1], column l % 4 + 4 in a[2]
/// and a[3]. B K-major. Without `add` D begins anew. p0 to p5: the names of the parameters that follow the registers of
/// D.
#define TILESTRIDE_PRODUCTS(n, registers, names, d_operands, p0, p1, p2, p3, p4, p5)                                 \
  template <bool turned>                                                                                             \
  __device__ void multiply_bf16(float(&d)[registers], std::uint64_t a, std::uint64_t b) {                            \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" n "k16.f32.bf16.bf16 {" names "}, " p0 ", " p1 ", 1, 1, 1, " p2 \
                 ", " p3 ";"                                                                                         \
                 : d_operands                                                                                        \
                 : "l"(a), "l"(b), "n"(int(turned)), "n"(int(!turned)));                                             \
  }                                                                                                                  \
  __device__ inline void multiply_tf32(float(&d)[registers], std::uint32_t const(&a)[4], std::uint64_t b,            \
                                       bool add = true) {                                                            \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " p5 ", 0; wgmma.mma_async.sync.aligned.m64n" n                      \
                 "k8.f32.tf32.tf32 {" names "}, {" p0 "," p1 "," p2 "," p3 "}, " p4 ", p, 1, 1;}"                    \
                 : d_operands                                                                                        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(add)));                               \
  }
TILESTRIDE_PRODUCTS("16", 8, TILESTRIDE_NAMES8, TILESTRIDE_D8(0), "%8", "%9", "%10", "%11", "%12", "%13")
TILESTRIDE_PRODUCTS("32", 16, TILESTRIDE_NAMES16, TILESTRIDE_D16, "%16", "%17", "%18", "%19", "%20", "%21")
TILESTRIDE_PRODUCTS("48", 24, TILESTRIDE_NAMES24, TILESTRIDE_D24, "%24", "%25", "%26", "%27", "%28", "%29")
TILESTRIDE_PRODUCTS("64", 32, TILESTRIDE_NAMES32, TILESTRIDE_D32, "%32", "%33", "%34", "%35", "%36", "%37")
TILESTRIDE_PRODUCTS("80", 40, TILESTRIDE_NAMES40, TILESTRIDE_D40, "%40", "%41", "%42", "%43", "%44", "%45")
TILESTRIDE_PRODUCTS("96", 48, TILESTRIDE_NAMES48, TILESTRIDE_D48, "%48", "%49", "%50", "%51", "%52", "%53")
TILESTRIDE_PRODUCTS("112", 56, TILESTRIDE_NAMES56, TILESTRIDE_D56, "%56", "%57", "%58", "%59", "%60", "%61")
TILESTRIDE_PRODUCTS("128", 64, TILESTRIDE_NAMES64, TILESTRIDE_D64, "%64", "%65", "%66", "%67", "%68", "%69")
TILESTRIDE_PRODUCTS("144", 72, TILESTRIDE_NAMES72, TILESTRIDE_D72, "%72", "%73", "%74", "%75", "%76", "%77")
TILESTRIDE_PRODUCTS("160", 80, TILESTRIDE_NAMES80, TILESTRIDE_D80, "%80", "%81", "%82", "%83", "%84", "%85")
TILESTRIDE_PRODUCTS("176", 88, TILESTRIDE_NAMES88, TILESTRIDE_D88, "%88", "%89", "%90", "%91", "%92", "%93")
TILESTRIDE_PRODUCTS("192", 96, TILESTRIDE_NAMES96, TILESTRIDE_D96, "%96", "%97", "%98", "%99", "%100", "%101")
TILESTRIDE_PRODUCTS("208", 104, TILESTRIDE_NAMES104, TILESTRIDE_D104, "%104", "%105", "%106", "%107", "%108", "%109")
TILESTRIDE_PRODUCTS("224", 112, TILESTRIDE_NAMES112, TILESTRIDE_D112, "%112", "%113", "%114", "%115", "%116", "%117")
TILESTRIDE_PRODUCTS("256", 128, TILESTRIDE_NAMES128, TILESTRIDE_D128, "%128", "%129", "%130", "%131", "%132", "%133")

#undef TILESTRIDE_PRODUCTS
#undef TILESTRIDE_D8
#undef TILESTRIDE_NAMES8
#undef TILESTRIDE_NAMES16
#undef TILESTRIDE_D16
#undef TILESTRIDE_NAMES24
#undef TILESTRIDE_D24
#undef TILESTRIDE_NAMES32
#undef TILESTRIDE_D32
#undef TILESTRIDE_NAMES40
#undef TILESTRIDE_D40
#undef TILESTRIDE_NAMES48
#undef TILESTRIDE_D48
#undef TILESTRIDE_NAMES56
#undef TILESTRIDE_D56
#undef TILESTRIDE_NAMES64
#undef TILESTRIDE_D64
#undef TILESTRIDE_NAMES72
#undef TILESTRIDE_D72
#undef TILESTRIDE_NAMES80
#undef TILESTRIDE_D80
#undef TILESTRIDE_NAMES88
#undef TILESTRIDE_D88
#undef TILESTRIDE_NAMES96
#undef TILESTRIDE_D96
#undef TILESTRIDE_NAMES104
#undef TILESTRIDE_D104
#undef TILESTRIDE_NAMES112
#undef TILESTRIDE_D112
#undef TILESTRIDE_NAMES120
#undef TILESTRIDE_D120
#undef TILESTRIDE_NAMES128
#undef TILESTRIDE_D128

// ---- Registers: warpgroups that only ask for copies give theirs to those that multiply.
template <int registers>
__device__ inline void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ inline void claim_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

}  // namespace tilestride::cuda::hopper
