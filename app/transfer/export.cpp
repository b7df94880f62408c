// SPDX-License-Identifier: MIT
#include "app/transfer/export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

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

// A title as a file's name: nothing that means something to a shell or a file system.
std::string file_name_of(const std::string& title) {
  std::string name;
  for (const char c : ui::sanitize(title)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || byte >= 0x80 || c == '.' || c == '_';
    if (plain && !(name.empty() && c == '.'))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return name.empty() ? "conversation" : name;
}

}  // namespace

ExportFormat export_format(std::string_view name) {
  if (name == "md") return ExportFormat::markdown;
  if (name == "json") return ExportFormat::json;
  if (name == "html") return ExportFormat::html;
  throw UserError(fmt::format("'{}' is no format to export to: md, json or html", name));
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
  if (!target.path.empty()) return target;
  target.path = file_name_of(title) + std::string(extension_of(target.format));
  if (fs::exists(target.path))
    throw UserError(
        fmt::format("{}: exists already; name another file behind /export", target.path));
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

void write_export(const ExportTarget& target, const std::string& text) {
  const std::string unfinished = fmt::format("{}.{}.tmp", target.path, getpid());
  const auto fail = [&](const std::string& path) {
    const int error = errno;
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw UserError(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
  };
  errno = EIO;  // where a stream fails without saying why
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  if (!out) fail(target.path);
  out << text;
  out.close();
  if (!out) fail(target.path);
  std::error_code error;
  fs::rename(unfinished, target.path, error);
  if (!error) return;
  errno = error.value();
  fail(target.path);
}

}  // namespace confab::app
