// SPDX-License-Identifier: MIT
#include "app/attach/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "ui/words.h"

namespace confab::app {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kTextOnly = "confab reads text only";
constexpr std::string_view kUnpack = "unpack it, and attach the files in it";
constexpr std::string_view kConvert =
    "convert it to text or PDF first, for example with pandoc or LibreOffice";
constexpr std::string_view kExport = "export it as CSV first";

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view advice = kTextOnly;
  std::size_t at = 0;
};

constexpr auto kMagic = std::to_array<Magic>({
    {"\x89PNG\r\n"sv, "an image (PNG)"},
    {"\xFF\xD8\xFF"sv, "an image (JPEG)"},
    {"GIF87a", "an image (GIF)"},
    {"GIF89a", "an image (GIF)"},
    {"II*\0"sv, "an image (TIFF)"},
    {"MM\0*"sv, "an image (TIFF)"},
    {"WEBP", "an image (WebP)", kTextOnly, 8},
    {"\0\0\1\0"sv, "an icon"},
    {"ftypavif", "an image (AVIF)", kTextOnly, 4},
    {"ftypheic", "an image (HEIC)", kTextOnly, 4},
    {"ftyp", "a video or sound (MP4)", kTextOnly, 4},
    {"WAVE", "sound (WAV)", kTextOnly, 8},
    {"AVI ", "a video (AVI)", kTextOnly, 8},
    {"\x1A\x45\xDF\xA3"sv, "a video (Matroska)"},
    {"OggS", "sound (Ogg)"},
    {"fLaC", "sound (FLAC)"},
    {"ID3", "sound (MP3)"},
    {"\xFF\xFB"sv, "sound (MP3)"},
    {"\x1F\x8B"sv, "a compressed file (gzip)", kUnpack},
    {"BZh", "a compressed file (bzip2)", kUnpack},
    {"\xFD\x37zXZ\0"sv, "a compressed file (xz)", kUnpack},
    {"\x28\xB5\x2F\xFD"sv, "a compressed file (zstd)", kUnpack},
    {"7z\xBC\xAF\x27\x1C"sv, "an archive (7-Zip)", kUnpack},
    {"Rar!\x1A"sv, "an archive (RAR)", kUnpack},
    {"ustar", "an archive (tar)", kUnpack, 257},
    {"!<arch>\n", "an archive of object files"},
    {"\x7F"
     "ELF",
     "a program"},
    {"\xCF\xFA\xED\xFE"sv, "a program"},
    {"\xCA\xFE\xBA\xBE"sv, "a program"},
    {"MZ\x90\0"sv, "a program (Windows)"},
    {"\0asm"sv, "a program (WebAssembly)"},
    {"SQLite format 3\0"sv, "a database (SQLite)"},
    {"GGUF", "a model (GGUF)", "to chat with it: confab -m FILE"},
    {"wOFF", "a font"},
    {"wOF2", "a font"},
    {"OTTO", "a font"},
    {"\0\1\0\0"sv, "a font"},
    {"\xFF\xFE\0\0"sv, "text in UTF-32", "convert it first: iconv -f UTF-32 -t UTF-8"},
});

// Documents that are archives. They are recognised by their extension, or by the first bytes of the
// archive.
struct Packed {
  std::string_view endings;
  std::string_view inside;  // found in the first bytes
  std::string_view what;
  std::string_view advice;
};

constexpr auto kPacked = std::to_array<Packed>({
    {"docx docm dotx", "word/", "a Word document", kConvert},
    {"xlsx xlsm", "xl/", "an Excel table", kExport},
    {"pptx pptm", "ppt/", "a PowerPoint presentation", kConvert},
    {"odt ott", "opendocument.text", "an OpenDocument text", kConvert},
    {"ods", "opendocument.spreadsheet", "an OpenDocument table", kExport},
    {"odp", "opendocument.presentation", "an OpenDocument presentation", kConvert},
    {"epub", "application/epub", "a book (EPUB)", kConvert},
    {"jar war apk whl", "META-INF/", "a packed program", kUnpack},
});

constexpr auto kOldOffice = std::to_array<Packed>({
    {"doc dot", "", "a Word document", kConvert},
    {"xls", "", "an Excel table", kExport},
    {"ppt", "", "a PowerPoint presentation", kConvert},
});

std::string ending_of(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string() : ui::lower_case(name.substr(dot + 1));
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < ' ' &&
          std::string_view("\b\t\n\f\r\x1b").find(c) == std::string_view::npos) ||
         c == '\x7f';
}

bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c < 0 || is_control(c); });
}

// A signature made of letters may also start a text about the format, so it only counts if the
// bytes include control characters.
bool is_marked(std::string_view bytes, const Magic& magic) {
  if (bytes.size() <= magic.at || !bytes.substr(magic.at).starts_with(magic.bytes)) return false;
  return !is_plain(magic.bytes) || std::ranges::any_of(bytes, is_control);
}

LookedAt look_into(std::string_view ending, std::string_view bytes) {
  for (const Packed& kind : kPacked)
    if (ui::has_word(kind.endings, ending)) return {FileKind::other, kind.what, kind.advice};
  for (const Packed& kind : kPacked)
    if (bytes.find(kind.inside) != std::string_view::npos)
      return {FileKind::other, kind.what, kind.advice};
  return {FileKind::other, "an archive (ZIP)", kUnpack};
}

bool begins_with(std::string_view text, std::string_view lower_case_word) {
  return ui::lower_case(text.substr(0, lower_case_word.size())) == lower_case_word;
}

// The text after blanks, a byte order mark and comments.
std::string_view first_markup(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  for (;;) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
    if (!bytes.starts_with("<!--")) return bytes;
    const std::size_t end = bytes.find("-->");
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 3);
  }
}

// A page that a browser would recognise. Templates and fragments of pages count as code.
bool is_html(std::string_view ending, std::string_view bytes) {
  const std::string_view markup = first_markup(bytes);
  if (begins_with(markup, "<!doctype html") || begins_with(markup, "<html")) return true;
  if (begins_with(markup, "<?xml"))
    return ui::lower_case(markup.substr(0, kKindBytes)).find("<html") != std::string::npos;
  return ui::has_word("html htm xhtml", ending) &&
         (begins_with(markup, "<head") || begins_with(markup, "<body"));
}

// In a .pdf file, the signature may follow other data, such as a mail header. Elsewhere it may be a
// word in code.
bool is_pdf(std::string_view ending, std::string_view bytes) {
  return bytes.starts_with("%PDF-") ||
         (ending == "pdf" && bytes.find("%PDF-") != std::string_view::npos);
}

}  // namespace

LookedAt look_at(std::string_view name, std::string_view bytes) {
  bytes = bytes.substr(0, kKindBytes);
  const std::string ending = ending_of(name);
  if (is_pdf(ending, bytes)) return {FileKind::pdf};
  if (bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6")) return look_into(ending, bytes);
  if (bytes.starts_with("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) {
    for (const Packed& kind : kOldOffice)
      if (ui::has_word(kind.endings, ending)) return {FileKind::other, kind.what, kind.advice};
    return {FileKind::other, "an Office document", kConvert};
  }
  for (const Magic& magic : kMagic)
    if (is_marked(bytes, magic)) return {FileKind::other, magic.what, magic.advice};
  if (bytes.starts_with("{\\rtf")) return {FileKind::other, "a document (RTF)", kConvert};
  return {is_html(ending, bytes) ? FileKind::html : FileKind::text};
}

std::string refusal(std::string_view name, const LookedAt& file) {
  if (file.what.empty()) return fmt::format("{}: is not a text file; {}", name, kTextOnly);
  return fmt::format("{}: seems to be {}; {}", name, file.what, file.advice);
}

}  // namespace confab::app
