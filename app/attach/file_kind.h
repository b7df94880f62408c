// SPDX-License-Identifier: MIT
// Tells what a file is, by its first bytes and its name.
#pragma once

#include <string>
#include <string_view>

namespace confab::app {

// This many bytes from its start are enough.
inline constexpr std::size_t kKindBytes = 1024;

enum class FileKind {
  text,  // or unknown: then the bytes decide (attach/text_encoding.h)
  pdf,
  html,
  other,  // known not to be text, or not worth reading as text
};

struct LookedAt {
  FileKind kind = FileKind::text;
  std::string_view what = {};    // for other: "an image (PNG)"
  std::string_view advice = {};  // what the person can do with it
};

// `name` is the file's, for its extension; `bytes` its beginning, or all of it.
LookedAt look_at(std::string_view name, std::string_view bytes);

// "logo.png: seems to be an image (PNG); confab reads text only".
std::string refusal(std::string_view name, const LookedAt& file);

}  // namespace confab::app
