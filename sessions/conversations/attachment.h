// SPDX-License-Identifier: MIT
// A file attached to a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace confab::sessions {

struct Attachment {
  std::string name;  // "-": standard input
  std::uint64_t size_bytes = 0;
  std::string content_hash;
  // nullopt: not kept. Rows of schema version 2 and older have no content; the text of their files
  // is part of the message's content.
  std::optional<std::string> content = {};

  bool operator==(const Attachment&) const = default;
};

// Fills in the size and the hash of the content.
Attachment make_attachment(std::string name, std::string content);
// XXH3-128 of the bytes, in hexadecimal. It finds files that may be equal; those are then compared.
std::string content_hash(std::string_view bytes);

}  // namespace confab::sessions
