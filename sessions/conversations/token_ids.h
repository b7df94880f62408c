// SPDX-License-Identifier: MIT
// Token ids as a compact blob: each as a little-endian base-128 number, the high bit of a byte
// telling that more follow. Most ids take two bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace confab::sessions {

std::string encode_token_ids(std::span<const std::int32_t> ids);
// nullopt: not a blob that encode_token_ids() makes.
std::optional<std::vector<std::int32_t>> decode_token_ids(std::string_view blob);

}  // namespace confab::sessions
