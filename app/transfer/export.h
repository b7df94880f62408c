// SPDX-License-Identifier: MIT
// A conversation as a file: Markdown and HTML to read (the branch that is shown), JSON with all of
// it, from which app/transfer/import makes the same conversation again.
#pragma once

#include <string>
#include <string_view>

#include "sessions/conversations/conversation.h"

namespace confab::app {

enum class ExportFormat { markdown, json, html };

// "md", "json" or "html". Throws UserError.
ExportFormat export_format(std::string_view name);

// The format that a file's name tells: Markdown where it tells none.
ExportFormat format_of_file(const std::string& path);

struct ExportTarget {
  ExportFormat format = ExportFormat::markdown;
  std::string path;
};
// What "/export [md|json|html] [FILE]" means: the format may follow from the file's name; without a
// file it is one in the working directory with the title as its name.
ExportTarget export_target(const std::string& argument, const std::string& title);

std::string export_conversation(const sessions::ConversationTree& tree, ExportFormat format);

}  // namespace confab::app
