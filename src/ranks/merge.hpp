// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "model/result.hpp"
#include "ranks/facts.hpp"

namespace tilestride {

/// What each rank has of one case, by rank; nothing where a rank ended before.
using OfEachRank = std::vector<std::optional<Result>>;

/// One result of what the ranks measured of a case. Each of its samples, and each sample of a yardstick, is the median
/// over the ranks, which took it at the same time; of a collective case it is the longest, since none is done before
/// all are. Its model is the median one. Notes and kernels are those of rank 0; of flags of one kind the first rank's.
/// It passed when it did on every rank; else the reason names the rank. `one_by_one`: the ranks took turns, so that
/// there is no rate of all together.
Result merged(OfEachRank const& of_ranks, std::vector<RankFacts> const& ranks, bool one_by_one);

/// Work per second of all ranks together: that of all in one sample, over the time from the first rank that began it to
/// the last that ended it; the median of the samples. A sum of the rates of ranks that did not work at the same time
/// would be more than any link or memory carries.
double rate_together(std::vector<Result> const& of_ranks);

}  // namespace tilestride
