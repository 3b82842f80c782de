// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// [[case]]: each block is read, then expanded into its cases.

#include <string>
#include <vector>

#include "model/case.hpp"
#include "plan/plan.hpp"
#include "plan/section.hpp"

namespace tilestride {

/// A [[case]] whose keys are all resolved, not yet expanded.
struct Block {
  Table const* table = nullptr;  ///< the deck's
  std::string where;             ///< "case[2]"
  Pattern const* pattern = nullptr;
  Names spaces;
  std::vector<Variant const*> variants;
  std::vector<Type> types;
  std::vector<std::vector<Value>> values;  ///< parallel to pattern->keys; empty: no chosen variant has this key
  Sampling sampling;
};

/// The blocks without mistakes, as long as they stay below `most_cases` together.
std::vector<Block> read_blocks(Section const& deck, Catalogue const& catalogue, std::string const& default_space,
                               Sampling const& defaults);

struct Cases {
  std::vector<Case> all;
  std::vector<std::vector<std::size_t>> groups;  ///< indices into `all`: the cases of one problem
};

/// Outer loop: problems; inner loop: variants and their own keys. So the cases of a group are contiguous. `spaces`:
/// those that programs have; cases of others are skipped. `only`: keeps the cases whose name contains it.
Cases multiply_out(std::vector<Block> const& blocks, Names const& spaces, std::string const& only,
                   std::vector<Mistake>& mistakes);

}  // namespace tilestride
