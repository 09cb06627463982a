// A walk over components. Symbolic links met on the way are spliced in front of what is still to
// walk, so that one loop does all of it; the number of splices is bounded, not their depth.
#include "kernel/disk/path.h"

#include <algorithm>
#include <utility>

namespace sf::kernel::disk {
namespace {

class Walk {
 public:
  Walk(const Volume& volume, Ino start, std::string_view path, FinalSymlink final_symlink)
      : volume_(volume),
        at_(start),
        rest_(path),
        final_(final_symlink) {
    enter();
  }

  Outcome<Resolved> run() {
    while (next_ < rest_.size()) {
      ++steps_;
      const std::string name(take_component());
      const bool is_last = next_ == rest_.size();
      if (is_last && leaves_last_alone()) return Resolved{at_, name, 0, must_be_directory_};
      const Outcome<Ino> found = volume_.lookup(at_, name);
      if (!found) {
        if (is_last && found.error() == Errno::kNoEnt) return missing(name);
        return fail(found.error());
      }
      const Outcome<NodeType> type = volume_.type(*found);
      if (!type) return fail(type.error());
      if (*type == NodeType::kSymlink && (!is_last || follows_final())) {
        if (const Errno error = splice(*found); error != Errno::kOk) return fail(error);
        continue;
      }
      const bool needs_directory = !is_last || (must_be_directory_ && follows_slash());
      if (needs_directory && *type != NodeType::kDirectory) return fail(Errno::kNotDir);
      if (is_last) return Resolved{at_, name, *found, must_be_directory_};
      at_ = *found;
    }
    return Resolved{at_, ".", at_, must_be_directory_};   // "/" or a link to it
  }

  std::uint32_t steps() const { return steps_; }

 private:
  bool follows_slash() const {
    return final_ == FinalSymlink::kFollow || final_ == FinalSymlink::kKeep;
  }
  bool follows_final() const {
    return final_ == FinalSymlink::kFollow || final_ == FinalSymlink::kMake ||
           (final_ == FinalSymlink::kKeep && must_be_directory_);
  }
  bool leaves_last_alone() const {
    const bool makes = final_ == FinalSymlink::kMake || final_ == FinalSymlink::kMakeKeep;
    return final_ == FinalSymlink::kParent || (makes && must_be_directory_);
  }

  // What is to walk begins anew in rest_: at the root, if it is absolute; a final slash is noted
  // and cut.
  void enter() {
    if (rest_.front() == '/') at_ = volume_.root();
    if (rest_.back() == '/') must_be_directory_ = true;
    rest_.erase(rest_.find_last_not_of('/') + 1);   // all of it, if it is only slashes
    next_ = std::min(rest_.find_first_not_of('/'), rest_.size());
  }

  // Valid until the next call.
  std::string_view take_component() {
    const std::size_t end = std::min(rest_.find('/', next_), rest_.size());
    const std::string_view name = std::string_view(rest_).substr(next_, end - next_);
    next_ = std::min(rest_.find_first_not_of('/', end), rest_.size());
    return name;
  }

  Errno splice(Ino symlink) {
    if (++splices_ > kSymlinkDepthMax) return Errno::kLoop;
    Outcome<std::string> target = volume_.read_symlink(symlink);
    if (!target) return target.error();
    if (next_ < rest_.size()) target->append("/").append(rest_, next_);
    rest_ = *std::move(target);
    enter();
    return Errno::kOk;
  }

  Outcome<Resolved> missing(const std::string& name) const {
    return Resolved{at_, name, 0, must_be_directory_};
  }

  const Volume& volume_;
  Ino at_;
  std::string rest_;         // what is still to walk begins at next_
  std::size_t next_ = 0;
  FinalSymlink final_;
  bool must_be_directory_ = false;
  std::uint32_t splices_ = 0;
  std::uint32_t steps_ = 0;
};

}  // namespace

Outcome<Resolved> resolve_path(const Volume& volume, Ino start, std::string_view path,
                               FinalSymlink final_symlink, std::uint32_t* steps) {
  if (path.empty()) return fail(Errno::kNoEnt);
  if (path.size() >= kPathBytesMax) return fail(Errno::kNameTooLong);
  Walk walk(volume, start, path, final_symlink);
  auto resolved = walk.run();
  if (steps != nullptr) *steps += walk.steps();
  return resolved;
}

}  // namespace sf::kernel::disk
