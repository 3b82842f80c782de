// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/openblas/ in a program without OpenBLAS.
#include "patterns/aat/native.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/stream/native.hpp"
#include "patterns/transpose/native.hpp"

namespace tilestride {

aat::Launchers aat::Launchers::on_host() { return {}; }
matmul::Launchers matmul::Launchers::on_host() { return {}; }
stream::Launchers stream::Launchers::on_host() { return {}; }
transpose::Launchers transpose::Launchers::on_host() { return {}; }

}  // namespace tilestride
