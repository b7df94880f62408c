// SPDX-License-Identifier: MIT
#include "app/transfer/export.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/chat/question.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/transfer/json_format.h"
#include "ui/markdown/markdown_html.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using sessions::Message;
using sessions::Role;

std::string as_line(const std::string& text) {
  std::string line = ui::sanitize(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

// Prefixes every line with "> ".
std::string quoted(const std::string& text) {
  std::string out = "> ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "> ";
  }
  return out;
}

void append_ended(std::string& out, const std::string& text) {
  out += text;
  if (text.empty() || text.back() != '\n') out += '\n';
}

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --text: #1c1e21; --page: #ffffff; --box: #f1f3f5; --dim: #667;
  --keyword: #a11a6e; --type: #0b6b6b; --function: #1d50b8; --string: #2c6b1f; --number: #9a4a00;
  --comment: #667; --meta: #6b3fa0; --added: #176f2c; --removed: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e5e8; --page: #16181b; --box: #23262b; --dim: #99a;
    --keyword: #f08cc8; --type: #6fd3d0; --function: #8ab4ff; --string: #a5d68f; --number: #f0b070;
    --comment: #99a; --meta: #c7a6f5; --added: #7fd492; --removed: #ff8f87; }
}
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; color: var(--text);
  background: var(--page); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { line-height: 1.25; }
.speaker, time { color: var(--dim); font-size: .85rem; }
article { margin: 1.5rem 0; }
.user, .system { background: var(--box); border-radius: .6rem; padding: .6rem 1rem; }
.plain, pre { white-space: pre-wrap; }
pre, code { font: .9em/1.5 ui-monospace, monospace; background: var(--box); border-radius: .3rem; }
pre { padding: .8rem; overflow-x: auto; }
code { padding: .1rem .25rem; }
pre code { padding: 0; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: .2rem solid var(--dim); }
.footnote { margin-left: 1rem; }
.alert { border-color: var(--function); }
.urgent { border-color: var(--removed); }
.title { font-weight: bold; margin-bottom: 0; }
kbd { font: .85em ui-monospace, monospace; border: 1px solid var(--dim); border-radius: .3rem;
  padding: 0 .3rem; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { border: 1px solid var(--dim); padding: .2rem .6rem; }
.task { list-style: none; margin-left: -1.2rem; }
.math { font-family: ui-monospace, monospace; }
.display { display: block; margin: .6rem 0; white-space: pre; overflow-x: auto; line-height: 1.3; }
.keyword { color: var(--keyword); }
.type { color: var(--type); }
.function { color: var(--function); }
.string { color: var(--string); }
.number { color: var(--number); }
.comment { color: var(--comment); font-style: italic; }
.meta { color: var(--meta); }
.added { color: var(--added); }
.removed { color: var(--removed); }
details { color: var(--dim); margin: .5rem 0; }
)css";

std::string attachments_html(const sessions::Message& message) {
  std::string out;
  for (const sessions::Attachment& file : message.attachments) {
    const std::string head = fmt::format(
        "{}, {} bytes", ui::html_escaped(file.name == "-" ? "standard input" : file.name),
        grouped(static_cast<std::int64_t>(file.size_bytes)));
    if (file.content)
      out += fmt::format("<details><summary>{}</summary>\n<pre>{}</pre></details>\n", head,
                         ui::html_escaped(*file.content));
    else
      out += fmt::format("<div class=\"speaker\">{}</div>\n", head);
  }
  return out;
}

std::string message_html(const sessions::Message& message) {
  std::string out = fmt::format("<article class=\"{}\">\n<div class=\"speaker\">{}</div>\n",
                                name_of(message.role), ui::html_escaped(speaker(message)));
  if (!message.reasoning.empty())
    out += fmt::format(
        "<details><summary>Reasoning</summary>\n<div class=\"plain\">{}</div></details>\n",
        ui::html_escaped(message.reasoning));
  out += attachments_html(message);
  if (message.role == sessions::Role::assistant)
    out += ui::markdown_to_html(message.content);
  else
    out += fmt::format("<div class=\"plain\">{}</div>\n", ui::html_escaped(message.content));
  return out + "</article>\n";
}

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

// A title as a file name, without characters that are special to a shell or a file system, and no
// longer than file systems allow.
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

std::vector<const Message*> shown_path(const sessions::ConversationTree& tree) {
  std::vector<const Message*> path;
  std::optional<sessions::MessageId> wanted = tree.conversation.head;
  for (auto it = tree.messages.rbegin(); it != tree.messages.rend() && wanted; ++it) {
    if (it->id != *wanted) continue;
    path.push_back(&*it);
    wanted = it->parent;
  }
  std::ranges::reverse(path);
  return path;
}

std::string speaker(const Message& message) {
  switch (message.role) {
    case Role::user:
      return "You";
    case Role::system:
      return "System prompt";
    case Role::assistant:
      return message.model.empty() ? "Assistant" : as_line(message.model);
    case Role::tool:
      return "Tool";
  }
  return "";
}

std::string to_markdown(const sessions::ConversationTree& tree) {
  const auto created = std::chrono::floor<std::chrono::seconds>(tree.conversation.created);
  std::string out = fmt::format("# {}\n\n{:%Y-%m-%d}\n", as_line(tree.conversation.title),
                                fmt::localtime(std::chrono::system_clock::to_time_t(created)));
  for (const Message* message : shown_path(tree)) {
    out += fmt::format("\n## {}\n\n", speaker(*message));
    if (!message->reasoning.empty()) {
      append_ended(out, quoted(message->reasoning));
      out += '\n';
    }
    for (const sessions::Attachment& file : message->attachments)
      if (!file.content)
        out += fmt::format("*{}, {} bytes*\n\n", as_line(file.name), file.size_bytes);
    append_ended(out, prompt_of(*message));
  }
  return out;
}

std::string to_html(const sessions::ConversationTree& tree) {
  const auto created = std::chrono::floor<std::chrono::seconds>(tree.conversation.created);
  const std::string title = ui::html_escaped(tree.conversation.title);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\""
      " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<time>{:%Y-%m-%d}</"
      "time>\n",
      title, kStyle, title, fmt::localtime(std::chrono::system_clock::to_time_t(created)));
  for (const sessions::Message* message : shown_path(tree)) out += message_html(*message);
  return out + "</body>\n</html>\n";
}

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
