// SPDX-License-Identifier: MIT
#include "app/chat/attach.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/error.h"
#include "app/paths.h"

namespace confab::app {
namespace {

std::string checked_text(std::string text, const std::string& name) {
  if (const std::size_t at = text.find('\0'); at != std::string::npos)
    throw UserError(fmt::format("{}: is no text file (a NUL byte at offset {})", name, at));
  return text;
}

// A fence longer than any run of backquotes in the text, so that the text cannot close it.
std::string fence_for(const std::string& text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max<std::size_t>(3, longest + 1), '`');
}

}  // namespace

sessions::Attachment read_attachment(const std::string& path) {
  if (path == "-") {
    std::vector<sessions::Attachment> piped = read_piped_input(InputWish::awaited);
    if (piped.empty()) throw UserError("-: nothing is piped into standard input");
    return std::move(piped.front());
  }
  const std::string file = expand_home(path);
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw UserError(fmt::format("{}: is a directory; name files", path));
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UserError(fmt::format("{}: {}", path, std::strerror(errno)));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw UserError(fmt::format("{}: {}", path, std::strerror(errno)));
  return sessions::make_attachment(std::filesystem::path(file).filename().string(),
                                   checked_text(std::move(text), path));
}

std::vector<sessions::Attachment> read_piped_input(InputWish wish) {
  std::string text = read_input(
      STDIN_FILENO, wish, [](std::string_view line) { fmt::print(stderr, "confab: {}\n", line); });
  if (text.empty()) return {};
  return {sessions::make_attachment("-", checked_text(std::move(text), "standard input"))};
}

std::string compose_prompt(std::span<const sessions::Attachment> attachments,
                           const std::string& question) {
  std::string prompt;
  for (const sessions::Attachment& file : attachments) {
    if (!file.content) continue;
    const std::string& text = *file.content;
    const std::string fence = fence_for(text);
    const bool ends_line = !text.empty() && text.back() == '\n';
    if (file.name != "-") prompt += fmt::format("{}:\n", file.name);
    if (file.name == "-" && attachments.size() == 1)
      prompt += fmt::format("{}{}\n", text, ends_line ? "" : "\n");
    else
      prompt += fmt::format("{}\n{}{}{}\n\n", fence, text, ends_line ? "" : "\n", fence);
  }
  return prompt + question;
}

}  // namespace confab::app
