// SPDX-License-Identifier: MIT
// Exports a conversation as a file: Markdown or HTML for reading (the shown branch), or JSON with
// all of it, from which app/transfer/import.h recreates the conversation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/conversation.h"

namespace confab::app {

enum class ExportFormat { markdown, json, html };

// Parses "md", "json" or "html". Throws UserError.
ExportFormat export_format(std::string_view name);

// The format that a file's name implies; Markdown if it implies none.
ExportFormat format_of_file(const std::string& path);

struct ExportTarget {
  ExportFormat format = ExportFormat::markdown;
  std::string path;
};
// Interprets "/export [md|json|html] [FILE]". The format may follow from the file's name. Without a
// file, the conversation's title names a file in the working directory.
ExportTarget export_target(const std::string& argument, const std::string& title);

std::string export_conversation(const sessions::ConversationTree& tree, ExportFormat format);

// The shown branch as a Markdown document. Messages stand as they are, below a heading with the
// speaker; attachments and reasoning are in blocks that their own text cannot close.
std::string to_markdown(const sessions::ConversationTree& tree);
// The shown branch as one HTML page that needs no other file. Answers are rendered from Markdown;
// everything else is plain text. All text is escaped, so HTML in it is shown as it was written, and
// nothing in it is run or loaded from elsewhere.
std::string to_html(const sessions::ConversationTree& tree);

// The messages from the first to the head, in order.
std::vector<const sessions::Message*> shown_path(const sessions::ConversationTree& tree);
// "You", or the name of the model; valid UTF-8 if that is.
std::string speaker(const sessions::Message& message);

}  // namespace confab::app
