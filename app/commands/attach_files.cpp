// SPDX-License-Identifier: MIT
#include "app/commands/attach_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "app/attach/reader.h"
#include "app/chat/question.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/paths.h"
#include "app/read_beside.h"
#include "ui/text.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

// "a.txt (5 bytes), b.txt (4 bytes)", or the number of files if there are many.
std::string described(std::span<const sessions::Attachment> files) {
  constexpr std::size_t kShown = 8;
  const auto bytes = [](std::uint64_t n) { return grouped(static_cast<std::int64_t>(n)); };
  std::string text;
  std::uint64_t all = 0;
  for (const sessions::Attachment& file : files) {
    text +=
        fmt::format("{}{} ({} bytes)", text.empty() ? "" : ", ", file.name, bytes(file.size_bytes));
    all += file.size_bytes;
  }
  if (files.size() <= kShown) return text;
  return fmt::format("{} ({} bytes)", counted(std::ssize(files), "file"), bytes(all));
}

void tell(CommandContext& context, const Attached& read) {
  for (const std::string& notice : read.notices) context.console.notice(notice + '.');
}

// Reads files with Reader::add() or add_pattern(). They wait for the next question.
void attach(CommandContext& context, const std::string& named,
            void (Reader::*add)(const std::string&)) {
  const auto find = [named, add] {
    Reader reader;
    (reader.*add)(named);
    return reader;
  };
  Reader reader = read_beside(find, context.console.watch_reading(ui::one_line(named)));
  Attached read = reader.take(context.attached);
  tell(context, read);
  if (read.files.empty()) return;
  context.console.notice(fmt::format("{} will go with your next question.", described(read.files)));
  std::ranges::move(read.files, std::back_inserter(context.attached));
}

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(expand_home(path), error);
}

// "no such file", or the reason why the path cannot be followed.
std::string why_not_there(const std::string& path) {
  std::error_code error;
  if (fs::exists(expand_home(path), error) || !error) return "no such file";
  return error == std::errc::permission_denied ? "permission denied" : error.message();
}

// The paths in the question. Punctuation at the end is dropped, unless a file of that name exists.
std::vector<std::string> named_files(std::string_view question) {
  std::vector<std::string> paths = mentioned_paths(question);
  for (std::string& path : paths)
    while (!path.empty() && !is_there(path) &&
           std::string_view(".,;:!?)").find(path.back()) != std::string_view::npos)
      path.pop_back();
  std::erase(paths, std::string());
  return paths;
}

// Returns false for decorators, people's names and patterns.
bool looks_like_path(const std::string& path) {
  return path.find_first_of("/.") != std::string::npos &&
         path.find_first_of("*?[") == std::string::npos;
}

// The files that a question names, and notices about names that are only text.
struct NamedFiles {
  Reader reader;
  std::vector<std::string> notices = {};
};

// A * in a question need not be a pattern, so it is not expanded.
void add_file(NamedFiles& files, const std::string& path) {
  if (is_there(path)) return files.reader.add(path);
  const std::string fault = fmt::format("{}: {}", ui::one_line(path), why_not_there(path));
  if (looks_like_path(path))
    throw UserError(fault + "; the question was not asked; without @ the name is only text");
  files.notices.push_back(fault + ", so it is only text.");
}

NamedFiles read_named(const std::string& question, const PastedPaths& pasted) {
  NamedFiles files;
  for (const std::string& path : named_files(question))
    if (!pasted.has(path)) add_file(files, path);
  return files;
}

// Shown while the files of a question are read: "a.txt", or "a.txt and 2 others".
std::string names_in(std::string_view question) {
  const std::vector<std::string> paths = mentioned_paths(question);
  std::string text = paths.empty() ? "" : ui::one_line(paths.front());
  if (paths.size() > 1) text += fmt::format(" and {}", counted(std::ssize(paths) - 1, "other"));
  return text;
}

bool ends_path(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

void run_read(CommandContext& context, const std::string& path) {
  if (path.empty()) throw UserError("which file? /read FILE, or a folder");
  attach(context, path, &Reader::add);
}

void run_glob(CommandContext& context, const std::string& pattern) {
  if (pattern.empty()) throw UserError("which files? /glob PATTERN, such as src/**/*.cpp");
  attach(context, pattern, &Reader::add_pattern);
}

// Detaches everything, or the files with this name or number.
void run_detach(CommandContext& context, const std::string& which) {
  std::vector<sessions::Attachment>& files = context.attached;
  if (files.empty()) throw UserError("nothing is attached");
  std::size_t number = 0;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (std::to_string(i + 1) == which) number = i + 1;
  std::vector<sessions::Attachment> kept, gone;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool is_meant = which.empty() || files[i].name == which || i + 1 == number;
    (is_meant ? gone : kept).push_back(files[i]);
  }
  if (gone.empty())
    throw UserError(fmt::format("{} is not attached; attached: {}", which, described(files)));
  context.console.notice(fmt::format("No longer attached: {}.", described(gone)));
  files = std::move(kept);
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/read", "/file /upload", "FILE", "attach a file or folder; or write @FILE in a question",
     true, run_read, files},
    {"/glob", "", "PATTERN", "attach all files that match a pattern", true, run_glob, files},
    {"/detach", "", "[NAME|NUMBER]", "remove what is attached, or one file of it", true,
     run_detach},
});

}  // namespace

std::vector<std::string> mentioned_paths(std::string_view question) {
  std::vector<std::string> paths;
  for (std::size_t at = question.find('@'); at != std::string_view::npos;
       at = question.find('@', at + 1)) {
    if (at > 0 && !ends_path(question[at - 1])) continue;  // an e-mail address: me@example.org
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
  if (mentioned_paths(question).empty()) return go_on();
  const auto find = [text = std::string(question), pasted = context.pasted] {
    std::vector<std::string> found = named_files(text);
    std::erase_if(found, [&](const auto& path) { return !pasted.has(path) || !is_there(path); });
    return found;
  };
  const std::vector<std::string> paths =
      read_beside(find, context.console.watch_reading(names_in(question)));
  std::string names;
  for (const std::string& path : paths) names += (names.empty() ? "" : ", ") + ui::one_line(path);
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
  Attached read;
  if (!mentioned_paths(text).empty()) {
    NamedFiles named =
        read_beside([text, pasted = context.pasted] { return read_named(text, pasted); },
                    context.console.watch_reading(names_in(text)));
    for (const std::string& notice : named.notices) context.console.notice(notice);
    read = named.reader.take();
  }
  Question question(text, std::exchange(context.attached, {}));
  std::vector<sessions::Attachment>& files = question.attachments;
  context.n_sent_along = files.size();
  tell(context, read);
  std::erase_if(read.files, [&files](const sessions::Attachment& file) {
    return std::ranges::find(files, file) != files.end();
  });
  std::ranges::move(read.files, std::back_inserter(files));
  return question;
}

std::span<const Command> attach_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
