// The live line of a long command: redrawn on a terminal, rare plain lines otherwise.
#pragma once

#include <string>

#include "base/host/subprocess.h"

namespace sf::front {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine();                       // clears it

  // Shows the text now or, when the last one is too fresh, not at all.
  void show(const std::string& text);
  // A line that stays ("building server").
  void note(const std::string& text);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  double last_ = -1e9;
  host::Stopwatch watch_;
};

}  // namespace sf::front
