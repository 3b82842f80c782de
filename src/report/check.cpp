// SPDX-License-Identifier: BSD-3-Clause
#include "report/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "model/text.hpp"
#include "report/document.hpp"
#include "report/ending.hpp"
#include "results/read.hpp"
#include "results/seal.hpp"

namespace tilestride {
namespace {

/// Compilers may round a sum differently, never by as much; less than this changes no figure that is printed.
constexpr double tolerance = 1e-9;

bool agree(double a, double b) { return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b)); }

/// "0.0012", in as many digits as tell it from the other.
std::string digits(double number, double other) {
  std::string const text = fmt::format("{:.6g}", number);
  return text != fmt::format("{:.6g}", other) ? text : fmt::format("{}", number);
}

/// One result of a document, and where its differences go.
class CaseCheck {
 public:
  CaseCheck(Json const& result, std::vector<std::string>& differences)
      : result_(result), name_(printable(result.at("name").get<std::string>())), differences_(differences) {}

  void check() try {
    if (result_.at("outcome") == name_of(Outcome::passed))
      check_figures();
    else
      check_absence();
  } catch (Json::exception const&) {
    differ("a field is missing or has another form than this program gives it");
  }

 private:
  void differ(std::string const& text) { differences_.push_back(name_ + ": " + text); }

  void compare(std::string const& field, Json const& written, double expected, char const* by = "its samples") {
    double const number = written.get<double>();
    if (!agree(number, expected))
      differ(
          fmt::format("{} is {} in the file, {} by {}", field, digits(number, expected), digits(expected, number), by));
  }

  /// A case without a figure has nothing that a figure could be made of.
  void check_absence() {
    for (char const* figure : {"samples", "time", "rate"}) {
      if (result_.contains(figure))
        differ(fmt::format("has {} in the file although it is {}", figure, result_.at("outcome").get<std::string>()));
    }
  }

  void check_figures() {
    auto const samples = result_.at("samples").get<std::vector<double>>();
    if (!all_positive(samples)) return differ("passed without samples, or with some that are no times");
    Statistics const s = summarize(samples);
    Json const& time = result_.at("time");
    compare("time.median", time.at("median"), s.time.median);
    compare("time.low", time.at("low"), s.time.low);
    compare("time.high", time.at("high"), s.time.high);
    compare("time.min", time.at("min"), s.min);
    compare("time.max", time.at("max"), s.max);
    compare("time.mad", time.at("mad"), s.mad);
    compare("time.count", time.at("count"), static_cast<double>(s.count));
    check_rates(s.time.median);
    check_ceilings();
  }

  double amount(char const* kind) const { return result_.at("work").value(kind, 0.0); }

  void check_rates(double median) {
    auto const figure = result_.at("figure").get<std::string>();
    compare("rate", result_.at("rate"), amount(counted_work(figure)) / median);
    for (char const* kind : {"bytes", "flops", "operations"}) {
      std::string const field = fmt::format("{}_per_second", kind);
      if (amount(kind) > 0) compare(field, result_.at(field), amount(kind) / median);
    }
    if (result_.contains("model"))
      compare("model_achieved", result_.at("model_achieved"), result_["model"].at("seconds").get<double>() / median,
              "its samples and its model");
  }

  /// The medians of the yardsticks. Some documents are kept without yardsticks.
  void check_ceilings() {
    if (!result_.contains("yardsticks")) return;
    for (auto const& [name, list] : result_["yardsticks"].items()) {
      auto const rates = list.get<std::vector<double>>();
      if (!all_positive(rates)) return differ(fmt::format("yardsticks.{} has a rate that is none", printable(name)));
      Json const& ceilings = result_.at("ceilings");
      double const median = estimate(rates).median;
      if (ceilings.contains(name)) compare("ceilings." + printable(name), ceilings[name], median, "its yardstick");
      if (ceilings.contains("by_name") && ceilings["by_name"].contains(name))
        compare("ceilings.by_name." + printable(name), ceilings["by_name"][name], median, "its yardstick");
    }
  }

  Json const& result_;
  std::string name_;
  std::vector<std::string>& differences_;
};

bool is_file(std::string const& of) { return of != "bound" && of != "model"; }

/// By the text of a rule in a document.
bool compares_with_file(std::string const& rule) {
  std::string const before = "of = \"";
  auto const at = rule.find(before);
  if (at == std::string::npos) return false;
  auto const begin = at + before.size();
  return is_file(rule.substr(begin, rule.find('"', begin) - begin));
}

/// A plan needs the files that its rules compare with; a document is checked without them.
void leave_out_files(Deck& deck) {
  Entry* const rules = deck.root.find("expect");
  if (rules == nullptr) return;
  auto const with_file = [](Table const& rule) {
    Entry const* const of = rule.find("of");
    return of != nullptr && of->form == Entry::Form::scalar && of->values[0].is_text() && is_file(of->values[0].text());
  };
  rules->tables.erase(std::remove_if(rules->tables.begin(), rules->tables.end(), with_file), rules->tables.end());
}

/// The whole document.
class DocumentCheck {
 public:
  DocumentCheck(Json const& document, Catalogue const& catalogue) : document_(document), catalogue_(catalogue) {}

  Findings check() {
    plan_again();
    for (Json const& result : document_.at("results")) CaseCheck(result, findings_.differences).check();
    check_names();
    count_outcomes();
    section("counts", [&] { check_counts(); });
    section("rules", [&] { check_rules(); });
    section("status", [&] { check_status(); });
    section("seal", [&] { check_seal(); });
    return std::move(findings_);
  }

 private:
  void differ(std::string text) { findings_.differences.push_back(std::move(text)); }
  void remark(std::string text) { findings_.remarks.push_back(std::move(text)); }

  template <class Check>
  void section(char const* name, Check const& check) try {
    check();
  } catch (Json::exception const&) {
    differ(fmt::format("{}: a field is missing or has another form than this program gives it", name));
  }

  /// The plan that the deck in the document gives with this program's catalogue, on whatever machine.
  void plan_again() {
    std::vector<Mistake> mistakes;
    Deck deck = parse_deck(document_.at("deck").get<std::string>(), "deck", mistakes);
    leave_out_files(deck);
    Plan plan;
    if (mistakes.empty())
      plan = make_plan(deck, catalogue_, {known_spaces(), known_spaces().front()},
                       document_.at("only").get<std::string>(), mistakes);
    if (mistakes.empty()) {
      plan_ = std::move(plan);
    } else {
      remark(
          fmt::format("the rules were not judged again, and no case was looked for in the deck, which this program "
                      "does not take: {}",
                      printable(mistakes.front().text, 200)));
    }
  }

  /// Every case of the deck stands there once, and nothing else.
  void check_names() {
    std::set<std::string> names;
    for (Json const& result : document_["results"]) {
      auto const name = result["name"].get<std::string>();
      if (!names.insert(name).second) differ(printable(name) + ": stands twice in the results");
    }
    if (!plan_) return;
    for (Case const& c : plan_->cases) {
      if (names.erase(c.name()) == 0) differ(c.name() + ": is in the deck and not in the results");
    }
    for (std::string const& name : names) differ(printable(name) + ": is in the results and not in the deck");
  }

  void count_outcomes() {
    std::map<std::string_view, std::size_t*> const counters{{name_of(Outcome::passed), &cases_.passed},
                                                            {name_of(Outcome::failed), &cases_.failed},
                                                            {name_of(Outcome::error), &cases_.errors},
                                                            {name_of(Outcome::skipped), &cases_.skipped},
                                                            {name_of(Outcome::not_run), &cases_.not_run}};
    for (Json const& result : document_["results"]) {
      auto const outcome = result["outcome"].get<std::string>();
      auto const counter = counters.find(outcome);
      if (counter == counters.end()) {
        differ(fmt::format("{}: its outcome \"{}\" is unknown", printable(result["name"].get<std::string>()),
                           printable(outcome, 100)));
      } else {
        ++*counter->second;
      }
    }
  }

  /// Documents before there were seals have no counts.
  void check_counts() {
    if (!document_.contains("counts")) return;
    Json const expected = to_json(cases_);
    for (auto const& [name, count] : expected.items()) {
      Json const& written = document_["counts"].at(name);
      if (written != count)
        differ(fmt::format("counts.{} is {} in the file, {} by its results", name, printable(to_line(written), 100),
                           to_line(count)));
    }
  }

  /// Parallel to the plan's cases; what the document lacks was not run.
  std::vector<Result> results_of_plan() const {
    std::vector<Result> results(plan_->cases.size());
    for (std::size_t i = 0; i < results.size(); ++i) results[i].planned = &plan_->cases[i];
    CaseIndex const index = index_cases(*plan_);
    for (Json const& json : document_["results"]) {
      if (auto const result = result_from_json(json, *plan_, index))
        results[index.at(result->planned->name())] = *result;
    }
    return results;
  }

  void check_rules() {
    Json const& written = document_["rules"];
    std::map<std::string, std::deque<std::size_t>> by_rule;  // indices of the verdicts that are not compared yet
    for (std::size_t i = 0; i < written.size(); ++i) {
      count_verdict(written[i]);
      by_rule[written[i].at("rule").get<std::string>()].push_back(i);
    }
    if (!plan_) return;
    std::vector<Result> const results = results_of_plan();
    for (Rule const& rule : plan_->rules) {
      std::deque<std::size_t>& open = by_rule[rule.text];
      Plan alone;
      alone.rules = {rule};
      for (Verdict const& verdict : judge(alone, results)) {
        if (open.empty()) {
          differ("rules: a verdict is missing: " + printable(verdict.text));
          continue;
        }
        check_verdict(open.front(), verdict);
        open.pop_front();
      }
    }
    for (auto const& [text, open] : by_rule) check_left_over(text, open);
  }

  void check_left_over(std::string const& rule, std::deque<std::size_t> const& verdicts) {
    for (std::size_t const i : verdicts) {
      if (compares_with_file(rule))
        remark(fmt::format("rules[{}] was not judged again: it compares with a file", i));
      else
        differ(fmt::format("rules[{}]: the deck asks for no such verdict: {}", i, printable(rule, 200)));
    }
  }

  void count_verdict(Json const& rule) {
    auto const judgement = rule.at("judgement").get<std::string>();
    std::map<std::string, std::size_t*> const counters{{name_of(Judgement::met), &rules_.met},
                                                       {name_of(Judgement::within_noise), &rules_.within_noise},
                                                       {name_of(Judgement::not_met), &rules_.not_met}};
    if (auto const counter = counters.find(judgement); counter != counters.end()) ++*counter->second;
  }

  void check_verdict(std::size_t at, Verdict const& verdict) {
    Json const& written = document_["rules"][at];
    auto const differs = [&](std::string const& what, std::string const& in_file, std::string const& by_samples) {
      differ(fmt::format("rules[{}].{} is {} in the file, {} by the samples: {}", at, what, printable(in_file, 100),
                         by_samples, printable(verdict.text)));
    };
    auto const judgement = written.at("judgement").get<std::string>();
    if (judgement != name_of(verdict.judgement)) differs("judgement", judgement, name_of(verdict.judgement));
    auto const compare = [&](std::string const& what, Json const& json, double expected) {
      double const number = json.get<double>();
      if (!agree(number, expected)) differs(what, digits(number, expected), digits(expected, number));
    };
    compare("at_least", written.at("at_least"), verdict.rule->at_least);
    compare("reached.median", written.at("reached").at("median"), verdict.reached.median);
    compare("reached.low", written.at("reached").at("low"), verdict.reached.low);
    compare("reached.high", written.at("reached").at("high"), verdict.reached.high);
  }

  /// What may be the status word: neither a signal nor a required space without a device can be seen in the results.
  std::vector<std::string> possible_words() const {
    bool const failed = cases_.failed + cases_.errors + cases_.not_run > 0;
    std::string const word = failed ? "FAIL" : cases_.passed == 0 ? "SKIPPED" : rules_.not_met > 0 ? "FAIL" : "PASS";
    std::vector<std::string> words{word, "INTERRUPTED"};
    if (!plan_ || !plan_->run.require.empty()) words.emplace_back("FAIL");
    return words;
  }

  void check_status() {
    auto const written = document_["status"].get<std::string>();
    std::vector<std::string> const words = possible_words();
    bool const possible = std::any_of(words.begin(), words.end(), [&](std::string const& word) {
      return written == status_line(word, cases_, rules_);
    });
    if (!possible)
      differ(fmt::format("status is \"{}\" in the file, \"{}\" by its results and verdicts", printable(written, 300),
                         status_line(words.front(), cases_, rules_)));
  }

  void check_seal() {
    if (!document_.contains("seal"))
      return remark("it has no seal, as documents of older versions: no checksum was compared");
    Json const& written = document_["seal"];
    Json const expected = seal_of(document_);
    std::map<std::string, char const*> const meanings{
        {"algorithm", "is not the one that this program knows"},
        {"numbers", "their form is not one that this program knows"},
        {"deck", "the deck is not the one that was sealed"},
        {"programs", "the checksums of the programs are not those of `programs`"},
        {"samples", "a name, an outcome or a sample of a case was changed, or a case was added, moved or removed"},
        {"summary", "the document was changed after it was sealed"}};
    for (auto const& [key, value] : expected.items()) {
      if (written.at(key) != value) differ(fmt::format("seal.{}: {}", key, meanings.at(key)));
    }
  }

  Json const& document_;
  Catalogue const& catalogue_;
  std::optional<Plan> plan_;
  Tally cases_;
  RuleTally rules_;
  Findings findings_;
};

}  // namespace

Findings check_document(Json const& document, Catalogue const& catalogue) {
  return DocumentCheck(document, catalogue).check();
}

}  // namespace tilestride
