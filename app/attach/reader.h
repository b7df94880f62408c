// SPDX-License-Identifier: MIT
// Reads what goes with a question as text: files, folders, patterns and piped input. It is the only
// reader; it loads no model and shows nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/attachment.h"

namespace confab::app {

// Limits for reading a PDF with pdftotext.
struct PdfLimits {
  std::size_t bytes = std::size_t{64} << 20;  // of text
  std::chrono::milliseconds time{20'000};
};

// The text of a PDF, given its bytes. `name` is used in errors. Throws UserError if pdftotext is
// not installed, cannot read the PDF (damaged, or needs a password), takes too long, or finds no
// text.
std::string pdf_text(const std::string& name, const std::string& bytes,
                     const PdfLimits& limits = {});

struct ReadOptions {
  bool keep_html = false;    // keep the tags of web pages
  bool reads_pipes = false;  // named pipes: <(command) in bash
  // Limits for all attachments together.
  std::size_t max_files = 1000;
  std::uint64_t max_bytes = std::uint64_t{64} << 20;
  std::chrono::milliseconds pdf_time{60'000};
};

struct Attached {
  // Named by their file names, or by their paths if they were found in a folder or share a name.
  std::vector<sessions::Attachment> files;
  std::vector<std::string> notices;  // one line for each thing left out or converted
};

// Each function adds all or nothing. Errors (UserError) are one line that says what to do. A file
// is added only once. A file that is not text is an error if it was named, and is left out with a
// notice if it was found in a folder or by a pattern.
class Reader {
 public:
  explicit Reader(const ReadOptions& options = {}) : options_(options) {}

  // Adds a file; a folder with all text files below it (attach/folder_files.h); or, if no such file
  // exists, the files that match a pattern. ~ is the home folder.
  void add(const std::string& path);
  void add_pattern(const std::string& pattern);
  // Adds what was piped in.
  void add_piped(std::string bytes);

  std::size_t size() const noexcept { return found_.size(); }
  // beside: existing attachments, whose names must not be reused.
  Attached take(std::span<const sessions::Attachment> beside = {});

 private:
  enum class How { as_it_is, latin1, mended, html };
  struct Found {
    std::string path;  // as given
    std::string file;  // the same for all paths to this file
    std::string name;
    std::uint64_t n_bytes = 0;  // as read
    std::string text = {};
    How how = How::as_it_is;
  };
  // The files of one call of add().
  struct Adding {
    std::string path;
    std::vector<Found> found = {};
    std::vector<std::string> skipped = {};
    std::string pdf_fault = {};
  };

  void add_file(Adding& adding, Found file, bool was_named);
  bool has(const Adding& adding, const std::string& file) const;
  void check_limits(const Adding& adding, std::uint64_t n_bytes) const;
  std::string convert(Found& file, std::string bytes);
  std::string pdf(const std::string& name, const std::string& bytes);
  void commit(Adding adding);
  void tell_apart(std::span<const sessions::Attachment> beside);

  ReadOptions options_;
  std::vector<Found> found_;
  std::vector<std::string> notices_;
};

// Reads a single file of up to kMostOfData bytes (app/whole_file.h). Throws UserError.
sessions::Attachment read_one(const std::string& path);

}  // namespace confab::app
