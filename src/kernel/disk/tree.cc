#include "kernel/disk/tree.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/check.h"

namespace sf::kernel::disk {
namespace {

// An inode of ext4 has 256 bytes, and an entry of a directory takes more memory here than its name.
constexpr std::uint64_t kInodeBytes = 256;
constexpr std::uint64_t kEntryBytes = 64;

std::uint64_t entry_bytes(std::string_view name) { return kEntryBytes + name.size(); }

std::uint64_t metadata_of(const Inode& inode) {
  std::uint64_t bytes = kInodeBytes + inode.target.size();
  for (const auto& [slot, entry] : inode.entries) bytes += entry_bytes(entry.name);
  return bytes;
}

}  // namespace

Tree::Tree() {
  auto root = std::make_shared<Inode>();
  root->type = NodeType::kDirectory;
  root->links = 2;
  root->parent = kRoot;
  metadata_bytes_ = metadata_of(*root);
  inodes_.emplace(kRoot, std::move(root));
}

const Inode* Tree::find(Ino ino) const {
  const auto found = inodes_.find(ino);
  return found == inodes_.end() ? nullptr : found->second.get();
}

const Inode* Tree::directory(Ino ino) const {
  const Inode* inode = find(ino);
  return inode != nullptr && inode->type == NodeType::kDirectory ? inode : nullptr;
}

Ino Tree::entry(Ino directory_ino, std::string_view name) const {
  const Inode* holder = directory(directory_ino);
  return holder == nullptr ? 0 : holder->entries.find(name);
}

Inode& Tree::edit(Ino ino) {
  const auto found = inodes_.find(ino);
  SF_CHECK(found != inodes_.end());
  if (found->second.use_count() > 1) found->second = std::make_shared<Inode>(*found->second);
  return *found->second;
}

// ---- names

Ino Tree::apply(const NameOp& op) {
  switch (op.kind) {
    case NameOp::Kind::kCreate:
    case NameOp::Kind::kMakeDirectory:
    case NameOp::Kind::kMakeSymlink:
      if (op.makes_inode()) make_inode(op);
      add_entry(op.directory, op.name, op.ino, op);
      if (op.kind != NameOp::Kind::kMakeDirectory) ++edit(op.ino).links;
      return 0;
    case NameOp::Kind::kLink: {
      add_entry(op.directory, op.name, op.ino, op);
      Inode& inode = edit(op.ino);
      ++inode.links;
      inode.changed.set(op.time, op.seq);
      return 0;
    }
    case NameOp::Kind::kUnlink:
      remove_entry(op.directory, op.name, op.ino, op);
      return unname(op.ino, op);
    case NameOp::Kind::kRemoveDirectory:
      remove_entry(op.directory, op.name, op.ino, op);
      return remove_directory(op.ino, op.directory);
    case NameOp::Kind::kRename:
      return rename(op);
  }
  SF_CHECK(false);
  return 0;
}

void Tree::make_inode(const NameOp& op) {
  auto inode = std::make_shared<Inode>();
  const bool is_directory = op.kind == NameOp::Kind::kMakeDirectory;
  inode->type = is_directory                             ? NodeType::kDirectory
                : op.kind == NameOp::Kind::kMakeSymlink ? NodeType::kSymlink
                                                        : NodeType::kFile;
  inode->links = is_directory ? 2 : 0;   // of others, its names
  inode->parent = is_directory ? op.directory : 0;
  inode->target = op.target;
  for (Stamp* stamp : {&inode->accessed, &inode->modified, &inode->changed}) {
    stamp->set(op.time, op.seq);
  }
  metadata_bytes_ += metadata_of(*inode);
  SF_CHECK(inodes_.emplace(op.ino, std::move(inode)).second);
  if (is_directory) ++edit(op.directory).links;
}

void Tree::add_entry(Ino directory_ino, const std::string& name, Ino ino, const NameOp& op) {
  Inode& holder = edit(directory_ino);
  SF_CHECK(holder.type == NodeType::kDirectory && holder.links > 0);
  SF_CHECK(holder.entries.insert(name, ino));
  metadata_bytes_ += entry_bytes(name);
  holder.modified.set(op.time, op.seq);
  holder.changed.set(op.time, op.seq);
}

// What a tree was given from outside has not been counted, and may go all the same.
void Tree::uncount(std::uint64_t bytes) { metadata_bytes_ -= std::min(metadata_bytes_, bytes); }

void Tree::remove_entry(Ino directory_ino, const std::string& name, Ino ino, const NameOp& op) {
  Inode& holder = edit(directory_ino);
  SF_CHECK(holder.entries.find(name) == ino && holder.entries.erase(name));
  uncount(entry_bytes(name));
  holder.modified.set(op.time, op.seq);
  holder.changed.set(op.time, op.seq);
}

// The name keeps its place in a listing that is under way, as it does on Linux.
void Tree::replace_entry(const NameOp& op) {
  Inode& holder = edit(op.to_directory);
  SF_CHECK(holder.entries.find(op.to_name) == op.replaced &&
           holder.entries.replace(op.to_name, op.ino));
  holder.modified.set(op.time, op.seq);
  holder.changed.set(op.time, op.seq);
}

Ino Tree::unname(Ino ino, const NameOp& op) {
  Inode& inode = edit(ino);
  SF_CHECK(inode.type != NodeType::kDirectory && inode.links > 0);
  --inode.links;
  inode.changed.set(op.time, op.seq);
  return inode.links == 0 ? ino : 0;
}

Ino Tree::remove_directory(Ino ino, Ino parent) {
  Inode& inode = edit(ino);
  SF_CHECK(inode.type == NodeType::kDirectory && inode.entries.empty());
  inode.links = 0;
  --edit(parent).links;
  return ino;
}

Ino Tree::rename(const NameOp& op) {
  remove_entry(op.directory, op.name, op.ino, op);
  Ino orphan = 0;
  if (op.replaced != 0) {
    replace_entry(op);
    orphan = op.replaces_directory ? remove_directory(op.replaced, op.to_directory)
                                   : unname(op.replaced, op);
  } else {
    add_entry(op.to_directory, op.to_name, op.ino, op);
  }
  Inode& moved = edit(op.ino);
  moved.changed.set(op.time, op.seq);
  if (op.moves_directory) {
    moved.parent = op.to_directory;
    --edit(op.directory).links;
    ++edit(op.to_directory).links;
  }
  return orphan;
}

void Tree::drop(Ino ino) {
  const auto found = inodes_.find(ino);
  SF_CHECK(found != inodes_.end() && ino != kRoot);
  pages_ -= found->second->pages.count();
  uncount(metadata_of(*found->second));
  inodes_.erase(found);
}

// ---- content

void Tree::put_page(Inode& inode, std::uint64_t page, PageRef image) {
  const std::uint64_t before = inode.pages.count();
  inode.pages.set(page, std::move(image));
  pages_ += inode.pages.count() - before;
}

void Tree::apply(const ContentOp& op) {
  if (find(op.ino) == nullptr) return;
  Inode& inode = edit(op.ino);
  if (op.kind != ContentOp::Kind::kTimes) {
    SF_CHECK(inode.type == NodeType::kFile);
    inode.modified.set(op.time, op.seq);
  }
  inode.changed.set(op.time, op.seq);
  switch (op.kind) {
    case ContentOp::Kind::kData:
      put_page(inode, op.page, op.image);
      // An image is the whole cached page, also where earlier operations that are missing grew it.
      inode.data_past_size |= (op.page + 1) * kPageBytes > inode.size;
      break;
    case ContentOp::Kind::kExtend:
    case ContentOp::Kind::kSize:
      SF_CHECK(op.size >= inode.size);
      inode.size = op.size;
      break;
    case ContentOp::Kind::kTruncate:
      truncate(inode, op);
      break;
    case ContentOp::Kind::kTimes:
      if (op.accessed) inode.accessed.set(*op.accessed, op.seq);
      if (op.modified) inode.modified.set(*op.modified, op.seq);
      break;
  }
}

void Tree::truncate(Inode& inode, const ContentOp& op) {
  const std::uint64_t before = inode.pages.count();
  const std::uint64_t first_gone = op.size / kPageBytes + (op.size % kPageBytes != 0 ? 1 : 0);
  inode.pages.erase_from(first_gone);
  pages_ += inode.pages.count() - before;
  const std::uint64_t cut_page = op.size / kPageBytes;
  if (op.image) {
    put_page(inode, cut_page, op.image);
  } else if (const PageRef* found = inode.pages.find(cut_page);
             op.cuts_what_it_finds && found != nullptr) {
    put_page(inode, cut_page, found->cut_copy(op.size % kPageBytes));
  }
  inode.size = op.size;
  inode.lower_bytes = std::min(inode.lower_bytes, op.size);
}

void Tree::apply_torn(const ContentOp& op, std::uint32_t bytes, PageArena& arena) {
  SF_CHECK(op.kind == ContentOp::Kind::kData && bytes > 0 && bytes < op.to - op.from);
  if (find(op.ino) == nullptr) return;
  Inode& inode = edit(op.ino);
  PageRef image = arena.copy(inode.pages.find(op.page));
  // From the start of the page: before the range the two differ only if the disk missed a version
  // (a failed writeback), and then this one writes those bytes too.
  std::memcpy(image.fill(), op.image.bytes(), op.from + bytes);
  put_page(inode, op.page, std::move(image));
  if (op.grows) {
    inode.size = std::max(inode.size, op.page * kPageBytes + op.from + bytes);
  }
  inode.modified.set(op.time, op.seq);
  inode.changed.set(op.time, op.seq);
}

void Tree::apply_sectors(const ContentOp& op, const Sectors& sectors, Growth growth,
                         PageArena& arena) {
  SF_CHECK(op.kind == ContentOp::Kind::kData && sectors.mask != 0);
  if (find(op.ino) == nullptr) return;
  Inode& inode = edit(op.ino);
  PageRef image = arena.copy(inode.pages.find(op.page));
  std::uint32_t reach = 0;
  for (std::uint32_t at = 0; at < kPageBytes; at += sectors.bytes) {
    if ((sectors.mask >> (at / sectors.bytes) & 1) == 0) continue;
    std::memcpy(image.fill() + at, op.image.bytes() + at, sectors.bytes);
    reach = std::min(at + sectors.bytes, op.to);
  }
  put_page(inode, op.page, std::move(image));
  inode.data_past_size |= (op.page + 1) * kPageBytes > inode.size;
  if (growth == Growth::kReaches) {
    inode.size = std::max(inode.size, op.page * kPageBytes + reach);
  }
  inode.modified.set(op.time, op.seq);
  inode.changed.set(op.time, op.seq);
}

void Tree::set_page(Ino ino, std::uint64_t page, PageRef image) {
  put_page(edit(ino), page, std::move(image));
}

void Tree::add_device(Ino directory, const std::string& name, Device device, Ino ino) {
  auto inode = std::make_shared<Inode>();
  inode->type = NodeType::kDevice;
  inode->device = device;
  inode->links = 1;
  SF_CHECK(edit(directory).entries.insert(name, ino));
  SF_CHECK(inodes_.emplace(ino, std::move(inode)).second);
}

void Tree::take_over(Ino directory_ino, const LowerEntry& entry, Ino ino) {
  Inode& holder = edit(directory_ino);
  SF_CHECK(holder.unlisted);
  if (!holder.entries.insert(entry.name, ino)) return;
  auto inode = std::make_shared<Inode>();
  inode->type = entry.type;
  inode->lower = entry.id;
  inode->target = entry.target;
  inode->links = 1;
  if (entry.type == NodeType::kDirectory) {
    inode->links = 2;
    inode->parent = directory_ino;
    inode->unlisted = true;
    ++holder.links;
  } else if (entry.type == NodeType::kFile) {
    inode->size = inode->lower_bytes = entry.size;
  }
  SF_CHECK(inodes_.emplace(ino, std::move(inode)).second);
}

void Tree::adopt(Ino ino, const Inode& inode) {
  pages_ += inode.pages.count();
  metadata_bytes_ += metadata_of(inode);
  SF_CHECK(inodes_.emplace(ino, std::make_shared<Inode>(inode)).second);
}

void Tree::restore_page(Ino ino, std::uint64_t page, PageRef image, std::uint64_t size) {
  Inode& inode = edit(ino);
  put_page(inode, page, std::move(image));
  inode.size = size;
}

// ---- after a crash

std::size_t Tree::check_and_repair(PageArena& arena) {
  std::map<Ino, std::uint64_t> links{{kRoot, 2}};   // of all that can be reached
  std::vector<Ino> to_visit{kRoot};
  while (!to_visit.empty()) {
    const Ino at = to_visit.back();
    to_visit.pop_back();
    for (const auto& [slot, entry] : find(at)->entries) {
      const auto& [name, ino] = entry;
      const Inode* inode = find(ino);
      SF_CHECK_MSG(inode != nullptr, "a name without an inode: " + name);
      const bool first_name = links.emplace(ino, 0).second;
      if (inode->type == NodeType::kDirectory) {
        SF_CHECK_MSG(first_name, "a directory with two names: " + name);
        links[ino] += 2;
        ++links[at];
        to_visit.push_back(ino);
      } else {
        ++links[ino];
      }
    }
  }
  std::vector<Ino> unreachable;
  for (const auto& [ino, inode] : inodes_) {
    if (!links.contains(ino)) unreachable.push_back(ino);
  }
  for (const Ino ino : unreachable) drop(ino);
  for (const auto& [ino, count] : links) {
    if (find(ino)->links != count) edit(ino).links = count;
    if (find(ino)->data_past_size) cut_content(edit(ino), arena);
  }
  return unreachable.size();
}

// Data that reached the disk before the size that covers it is not part of the file.
void Tree::cut_content(Inode& inode, PageArena& arena) {
  const std::uint64_t end_page = inode.size / kPageBytes;
  const std::uint32_t tail_from = inode.size % kPageBytes;
  const std::uint64_t before = inode.pages.count();
  inode.pages.erase_from(end_page + (tail_from != 0 ? 1 : 0));
  pages_ += inode.pages.count() - before;
  const PageRef* tail = inode.pages.find(end_page);
  const auto is_data = [](std::byte byte) { return byte != std::byte{0}; };
  if (tail != nullptr &&
      std::any_of(tail->bytes() + tail_from, tail->bytes() + kPageBytes, is_data)) {
    put_page(inode, end_page, arena.cut_copy(*tail, tail_from));
  }
  inode.data_past_size = false;
}

std::string Tree::path_of(Ino wanted) const {
  constexpr int kLevelsMax = 64;
  std::string path;
  for (int level = 0; wanted != kRoot; ++level) {
    if (level == kLevelsMax) return "..." + path;
    const auto [holder, name] = some_name_of(wanted);
    if (holder == 0) return {};
    path.insert(0, "/" + name);
    wanted = holder;
  }
  return path.empty() ? "/" : path;
}

std::pair<Ino, std::string> Tree::some_name_of(Ino wanted) const {
  const auto name_in = [wanted](const Inode& holder) -> const std::string* {
    for (const auto& [slot, entry] : holder.entries) {
      if (entry.ino == wanted) return &entry.name;
    }
    return nullptr;
  };
  if (const Inode* inode = directory(wanted)) {
    const Inode* parent = inode->links > 0 ? directory(inode->parent) : nullptr;
    const std::string* name = parent != nullptr ? name_in(*parent) : nullptr;
    return name != nullptr ? std::pair{inode->parent, *name} : std::pair{Ino{0}, std::string()};
  }
  for (const auto& [ino, inode] : inodes_) {
    if (const std::string* name = name_in(*inode)) return {ino, *name};
  }
  return {0, {}};
}

}  // namespace sf::kernel::disk
