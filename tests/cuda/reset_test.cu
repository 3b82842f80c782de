// SPDX-License-Identifier: BSD-3-Clause
// What a sample sets on the device, `after` takes back: a neighbour finds the device as if the sample had not been.
// Needs a GPU, and is skipped where there is none.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include "cuda/recording.hpp"
#include "cuda/sliding.hpp"
#include "machine/build_info.hpp"
#include "patterns/catalogue.hpp"
#include "plan/plan.hpp"
#include "portable/bench.hpp"
#include "portable/native.hpp"

namespace tilestride {
namespace {

Plan plan_of(std::string const& cases) {
  std::vector<Mistake> mistakes;
  Deck const deck = parse_deck("schema = 1\n" + cases, "test.toml", mistakes);
  Plan plan = make_plan(deck, catalogue(), build_spaces(), "", mistakes);
  EXPECT_TRUE(mistakes.empty()) << describe(mistakes, deck);
  return plan;
}

std::size_t set_aside() {
  std::size_t bytes = 0;
  cuda::check(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize), "cudaDeviceGetLimit");
  return bytes;
}

cudaAccessPolicyWindow window_of(cudaStream_t stream) {
  cudaStreamAttrValue value{};
  cuda::check(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value), "cudaStreamGetAttribute");
  return value.accessPolicyWindow;
}

int carveout_of(void const* function) {
  cudaFuncAttributes attributes{};
  cuda::check(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
  return attributes.preferredShmemCarveout;
}

cudaFuncCache device_preference() {
  cudaFuncCache preference{};
  cuda::check(cudaDeviceGetCacheConfig(&preference), "cudaDeviceGetCacheConfig");
  return preference;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
cudaSharedMemConfig bank_width() {
  cudaSharedMemConfig width{};
  cudaDeviceGetSharedMemConfig(&width);
  return width;
}
#pragma nv_diagnostic pop
#pragma GCC diagnostic pop

class Reset : public testing::Test {
 protected:
  static std::string why_unavailable() { return device_interface("cuda").unavailable(); }
  static void SetUpTestSuite() {
    if (why_unavailable().empty()) Kokkos::initialize();
  }
  static void TearDownTestSuite() {
    if (Kokkos::is_initialized()) Kokkos::finalize();
  }
  void SetUp() override {
    if (std::string const reason = why_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// Prepares every case of the plan, each on a bench of its own, and calls body(case, bench, trial) for those that can
/// run here. There must be some.
template <class Body>
void for_each_trial(Plan const& plan, Body const& body) {
  int tried = 0;
  for (Case const& c : plan.cases) {
    SCOPED_TRACE(c.name());
    Bench bench = open_bench("cuda");
    Trial const trial = c.variant->prepare(bench, c);
    if (trial.skip) continue;
    ++tried;
    body(c, bench, trial);
  }
  if (tried == 0) GTEST_SKIP() << "this device has none of it";
}

TEST_F(Reset, WindowsAndWhatIsSetAside) {
  Plan const plan = plan_of(
      "[[case]]\npattern = \"l2_window\"\nspace = \"cuda\"\nstream = \"8 MiB\"\npersistent = \"1 MiB\"\n"
      "set_aside = \"4 MiB\"\n");
  // A limit that is not the default: it is the user's, and must come back.
  for (std::size_t const users : {std::size_t(0), std::size_t(2) << 20}) {
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, users);
    cudaGetLastError();
    std::size_t const before = set_aside();
    for_each_trial(plan, [&](Case const& c, Bench const& bench, Trial const& trial) {
      auto const problem = std::static_pointer_cast<l2_window::Sliding>(bench.problems.at(typeid(l2_window::Sliding)));
      bool const has_policy = c.variant->name != "native_none" && c.variant->name != "hybrid_none";
      ASSERT_EQ(has_policy, static_cast<bool>(trial.before));
      EXPECT_EQ(set_aside(), before);
      for (int sample = 0; sample < 2; ++sample) {
        if (trial.before) trial.before();
        if (has_policy) EXPECT_NE(set_aside(), before);
        bool const on_stream = has_policy && c.variant->name != "native_graph";
        EXPECT_EQ(window_of(problem->stream.get()).num_bytes > 0, on_stream);
        trial.run();
        if (trial.after) trial.after();
        EXPECT_EQ(set_aside(), before);
        EXPECT_EQ(window_of(problem->stream.get()).num_bytes, 0u);
      }
      EXPECT_TRUE(trial.verify().passed);
    });
  }
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
}

TEST_F(Reset, CarveoutsPreferencesAndBanks) {
  Plan const plan = plan_of(
      "[[case]]\npattern = \"carveout\"\nspace = \"cuda\"\nblocks = 4\npasses = 2\nworking_set = \"8 KiB\"\n"
      "carveout = [\"default\", \"0\", \"100\"]\npreference = [\"none\", \"l1\", \"device_shared\"]\nbank_size = "
      "[\"default\", \"8\"]\n");
  cudaSharedMemConfig const banks = bank_width();
  cudaFuncCache const preference = device_preference();
  for_each_trial(plan, [&](Case const& c, Bench const& bench, Trial const& trial) {
    cudaStream_t const stream = std::static_pointer_cast<Kokkos::Cuda>(bench.exec)->cuda_stream();
    void const* const function = cuda::function_of(stream, trial.run);
    int const carveout = carveout_of(function);
    for (int sample = 0; sample < 2; ++sample) {
      trial.before();
      if (c.choice("carveout") != "default" && c.choice("preference") == "none")
        EXPECT_EQ(carveout_of(function), std::stoi(c.choice("carveout")));
      trial.run();
      trial.after();
      EXPECT_EQ(carveout_of(function), carveout);
      EXPECT_EQ(bank_width(), banks);
      EXPECT_EQ(device_preference(), preference);
    }
    trial.measure();
    EXPECT_EQ(carveout_of(function), carveout);
    EXPECT_EQ(bank_width(), banks);
    EXPECT_EQ(device_preference(), preference);
    EXPECT_TRUE(trial.verify().passed);
  });
}

}  // namespace
}  // namespace tilestride
