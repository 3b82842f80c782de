// SPDX-License-Identifier: BSD-3-Clause
// The sliding-window experiment: each step of a kernel uses one pack of a long stream, once, and one of a small array,
// again and again. A part of L2 is set aside, and an access-policy window says which addresses may stay there.
//
// Neither is available in Kokkos. They also apply to Kokkos kernels, since a policy is an attribute of a stream:
//
//   cudaStream_t stream = …;                      1. a stream of one's own, which must outlive
//   Kokkos::Cuda instance(stream);                2. the execution-space instance on it;
//   cudaStreamSetAttribute(stream, …);            3. raw CUDA configures the stream, at any time,
//   parallel_for(TeamPolicy(instance, …), …);     4. and each kernel that the instance launches from then on obeys.
//
// Here these are Sliding::stream, Sliding::instance (sliding.hpp), set_window and run_kokkos.
#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "cuda/device.hpp"
#include "cuda/instance.hpp"
#include "cuda/sliding.hpp"
#include "model/units.hpp"
#include "patterns/l2_window/native.hpp"
#include "patterns/l2_window/window.hpp"
#include "portable/prepare.hpp"

namespace tilestride::l2_window {
namespace {

using namespace cuda;

/// The update is idempotent (a bit is raised), so that it does not matter which of the threads that share an element is
/// the last: the guide's doubling is a race.
__device__ int raised(int x) { return x | 1; }
__device__ int4 raised(int4 x) { return {x.x | 1, x.y | 1, x.z | 1, x.w | 1}; }

/// The kernel of all variants: thread t of `walkers` makes the steps t, t + walkers, … and uses the persistent pack
/// with the number of the step modulo `kept`, which is counted along, not divided.
template <class Pack>
struct Walk {
  Pack *streamed, *persistent;
  std::int64_t steps, kept, walkers, stride;  ///< stride = walkers % kept

  __device__ void operator()(std::int64_t thread) const {
    std::int64_t k = thread % kept;
#pragma unroll 1  // unrolled, the loop begins with another division, and most grids make one step per thread
    for (std::int64_t i = thread; i < steps; i += walkers) {
      Pack const stays = persistent[k];
      Pack const passes = streamed[i];
      persistent[k] = raised(stays);
      streamed[i] = raised(passes);
      k += stride;
      if (k >= kept) k -= kept;
    }
  }
};

template <class Pack>
__global__ void __launch_bounds__(threads) walk_kernel(Walk<Pack> walk) {
  walk(std::int64_t(blockIdx.x) * threads + threadIdx.x);
}

/// The same in Kokkos: teams, since a RangePolicy's blocks have 128 threads.
template <class Pack>
void run_kokkos(Kokkos::Cuda const& instance, int blocks, Walk<Pack> const& walk) {
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<threads>>;
  Kokkos::parallel_for("tilestride::l2_window::walk", Policy(instance, blocks, threads),
                       [=] __device__(typename Policy::member_type const& team) {
                         walk(std::int64_t(team.league_rank()) * threads + team.team_rank());
                       });
}

/// What a case asks of L2, within what the device allows.
struct Policy {
  std::size_t set_aside = 0;
  cudaAccessPolicyWindow window{};  ///< of no bytes: none
};

Policy policy_of(Marked marked, Case const& c, Sliding const& p) {
  Window const window = window_of(marked, c, static_cast<double>(p.persistent.size() * sizeof(int)));
  std::size_t const most_aside = attribute_of(&p.instance, cudaDevAttrMaxPersistingL2CacheSize);
  Policy policy;
  policy.set_aside = std::min(static_cast<std::size_t>(c.integer("set_aside")), most_aside);
  policy.window.base_ptr = p.persistent.data();
  policy.window.num_bytes = static_cast<std::size_t>(window.bytes);
  policy.window.hitRatio = static_cast<float>(window.hit_ratio);
  policy.window.hitProp = cudaAccessPropertyPersisting;
  bool const has_choice = c.find("miss") != nullptr;
  policy.window.missProp =
      has_choice && c.choice("miss") == "normal" ? cudaAccessPropertyNormal : cudaAccessPropertyStreaming;
  return policy;
}

/// A window of no bytes closes the one before.
void set_window(cudaStream_t stream, cudaAccessPolicyWindow const& window) {
  cudaStreamAttrValue value{};
  value.accessPolicyWindow = window;
  check(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value), "cudaStreamSetAttribute");
}

std::size_t set_aside_now() {
  std::size_t bytes = 0;
  check(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize), "cudaDeviceGetLimit");
  return bytes;
}

/// Returns what the driver made of it.
std::size_t set_aside(std::size_t bytes) {
  check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes), "cudaDeviceSetLimit");
  return set_aside_now();
}

/// Persisting lines remain after their window is removed, and so does the limit: all three are reset.
void take_back(std::size_t was_set_aside) {
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  set_aside(was_set_aside);
}

/// Why no part of L2 can be set aside here; empty when it can. It is tried: a device that has the means may refuse
/// (MIG, MPS).
std::string why_not(Kokkos::Cuda const& instance) {
  int const most = attribute_of(&instance, cudaDevAttrMaxPersistingL2CacheSize);
  if (most == 0) return "this device sets no part of its L2 aside";
  std::size_t const was = set_aside_now();
  cudaError_t const answer = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(most));
  cudaGetLastError();  // a refusal is no error of ours
  if (answer != cudaSuccess) return fmt::format("no part of L2 can be set aside: {}", cudaGetErrorString(answer));
  set_aside(was);
  return "";
}

/// Calls body(Walk<Pack>, blocks) with the pack and the grid of this case.
template <class Body>
auto with_walk(Case const& c, Sliding const& p, Body const& body) {
  auto const call = [&](auto* tag) {
    using Pack = std::remove_pointer_t<decltype(tag)>;
    std::int64_t const steps = c.integer("stream") / std::int64_t(sizeof(Pack));
    std::int64_t const kept = c.integer("persistent") / std::int64_t(sizeof(Pack));
    std::int64_t const all = (steps + threads - 1) / threads;  // more have nothing to do
    std::int64_t const blocks = c.integer("blocks") == 0 ? all : std::min(all, c.integer("blocks"));
    std::int64_t const walkers = blocks * threads;
    return body(Walk<Pack>{reinterpret_cast<Pack*>(p.streamed.data()), reinterpret_cast<Pack*>(p.persistent.data()),
                           steps, kept, walkers, walkers % kept},
                static_cast<int>(blocks));
  };
  return c.integer("words") == 1 ? call(static_cast<int*>(nullptr)) : call(static_cast<int4*>(nullptr));
}

/// Everything but the kernel and its window. The clock is of the problem's own stream.
Trial trial_without_window(std::shared_ptr<Sliding> const& p, std::function<void()> run) {
  Trial trial = trial_of(p, std::move(run));
  trial.clock = event_clock(&p->instance);
  return trial;
}

/// L2 is set aside before each sample and given back after it. `on_stream`: the window is the stream's, too.
void hold_policy(Trial& trial, std::shared_ptr<Sliding> const& p, Case const& c, Policy const& policy, bool on_stream) {
  auto const was = std::make_shared<std::size_t>(0), granted = std::make_shared<std::size_t>(0);
  trial.before = [=] {
    *was = set_aside_now();
    *granted = set_aside(policy.set_aside);
    if (on_stream) set_window(p->stream.get(), policy.window);
  };
  trial.after = [=] {
    if (on_stream) set_window(p->stream.get(), {});
    take_back(*was);
  };
  trial.measure = [=] {
    return Quantities{{"set-aside MiB", static_cast<double>(*granted) / (1 << 20)},
                      {"window MiB", static_cast<double>(policy.window.num_bytes) / (1 << 20)},
                      {"hit ratio", policy.window.hitRatio}};
  };
  auto const asked = static_cast<std::size_t>(c.integer("set_aside"));
  if (asked > policy.set_aside)
    trial.notes["set-aside"] = fmt::format("{} of {}: the device's maximum", short_bytes(double(policy.set_aside)),
                                           short_bytes(double(asked)));
  if (double const widest = c.hardware.widest_window; double(p->persistent.size() * sizeof(int)) > widest)
    trial.notes["widest window"] = fmt::format("{} of the device", short_bytes(widest));
}

/// A trial of that run, under the policy of its variant if it has one.
Trial on_stream(Marked marked, std::shared_ptr<Sliding> const& p, Case const& c, std::function<void()> run) {
  Trial trial = trial_without_window(p, std::move(run));
  if (marked == Marked::none) return trial;
  if (std::string reason = why_not(p->instance); !reason.empty())
    return skipped(SkipReason::hardware, std::move(reason));
  if (marked == Marked::listing && c.integer("percent") > 100)
    return skipped(SkipReason::not_applicable, "a hit ratio ends at 100 percent");
  hold_policy(trial, p, c, policy_of(marked, c, *p), true);
  return trial;
}

/// A graph of one kernel node, whose attribute the window is.
struct OneNode {
  Graph graph;
  GraphExec exec;
};

template <class Pack>
std::shared_ptr<OneNode> windowed_graph(Walk<Pack> walk, int blocks, cudaAccessPolicyWindow const& window) {
  cudaGraph_t graph{};
  check(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
  auto one = std::make_shared<OneNode>();
  one->graph.reset(graph);

  void* arguments[] = {&walk};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(walk_kernel<Pack>);
  kernel.gridDim = dim3(static_cast<unsigned>(blocks));
  kernel.blockDim = dim3(threads);
  kernel.kernelParams = arguments;
  cudaGraphNode_t node{};
  check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), "cudaGraphAddKernelNode");

  cudaKernelNodeAttrValue value{};
  value.accessPolicyWindow = window;
  check(cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributeAccessPolicyWindow, &value),
        "cudaGraphKernelNodeSetAttribute");
  cudaGraphExec_t exec{};
  check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  one->exec.reset(exec);
  return one;
}

template <Marked marked>
Trial hybrid_walk(Bench& bench, Case const& c) {
  auto const p = problem_on<Sliding>(bench, c);
  return with_walk(c, *p, [&](auto const& walk, int blocks) {
    return on_stream(marked, p, c, [p, walk, blocks] { run_kokkos(p->instance, blocks, walk); });
  });
}

template <Marked marked>
Trial native_walk(Bench& bench, Case const& c) {
  auto const p = problem_on<Sliding>(bench, c);
  return with_walk(c, *p, [&](auto const& walk, int blocks) {
    return on_stream(marked, p, c, [p, walk, blocks] {
      walk_kernel<<<blocks, threads, 0, p->stream.get()>>>(walk);
      check(cudaGetLastError(), "walk_kernel");
    });
  });
}

Trial windowed_node(Bench& bench, Case const& c) {
  auto const p = problem_on<Sliding>(bench, c);
  if (std::string reason = why_not(p->instance); !reason.empty())
    return skipped(SkipReason::hardware, std::move(reason));
  return with_walk(c, *p, [&](auto const& walk, int blocks) {
    Policy const policy = policy_of(Marked::share, c, *p);
    auto const graph = windowed_graph(walk, blocks, policy.window);
    Trial trial = trial_without_window(
        p, [p, graph] { check(cudaGraphLaunch(graph->exec.get(), p->stream.get()), "cudaGraphLaunch"); });
    hold_policy(trial, p, c, policy, false);
    return trial;
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.hybrid_none = hybrid_walk<Marked::none>;
  table.hybrid_persisting = hybrid_walk<Marked::all>;
  table.hybrid_tuned = hybrid_walk<Marked::share>;
  table.native_none = native_walk<Marked::none>;
  table.native_persisting = native_walk<Marked::all>;
  table.native_tuned = native_walk<Marked::share>;
  table.native_graph = windowed_node;
  table.hybrid_listing = hybrid_walk<Marked::listing>;
  table.native_listing = native_walk<Marked::listing>;
  return table;
}

}  // namespace tilestride::l2_window
