// SPDX-License-Identifier: BSD-3-Clause
#include "run/check_result.hpp"

#include <fmt/format.h>

#include <iostream>

#include "model/text.hpp"
#include "patterns/catalogue.hpp"
#include "report/check.hpp"
#include "results/read.hpp"
#include "run/commands.hpp"

namespace tilestride {

int check_result(std::string const& path) try {
  Json const document = read_document(path);
  Findings const found = check_document(document, catalogue());
  for (std::string const& difference : found.differences) std::cout << difference << "\n";
  for (std::string const& remark : found.remarks) std::cout << "note: " << remark << "\n";
  std::size_t const differences = found.differences.size();
  std::cout << fmt::format("{}: {} cases, {} verdicts: {}\n", printable(path), document["results"].size(),
                           document["rules"].size(),
                           differences == 0   ? "all agrees"
                           : differences == 1 ? "1 difference"
                                              : fmt::format("{} differences", differences));
  return differences == 0 ? exit_pass : exit_expectation;
} catch (NoDocument const& problem) {
  complain(fmt::format("{} {}", path, problem.what()));
  return exit_usage;
}

}  // namespace tilestride
