// SPDX-License-Identifier: BSD-3-Clause
#include "results/references.hpp"

#include "process/messages.hpp"
#include "scratch_folder.hpp"

namespace tilestride {
namespace {

TEST(References, TellOnWhatASpaceWasMeasured) {
  Json document{{"schema", result_schema}, {"deck", ""}, {"status", "pass"}, {"only", ""}};
  document["rules"] = document["results"] = Json::array();
  document["machine"]["cpu"] = "AMD EPYC (family 26, model 2)";
  document["programs"]["tilestride"]["spaces"]["openmp: concurrency"] = "2";
  document["programs"]["tilestride-cuda"]["spaces"]["cuda: device"] = "NVIDIA H200";
  ScratchFolder const folder;
  std::string const file = folder.write("result.json", document.dump());
  EXPECT_EQ(measured_on(file, "openmp"), "AMD EPYC (family 26, model 2)");
  EXPECT_EQ(measured_on(file, "cuda"), "NVIDIA H200");
  EXPECT_EQ(measured_on(file, "hip"), "") << "no program of it was there";
}

}  // namespace
}  // namespace tilestride
