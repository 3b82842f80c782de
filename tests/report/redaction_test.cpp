// SPDX-License-Identifier: BSD-3-Clause
#include "report/redaction.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tilestride {
namespace {

Redaction const redaction(true, {"node7.site.org", "node7", "jane"});

TEST(Redaction, HidesNamesWhereTheyAreWords) {
  EXPECT_EQ(redaction.text("[node7:12] jane@node7.site.org: node7"), "[hidden:12] hidden@hidden: hidden");
  EXPECT_EQ(redaction.text("node77 my-node7 janet"), "node77 my-node7 janet");
}

TEST(Redaction, HidesFolders) {
  EXPECT_EQ(redaction.text("libx.so.5: cannot open /home/jane/lib/libx.so.5, tried ../b/c"),
            "libx.so.5: cannot open libx.so.5, tried c");
  EXPECT_EQ(redaction.text("-O3 -I/opt/site/include -L=/opt/site/lib ~/tool"), "-O3 -Iinclude -L=lib tool");
  EXPECT_EQ(redaction.text("/home/jane/results/ ~"), "results ~");
  for (std::string const kept : {"12.5 GB/s", "measured / model", "transpose/padded/serial/f32", "OPENMP;SERIAL"})
    EXPECT_EQ(redaction.text(kept), kept);
}

TEST(Redaction, HidesUuids) {
  EXPECT_EQ(redaction.text("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6 failed"), "GPU-hidden failed");
  EXPECT_EQ(redaction.text("8932f937-d72c-4106-c12f"), "8932f937-d72c-4106-c12f");
}

TEST(Redaction, WalksThroughJson) {
  Json const json = Json::parse(R"({"node7": ["/a/b", 3, {"x": "jane"}], "y": null})");
  EXPECT_EQ(redaction.values(json), Json::parse(R"({"node7": ["b", 3, {"x": "hidden"}], "y": null})"));
}

TEST(Redaction, LeavesADeckADeck) {
  Redaction const odd(true, {"cuda"});  // a host of that name
  EXPECT_EQ(odd.deck("space = [\"cuda\"]   # /home/cuda/x.toml:3\nof = \"/home/cuda/r.json\"  # default\n"),
            "space = [\"cuda\"]   # x.toml:3\nof = \"r.json\"  # default\n");
}

TEST(Redaction, DoesNothingWhenItIsOff) {
  Redaction const off(false, {"jane"});
  EXPECT_EQ(off.text("/home/jane"), "/home/jane");
  EXPECT_EQ(off.deck("a = 1  # /home/jane/x.toml:1"), "a = 1  # /home/jane/x.toml:1");
}

}  // namespace
}  // namespace tilestride
