// Forks this process in the middle of what it does, to learn how one more possibility would end.
//
// The child goes on from the fork with the whole state of its parent, and must end in answer(). The
// parent waits for it: at any time one process of a family computes, so memory and processors are
// bounded by the depth of forks. A child dies with its parent (PR_SET_PDEATHSIG). One thread.
#pragma once

#include <optional>
#include <string>

namespace sf::host {

class ForkPoint {
 public:
  struct Answer {
    bool died = false;     // it gave none; `text` says how it ended
    std::string text;
  };

  // In the parent: the child's answer, once it has ended. In the child: nothing. A process that
  // cannot be forked gives a died answer that says why.
  std::optional<Answer> branch();

  // True in every child, also in those of children.
  bool is_child() const { return answers_ >= 0; }

  // Ends this child. Nothing of the parent's is flushed or destroyed.
  [[noreturn]] void answer(const std::string& text);

 private:
  int answers_ = -1;       // write end of the pipe to the parent
};

}  // namespace sf::host
