// SPDX-License-Identifier: MIT
// What a file is, by its first bytes and its name.
#pragma once

#include <string>
#include <string_view>

namespace confab::app {

// So many bytes of its beginning are enough to tell.
inline constexpr std::size_t kKindBytes = 1024;

enum class FileKind {
  text,  // or something that nobody here knows: the bytes decide (attach/text_encoding.h)
  pdf,
  html,
  other,  // something that is known not to be text, or that nobody would want to read as such
};

struct LookedAt {
  FileKind kind = FileKind::text;
  std::string_view what = {};    // of other: "an image (PNG)"
  std::string_view advice = {};  // what to do with it
};

// name: of the file, for its ending; bytes: its beginning, or all of it.
LookedAt look_at(std::string_view name, std::string_view bytes);

// "logo.png: seems to be an image (PNG); confab reads text only".
std::string refusal(std::string_view name, const LookedAt& file);

}  // namespace confab::app
