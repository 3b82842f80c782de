// SPDX-License-Identifier: BSD-3-Clause
#include "deck/deck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include "model/text.hpp"

// toml++ 3.3 has assumptions (compiler hints) that some invalid decks violate ("[[" at the end of a line): undefined
// behaviour in a release build, abort() in a debug build. Here they throw an exception instead. This requires toml++ as
// header-only code, not as a shared library.
namespace tilestride {
struct BrokenAssumption {};
[[noreturn]] inline void fail_assumption() { throw BrokenAssumption{}; }
}  // namespace tilestride
#pragma push_macro("NDEBUG")
#undef NDEBUG
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 16  // lists and tables
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : ::tilestride::fail_assumption())
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace tilestride {
namespace {

constexpr std::size_t largest_deck = 16u << 20;  // bytes; decks are one or two pages of text
constexpr std::size_t most_dots = 16;            // in a key; toml++ makes a table for each and frees them by recursion
constexpr std::size_t most_shown = 50;           // mistakes; more of them usually have one cause
constexpr std::size_t widest_line = 140;         // characters of a deck shown with a mistake

Position position_of(toml::source_region const& region, std::string const& origin) {
  if (!origin.empty()) return {0, 0, origin};
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column), ""};
}

/// Turns toml++'s tree into ours.
class Converter {
 public:
  Converter(std::string origin, std::vector<Mistake>& mistakes) : origin_(std::move(origin)), mistakes_(mistakes) {}

  Table table(toml::table const& from, std::string const& path) {
    Table to;
    to.at = position_of(from.source(), origin_);
    for (auto const& [key, node] : from) {
      to.entries.push_back(
          entry(key, node, path.empty() ? std::string(key.str()) : fmt::format("{}.{}", path, key.str())));
    }
    // toml++ sorts by name; readers and plans need the order of the file.
    std::stable_sort(to.entries.begin(), to.entries.end(), [](Entry const& a, Entry const& b) {
      return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
    });
    return to;
  }

  Entry entry(toml::key const& key, toml::node const& node, std::string const& path) {
    Entry to;
    to.key = std::string(key.str());
    to.at = position_of(key.source(), origin_);
    if (auto const* inner = node.as_table()) {
      to.form = Entry::Form::table;
      to.tables.push_back(table(*inner, path));
    } else if (auto const* array = node.as_array()) {
      bool const of_tables = !array->empty() && array->is_homogeneous<toml::table>();
      to.form = of_tables ? Entry::Form::tables : Entry::Form::list;
      for (auto const& element : *array) {
        if (of_tables)
          to.tables.push_back(table(*element.as_table(), fmt::format("{}[{}]", path, to.tables.size())));
        else
          append_scalar(to.values, element, path);
      }
    } else {
      append_scalar(to.values, node, path);
    }
    return to;
  }

 private:
  void append_scalar(std::vector<Scalar>& to, toml::node const& node, std::string const& path) {
    Scalar scalar;
    scalar.at = position_of(node.source(), origin_);
    if (auto const* text = node.as_string())
      scalar.value = text->get();
    else if (auto const* integer = node.as_integer())
      scalar.value = integer->get();
    else if (auto const* real = node.as_floating_point())
      scalar.value = real->get();
    else if (auto const* boolean = node.as_boolean())
      scalar.value = boolean->get();
    else {
      mistakes_.emplace_back(scalar.at, path,
                             node.is_array()   ? "a list inside a list has no meaning in a deck"
                             : node.is_table() ? "a table among values has no meaning in a deck"
                                               : "dates and times have no meaning in a deck");
      return;
    }
    to.push_back(std::move(scalar));
  }

  std::string origin_;
  std::vector<Mistake>& mistakes_;
};

std::vector<std::string> split_lines(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The line as a terminal can show it, in columns: control characters become spaces, invalid bytes question marks.
std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> columns;
  for (auto const& [bytes, kind] : characters_of(line))
    columns.push_back(kind == Character::Kind::control   ? " "
                      : kind == Character::Kind::invalid ? "?"
                                                         : std::string(bytes));
  return columns;
}

std::string joined(std::vector<std::string> const& columns, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < std::min(end, columns.size()); ++i) text += columns[i];
  return text;
}

/// The error message of toml++, reworded for the common case of missing quotes (toml++ then mentions booleans,
/// whitespace or control characters), and with the position where the quotes belong.
Mistake syntax_mistake(toml::parse_error const& error, std::vector<std::string> const& lines) {
  Mistake mistake{position_of(error.source(), ""), "", std::string(error.description())};
  auto const says = [&](std::string_view part) { return mistake.text.find(part) != std::string::npos; };
  auto const row = static_cast<std::size_t>(mistake.at.line) - 1;
  auto const characters = columns_of(row < lines.size() ? lines[row] : "");
  if (says("exceeded maximum nested value depth")) {
    mistake.text =
        fmt::format("lists and tables in more than {} others have no meaning in a deck", TOML_MAX_NESTED_VALUES);
  } else if (says("parsing string: unescaped control") &&
             static_cast<std::size_t>(mistake.at.column) > characters.size()) {
    mistake.text = "this text has no closing quote";
  } else if (says("parsing boolean") || says("parsing value") || says("expected a comment or whitespace, saw")) {
    std::size_t start = std::min(static_cast<std::size_t>(mistake.at.column) - 1, characters.size());
    while (start > 0 && characters[start - 1] != "=" && characters[start - 1] != "[" && characters[start - 1] != ",")
      --start;
    while (start < characters.size() && characters[start] == " ") ++start;
    if (start < characters.size() && characters[start] != "\"" && characters[start] != "'" && start > 0) {
      mistake.at.column = static_cast<int>(start) + 1;
      mistake.text = "this is no value: texts and sizes stand in quotes";
    }
  }
  if (auto const quote = mistake.text.find('\''); says("cannot redefine existing") && quote != std::string::npos)
    mistake.text = mistake.text.substr(quote) + " stands here for the second time";
  std::string_view const prefix = "Error while parsing ";
  if (mistake.text.compare(0, prefix.size(), prefix) == 0) mistake.text.erase(0, prefix.size());
  return mistake;
}

/// The columns of a line with blanks for its strings and its comment. `quote`: the end of the string in which the line
/// begins, or nothing; afterwards that in which the next line begins.
std::vector<std::string> outside_strings(std::string_view line, std::string& quote) {
  auto columns = columns_of(line);
  auto const is_here = [&](std::size_t i, std::string const& text) {
    return joined(columns, i, i + text.size()) == text;
  };
  auto const blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, columns.size()); ++i) columns[i] = " ";
    return end;
  };
  for (std::size_t i = 0; i < columns.size();) {
    std::string const c = columns[i];
    if (!quote.empty() && is_here(i, quote)) {
      i = blank(i, i + quote.size());
      for (int own = 0; quote.size() == 3 && own < 2 && is_here(i, c); ++own) i = blank(i, i + 1);  // """it is "so"""""
      quote.clear();
    } else if (!quote.empty()) {
      i = blank(i, i + (quote[0] == '"' && c == "\\" ? 2 : 1));
    } else if (c == "\"" || c == "'") {
      quote = is_here(i, c + c + c) ? c + c + c : c;
      i = blank(i, i + quote.size());
    } else {
      i = c == "#" ? blank(i, columns.size()) : i + 1;
    }
  }
  if (quote.size() == 1) quote.clear();  // toml++ reports that it is not closed
  return columns;
}

/// The first place that is not valid TOML and must not reach toml++ 3.3, since it would cause undefined behaviour or
/// exhaust the stack: a character beyond ASCII outside strings and comments (an umlaut in an unquoted word, a
/// typographic quote, a non-breaking space), or a key with too many dots.
std::optional<Mistake> pitfall(std::vector<std::string> const& lines) {
  std::string quote;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    auto const columns = outside_strings(lines[row], quote);
    auto const mistake = [&](std::size_t i, std::string text) {
      return Mistake{{static_cast<int>(row) + 1, static_cast<int>(i) + 1}, "", std::move(text)};
    };
    std::size_t dots = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::string const& c = columns[i];
      if (c.size() > 1 && !(row == 0 && i == 0 && c == "\xef\xbb\xbf"))  // a byte order mark may begin a file
        return mistake(i, fmt::format("{} cannot stand outside quotes; a text stands in \"straight quotes\"",
                                      c == "\xc2\xa0" ? "a non-breaking space" : c));
      if (std::string_view("=,[]{}").find(c) != std::string_view::npos) dots = 0;  // no key goes beyond these
      if (c == "." && ++dots > most_dots)
        return mistake(i, fmt::format("a key with more than {} dots has no meaning in a deck", most_dots));
    }
  }
  return {};
}

/// A mistake that toml++ reports without a position, in the first line with which it does. The known ones are headers
/// without a proper name.
Mistake broken_assumption(std::vector<std::string> const& lines) {
  auto const breaks = [&](std::size_t count) {
    std::string text;
    for (std::size_t row = 0; row < count; ++row) text += lines[row] + "\n";
    try {
      static_cast<void>(toml::parse(text));
    } catch (BrokenAssumption const&) {
      return true;
    } catch (toml::parse_error const&) {  // it ends too early
    }
    return false;
  };
  std::size_t whole = 0, broken = lines.size();  // so many lines do not break, and so many do
  while (broken - whole > 1) {
    std::size_t const middle = whole + (broken - whole) / 2;
    (breaks(middle) ? broken : whole) = middle;
  }
  auto const begin = std::min(lines[whole].find_first_not_of(" \t"), lines[whole].size());
  bool const header = lines[whole].compare(begin, 1, "[") == 0;
  return {{static_cast<int>(whole) + 1, static_cast<int>(begin) + 1, ""},
          "",
          header ? "expected a name between the brackets, such as [[case]]" : "this is no TOML"};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace

std::string to_toml(Scalar const& scalar) {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const {
      std::string const text = fmt::format("{}", d);
      return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
    }
    std::string operator()(std::string const& s) const {  // always in double quotes and on one line
      std::string text = "\"";
      for (char const c : s) {
        auto const code = static_cast<unsigned char>(c);
        if (code < 0x20 || code == 0x7f)
          text += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
        else
          text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
      }
      return text + '"';
    }
  };
  return std::visit(Writer{}, scalar.value);
}

std::string to_toml(Entry const& entry) {
  std::vector<std::string> texts;
  for (Scalar const& scalar : entry.values) texts.push_back(to_toml(scalar));
  if (entry.form == Entry::Form::scalar) return texts.front();
  if (entry.form == Entry::Form::list) return fmt::format("[{}]", fmt::join(texts, ", "));
  for (Table const& table : entry.tables) {
    for (Entry const& inner : table.entries) texts.push_back(fmt::format("{} = {}", inner.key, to_toml(inner)));
  }
  return fmt::format("{{ {} }}", fmt::join(texts, ", "));
}

Entry const* Table::find(std::string_view key) const {
  auto const it = std::find_if(entries.begin(), entries.end(), [&](Entry const& e) { return e.key == key; });
  return it == entries.end() ? nullptr : &*it;
}

Entry* Table::find(std::string_view key) { return const_cast<Entry*>(std::as_const(*this).find(key)); }

Deck parse_deck(std::string text, std::string file, std::vector<Mistake>& mistakes) {
  Deck deck;
  deck.file = std::move(file);
  deck.lines = split_lines(text);
  if (auto const found = pitfall(deck.lines)) {
    mistakes.push_back(*found);
    return deck;
  }
  try {
    deck.root = Converter("", mistakes).table(toml::parse(text, deck.file), "");
  } catch (toml::parse_error const& error) {
    mistakes.push_back(syntax_mistake(error, deck.lines));
  } catch (BrokenAssumption const&) {
    mistakes.push_back(broken_assumption(deck.lines));
  }
  return deck;
}

Deck read_deck(std::filesystem::path const& file, std::vector<Mistake>& mistakes) {
  auto const refuse = [&](std::string const& text) {
    mistakes.emplace_back(Position{}, "", text);
    Deck deck;
    deck.file = file.string();
    return deck;
  };
  std::error_code error;
  auto const status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) return refuse("there is no such file");
  if (std::filesystem::is_directory(status)) return refuse("this is a directory, not a deck");
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status))
    return refuse("this is neither a file nor a pipe");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refuse("the file cannot be opened for reading");
  std::string text(largest_deck + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return refuse("the file cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > largest_deck) return refuse(fmt::format("more than {} bytes are no deck", largest_deck));
  return parse_deck(std::move(text), file.string(), mistakes);
}

void set_in_deck(Deck& deck, std::string const& assignment, std::vector<Mistake>& mistakes) {
  std::string const origin = "--set " + assignment;
  auto const refuse = [&](std::string const& text) { mistakes.emplace_back(Position{0, 0, origin}, "", text); };

  auto const equals = assignment.find('=');
  if (equals == std::string::npos) return refuse("expected KEY=VALUE");
  std::string const path(trimmed(std::string_view(assignment).substr(0, equals)));
  std::string const value(trimmed(std::string_view(assignment).substr(equals + 1)));
  if (path.empty() || value.empty()) return refuse("expected KEY=VALUE");

  toml::table parsed{{"value", value}};  // a word without quotes
  bool const is_word = value.find_first_of("[{\"'") != 0;
  auto const in_the_way = pitfall(split_lines(value));
  if (in_the_way && !is_word) return refuse("the value is broken: " + in_the_way->text);
  try {
    if (!in_the_way) parsed = toml::parse("value = " + value);
  } catch (BrokenAssumption const&) {
    return refuse("the value is broken");
  } catch (toml::parse_error const& error) {
    if (!is_word) return refuse(fmt::format("the value is broken: {}", error.description()));
  }
  auto const dot = path.find('.');
  std::string const key = dot == std::string::npos ? path : path.substr(dot + 1);
  std::string const section = dot == std::string::npos ? "" : path.substr(0, dot);

  Entry entry = Converter(origin, mistakes).entry(toml::key("value"), *parsed.get("value"), path);
  entry.key = key;
  entry.at.origin = origin;
  auto const put = [&](Table& table) {
    if (Entry* old = table.find(key))
      *old = entry;
    else
      table.entries.push_back(entry);
  };

  if (section == "run" || section == "sampling") {
    Entry* found = deck.root.find(section);
    if (found == nullptr) {
      Entry added;
      added.key = section;
      added.at.origin = origin;
      added.form = Entry::Form::table;
      added.tables.emplace_back();
      deck.root.entries.push_back(std::move(added));
      found = &deck.root.entries.back();
    }
    if (found->form != Entry::Form::table) return refuse(fmt::format("[{}] is not a table in this deck", section));
    return put(found->tables.front());
  }
  Entry* cases = deck.root.find("case");
  if (cases == nullptr || cases->form != Entry::Form::tables) return refuse("the deck has no [[case]]");
  if (section.empty()) {
    for (Table& table : cases->tables) put(table);
    return;
  }
  std::size_t index = 0;
  int used = 0;
  if (std::sscanf(section.c_str(), "case[%zu]%n", &index, &used) != 1 ||
      section.size() != static_cast<std::size_t>(used))
    return refuse("KEY is run.…, sampling.…, case[N].… or a bare key, which is set in every [[case]]");
  if (index >= cases->tables.size())
    return refuse(fmt::format("the deck has {} [[case]] blocks; they count from case[0]", cases->tables.size()));
  put(cases->tables[index]);
}

std::string describe(std::vector<Mistake> mistakes, Deck const& deck) {
  std::stable_sort(mistakes.begin(), mistakes.end(), [](Mistake const& a, Mistake const& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
  std::string const file = printable(deck.file);
  std::string out;
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    if (i == most_shown) {
      out += fmt::format("... and {} more\n", mistakes.size() - most_shown);
      break;
    }
    Mistake const& mistake = mistakes[i];
    std::string const what = printable(mistake.where.empty() ? mistake.text : mistake.where + ": " + mistake.text);
    if (!mistake.at.origin.empty()) {
      out += fmt::format("{}: error: {}\n", printable(mistake.at.origin, widest_line), what);
      continue;
    }
    if (mistake.at.line == 0) {
      out += fmt::format("{}: error: {}\n", file, what);
      continue;
    }
    out += fmt::format("{}:{}:{}: error: {}\n", file, mistake.at.line, mistake.at.column, what);
    auto const line = static_cast<std::size_t>(mistake.at.line - 1);
    if (line >= deck.lines.size()) continue;
    auto const columns = columns_of(deck.lines[line]);
    auto const column = static_cast<std::size_t>(std::max(mistake.at.column, 1)) - 1;
    // For a long line, only the part around the caret.
    std::size_t const begin = columns.size() <= widest_line || column < widest_line / 2 ? 0 : column - widest_line / 2;
    std::string shown = joined(columns, begin, begin + widest_line);
    shown.erase(shown.find_last_not_of(' ') + 1);
    out += fmt::format("    {}\n    {:>{}}\n", shown, '^', column - begin + 1);
  }
  return out + fmt::format("{} mistake{} in {}\n", mistakes.size(), mistakes.size() == 1 ? "" : "s", file);
}

std::string nearest(std::string_view given, std::vector<std::string> const& names) {
  std::string const word = lower_case(given);                         // names are lower case: "OpenMP" is near "openmp"
  auto const distance = [](std::string_view a, std::string_view b) {  // Damerau-Levenshtein, adjacent swaps cost one
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      for (std::size_t j = 1; j <= b.size(); ++j) {
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
    return d[a.size()][b.size()];
  };
  std::string const* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (std::string const& name : names) {
    if (word.size() > 64) break;  // too long: no name is similar
    if (auto const d = distance(word, name); d < best_distance) {
      best_distance = d;
      best = &name;
    }
  }
  if (best != nullptr) return fmt::format(", did you mean \"{}\"?", *best);
  return fmt::format("; one of: {}", fmt::join(names, ", "));
}

}  // namespace tilestride
