#include "front/cli/flags.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <list>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/strings.h"

namespace sf::front {

struct Flags::Impl {
  CLI::App app;
  std::vector<std::string> names;
  std::vector<std::string> valueless = {"help", "h"};
  struct Number {
    std::string name;
    std::string text;            // as given; empty: not given
    std::uint64_t* value;
  };
  std::list<Number> numbers;     // CLI11 keeps references to the texts
};

Flags::Flags(std::string command, std::string about, std::vector<std::string> examples)
    : impl_(std::make_unique<Impl>()), command_(std::move(command)),
      examples_(std::move(examples)) {
  impl_->app.description(std::move(about));
  impl_->app.set_help_flag();
  impl_->app.add_flag("--help,-h", help_asked_, "this text");
  impl_->names = {"help", "h"};
}
Flags::~Flags() = default;

namespace {

// CLI11 wants "-c" for single letters and "--seeds" for words.
std::string spelled(const std::string& name) { return (name.size() == 1 ? "-" : "--") + name; }

}  // namespace

void Flags::text(const std::string& name, std::string& value, const std::string& about) {
  impl_->app.add_option(spelled(name), value, about)->capture_default_str();
  impl_->names.push_back(name);
}

void Flags::number(const std::string& name, std::uint64_t& value, const std::string& about) {
  impl_->numbers.push_back({name, {}, &value});
  impl_->app.add_option(spelled(name), impl_->numbers.back().text, about);
  impl_->names.push_back(name);
}

void Flags::positional(const std::string& name, std::string& value, const std::string& about) {
  impl_->app.add_option(name, value, about);
}

Result<void> Flags::convert_numbers() {
  for (const Impl::Number& number : impl_->numbers) {
    if (!given(number.name)) continue;
    const std::string& text = number.text;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), *number.value);
    if (error != std::errc() || end != text.data() + text.size()) {
      return usage_error(command_, fmt::format("-{} {}: not a whole number from 0 to {}",
                                               number.name, excerpt(text, 40),
                                               std::numeric_limits<std::uint64_t>::max()));
    }
  }
  return {};
}

void Flags::list(const std::string& name, std::vector<std::string>& values,
                 const std::string& about) {
  impl_->app.add_option(spelled(name), values, about)->expected(1)->take_all();
  impl_->names.push_back(name);
}

void Flags::toggle(const std::string& name, bool& value, const std::string& about) {
  impl_->app.add_flag(spelled(name), value, about);
  impl_->names.push_back(name);
  impl_->valueless.push_back(name);
}

bool Flags::given(const std::string& name) const { return impl_->app.count(spelled(name)) > 0; }

namespace {

// CLI11's words with our spelling of flags.
std::string complaint(const CLI::ParseError& error) {
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return excerpt(what.substr(what.find(": ") + 2), 80) + ": not expected";
  }
  const std::size_t name = what.find_first_not_of('-');
  const std::size_t colon = what.find(": ");
  if (name == 0 || name == std::string::npos || colon == std::string::npos) return what;
  const std::string flag = "-" + what.substr(name, colon - name);
  if (what.find("At Most 1") != std::string::npos) return flag + " is given more than once";
  return what;
}

}  // namespace

tl::unexpected<Error> Flags::wrong(std::string what) const {
  return usage_error(command_, std::move(what),
                     fmt::format("`seedfall help {}` shows how", command_));
}

// What follows a flag with a value is that value, also when it begins with a dash: so it is joined
// to the flag. One dash before a word would be a run of letters to CLI11.
Result<std::vector<std::string>> Flags::spelled_for_library(
    const std::vector<std::string>& arguments) const {
  const std::vector<std::string_view> known(impl_->names.begin(), impl_->names.end());
  const auto is_in = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() < 2 || argument.front() != '-') {
      out.push_back(argument);
      continue;
    }
    const std::size_t dashes = std::min(argument.find_first_not_of('-'), argument.size());
    const std::string body = argument.substr(dashes);
    const std::size_t equals = body.find('=');
    const std::string name = body.substr(0, equals);
    if (!is_in(known, name)) {
      const auto near = nearest(name, known);
      return usage_error("", fmt::format("{}: no such flag of {}", excerpt(argument, 40), command_),
                         near ? fmt::format("did you mean -{}?", *near)
                              : fmt::format("`seedfall help {}` lists them", command_));
    }
    if (is_in(impl_->valueless, name)) {
      const std::string value = equals == std::string::npos ? "true" : body.substr(equals + 1);
      if (value == "true") {
        out.push_back(spelled(name));
      } else if (value != "false") {
        return wrong(fmt::format("{}: true or false", excerpt(argument, 40)));
      }
      continue;
    }
    if (equals == std::string::npos && i + 1 == arguments.size()) {
      return wrong(fmt::format("-{} needs a value", name));
    }
    const std::string value =
        equals == std::string::npos ? arguments[++i] : body.substr(equals + 1);
    if (value.empty()) return wrong(fmt::format("-{} needs a value; '' is none", name));
    if (name.size() > 1) {
      out.push_back(spelled(name) + "=" + value);
    } else if (value.front() == '-') {
      out.push_back(spelled(name) + value);
    } else {
      out.insert(out.end(), {spelled(name), value});
    }
  }
  return out;
}

Result<void> Flags::parse(const std::vector<std::string>& arguments) {
  SF_TRY(std::vector<std::string> spelled, spelled_for_library(arguments));
  std::reverse(spelled.begin(), spelled.end());   // CLI11 takes them so
  try {
    impl_->app.parse(std::move(spelled));
  } catch (const CLI::ParseError& error) {
    return wrong(complaint(error));
  }
  if (help_asked_) {
    fmt::print("{}", help());
    return {};
  }
  return convert_numbers();
}

Result<std::vector<std::string>> Flags::parse_leading(const std::vector<std::string>& arguments) {
  std::size_t count = 0;
  while (count < arguments.size()) {
    const std::string& argument = arguments[count];
    if (argument.size() < 2 || argument.front() != '-' || argument == "--") break;
    const std::string body = argument.substr(std::min(argument.find_first_not_of('-'),
                                                      argument.size()));
    const bool alone = body.find('=') != std::string::npos ||
                       std::find(impl_->valueless.begin(), impl_->valueless.end(), body) !=
                           impl_->valueless.end();
    count += alone ? 1 : 2;
  }
  count = std::min(count, arguments.size());
  const auto middle = arguments.begin() + static_cast<std::ptrdiff_t>(count);
  SF_TRY_VOID(parse({arguments.begin(), middle}));
  std::vector<std::string> rest(middle, arguments.end());
  if (!rest.empty() && rest.front() == "--") rest.erase(rest.begin());
  return rest;
}

namespace {

// Breaks between words, so that no line has more than 80 columns.
std::string wrapped_at_words(std::string_view text) {
  constexpr std::size_t kColumns = 80;
  std::string out;
  std::size_t column = 0;
  for (const std::string_view word : split(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > kColumns) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace

std::string Flags::help() const {
  std::string usage = "seedfall " + command_;
  std::string rows;
  for (const CLI::Option* option : impl_->app.get_options()) {
    std::string name = option->get_name();
    const bool positional = option->get_positional();
    if (positional) usage += fmt::format(" [{}]", name);
    name.erase(0, name.find_first_not_of('-'));
    const std::string fallback = option->get_default_str();
    rows += fmt::format("  {:<14}{}{}\n", positional ? name : "-" + name,
                        option->get_description(),
                        fallback.empty() ? "" : " (default " + fallback + ")");
  }
  std::string out = fmt::format("{}\n\nflags, with one dash or two\n{}",
                                wrapped_at_words(usage + ": " + impl_->app.get_description()),
                                rows);
  out += "\nexamples\n";
  for (const std::string& example : examples_) out += "  " + example + "\n";
  return out;
}

Result<search::SeedRange> parse_seeds(const std::string& text) {
  const auto number = [](std::string_view part) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || part.empty()) return {};
    return value;
  };
  const std::size_t dash = text.find('-');
  const auto from = number(std::string_view(text).substr(0, dash));
  const auto to =
      dash == std::string::npos ? from : number(std::string_view(text).substr(dash + 1));
  if (!from || !to) {
    return usage_error("", fmt::format("-seeds {}: not a range of seeds", excerpt(text, 40)),
                       "for example -seeds 1-500 or -seeds 7");
  }
  if (*from > *to) {
    return usage_error("", fmt::format("-seeds {}: the first seed is above the last", text),
                       fmt::format("-seeds {}-{}", *to, *from));
  }
  // The number of seeds must be a number, too.
  if (*to - *from == std::numeric_limits<std::uint64_t>::max()) {
    return usage_error("", fmt::format("-seeds {}: too many seeds", text),
                       "for example -seeds 1-500");
  }
  return search::SeedRange{*from, *to};
}

}  // namespace sf::front
