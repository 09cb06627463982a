// The binary trace file: every record of a run with its text (docs/formats/trace.md).
//
// Layout, little endian: magic "SFTRACE\n", u32 version, u32 number of node names, each name as u32
// size and bytes; then records until the end of the file: a fixed header of 64 bytes (step, time,
// node, incarnation, thread, kind, call, op, result, payload hash), u32 sizes of the two texts, the
// texts. The version changes with every change of the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernel/record.h"

namespace sf::trace {

inline constexpr std::uint32_t kFileVersion = 1;

// Appends to a buffer that the caller writes out, up to a bound.
class FileWriter {
 public:
  FileWriter(const std::vector<std::string>& node_names, std::uint64_t limit_bytes);
  void add(std::uint64_t step, const kernel::Record& record);
  const std::string& bytes() const { return bytes_; }
  // Records were left out since the bound was reached.
  bool full() const { return full_; }

 private:
  std::uint64_t limit_bytes_;
  bool full_ = false;
  std::string bytes_;
};

struct FileContent {
  std::vector<std::string> node_names;
  std::vector<kernel::Record> records;
};

// Reads a whole file. Damaged or foreign bytes give an error that names the offset.
Result<FileContent> read_trace(std::string_view bytes, const std::string& name);

}  // namespace sf::trace
