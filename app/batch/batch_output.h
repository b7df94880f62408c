// SPDX-License-Identifier: MIT
// The output file of a batch: one answer per line, each there completely or not at all. Requests
// that have a line in it need no answer any more, so the same command resumes after a crash or a
// power cut.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "app/batch/batch_input.h"
#include "sessions/fd.h"

namespace confab::app {

class BatchOutput {
 public:
  // Creates the file, or opens an existing one to continue it. Nothing is changed before append(),
  // which cuts off a last line that a crash left incomplete. `in` is the file of the requests.
  // Throws UserError if the file is not a regular file, is the input, cannot be written, is being
  // written by another program, or contains a line that is not an answer of a batch.
  explicit BatchOutput(std::string path, const std::string& in = "");

  bool has(const BatchEntry& entry) const { return find(entry) != nullptr; }
  bool is_empty() const noexcept { return ids_.empty() && lines_.empty(); }
  int n_failed() const noexcept { return n_failed_; }  // lines that report an error
  const std::string& path() const noexcept { return path_; }
  // Appends the line of an entry, given without its line break. Once this returns, the line
  // survives a power cut. Throws UserError if it cannot be written; the file is then unchanged.
  void append(const BatchEntry& entry, std::string_view line, bool failed);
  // Sorts the lines into the order of the entries, after any other lines, if they are not sorted
  // already. This must be the last call. Throws UserError; the file is then unchanged.
  void put_in_order(std::span<const BatchEntry> entries);

 private:
  struct Place {  // the place of a line
    std::size_t begin;
    std::size_t n_bytes;  // including its line break
  };
  void lock() const;
  void read();
  void read_line(std::string_view text, int line);
  const Place* find(const BatchEntry& entry) const;
  std::string all() const;
  void cut() const;  // truncates the file to n_bytes_
  [[noreturn]] void fail(int error) const;
  [[noreturn]] void fail_foreign(int line) const;

  std::string path_;
  sessions::Fd fd_;
  std::size_t n_bytes_ = 0;                        // size of the complete lines
  bool has_torn_line_ = false;                     // an incomplete line follows them
  std::map<std::string, Place, std::less<>> ids_;  // ids as in BatchRequest
  std::map<int, Place> lines_;                     // places of requests without an id
  int n_failed_ = 0;
};

}  // namespace confab::app
