// SPDX-License-Identifier: MIT
// The answers of a batch in a file: a line each, that is there whole or not at all. What it holds
// is what need not be asked for again, so the same command goes on after a crash or a power cut.
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
  // Makes the file, or opens one to go on with, in which nothing is changed before append(): that
  // cuts off a last line which a crash has left incomplete. `in` is the file of the requests.
  // Throws UserError when it is not a plain file, is the input, cannot be written, another program
  // is writing to it, or a line of it is not one of a batch's answers.
  explicit BatchOutput(std::string path, const std::string& in = "");

  bool has(const BatchEntry& entry) const { return find(entry) != nullptr; }
  bool is_empty() const noexcept { return ids_.empty() && lines_.empty(); }
  int n_failed() const noexcept { return n_failed_; }  // lines that tell an error
  const std::string& path() const noexcept { return path_; }
  // Adds the line of an entry, without its line break; when it returns, it survives a power cut.
  // Throws UserError when it cannot be written; the file is as it was then.
  void append(const BatchEntry& entry, std::string_view line, bool failed);
  // Puts the lines into the order of the entries, behind those of others, where they are not: the
  // last that is done with the file. Throws UserError; it is as it was then.
  void put_in_order(std::span<const BatchEntry> entries);

 private:
  struct Place {  // of a line
    std::size_t begin;
    std::size_t n_bytes;  // with its line break
  };
  void lock() const;
  void read();
  void read_line(std::string_view text, int line);
  const Place* find(const BatchEntry& entry) const;
  std::string all() const;
  void cut() const;  // to n_bytes_
  [[noreturn]] void fail(int error) const;
  [[noreturn]] void fail_foreign(int line) const;

  std::string path_;
  sessions::Fd fd_;
  std::size_t n_bytes_ = 0;                        // of whole lines
  bool has_torn_line_ = false;                     // behind them
  std::map<std::string, Place, std::less<>> ids_;  // as BatchRequest has them
  std::map<int, Place> lines_;                     // of requests without an id
  int n_failed_ = 0;
};

}  // namespace confab::app
