// SPDX-License-Identifier: MIT
#include "app/transfer/export.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/error.h"
#include "app/transfer/html_format.h"
#include "app/transfer/json_format.h"
#include "app/transfer/markdown_format.h"
#include "ui/text.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

std::string_view extension_of(ExportFormat format) {
  switch (format) {
    case ExportFormat::markdown:
      return ".md";
    case ExportFormat::json:
      return ".json";
    case ExportFormat::html:
      return ".html";
  }
  return "";
}

// A title as the name of a file: nothing that means something to a shell or a file system, and no
// longer than file systems take.
std::string file_name_of(const std::string& title, std::string_view extension) {
  constexpr std::size_t kMaxBytes = 255;
  const std::size_t room = kMaxBytes - extension.size();
  const std::string text = ui::sanitize(title);
  std::string name;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = ui::next_grapheme(rest).bytes;
    rest.remove_prefix(character.size());
    if (name.size() + character.size() > room) break;
    const auto byte = static_cast<unsigned char>(character[0]);
    const bool plain = std::isalnum(byte) != 0 || byte >= 0x80 || byte == '.' || byte == '_';
    if (plain && !(name.empty() && byte == '.'))
      name += character;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return (name.empty() ? "conversation" : name) + std::string(extension);
}

}  // namespace

ExportFormat export_format(std::string_view name) {
  if (name == "md") return ExportFormat::markdown;
  if (name == "json") return ExportFormat::json;
  if (name == "html") return ExportFormat::html;
  throw UserError(fmt::format("'{}' is not a format: use md, json or html", name));
}

ExportFormat format_of_file(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".json") return ExportFormat::json;
  if (extension == ".html" || extension == ".htm") return ExportFormat::html;
  return ExportFormat::markdown;
}

ExportTarget export_target(const std::string& argument, const std::string& title) {
  const std::size_t end = std::min(argument.find(' '), argument.size());
  const std::string first = argument.substr(0, end);
  const bool has_format = first == "md" || first == "json" || first == "html";
  std::string path = argument;
  if (has_format)
    path = argument.substr(std::min(argument.find_first_not_of(' ', end), argument.size()));
  ExportTarget target{.format = has_format ? export_format(first) : format_of_file(path),
                      .path = path};
  if (target.path.empty()) target.path = file_name_of(title, extension_of(target.format));
  return target;
}

std::string export_conversation(const sessions::ConversationTree& tree, ExportFormat format) {
  switch (format) {
    case ExportFormat::markdown:
      return to_markdown(tree);
    case ExportFormat::json:
      return to_json({{tree}});
    case ExportFormat::html:
      return to_html(tree);
  }
  return {};
}

}  // namespace confab::app
