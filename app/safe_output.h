// SPDX-License-Identifier: MIT
// Makes standard output safe if it is a terminal, for commands that print other people's text
// unchanged: exports, templates, tokens, metadata.
#pragma once

#include <memory>
#include <ostream>

namespace confab::app {

// While this object lives, text written to the stream is sanitised if the stream is a terminal.
// Otherwise every byte stays as it was, since a file or a pipe wants the text itself.
class SafeOutput {
 public:
  SafeOutput(std::ostream& out, bool is_terminal);  // `out` must outlive it
  ~SafeOutput();  // also writes an incomplete character that is still held back
  SafeOutput(const SafeOutput&) = delete;
  SafeOutput& operator=(const SafeOutput&) = delete;

 private:
  class Buffer;
  std::ostream& out_;
  std::unique_ptr<Buffer> buffer_;  // null: not a terminal
};

}  // namespace confab::app
