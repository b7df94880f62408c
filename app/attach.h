// SPDX-License-Identifier: MIT
// Makes one prompt of a question, files and what was piped in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sessions/message.h"

namespace confab::app {

struct Attached {
  std::string name;  // "-": standard input
  std::string text;
};

// Reads a file as text. Throws UserError when it cannot be read, or is no text (a NUL byte).
Attached read_attachment(const std::string& path);
// What is piped into standard input; nothing when it is a terminal or empty.
std::vector<Attached> read_piped_input();

// XXH3-128 of the bytes, in hexadecimal: tells a file from its later versions.
std::string content_hash(std::string_view bytes);

// The attachments first, each named and fenced, then the question: the same files asked about again
// are the same beginning, which the prompt cache knows.
std::string compose_prompt(const std::vector<Attached>& attached, const std::string& question);

}  // namespace confab::app
