// SPDX-License-Identifier: MIT
#include "app/attach/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "app/attach/file_kind.h"
#include "app/attach/folder_files.h"
#include "app/attach/html_text.h"
#include "app/attach/text_encoding.h"
#include "app/attach/wildcard.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/paths.h"
#include "app/process.h"
#include "app/whole_file.h"
#include "ui/text.h"

namespace confab::app {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

// An unnamed file, so that its name cannot be taken for an option.
std::unique_ptr<std::FILE, CloseFile> file_with(const std::string& name, const std::string& bytes) {
  std::unique_ptr<std::FILE, CloseFile> file(std::tmpfile());
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fflush(file.get()) != 0)
    throw UserError(fmt::format("{}: no temporary file: {}", name, std::strerror(errno)));
  std::rewind(file.get());
  return file;
}

Captured run_pdftotext(const std::string& name, const std::string& bytes, const PdfLimits& limits) {
  const auto file = file_with(name, bytes);
  try {
    return capture({"pdftotext", "-enc", "UTF-8", "-nopgbrk", "/dev/stdin", "-"},
                   fileno(file.get()), {limits.bytes, limits.time});
  } catch (const UserError&) {
    throw UserError(fmt::format(
        "{}: is a PDF; to read it, install pdftotext (on Debian: apt install poppler-utils)",
        name));
  }
}

// The first error line, without the words before the reason.
std::string reason_of(const std::string& errors) {
  std::string line = ui::sanitize(errors.substr(0, errors.find('\n')));
  for (const char* before : {"Syntax Error: ", "Command Line Error: ", "I/O Error: "})
    if (line.starts_with(before)) line.erase(0, std::strlen(before));
  return line.empty() ? "it does not say why" : line;
}

namespace fs = std::filesystem;

constexpr const char* kPiped = "standard input";

// "a.png, b.o and 12 others".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShown)
    text +=
        fmt::format(" and {}", counted(static_cast<std::int64_t>(names.size() - kShown), "other"));
  return text;
}

// The prefix of the names of files in a folder.
std::string folder_name(const std::string& path) {
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // drops a / at the end
  if (folder == "." || folder.empty()) return {};
  if (folder.is_absolute() || *folder.begin() == "..") {
    std::error_code error;
    folder = fs::canonical(path, error).filename();
  }
  return folder.empty() ? "" : folder.string() + '/';
}

std::string same_for_all_paths(const std::string& path) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  return error ? path : file.string();
}

std::string base_name(const std::string& path) {
  return fs::path(path).lexically_normal().filename().string();
}

bool may_be_text(const std::string& path, std::string_view bytes) {
  const FileKind kind = look_at(path, bytes).kind;
  const bool is_wide = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  return kind == FileKind::pdf ||
         (kind != FileKind::other && (is_wide || bytes.find('\0') == std::string_view::npos));
}

// A file that was found, not named, is read only as long as its start looks like text.
FileLimits limits_for(const std::string& path, const ReadOptions& options, bool was_named) {
  if (was_named) return {.most = options.max_bytes, .takes_pipes = options.reads_pipes};
  return {.most = options.max_bytes,
          .goes_on = [path](std::string_view begin) { return may_be_text(path, begin); }};
}

}  // namespace

std::string pdf_text(const std::string& name, const std::string& bytes, const PdfLimits& limits) {
  Captured said = run_pdftotext(name, bytes, limits);
  if (said.end == Captured::End::out_of_time)
    throw UserError(
        fmt::format("{}: pdftotext took longer than {} s; convert it yourself, and "
                    "attach the text",
                    name, std::chrono::ceil<std::chrono::seconds>(limits.time).count()));
  if (said.end == Captured::End::too_much)
    throw UserError(fmt::format("{}: has more than {} MiB of text", name, limits.bytes >> 20));
  if (said.errors.find("Incorrect password") != std::string::npos)
    throw UserError(fmt::format(
        "{}: wants a password; write a copy without one (qpdf --decrypt), and attach that", name));
  if (said.status != 0)
    throw UserError(fmt::format("{}: pdftotext cannot read it: {}", name, reason_of(said.errors)));
  if (said.output.find_first_not_of(" \t\r\n\f") == std::string::npos)
    throw UserError(fmt::format(
        "{}: has no text, only pictures of it; recognise it first, for example with ocrmypdf",
        name));
  return std::move(said.output);
}

void Reader::add(const std::string& path) {
  const std::string file = expand_home(path);
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) {
    if (has_wildcard(path)) return add_pattern(path);
    const bool is_missing = !error || error == std::errc::no_such_file_or_directory;
    throw UserError(
        fmt::format("{}: {}", ui::one_line(path), is_missing ? "no such file" : error.message()));
  }
  Adding adding{.path = ui::one_line(path)};
  if (!fs::is_directory(status)) {
    add_file(adding, {path, same_for_all_paths(file), base_name(path)}, true);
    return commit(std::move(adding));
  }
  const std::string name = folder_name(file);
  for (const std::string& below : files_below(file)) {
    const std::string full = (fs::path(file) / below).string();
    add_file(adding, {full, same_for_all_paths(full), name + below}, false);
  }
  if (adding.found.empty() && found_.empty())
    throw UserError(fmt::format("{}: has no text files", adding.path));
  commit(std::move(adding));
}

void Reader::add_pattern(const std::string& pattern) {
  Adding adding{.path = ui::one_line(pattern)};
  const std::vector<std::string> files = files_like(expand_home(pattern));
  if (files.empty()) throw UserError(fmt::format("{}: no file matches", adding.path));
  for (const std::string& file : files)
    add_file(adding, {file, same_for_all_paths(file), base_name(file)}, false);
  if (adding.found.empty() && found_.empty())
    throw UserError(fmt::format("{}: no text file matches", adding.path));
  commit(std::move(adding));
}

void Reader::add_piped(std::string bytes) {
  Adding adding{.path = kPiped};
  Found piped{"-", "-", "-", bytes.size()};
  check_limits(adding, piped.n_bytes);
  if (const std::string fault = convert(piped, std::move(bytes)); !fault.empty())
    throw UserError(fault);
  adding.found.push_back(std::move(piped));
  commit(std::move(adding));
}

bool Reader::has(const Adding& adding, const std::string& file) const {
  const auto is_it = [&file](const Found& other) { return other.file == file; };
  return std::ranges::any_of(found_, is_it) || std::ranges::any_of(adding.found, is_it);
}

void Reader::check_limits(const Adding& adding, std::uint64_t n_bytes) const {
  if (found_.size() + adding.found.size() >= options_.max_files)
    throw UserError(
        fmt::format("{}: that makes more than {} files, the most that can be attached; "
                    "name fewer of them",
                    adding.path, grouped(static_cast<std::int64_t>(options_.max_files))));
  if (n_bytes > options_.max_bytes)
    throw UserError(
        fmt::format("{}: larger than {}, the most that can be attached; attach a part "
                    "of it",
                    adding.path, size_text(options_.max_bytes)));
  std::uint64_t all = n_bytes;
  for (const auto* files : {&found_, &adding.found})
    for (const Found& file : *files) all += file.n_bytes;
  if (all > options_.max_bytes)
    throw UserError(
        fmt::format("{}: that makes more than {}, the most that can be attached; name "
                    "fewer files",
                    adding.path, size_text(options_.max_bytes)));
}

void Reader::add_file(Adding& adding, Found file, bool was_named) {
  if (has(adding, file.file)) return;
  file.name = ui::one_line(file.name);
  auto bytes = whole_file(file.file, limits_for(file.file, options_, was_named));
  if (!bytes) {
    const int error = errno;
    if (error == EFBIG) check_limits(adding, options_.max_bytes + 1);
    if (was_named)
      throw UserError(fmt::format("{}: {}", ui::one_line(file.file), read_fault(error)));
    return adding.skipped.push_back(file.name);
  }
  file.n_bytes = bytes->size();
  if (was_named) check_limits(adding, file.n_bytes);
  const bool is_pdf = look_at(file.path, *bytes).kind == FileKind::pdf;
  if (std::string fault = convert(file, *std::move(bytes)); !fault.empty()) {
    if (was_named) throw UserError(fault);
    if (is_pdf && adding.pdf_fault.empty()) adding.pdf_fault = std::move(fault);
    return adding.skipped.push_back(file.name);
  }
  check_limits(adding, file.n_bytes);
  adding.found.push_back(std::move(file));
}

// Returns an error about the bytes; "" if file.text has been set.
std::string Reader::convert(Found& file, std::string bytes) {
  const std::string shown = file.path == "-" ? kPiped : ui::one_line(file.path);
  const LookedAt looked_at = look_at(file.path, bytes);
  if (looked_at.kind == FileKind::other) return refusal(shown, looked_at);
  if (looked_at.kind == FileKind::pdf) {
    try {
      file.text = pdf(shown, bytes);
      return {};
    } catch (const UserError& fault) {
      return fault.what();
    }
  }
  auto decoded = decode_text(std::move(bytes));
  if (!decoded) return refusal(shown, {});
  file.text = std::move(decoded->text);
  if (decoded->encoding == Encoding::latin1) file.how = How::latin1;
  if (decoded->n_replaced > 0) file.how = How::mended;
  // A page in UTF-16 can only be recognised after decoding.
  if (!options_.keep_html && look_at(file.path, file.text).kind == FileKind::html) {
    file.text = html_text(file.text);
    file.how = How::html;
  }
  return {};
}

std::string Reader::pdf(const std::string& name, const std::string& bytes) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  PdfLimits limits;
  limits.time = std::min(limits.time, options_.pdf_time);
  std::string text = pdf_text(name, bytes, limits);
  options_.pdf_time -= std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  return text;
}

void Reader::commit(Adding adding) {
  if (!adding.skipped.empty())
    notices_.push_back(fmt::format("{}: left out {} that {} not text: {}", adding.path,
                                   counted(std::ssize(adding.skipped), "file"),
                                   adding.skipped.size() == 1 ? "is" : "are",
                                   listed(adding.skipped)));
  if (!adding.pdf_fault.empty()) notices_.push_back(std::move(adding.pdf_fault));
  std::ranges::move(adding.found, std::back_inserter(found_));
}

// Uses paths as names where several files share a name.
void Reader::tell_apart(std::span<const sessions::Attachment> beside) {
  std::multiset<std::string> names;
  for (const sessions::Attachment& file : beside) names.insert(file.name);
  for (const Found& file : found_) names.insert(file.name);
  for (Found& file : found_)
    if (names.count(file.name) > 1)
      file.name = ui::one_line(fs::path(file.path).lexically_normal().string());
}

Attached Reader::take(std::span<const sessions::Attachment> beside) {
  tell_apart(beside);
  Attached attached;
  std::map<How, std::vector<std::string>> names;
  for (Found& file : std::exchange(found_, {})) {
    names[file.how].push_back(file.name == "-" ? kPiped : file.name);
    attached.files.push_back(sessions::make_attachment(file.name, std::move(file.text)));
  }
  attached.notices = std::exchange(notices_, {});
  const auto tell = [&](How how, std::string_view what) {
    if (!names[how].empty())
      attached.notices.push_back(fmt::format("{}: {}", listed(names[how]), what));
  };
  tell(How::latin1, "read as Latin-1");
  tell(How::mended, "read as it is, with what is not valid text replaced by \uFFFD");
  tell(How::html, "read as a web page, without its tags; confab -p --keep-html keeps them");
  return attached;
}

sessions::Attachment read_one(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(expand_home(path), error))
    throw UserError(fmt::format("{}: is a directory; give a file", path));
  Reader reader({.max_bytes = kMostOfData});
  reader.add(path);
  return std::move(reader.take().files.front());
}

}  // namespace confab::app
