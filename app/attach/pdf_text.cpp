// SPDX-License-Identifier: MIT
#include "app/attach/pdf_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "app/error.h"
#include "app/process.h"
#include "ui/text.h"

namespace confab::app {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

// One without a name, so that none can be taken for an option.
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

// The first line that it complains with, without what stands in front of the reason.
std::string reason_of(const std::string& errors) {
  std::string line = ui::sanitize(errors.substr(0, errors.find('\n')));
  for (const char* before : {"Syntax Error: ", "Command Line Error: ", "I/O Error: "})
    if (line.starts_with(before)) line.erase(0, std::strlen(before));
  return line.empty() ? "it does not say why" : line;
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

}  // namespace confab::app
