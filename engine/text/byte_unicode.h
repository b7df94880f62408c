// SPDX-License-Identifier: MIT
// GPT-2's writing of bytes as printable characters, in which byte-level BPE vocabularies and merges
// are stored: the space is "Ġ", and so on. Source: Radford et al. 2019, encoder.py,
// bytes_to_unicode().
#pragma once

#include <string>
#include <string_view>

namespace confab::engine {

// Appends the bytes that `text` stands for. False, and `out` is as before, when a character of it
// stands for no byte.
bool append_bytes(std::string_view text, std::string& out);

}  // namespace confab::engine
