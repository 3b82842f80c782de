// SPDX-License-Identifier: BSD-3-Clause
#include "process/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "machine/build_info.hpp"
#include "machine/environment.hpp"
#include "machine/host.hpp"
#include "measure/group.hpp"

namespace tilestride {
namespace {

// ---- every type that is sent as JSON; its fields are listed once for both directions.
//
// The structured bindings list all members: a member that is added to a struct but not here is a compile error.

template <class Archive, class Self>
void fields(Archive& archive, Self& self, Accuracy const*) {
  auto& [worst, rms] = self;
  archive("worst", worst);
  archive("rms", rms);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, EnergyUse const*) {
  auto& [joules, watts, seconds] = self;
  archive("joules", joules);
  archive("watts", watts);
  archive("seconds", seconds);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, Check const*) {
  auto& [passed, elements, wrong, detail, accuracy] = self;
  archive("passed", passed);
  archive("elements", elements);
  archive("wrong", wrong);
  archive("detail", detail);
  archive("share_of_allowed_error", accuracy);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, Work const*) {
  auto& [bytes, flops, operations] = self;
  archive("bytes", bytes);
  archive("flops", flops);
  archive("operations", operations);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, Intensity const*) {
  auto& [ideal, requested] = self;
  archive("ideal", ideal);
  archive("requested", requested);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, Ceilings const*) {
  auto& [copy, fma, scratch, read, clock, by_name] = self;
  archive("copy", copy);
  archive("fma", fma);
  archive("scratch", scratch);
  archive("read", read);
  archive("clock", clock);
  archive("by_name", by_name);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, Model const*) {
  auto& [seconds, limiter] = self;
  archive("seconds", seconds);
  archive("limiter", limiter);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, KernelUse const*) {
  auto& [name, blocks, threads, registers, local, spill_stores, spill_loads, scratch, per_multiprocessor, occupancy] =
      self;
  archive("name", name);
  archive("blocks", blocks);
  archive("threads", threads);
  archive("registers", registers);
  archive("local_bytes", local);
  archive("spill_stores", spill_stores);
  archive("spill_loads", spill_loads);
  archive("scratch_bytes", scratch);
  archive("blocks_per_multiprocessor", per_multiprocessor);
  archive("occupancy", occupancy);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, OfRanks const*) {
  auto& [seconds, together, slowest_device] = self;
  archive("seconds", seconds);
  archive("together", together);
  archive("slowest_device", slowest_device);
}

template <class Archive, class Self>
void fields(Archive& archive, Self& self, PhaseTimes const*) {
  auto& [preparing, warming_up, sampling, verifying] = self;
  archive("preparing", preparing);
  archive("warming_up", warming_up);
  archive("sampling", sampling);
  archive("verifying", verifying);
}

/// `planned` goes by its name, which is written apart.
template <class Archive, class Self>
void fields(Archive& archive, Self& self, Result const*) {
  auto& [planned, outcome, reason, skip_reason, program, samples, begins, ends, ranks, session, repetitions, clock,
         check, work, intensity, yardsticks, ceilings, model, energy, flags, notes, predicted, measured, kernels,
         before, after] = self;
  static_cast<void>(planned);
  archive("outcome", outcome);
  archive("reason", reason);
  archive("skip", skip_reason);
  archive("flags", flags);
  archive("program", program);
  archive("verification", check);
  archive("clock", clock);
  archive("session", session);
  archive("repetitions", repetitions);
  archive("work", work);
  archive("intensity", intensity);
  archive("model", model);
  archive("ceilings", ceilings);
  archive("energy", energy);
  archive("yardsticks", yardsticks);
  archive("predicted", predicted);
  archive("measured", measured);
  archive("kernels", kernels);
  archive("notes", notes);
  archive("device_before", before);
  archive("device_after", after);
  archive("ranks", ranks);
  archive("samples", samples);
  archive("begins", begins);
  archive("ends", ends);
}

template <class Archive, class Self>
void visit(Archive& archive, Self& self) {
  fields(archive, self, static_cast<std::remove_const_t<Self> const*>(nullptr));
}

// ---- how one value is written and read

struct Writer {
  Json json = Json::object();

  template <class T>
  void operator()(char const* name, T const& value) {
    if (Json written = write(value); !is_nothing(written)) json[name] = std::move(written);
  }

 private:
  /// Values without meaning are omitted.
  static bool is_nothing(Json const& written) {
    return written.is_null() || ((written.is_structured() || written.is_string()) && written.empty()) ||
           (written.is_string() && written.get_ref<std::string const&>().empty());
  }

  template <class T>
  static Json write(T const& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else if constexpr (std::is_class_v<T>) {
      Writer inner;
      visit(inner, value);
      return std::move(inner.json);
    }
  }
  static Json write(std::string const& value) { return value; }
  static Json write(Outcome value) { return name_of(value); }
  static Json write(std::optional<SkipReason> const& value) { return value ? Json(name_of(*value)) : Json(); }
  template <class T>
  static Json write(std::optional<T> const& value) {
    return value ? write(*value) : Json();
  }
  template <class T>
  static Json write(std::vector<T> const& values) {
    Json json = Json::array();
    for (T const& value : values) json.push_back(write(value));
    return json;
  }
  template <class T>
  static Json write(std::map<std::string, T> const& values) {
    Json json = Json::object();
    for (auto const& [name, value] : values) json[name] = write(value);
    return json;
  }
  static Json write(Quantities const& values) {
    Json json = Json::object();
    for (auto const& [name, value] : values) json[name] = value;
    return json;
  }
};

struct Reader {
  Json const& json;

  template <class T>
  void operator()(char const* name, T& value) const {
    if (auto const it = json.find(name); it != json.end()) read(*it, value);
  }

 private:
  template <class T>
  static void read(Json const& from, T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      value = from.get<T>();
    } else {
      if (!from.is_object()) throw std::runtime_error("expected an object");
      Reader const inner{from};
      visit(inner, value);
    }
  }
  static void read(Json const& from, std::string& value) { value = from.get<std::string>(); }
  static void read(Json const& from, Outcome& value) {
    value = named(from, {Outcome::passed, Outcome::failed, Outcome::error, Outcome::skipped, Outcome::not_run});
  }
  static void read(Json const& from, std::optional<SkipReason>& value) {
    value = named(from, {SkipReason::not_built, SkipReason::no_device, SkipReason::one_device, SkipReason::hardware,
                         SkipReason::limit, SkipReason::not_in_kokkos, SkipReason::not_in_library,
                         SkipReason::no_meaning, SkipReason::not_applicable});
  }
  template <class T>
  static void read(Json const& from, std::optional<T>& value) {
    read(from, value.emplace());
  }
  template <class T>
  static void read(Json const& from, std::vector<T>& values) {
    if (!from.is_array()) throw std::runtime_error("expected a list");
    for (Json const& element : from) read(element, values.emplace_back());
  }
  template <class T>
  static void read(Json const& from, std::map<std::string, T>& values) {
    if (!from.is_object()) throw std::runtime_error("expected an object");
    for (auto const& [name, value] : from.items()) read(value, values[name]);
  }
  static void read(Json const& from, Quantities& values) {
    if (!from.is_object()) throw std::runtime_error("expected an object");
    for (auto const& [name, value] : from.items()) values.emplace_back(name, value.template get<double>());
  }

  template <class Enum>
  static Enum named(Json const& from, std::initializer_list<Enum> all) {
    auto const name = from.get<std::string>();
    for (Enum const value : all) {
      if (name_of(value) == name) return value;
    }
    throw std::runtime_error("unknown name " + name);
  }
};

template <class T>
Json written(T const& value) {
  Writer writer;
  visit(writer, value);
  return std::move(writer.json);
}

// ---- a case in the document: derived values for readers

/// Without the fields that have no meaning when there is no figure.
Result without_figures(Result result) {
  Result kept;
  kept.planned = result.planned;
  kept.outcome = result.outcome;
  kept.reason = std::move(result.reason);
  kept.skip_reason = result.skip_reason;
  kept.program = std::move(result.program);
  kept.flags = std::move(result.flags);
  kept.check = std::move(result.check);
  kept.notes = std::move(result.notes);
  kept.before = std::move(result.before);
  kept.after = std::move(result.after);
  return kept;
}

Json to_json(Estimate const& e) { return {{"median", e.median}, {"low", e.low}, {"high", e.high}}; }

/// Derived values, for the convenience of readers; they are not read back.
void put_figures(Json& to, Result const& result) {
  Statistics const s = result.statistics();
  to["figure"] = unit_of(result.planned->pattern->figure);
  to["time"] = to_json(s.time);
  to["time"].update({{"min", s.min}, {"max", s.max}, {"mad", s.mad}, {"count", s.count}});
  to["rate"] = result.rate();
  if (result.work.bytes > 0) to["bytes_per_second"] = result.work.bytes / s.time.median;
  if (result.work.flops > 0) to["flops_per_second"] = result.work.flops / s.time.median;
  if (result.work.operations > 0) to["operations_per_second"] = result.work.operations / s.time.median;
  if (result.model.seconds > 0) to["model_achieved"] = result.model.seconds / s.time.median;
}

}  // namespace

std::string to_line(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string text_of(Json const& object, char const* key) {
  auto const it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

bool all_positive(std::vector<double> const& numbers) {
  return !numbers.empty() && std::all_of(numbers.begin(), numbers.end(), [](double x) { return x > 0; });
}

Json to_json(Result const& result) {
  Case const& c = *result.planned;
  Json json{
      {"kind", "case"},   {"name", c.name()},        {"pattern", c.pattern->name}, {"variant", c.variant->name},
      {"space", c.space}, {"type", name_of(c.type)}, {"problem", c.problem()},     {"role", name_of(c.variant->role)}};
  if (!c.variant->twin.empty()) json["twin"] = c.variant->twin;
  for (Value const& value : c.values) json["keys"][value.key->name] = value.text();
  bool const passed = result.outcome == Outcome::passed;
  if (passed) put_figures(json, result);
  json.update(written(passed ? result : without_figures(result)));
  if (result.check.elements == 0) json.erase("verification");
  if (!passed) {
    for (char const* none : {"work", "model", "ceilings", "repetitions"}) json.erase(none);
  } else if (result.model.seconds == 0) {
    json.erase("model");
  }
  return json;
}

Json to_short_json(Result result) {
  result.notes.clear();
  result.kernels.clear();
  result.predicted.clear();
  result.measured.clear();
  result.before.clear();
  result.intensity.reset();
  result.ceilings = {};
  result.check = {};
  result.session.clear();
  Json json{{"kind", "case"}, {"name", result.planned->name()}};
  json.update(written(result));
  for (char const* none : {"verification", "ceilings"}) json.erase(none);
  return json;
}

CaseIndex index_cases(Plan const& plan) {
  CaseIndex index;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) index.emplace(plan.cases[i].name(), i);
  return index;
}

std::optional<Result> result_from_json(Json const& json, Plan const& plan, CaseIndex const& index) try {
  if (json.value("kind", "") != "case") return {};
  auto const found = index.find(json.at("name").get<std::string>());
  if (found == index.end()) return {};
  json.at("outcome");
  Result result;
  result.planned = &plan.cases[found->second];
  Reader const reader{json};
  visit(reader, result);
  bool const passed = result.outcome == Outcome::passed;
  if (passed != all_positive(result.samples) || (passed && result.amount() <= 0)) return {};
  for (auto const& [name, rates] : result.yardsticks) {
    if (!all_positive(rates)) return {};
  }
  return result;
} catch (std::exception const&) {  // half a line, left by a kill
  return {};
}

// ---- from the front

namespace {

Json case_json(Case const& c) {
  Json json{{"name", c.name()}, {"pattern", c.pattern->name}, {"variant", c.variant->name},
            {"space", c.space}, {"type", name_of(c.type)},    {"values", Json::array()}};
  for (Value const& value : c.values)
    json["values"].push_back(
        {{"key", value.key->name}, {"n", value.n}, {"percent", value.percent}, {"text", value.text()}});
  json["sampling"] = {{"min_samples", c.sampling.min_samples},
                      {"max_time", c.sampling.max_time},
                      {"spread", c.sampling.spread},
                      {"cold", c.sampling.cold},
                      {"energy", c.sampling.energy}};
  json["work"] = written(c.work());
  return json;
}

/// The value in the worker's catalogue; throws if it has no such choice.
Value value_of(Key const& key, Json const& json) {
  Value value;
  value.key = &key;
  value.n = json.at("n").get<decltype(value.n)>();
  value.percent = json.at("percent").get<std::int64_t>();
  auto const text = json.at("text").get<std::string>();
  bool const limited = key.kind == KeyKind::choice || (key.kind == KeyKind::integer && !key.choices.empty());
  auto const choice = std::find(key.choices.begin(), key.choices.end(), text);
  if (limited && choice == key.choices.end())
    throw std::runtime_error(fmt::format("{} = {} is not built into this program", key.name, text));
  if (key.kind == KeyKind::choice) value.n[0] = choice - key.choices.begin();
  return value;
}

Case case_from_json(Json const& json, Catalogue const& catalogue, Build const& build) {
  auto const text = [&](char const* key) { return json.at(key).get<std::string>(); };
  auto const lacking = [](std::string const& what) {
    return std::runtime_error(fmt::format("this program has no {}", what));
  };
  Case c;
  for (Pattern const& pattern : catalogue) {
    if (pattern.name == text("pattern")) c.pattern = &pattern;
  }
  if (c.pattern == nullptr) throw lacking("pattern " + text("pattern"));
  c.variant = c.pattern->find_variant(text("variant"));
  if (c.variant == nullptr) throw lacking("variant " + text("pattern") + "/" + text("variant"));
  c.space = text("space");
  if (std::find(build.spaces.begin(), build.spaces.end(), c.space) == build.spaces.end())
    throw lacking("space " + c.space);
  auto const type = std::find_if(c.pattern->types.begin(), c.pattern->types.end(),
                                 [&](Type t) { return name_of(t) == text("type"); });
  if (type == c.pattern->types.end()) throw lacking(c.pattern->name + " of " + text("type"));
  c.type = *type;
  for (Json const& value : json.at("values")) {
    Key const* const key = c.pattern->find_key(value.at("key").get<std::string>());
    if (key == nullptr) throw lacking("key " + value.at("key").get<std::string>() + " of " + c.pattern->name);
    c.values.push_back(value_of(*key, value));
  }
  Json const& sampling = json.at("sampling");
  c.sampling = {sampling.at("min_samples").get<int>(), sampling.at("max_time").get<double>(),
                sampling.at("spread").get<double>(), sampling.at("cold").get<bool>(),
                sampling.at("energy").get<bool>()};
  if (c.name() != text("name")) throw std::runtime_error("this program calls the case " + c.name());
  if (Json const own = written(c.work()); own != json.at("work"))
    throw std::runtime_error(
        fmt::format("this program counts the work otherwise: {}, not {}", to_line(own), to_line(json.at("work"))));
  return c;
}

/// What a card has of this space.
Card of_space(Card const& card, std::string const& space) {
  Card own;
  for (auto const& [name, rate] : card) {
    if (name.find("/" + space + "/") != std::string::npos) own.emplace(name, rate);
  }
  return own;
}

}  // namespace

Json measure_command(std::vector<Case const*> const& cases, std::int64_t seed, double until, long rounds) {
  Json command{
      {"command", "measure"}, {"seed", seed}, {"until", to_epoch(until)}, {"rounds", rounds}, {"cases", Json::array()}};
  for (Case const* const c : cases) command["cases"].push_back(case_json(*c));
  if (Case const& first = *cases.front(); first.card != nullptr) command["card"] = of_space(*first.card, first.space);
  return command;
}

Json go_command() { return {{"command", "go"}}; }

std::vector<AgreedCase> cases_of_command(Json const& command, Catalogue const& catalogue, Build const& build) {
  std::vector<AgreedCase> agreed;
  std::shared_ptr<Card const> card;
  if (command.contains("card")) card = std::make_shared<Card const>(command.at("card").get<Card>());
  for (Json const& json : command.at("cases")) {
    AgreedCase& one = agreed.emplace_back();
    one.name = json.at("name").get<std::string>();
    try {
      one.found = case_from_json(json, catalogue, build);
      one.found->card = card;
    } catch (std::runtime_error const& problem) {
      one.lacking = problem.what();
    }
  }
  return agreed;
}

// ---- from a worker

Json hello_message(std::string const& program) {
  Json build = Json::object();
  for (auto const& [name, value] : build_facts()) {
    if (!value.empty()) build[name] = value;
  }
  return {{"kind", "hello"},
          {"protocol", protocol_version},
          {"program", program},
          {"git revision", git_revision()},
          {"spaces", build_spaces().spaces},
          {"build", build}};
}

Json machine_message(std::map<std::string, std::string> const& spaces) {
  return {{"kind", "machine"}, {"spaces", spaces}, {"environment", relevant_environment()}};
}

Json unavailable_message(std::string const& reason) { return {{"kind", "unavailable"}, {"reason", reason}}; }

Json turn_message() { return {{"kind", "turn"}}; }

Json step_message(std::string const& case_name, Phase phase, double limit) {
  return {{"kind", "step"}, {"case", case_name}, {"phase", name_of(phase)}, {"limit", limit}};
}

Json times_message(PhaseTimes const& times) {
  Json json = written(times);
  json["kind"] = "times";
  return json;
}

PhaseTimes times_from_json(Json const& json) {
  PhaseTimes times;
  Reader const reader{json};
  visit(reader, times);
  return times;
}

Json lacking_message(AgreedCase const& agreed) {
  return {{"kind", "case"},
          {"name", agreed.name},
          {"outcome", name_of(Outcome::skipped)},
          {"reason", agreed.lacking},
          {"skip", name_of(SkipReason::not_built)}};
}

Json elsewhere_message(AgreedCase const& agreed) {
  return {
      {"kind", "case"}, {"name", agreed.name}, {"outcome", name_of(Outcome::not_run)}, {"reason", not_on_every_rank}};
}

}  // namespace tilestride
