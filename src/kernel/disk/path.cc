// A walk over components. Symbolic links met on the way are spliced in front of what is still to
// walk, so that one loop does all of it; the number of splices is bounded, not their depth.
#include "kernel/disk/path.h"

#include <utility>

namespace sf::kernel::disk {
namespace {

class Walk {
 public:
  Walk(const Volume& volume, Ino start, std::string_view path, FinalSymlink final_symlink)
      : volume_(volume),
        at_(start),
        rest_(path),
        keep_final_(final_symlink == FinalSymlink::kKeep) {}

  Outcome<Resolved> run() {
    enter_rest();
    while (!rest_.empty()) {
      const std::string name = take_component();
      const bool is_last = rest_.empty();
      const Outcome<Ino> found = volume_.lookup(at_, name);
      if (!found) {
        if (is_last && found.error() == Errno::kNoEnt) return missing(name);
        return fail(found.error());
      }
      const Outcome<Stat> stat = volume_.stat(*found);
      if (!stat) return fail(stat.error());
      const bool follow = !is_last || must_be_directory_ || !keep_final_;
      if (stat->type == NodeType::kSymlink && follow) {
        if (const Errno error = splice(*found); error != Errno::kOk) return fail(error);
        continue;
      }
      const bool needs_directory = !is_last || must_be_directory_;
      if (needs_directory && stat->type != NodeType::kDirectory) return fail(Errno::kNotDir);
      if (is_last) return Resolved{at_, name, *found, must_be_directory_};
      at_ = *found;
    }
    return Resolved{at_, ".", at_, must_be_directory_};   // "/" or a link to it
  }

 private:
  // The rest begins anew: at the root, if it is absolute; a final slash is noted and cut.
  void enter_rest() {
    if (rest_.front() == '/') at_ = volume_.root();
    const std::size_t begin = rest_.find_first_not_of('/');
    const std::size_t last = rest_.find_last_not_of('/');
    if (rest_.back() == '/') must_be_directory_ = true;
    rest_ = begin == std::string::npos ? std::string() : rest_.substr(begin, last - begin + 1);
  }

  std::string take_component() {
    const std::size_t slash = rest_.find('/');
    const std::string name = rest_.substr(0, slash);
    const std::size_t next = rest_.find_first_not_of('/', slash);
    rest_.erase(0, next);   // to the end, if there is no next one
    return name;
  }

  Errno splice(Ino symlink) {
    if (++splices_ > kSymlinkDepthMax) return Errno::kLoop;
    const Outcome<std::string> target = volume_.read_symlink(symlink);
    if (!target) return target.error();
    rest_ = rest_.empty() ? *target : *target + "/" + rest_;
    enter_rest();
    return Errno::kOk;
  }

  Outcome<Resolved> missing(const std::string& name) const {
    return Resolved{at_, name, 0, must_be_directory_};
  }

  const Volume& volume_;
  Ino at_;
  std::string rest_;
  bool keep_final_;
  bool must_be_directory_ = false;
  std::uint32_t splices_ = 0;
};

}  // namespace

Outcome<Resolved> resolve_path(const Volume& volume, Ino start, std::string_view path,
                               FinalSymlink final_symlink) {
  if (path.empty()) return fail(Errno::kNoEnt);
  if (path.size() >= kPathBytesMax) return fail(Errno::kNameTooLong);
  return Walk(volume, start, path, final_symlink).run();
}

}  // namespace sf::kernel::disk
