// Trace sinks: what a run's records go to. Each holds the hash chain, since every run needs it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/record.h"
#include "trace/hash_chain.h"

namespace sf::trace {

// Only the hash: what a sweep uses.
class HashSink : public kernel::TraceSink {
 public:
  bool wants_text() const override { return false; }
  void record(std::uint64_t, const kernel::Record& record) override { chain_.add(record); }
  std::uint64_t hash() const { return chain_.value(); }

 protected:
  HashChain chain_;
};

// The hash, and every record with its text to a callback.
class CallbackSink final : public HashSink {
 public:
  using Callback = std::function<void(std::uint64_t step, const kernel::Record&)>;
  explicit CallbackSink(Callback callback) : callback_(std::move(callback)) {}
  bool wants_text() const override { return true; }
  void record(std::uint64_t step, const kernel::Record& record) override {
    chain_.add(record);
    callback_(step, record);
  }

 private:
  Callback callback_;
};

// The hash, and all records in memory, for comparison. Stops storing at the byte limit.
class MemorySink final : public HashSink {
 public:
  explicit MemorySink(std::uint64_t limit_bytes) : left_(limit_bytes) {}
  bool wants_text() const override { return true; }
  void record(std::uint64_t, const kernel::Record& record) override {
    chain_.add(record);
    const std::uint64_t size = sizeof(record) + record.what.size() + record.outcome.size();
    if (size > left_) {
      full_ = true;
      return;
    }
    left_ -= size;
    records_.push_back(record);
  }
  const std::vector<kernel::Record>& records() const { return records_; }
  bool full() const { return full_; }

 private:
  std::uint64_t left_;
  bool full_ = false;
  std::vector<kernel::Record> records_;
};

// Index of the first record in which two traces differ; nothing when they are equal.
std::optional<std::size_t> first_difference(const std::vector<kernel::Record>& a,
                                            const std::vector<kernel::Record>& b);

}  // namespace sf::trace
