// SPDX-License-Identifier: MIT
// A file that was given with a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace confab::sessions {

struct Attachment {
  std::string name;  // "-": what was piped in
  std::uint64_t size_bytes = 0;
  std::string content_hash;
  // nullopt: not kept. Such rows are of schema version 2 and older, where the text of the files is
  // part of the message's content.
  std::optional<std::string> content = {};

  bool operator==(const Attachment&) const = default;
};

// With size and hash of the content.
Attachment make_attachment(std::string name, std::string content);
// XXH3-128 of the bytes, in hexadecimal: finds equal files, which are then compared.
std::string content_hash(std::string_view bytes);

}  // namespace confab::sessions
