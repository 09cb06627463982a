#include "base/host/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strings.h"

namespace sf::host {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

tl::unexpected<Error> failed(const std::string& path, std::string_view doing, int error) {
  return cannot_run(path, fmt::format("cannot {}: {}", doing, reason(error)));
}

// Closes a descriptor on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

// 0 or the errno of the write that failed.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  // Without it a power loss soon after the rename may leave an empty file under the good name.
  return ::fsync(fd) == 0 ? 0 : errno;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t limit_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return failed(path, "open", errno);
  std::string content;
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_size > 0) {
    content.reserve(std::min(static_cast<std::uint64_t>(status.st_size), limit_bytes));
  }
  std::string buffer(1 << 16, '\0');
  while (true) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path, "read", errno);
    if (n == 0) return content;
    content.append(buffer, 0, static_cast<std::size_t>(n));
    if (content.size() > limit_bytes) {
      return cannot_run(path, fmt::format("more than the {} that are read",
                                          format_size(limit_bytes)));
    }
  }
}

Result<void> write_file(const std::string& path, std::string_view content) {
  static std::atomic<unsigned> counter{0};
  const std::string temporary = fmt::format("{}.tmp{}-{}", path, ::getpid(), counter++);
  int error = 0;
  {
    const Descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.valid()) return failed(path, "write", errno);
    error = write_all(file.get(), content);
  }
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return failed(path, "write", error);
}

Result<void> make_directories(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!is_directory(path)) {
    return failed(path, "create the folder", error ? error.value() : ENOTDIR);
  }
  return {};
}

bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::vector<std::string> list_directory(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> absolute_path(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return failed(path, "find", errno);
  std::string out = resolved;
  std::free(resolved);
  return out;
}

void remove_file(const std::string& path) { ::unlink(path.c_str()); }

Result<void> make_symlink(const std::string& target, const std::string& path) {
  if (::symlink(target.c_str(), path.c_str()) != 0) return failed(path, "create the link", errno);
  return {};
}

Result<void> remove_tree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return failed(path, "remove", error.value());
  return {};
}

Result<std::string> make_temporary_directory(std::string_view prefix) {
  std::string base = environment("TMPDIR");
  if (base.empty()) base = "/tmp";
  std::string path = fmt::format("{}/{}XXXXXX", base, prefix);
  if (::mkdtemp(path.data()) == nullptr) return failed(base, "create a temporary folder", errno);
  return path;
}

Result<std::string> cache_directory() {
  std::string path = environment("SEEDFALL_CACHE");
  if (path.empty()) {
    const std::string xdg = environment("XDG_CACHE_HOME");
    const std::string home = environment("HOME");
    // The XDG base directory specification says that relative values are to be ignored.
    if (xdg.starts_with('/')) {
      path = xdg + "/seedfall";
    } else if (!home.empty()) {
      path = home + "/.cache/seedfall";
    } else {
      return cannot_run("", "no folder for the cache: neither SEEDFALL_CACHE nor HOME is set",
                        "set SEEDFALL_CACHE to a folder that may be written");
    }
  }
  SF_TRY_VOID(make_directories(path));
  return path;
}

std::string program_path() {
  std::error_code error;
  std::string path = fs::read_symlink("/proc/self/exe", error).string();
  // Linux says so when the program was rebuilt under a running process.
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  return path;
}

}  // namespace sf::host
