#include "trace/file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

namespace sf::trace {
namespace {

constexpr std::string_view kMagic = "SFTRACE\n";
constexpr std::uint32_t kTextBytesMax = 1U << 20;
constexpr std::uint32_t kNodesMax = 4096;

// The fixed header, field by field in this order.
struct Header {
  std::uint64_t step;
  std::int64_t time_ns;
  std::uint32_t node;            // 0xffffffff: the room
  std::uint32_t incarnation;
  std::uint32_t thread;          // 0 until programs have several
  std::uint16_t kind;
  std::uint16_t reserved;
  std::uint32_t call;
  std::uint32_t padding;
  std::uint64_t operation;       // 0 until operations are recorded
  std::int64_t result;
  std::uint64_t payload;
};
static_assert(sizeof(Header) == 64);

void put_text(std::string& out, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), kTextBytesMax));
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out.append(text.substr(0, size));
}

// Takes values from the front; an error names the offset.
class Cursor {
 public:
  Cursor(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  bool at_end() const { return at_ == bytes_.size(); }
  template <class T>
  Result<T> take() {
    if (bytes_.size() - at_ < sizeof(T)) return cut(sizeof(T));
    T value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  Result<std::string> take_text() {
    SF_TRY(const std::uint32_t size, take<std::uint32_t>());
    if (size > kTextBytesMax) return wrong(fmt::format("a text of {} bytes", size));
    if (bytes_.size() - at_ < size) return cut(size);
    std::string text(bytes_.substr(at_, size));
    at_ += size;
    return text;
  }
  tl::unexpected<Error> wrong(const std::string& what) const {
    return usage_error(fmt::format("{}: byte {}", name_, at_), what,
                       "`seedfall replay -trace FILE` writes trace files");
  }

 private:
  tl::unexpected<Error> cut(std::size_t wanted) const {
    return wrong(fmt::format("the trace is cut: {} bytes wanted, {} are left", wanted,
                             bytes_.size() - at_));
  }
  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

Result<kernel::Record> read_record(Cursor& cursor, std::size_t nodes) {
  SF_TRY(const Header header, cursor.take<Header>());
  const bool known_node = header.node == index_of(kernel::kTheRoom) || header.node < nodes;
  if (!known_node) return cursor.wrong(fmt::format("unknown node number {}", header.node));
  kernel::Record record;
  record.time = SimTime(header.time_ns);
  record.node = kernel::NodeId{header.node};
  record.incarnation = header.incarnation;
  record.kind = static_cast<kernel::RecordKind>(header.kind);
  record.call = header.call;
  record.result = header.result;
  record.payload = header.payload;
  SF_TRY(record.what, cursor.take_text());
  SF_TRY(record.outcome, cursor.take_text());
  return record;
}

}  // namespace

FileWriter::FileWriter(const std::vector<std::string>& node_names, std::uint64_t limit_bytes)
    : limit_bytes_(limit_bytes), bytes_(kMagic) {
  const std::uint32_t head[] = {kFileVersion, static_cast<std::uint32_t>(node_names.size())};
  bytes_.append(reinterpret_cast<const char*>(head), sizeof head);
  for (const std::string& name : node_names) put_text(bytes_, name);
}

void FileWriter::add(std::uint64_t step, const kernel::Record& record) {
  full_ = full_ || bytes_.size() > limit_bytes_;
  if (full_) return;
  Header header{};
  header.step = step;
  header.time_ns = record.time.ns();
  header.node = index_of(record.node);
  header.incarnation = record.incarnation;
  header.kind = static_cast<std::uint16_t>(record.kind);
  header.call = record.call;
  header.result = record.result;
  header.payload = record.payload;
  bytes_.append(reinterpret_cast<const char*>(&header), sizeof header);
  put_text(bytes_, record.what);
  put_text(bytes_, record.outcome);
}

Result<FileContent> read_trace(std::string_view bytes, const std::string& name) {
  Cursor cursor(bytes, name);
  SF_TRY(const auto magic, (cursor.take<std::array<char, 8>>()));
  if (std::string_view(magic.data(), magic.size()) != kMagic) {
    return cursor.wrong("this is no seedfall trace");
  }
  SF_TRY(const std::uint32_t version, cursor.take<std::uint32_t>());
  if (version != kFileVersion) {
    return cursor.wrong(fmt::format("trace version {} is not version {}", version, kFileVersion));
  }
  FileContent content;
  SF_TRY(const std::uint32_t nodes, cursor.take<std::uint32_t>());
  if (nodes > kNodesMax) return cursor.wrong(fmt::format("{} node names", nodes));
  for (std::uint32_t i = 0; i < nodes; ++i) {
    SF_TRY(std::string node, cursor.take_text());
    content.node_names.push_back(std::move(node));
  }
  while (!cursor.at_end()) {
    SF_TRY(kernel::Record record, read_record(cursor, nodes));
    content.records.push_back(std::move(record));
  }
  return content;
}

}  // namespace sf::trace
