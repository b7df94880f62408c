// SPDX-License-Identifier: MIT
#include "sessions/conversations/attachment.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <utility>

namespace confab::sessions {

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Attachment make_attachment(std::string name, std::string content) {
  const std::uint64_t size = content.size();
  std::string hash = content_hash(content);
  return {std::move(name), size, std::move(hash), std::move(content)};
}

}  // namespace confab::sessions
