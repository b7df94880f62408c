// SPDX-License-Identifier: MIT
// Records which parts of an unfinished file are on disk, in a small text file next to it:
//
//   confab-pull 1 BYTES SHA256
//   etag ETAG                     the server's tag for the contents; may be missing
//   done BEGIN END                [BEGIN, END) was on disk before this line was written
//
// Lines are only appended. If writing is cut off, even within a line, the journal claims less than
// is on disk, never more. Only one program can have a journal open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/platform/descriptor.h"

namespace confab::engine {

// The bytes of a file that are present: ranges in order that neither touch nor overlap.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // exclusive
  std::uint64_t bytes() const noexcept { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

class ByteRanges {
 public:
  void add(ByteRange range);  // merges it with the ranges that it touches
  std::uint64_t total() const noexcept;
  std::uint64_t end() const noexcept;  // of the last range; 0: there is none
  std::vector<ByteRange> list() const;
  // The parts of [0, bytes) that are not present.
  std::vector<ByteRange> missing(std::uint64_t bytes) const;
  // The parts of these ranges that are not in `other`.
  std::vector<ByteRange> without(const ByteRanges& other) const;

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // keyed by their begin
};

class RangeJournal {
 public:
  // Resumes an existing journal or creates one. A journal of another file is restarted. Throws
  // ModelError, also if another program has the journal open.
  RangeJournal(std::filesystem::path path, std::uint64_t bytes, const std::string& sha256);

  const ByteRanges& done() const noexcept { return done_; }
  const std::string& etag() const noexcept { return etag_; }

  // The record is on disk when these return. Both throw ModelError.
  void add(const std::vector<ByteRange>& ranges);
  void set_etag(const std::string& etag);
  // Forgets everything.
  void restart();
  // Must be the last call.
  void remove() noexcept;

 private:
  void lock();
  void read();
  bool take(const std::string& line);
  void write(const std::string& text);
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::string title_;
  std::uint64_t bytes_;
  platform::Descriptor fd_;
  ByteRanges done_ = {};
  std::string etag_ = {};
};

}  // namespace confab::engine
