// SPDX-License-Identifier: MIT
#include "app/commands/attach_files.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/chat/question.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/paths.h"
#include "ui/text.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 100;
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{64} << 20;

// A device or a pipe could be read for ever.
sessions::Attachment read_file(std::string_view path) {
  const std::string file = expand_home(path);
  std::error_code error;
  if (!fs::exists(file, error)) throw UserError(fmt::format("{}: no such file", file));
  if (!fs::is_regular_file(file, error)) throw UserError(fmt::format("{}: is not a file", file));
  if (fs::file_size(file, error) > kMaxBytes)
    throw UserError(fmt::format("{}: larger than {} MiB", file, kMaxBytes >> 20));
  return read_attachment(file);
}

std::string described(const sessions::Attachment& file) {
  return fmt::format("{} ({} bytes)", file.name,
                     grouped(static_cast<std::int64_t>(file.size_bytes)));
}

class Matches {
 public:
  explicit Matches(const std::string& pattern) {
    fault_ = glob(pattern.c_str(), GLOB_MARK, nullptr, &found_);
  }
  ~Matches() { globfree(&found_); }
  Matches(const Matches&) = delete;
  Matches& operator=(const Matches&) = delete;

  // Without folders.
  std::vector<std::string> files() const {
    std::vector<std::string> files;
    for (std::size_t i = 0; fault_ == 0 && i < found_.gl_pathc; ++i)
      if (std::string path = found_.gl_pathv[i]; !path.ends_with('/')) files.push_back(path);
    return files;
  }

 private:
  glob_t found_{};
  int fault_ = 0;
};

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(expand_home(path), error);
}

// The paths that a question names, without the end of a sentence, unless there is such a file.
std::vector<std::string> named_files(std::string_view question) {
  std::vector<std::string> paths = mentioned_paths(question);
  for (std::string& path : paths)
    while (!path.empty() && !is_there(path) &&
           std::string_view(".,;:!?)").find(path.back()) != std::string_view::npos)
      path.pop_back();
  std::erase(paths, std::string());
  return paths;
}

bool ends_path(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

void run_read(CommandContext& context, const std::string& path) {
  if (path.empty()) throw UserError("which file? /read FILE");
  context.attached.push_back(read_file(path));
  context.console.notice(
      fmt::format("{} will go with your next question.", described(context.attached.back())));
}

void run_glob(CommandContext& context, const std::string& pattern) {
  if (pattern.empty()) throw UserError("which files? /glob PATTERN, such as src/*.cpp");
  const std::vector<std::string> files = Matches(expand_home(pattern)).files();
  if (files.empty()) throw UserError(fmt::format("{}: no file matches", pattern));
  if (files.size() > kMaxFiles)
    throw UserError(
        fmt::format("{}: matches {} files, more than {}", pattern, files.size(), kMaxFiles));
  std::vector<sessions::Attachment> read;
  for (const std::string& file : files) read.push_back(read_file(file));
  std::string text;
  for (sessions::Attachment& file : read) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", described(file));
    context.attached.push_back(std::move(file));
  }
  context.console.notice(fmt::format("{} will go with your next question.", text));
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/read", "/file /upload", "FILE", "attach a file to the next question; or write @FILE in it",
     true, run_read, files},
    {"/glob", "", "PATTERN", "attach all files that match a pattern", true, run_glob, files},
});

}  // namespace

std::vector<std::string> mentioned_paths(std::string_view question) {
  std::vector<std::string> paths;
  for (std::size_t at = question.find('@'); at != std::string_view::npos;
       at = question.find('@', at + 1)) {
    if (at > 0 && !ends_path(question[at - 1])) continue;  // an address: me@example.org
    std::string_view rest = question.substr(at + 1);
    if (rest.starts_with('"')) {
      const std::size_t end = rest.find('"', 1);
      if (end != std::string_view::npos) paths.emplace_back(rest.substr(1, end - 1));
      continue;
    }
    std::size_t end = 0;
    while (end < rest.size() && !ends_path(rest[end])) ++end;
    if (end > 0) paths.emplace_back(rest.substr(0, end));
  }
  return paths;
}

void decide_about_pasted(CommandContext& context, std::string_view question,
                         std::function<void()> go_on) {
  std::vector<std::string> paths;
  std::string names;
  for (std::string& path : named_files(question)) {
    if (!context.pasted.has(path) || !is_there(path)) continue;
    names += (names.empty() ? "" : ", ") + ui::one_line(path);
    paths.push_back(std::move(path));
  }
  if (paths.empty()) return go_on();
  const std::string text =
      fmt::format("The pasted text names {}. Attach {}?", names, paths.size() == 1 ? "it" : "them");
  const auto yes = [&context, paths, go_on] {
    for (const std::string& path : paths) context.pasted.allow(path);
    go_on();
  };
  context.console.confirm(text, yes, "", go_on);
}

Question question_with_files(CommandContext& context, const std::string& text) {
  Question question(text, std::exchange(context.attached, {}));
  const auto attach = [&files = question.attachments](sessions::Attachment file) {
    if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
  };
  for (const std::string& path : named_files(text))
    if (!context.pasted.has(path)) attempt(context, [&] { attach(read_file(path)); });
  return question;
}

std::span<const Command> attach_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
