// SPDX-License-Identifier: MIT
// Standard output that may be a terminal, for what prints text of others as it is: exports,
// templates, tokens, metadata.
#pragma once

#include <memory>
#include <ostream>

namespace confab::app {

// While it lives, what is written to the stream is made safe to show if that is a terminal; every
// byte is as it was if not, since a file or a pipe wants the text itself.
class SafeOutput {
 public:
  SafeOutput(std::ostream& out, bool is_terminal);  // `out` must outlive it
  ~SafeOutput();  // what waits for the rest of a character goes too
  SafeOutput(const SafeOutput&) = delete;
  SafeOutput& operator=(const SafeOutput&) = delete;

 private:
  class Buffer;
  std::ostream& out_;
  std::unique_ptr<Buffer> buffer_;  // null: no terminal
};

}  // namespace confab::app
