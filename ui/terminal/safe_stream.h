// SPDX-License-Identifier: MIT
// A stdio stream for a line editor that draws by itself: its own control sequences pass, text that
// could drive the terminal does not.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace confab::ui {

// What a line editor writes of text it does not know: readline shows C0 controls itself (^[), but
// passes C1 controls, bidirectional controls, tags and malformed bytes on. Here these keep the
// columns that it counts for them: U+FFFD for what it takes for one column, nothing for none.
class EditorFilter {
 public:
  // Bytes may be cut anywhere; at most three wait for the next.
  std::string feed(std::string_view bytes);

 private:
  std::string pending_;
};

// A stream to a descriptor (borrowed; must outlive the stream) through an EditorFilter. Null when
// there is no memory.
std::FILE* open_safe_stream(int fd);

}  // namespace confab::ui
