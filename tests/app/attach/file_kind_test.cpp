// SPDX-License-Identifier: MIT
#include "app/attach/file_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace confab::app {
namespace {

using namespace std::string_literals;

std::string what(const std::string& name, const std::string& bytes) {
  const LookedAt file = look_at(name, bytes);
  return file.kind == FileKind::other ? std::string(file.what) : "";
}

FileKind kind(const std::string& name, const std::string& bytes) {
  return look_at(name, bytes).kind;
}

TEST(FileKindTest, KnowsFilesByTheirFirstBytes) {
  EXPECT_EQ(what("a", "\x89PNG\r\n\x1A\n"), "an image (PNG)");
  EXPECT_EQ(what("a", "RIFF\x10\x20\0\0WEBPVP8"s), "an image (WebP)");
  EXPECT_EQ(what("a",
                 "\x7F"
                 "ELF\2\1"),
            "a program");
  EXPECT_EQ(what("a", "\x1F\x8B\b\0"s), "a compressed file (gzip)");
  EXPECT_EQ(what("a", std::string(257, '\0') + "ustar  "), "an archive (tar)");
  EXPECT_EQ(what("a", "SQLite format 3\0"s), "a database (SQLite)");
  EXPECT_EQ(what("a.rtf", "{\\rtf1 text}"), "a document (RTF)");
}

TEST(FileKindTest, DocumentsAreToldFromOtherArchives) {
  const std::string zip = "PK\3\4\x14\0\6\0"s;
  EXPECT_EQ(what("a.zip", zip + "readme.txt"), "an archive (ZIP)");
  EXPECT_EQ(what("a.docx", zip), "a Word document");
  EXPECT_EQ(what("piped", zip + "word/document.xml"), "a Word document");
  EXPECT_EQ(what("a", zip + "mimetypeapplication/vnd.oasis.opendocument.text"),
            "an OpenDocument text");
  EXPECT_EQ(what("A.XLSX", zip), "an Excel table");
  const std::string ole = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
  EXPECT_EQ(what("a.doc", ole), "a Word document");
  EXPECT_EQ(what("a.msg", ole), "an Office document");
}

TEST(FileKindTest, PagesAreToldFromCode) {
  EXPECT_EQ(kind("-", "\xEF\xBB\xBF\n<!DOCTYPE html>\n<p>x"), FileKind::html);
  EXPECT_EQ(kind("a.txt", "<!-- made by x -->\n<HTML lang=en>"), FileKind::html);
  EXPECT_EQ(kind("a", "<?xml version='1.0'?>\n<!DOCTYPE x>\n<html>"), FileKind::html);
  EXPECT_EQ(kind("a.html", "<head><title>x"), FileKind::html);
  EXPECT_EQ(kind("a.txt", "<head><title>x"), FileKind::text);
  EXPECT_EQ(kind("a.html", "{% extends 'base.html' %}<html>"), FileKind::text);
  EXPECT_EQ(kind("a.svg", "<?xml version='1.0'?>\n<svg>"), FileKind::text);
  EXPECT_EQ(kind("a.md", "<!-- never closed"), FileKind::text);
}

TEST(FileKindTest, PdfsAreToldFromWhatSpeaksOfThem) {
  EXPECT_EQ(kind("a", "%PDF-1.7\n%\xE2\xE3"), FileKind::pdf);
  EXPECT_EQ(kind("a.pdf", "\r\n%PDF-1.4"), FileKind::pdf);
  EXPECT_EQ(kind("a.cpp", "is_pdf(\"%PDF-\")"), FileKind::text);
}

TEST(FileKindTest, AllElseIsForTheBytesToTell) {
  for (const char* text : {"", "a", "GI", "P", "plain words", "#!/bin/sh\n", "MZ is a word",
                           "GGUF is a format", "OggS and fLaC", "The ftyp box", "BZh"})
    EXPECT_EQ(kind("a", text), FileKind::text) << text;
}

TEST(FileKindTest, ARefusalNamesFileFaultAndWayOut) {
  EXPECT_EQ(refusal("a.png", look_at("a.png", "\x89PNG\r\n")),
            "a.png: seems to be an image (PNG); confab reads text only");
  EXPECT_EQ(refusal("x/b.docx", look_at("x/b.docx", "PK\3\4")),
            "x/b.docx: seems to be a Word document; convert it to text or PDF first, for example "
            "with pandoc or LibreOffice");
  EXPECT_EQ(refusal("c.bin", look_at("c.bin", "\1\2")),
            "c.bin: is not a text file; confab reads text only");
}

}  // namespace
}  // namespace confab::app
