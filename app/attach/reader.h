// SPDX-License-Identifier: MIT
// What goes with a question: files, folders, patterns and what was piped in, read as text. The one
// reader of them all; it reads no model and shows nothing.
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

// The text of a PDF, by pdftotext, where it is installed.
struct PdfLimits {
  std::size_t bytes = std::size_t{64} << 20;  // of text
  std::chrono::milliseconds time{20'000};
};

// The bytes of the PDF; the name is for what goes wrong. Throws UserError when pdftotext is not
// installed, cannot read it (it is damaged, or wants a password), takes too long, or finds no text.
std::string pdf_text(const std::string& name, const std::string& bytes,
                     const PdfLimits& limits = {});

struct ReadOptions {
  bool keep_html = false;    // web pages with their tags
  bool reads_pipes = false;  // a pipe that has a name: <(command) in bash
  // Of all that is attached.
  std::size_t max_files = 1000;
  std::uint64_t max_bytes = std::uint64_t{64} << 20;
  std::chrono::milliseconds pdf_time{60'000};
};

struct Attached {
  // Called by their own names; by their paths where they were found in a folder, or another one of
  // that name is there.
  std::vector<sessions::Attachment> files;
  std::vector<std::string> notices;  // what was not read as it is, or left out, a line each
};

// Each function adds all or nothing: what it throws (UserError) is one line that says what to do. A
// file that is there already is not added again. What is not text is refused by name where it has
// been named, and left out with a notice where it was only found.
class Reader {
 public:
  explicit Reader(const ReadOptions& options = {}) : options_(options) {}

  // A file; a folder, with all text files below (attach/folder_files.h); or, where there is none of
  // that name, a pattern. ~ is the home directory.
  void add(const std::string& path);
  void add_pattern(const std::string& pattern);
  // What was piped in.
  void add_piped(std::string bytes);

  std::size_t size() const noexcept { return found_.size(); }
  // beside: what is attached already, whose names are not used again.
  Attached take(std::span<const sessions::Attachment> beside = {});

 private:
  enum class How { as_it_is, latin1, mended, html };
  struct Found {
    std::string path;  // as it was given
    std::string file;  // the same for all paths to it
    std::string name;
    std::uint64_t n_bytes = 0;  // that were read
    std::string text = {};
    How how = How::as_it_is;
  };
  // The files of one add().
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

// One file, alone, of up to kMostOfData (app/whole_file.h). Throws UserError.
sessions::Attachment read_one(const std::string& path);

}  // namespace confab::app
