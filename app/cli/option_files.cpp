// SPDX-License-Identifier: MIT
#include "app/cli/option_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>

#include "app/attach/text_encoding.h"
#include "app/error.h"
#include "app/option_table.h"
#include "app/paths.h"
#include "app/whole_file.h"

namespace confab::app {
namespace {

[[noreturn]] void fail(std::string_view option, const std::string& file, std::string_view fault) {
  throw UsageError(fmt::format("{} {}: {}", option, file, fault));
}

std::string text_of(std::string_view option, const std::string& name) {
  const FileLimits limits{.takes_pipes = true};
  auto file = whole_file(expand_home(name), limits);
  if (!file) fail(option, name, read_fault(errno, limits));
  auto decoded = decode_text(*std::move(file));  // decoded like attached files
  if (!decoded) fail(option, name, "is not a text file");
  std::string& text = decoded->text;
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) fail(option, name, "is empty");
  return std::move(text);
}

void read_into(std::string& text, std::string_view key, const std::string& file,
               const ChatOptions& options) {
  if (file.empty()) return;
  const Option& option = *find_option(key);
  text = text_of(name_for(option, source_of(option, options).origin), file);
}

// The character that the letter after a backslash stands for; 0 if none.
char escaped(char letter) noexcept {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '\'':
    case '"':
    case '\\':
      return letter;
    default:
      return 0;
  }
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t n = 1;
    char c = text[0];
    unsigned char byte = 0;
    if (c == '\\' && text.size() > 1 && escaped(text[1]) != 0) {
      c = escaped(text[1]);
      n = 2;
    } else if (text.starts_with("\\x") && text.size() >= 4 &&
               std::from_chars(&text[2], &text[2] + 2, byte, 16).ptr == &text[2] + 2) {
      c = static_cast<char>(byte);
      n = 4;
    }
    out += c;
    text.remove_prefix(n);
  }
  return out;
}

void read_option_files(ChatOptions& options) {
  if (!options.prompt_file.empty()) options.prompt = text_of("--file", options.prompt_file);
  read_into(options.system, "system_file", options.system_file, options);
  read_into(options.model.chat_template, "chat_template_file", options.model.chat_template_file,
            options);
  if (!options.escape) return;
  if (options.prompt) options.prompt = unescaped(*options.prompt);
  if (source_of(*find_option("reverse_prompt"), options).origin != Origin::command_line) return;
  for (std::string& text : options.stop) text = unescaped(text);
}

}  // namespace confab::app
