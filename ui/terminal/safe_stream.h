// SPDX-License-Identifier: MIT
// A stdio stream for a line editor that draws on its own. The editor's control sequences pass; text
// that could drive the terminal does not.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace confab::ui {

// Filters the text that a line editor writes without knowing it. readline makes C0 controls visible
// (^[), but passes on C1 controls, bidirectional controls, tags and malformed bytes. Here they keep
// the width that readline assumes: U+FFFD for one column, nothing for none.
class EditorFilter {
 public:
  // The bytes may be cut anywhere. At most three wait for the next call.
  std::string feed(std::string_view bytes);

 private:
  std::string pending_;
};

// Opens a stream to a descriptor through an EditorFilter. The descriptor is borrowed and must
// outlive the stream. Returns null if there is not enough memory.
std::FILE* open_safe_stream(int fd);

}  // namespace confab::ui
