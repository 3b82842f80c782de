// SPDX-License-Identifier: BSD-3-Clause

// The main function of tests that need Kokkos.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return RUN_ALL_TESTS();
}
