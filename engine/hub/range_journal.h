// SPDX-License-Identifier: MIT
// Which parts of an unfinished file are on the disk, in a small file beside it: lines of text,
//
//   confab-pull 1 BYTES SHA256
//   etag ETAG                     what the server calls the contents; may be missing
//   done BEGIN END                [BEGIN, END) was on the disk before this line was written
//
// that are only added to. Whatever cuts it off, even within a line, leaves a journal that says less
// than there is, and never more. Who has one open has it alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/platform/descriptor.h"

namespace confab::engine {

// Which bytes of a file are there: ranges in order that neither touch nor overlap.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // not included
  std::uint64_t bytes() const noexcept { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

class ByteRanges {
 public:
  void add(ByteRange range);  // joined with those that it touches
  std::uint64_t total() const noexcept;
  std::uint64_t end() const noexcept;  // of the last one; 0: there is none
  std::vector<ByteRange> list() const;
  // What [0, bytes) has besides.
  std::vector<ByteRange> missing(std::uint64_t bytes) const;
  // Those, or parts of them, that `other` has not.
  std::vector<ByteRange> without(const ByteRanges& other) const;

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by their begin
};

class RangeJournal {
 public:
  // Goes on with the one that is there, or begins one; one of another file is begun anew. Throws
  // ModelError, also when another program has it open.
  RangeJournal(std::filesystem::path path, std::uint64_t bytes, const std::string& sha256);

  const ByteRanges& done() const noexcept { return done_; }
  const std::string& etag() const noexcept { return etag_; }

  // What is told here is on the disk when it returns. Both throw ModelError.
  void add(const std::vector<ByteRange>& ranges);
  void set_etag(const std::string& etag);
  // As if nothing had been there.
  void restart();
  // The last call.
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
