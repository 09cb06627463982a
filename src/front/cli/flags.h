// Flags of one command, Go style: one dash or two, before or after each other, "-seeds 1-500" or
// "-seeds=1-500". A thin wrapper; flags.cc is the only file that knows CLI11.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "search/sweep.h"

namespace sf::front {

class Flags {
 public:
  // `command` and `about` head the help text; `examples` end it.
  Flags(std::string command, std::string about, std::vector<std::string> examples);
  ~Flags();

  void text(const std::string& name, std::string& value, const std::string& about);
  void number(const std::string& name, std::uint64_t& value, const std::string& about);
  // An argument without a dash, named `name` in the help.
  void positional(const std::string& name, std::string& value, const std::string& about);
  // A flag that may be given several times.
  void list(const std::string& name, std::vector<std::string>& values, const std::string& about);
  void toggle(const std::string& name, bool& value, const std::string& about);

  // kUsage for anything unknown or malformed, such as a value that is empty. After -h or -help the
  // help text has been printed and help_asked() is true.
  Result<void> parse(const std::vector<std::string>& arguments);
  // For a command that runs another program: flags up to the first argument that is none (or "--");
  // the rest is that program's.
  Result<std::vector<std::string>> parse_leading(const std::vector<std::string>& arguments);
  bool help_asked() const { return help_asked_; }
  bool given(const std::string& name) const;
  std::string help() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  Result<void> convert_numbers();
  tl::unexpected<Error> wrong(std::string what) const;
  Result<std::vector<std::string>> spelled_for_library(
      const std::vector<std::string>& arguments) const;
  std::string command_;
  std::vector<std::string> examples_;
  bool help_asked_ = false;
};

// "1-500" or "7".
Result<search::SeedRange> parse_seeds(const std::string& text);

inline constexpr const char* kDefaultConfig = "seedfall.json";

}  // namespace sf::front
