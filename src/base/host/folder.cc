#include "base/host/folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace sf::host {
namespace {

// 0, ENOENT when it went away meanwhile, or another errno.
int describe(int folder, FolderEntry& entry) {
  struct stat status {};
  if (::fstatat(folder, entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  if (S_ISREG(status.st_mode)) {
    entry.kind = EntryKind::kFile;
    entry.size = static_cast<std::uint64_t>(status.st_size);
  } else if (S_ISDIR(status.st_mode)) {
    entry.kind = EntryKind::kDirectory;
  } else if (S_ISLNK(status.st_mode)) {
    entry.kind = EntryKind::kSymlink;
    std::string target(4096, '\0');   // PATH_MAX, limits.h
    const ssize_t size = ::readlinkat(folder, entry.name.c_str(), target.data(), target.size());
    if (size < 0) return errno;
    target.resize(static_cast<std::size_t>(size));
    entry.target = std::move(target);
  }
  return 0;
}

}  // namespace

int list_folder(const std::string& path, std::vector<FolderEntry>& entries) {
  DIR* const folder = ::opendir(path.c_str());
  if (folder == nullptr) return errno;
  int error = 0;
  while (true) {
    errno = 0;
    const dirent* const found = ::readdir(folder);
    if (found == nullptr) {
      error = errno;
      break;
    }
    FolderEntry entry;
    entry.name = found->d_name;
    if (entry.name == "." || entry.name == "..") continue;
    error = describe(::dirfd(folder), entry);
    if (error == ENOENT) continue;
    if (error != 0) break;
    entries.push_back(std::move(entry));
  }
  ::closedir(folder);
  std::sort(entries.begin(), entries.end(),
            [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return error;
}

int find_in_folder(const std::string& path, const std::string& name,
                   std::optional<FolderEntry>& entry) {
  entry.reset();
  const int folder = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return errno;
  FolderEntry found;
  found.name = name;
  const int error = describe(folder, found);
  ::close(folder);
  if (error == 0) entry = std::move(found);
  return error == ENOENT || error == ENAMETOOLONG ? 0 : error;
}

int may_read(const std::string& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0 ? 0 : errno;
}

std::string real_path_of_new(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  auto real = std::filesystem::weakly_canonical(absolute, error).string();
  while (real.size() > 1 && real.ends_with('/')) real.pop_back();
  return error ? absolute.string() : real;
}

Result<void> check_new_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::path nearest = real_path_of_new(path);
  if (std::filesystem::exists(nearest, error)) {
    if (!std::filesystem::is_directory(nearest, error)) {
      return cannot_run(path, "is not a folder", "name a folder that is empty or does not exist");
    }
    if (!std::filesystem::is_empty(nearest, error) && !error) {
      return cannot_run(path, "is not empty", "name a folder that is empty or does not exist");
    }
  }
  while (!std::filesystem::exists(nearest, error) && nearest.has_relative_path()) {
    nearest = nearest.parent_path();
  }
  if (!std::filesystem::is_directory(nearest, error)) {
    return cannot_run(path, fmt::format("cannot be made: {} is not a folder", nearest.string()));
  }
  if (::faccessat(AT_FDCWD, nearest.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return cannot_run(path, fmt::format("cannot be made: no permission to write {}",
                                        nearest.string()));
  }
  return {};
}

FileReader::~FileReader() {
  if (file_ >= 0) ::close(file_);
}

int FileReader::read(const std::string& path, std::uint64_t offset, std::span<std::byte> into) {
  if (path != path_) {
    if (file_ >= 0) ::close(file_);
    path_.clear();
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file_ < 0) return errno;
    path_ = path;
  }
  while (!into.empty()) {
    const ssize_t count =
        ::pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) break;
    into = into.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  std::fill(into.begin(), into.end(), std::byte{0});
  return 0;
}

namespace {

tl::unexpected<Error> cannot_write(const std::string& path) {
  return cannot_run(path, fmt::format("cannot write: {}", std::generic_category().message(errno)));
}

Result<void> write_at(int file, const std::string& path, std::uint64_t offset,
                      std::span<const std::byte> data) {
  while (!data.empty()) {
    const ssize_t count = ::pwrite(file, data.data(), data.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_write(path);
    data = data.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return {};
}

}  // namespace

Result<void> write_new_file(const std::string& path, std::uint64_t size,
                            const std::vector<Extent>& extents,
                            const std::function<Result<void>(std::uint64_t, std::span<std::byte>)>&
                                read) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    errno = EEXIST;
    return cannot_write(path);
  }
  // Under its own name only when it is whole: who is killed meanwhile leaves no half of it there.
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const std::string temporary = fmt::format("{}.seedfall-{}", folder, ::getpid());
  const int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return cannot_write(path);
  const auto fill = [&]() -> Result<void> {
    std::vector<std::byte> buffer(std::size_t{1} << 16);
    for (const Extent& extent : extents) {
      for (std::uint64_t done = 0; done < extent.length;) {
        const std::size_t take = std::min<std::uint64_t>(buffer.size(), extent.length - done);
        const std::span<std::byte> part = std::span(buffer).first(take);
        SF_TRY_VOID(read(extent.offset + done, part));
        SF_TRY_VOID(write_at(file, path, extent.offset + done, part));
        done += take;
      }
    }
    if (::ftruncate(file, static_cast<off_t>(size)) != 0) return cannot_write(path);
    return {};
  };
  Result<void> filled = fill();
  if (::close(file) != 0 && filled) filled = cannot_write(path);
  if (filled && ::rename(temporary.c_str(), path.c_str()) != 0) filled = cannot_write(path);
  if (!filled) ::unlink(temporary.c_str());
  return filled;
}

}  // namespace sf::host
