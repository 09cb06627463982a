// Folders of the host as a simulated disk shows and saves them: listed without following links,
// read at offsets, and written again with their holes.
//
// Errors of reading are errno values of the host, since a program in the simulation is who gets
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::host {

enum class EntryKind : std::uint8_t { kFile, kDirectory, kSymlink, kOther };

struct FolderEntry {
  std::string name;
  EntryKind kind = EntryKind::kOther;
  std::uint64_t size = 0;       // kFile: bytes
  std::string target;           // kSymlink
};

// All entries but "." and "..", in the order of their names' bytes; 0, or why not (errno(3)).
int list_folder(const std::string& path, std::vector<FolderEntry>& entries);

// The entry of that name in a folder; nothing when there is none. 0, or why not (errno(3)).
int find_in_folder(const std::string& path, const std::string& name,
                   std::optional<FolderEntry>& entry);

// 0 when we may read the file's bytes, else why not (errno(3)).
int may_read(const std::string& path);

// What stands in the way of a new folder at this path, as errors do: something else, content, no
// permission. A folder that is there and empty will do. Makes nothing.
Result<void> check_new_folder(const std::string& path);
// The path without links and dots, as far as it exists.
std::string real_path_of_new(const std::string& path);

// Reads from one file after another; the one read last stays open.
class FileReader {
 public:
  FileReader() = default;
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  // Fills `into`; zeros behind the end of the file. 0, or why not (errno(3)). A link is not
  // followed (ELOOP).
  int read(const std::string& path, std::uint64_t offset, std::span<std::byte> into);

 private:
  std::string path_;
  int file_ = -1;
};

// A stretch of a file that is not a hole.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
// Bytes by which the name that a file has while it is written may be longer than its own.
inline constexpr std::size_t kTemporaryNameBytes = 24;
// Makes a new file of that size, which has its name only once it is whole. `read` gives the bytes
// at an offset, as many as the span takes; it is asked for the extents only.
Result<void> write_new_file(const std::string& path, std::uint64_t size,
                            const std::vector<Extent>& extents,
                            const std::function<Result<void>(std::uint64_t, std::span<std::byte>)>&
                                read);

}  // namespace sf::host
