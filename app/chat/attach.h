// SPDX-License-Identifier: MIT
// Makes one prompt of a question, files and what was piped in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/chat/standard_input.h"
#include "sessions/conversations/attachment.h"

namespace confab::app {

// Reads a file as text. Throws UserError when it cannot be read, or is no text (a NUL byte).
sessions::Attachment read_attachment(const std::string& path);
// What comes on standard input (see standard_input.h), named "-"; none: nothing does. Waiting is
// told on standard error. Throws UserError when it cannot be read, or is no text.
std::vector<sessions::Attachment> read_piped_input(InputWish wish);

// The attachments first, each named and fenced, then the question: the same files asked about again
// are the same beginning, which the prompt cache knows. Those whose content is not kept are left
// out: it is part of the question then.
std::string compose_prompt(std::span<const sessions::Attachment> attachments,
                           const std::string& question);

}  // namespace confab::app
