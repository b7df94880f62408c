// SPDX-License-Identifier: MIT
#include "app/attach/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "app/error.h"
#include "tests/app/attach/small_pdf.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;

// Programs are looked for in a folder of the test first, or there alone.
class PdfTextTest : public testing::Test {
 protected:
  PdfTextTest() : path_(std::getenv("PATH")) {}
  ~PdfTextTest() override { setenv("PATH", path_.c_str(), 1); }

  void look_only_in(const TempDir& dir) { setenv("PATH", dir.path().c_str(), 1); }
  void pdftotext_does(const std::string& script) {
    chmod(dir_.file("pdftotext", "#!/bin/sh\n" + script + "\n").c_str(), 0755);
    setenv("PATH", (dir_.path().string() + ":" + path_).c_str(), 1);
  }
  std::string fault(const PdfLimits& limits = {}) {
    try {
      return "none, but " + pdf_text("a.pdf", "%PDF-1.4 in", limits);
    } catch (const UserError& error) {
      return error.what();
    }
  }
  TempDir dir_;
  std::string path_;
};

TEST_F(PdfTextTest, TheTextIsWhatTheProgramSays) {
  pdftotext_does("test \"$*\" = '-enc UTF-8 -nopgbrk /dev/stdin -' && cat /dev/stdin");
  EXPECT_EQ(pdf_text("a.pdf", "%PDF-1.4 in"), "%PDF-1.4 in");
}

TEST_F(PdfTextTest, WithoutTheProgramTheLineSaysWhatToInstall) {
  look_only_in(dir_);
  EXPECT_EQ(fault(),
            "a.pdf: is a PDF; to read it, install pdftotext (on Debian: apt install "
            "poppler-utils)");
}

TEST_F(PdfTextTest, EveryFaultIsOneLine) {
  pdftotext_does("echo 'Command Line Error: Incorrect password' >&2; exit 1");
  EXPECT_THAT(fault(), HasSubstr("a.pdf: wants a password; "));
  pdftotext_does("echo 'Syntax Error: no trailer' >&2; echo more >&2; exit 1");
  EXPECT_EQ(fault(), "a.pdf: pdftotext cannot read it: no trailer");
  pdftotext_does("exit 3");
  EXPECT_EQ(fault(), "a.pdf: pdftotext cannot read it: it does not say why");
  pdftotext_does("printf ' \\n\\f\\n'");
  EXPECT_THAT(fault(), HasSubstr("a.pdf: has no text, only pictures"));
}

TEST_F(PdfTextTest, TimeAndOutputAreBounded) {
  pdftotext_does("exec sleep 600");
  EXPECT_THAT(fault({.time = std::chrono::milliseconds(1)}), HasSubstr("took longer than 1 s"));
  pdftotext_does("exec yes");
  EXPECT_THAT(fault({.bytes = 1 << 20}), HasSubstr("has more than 1 MiB of text"));
}

TEST_F(PdfTextTest, ARealOneIsRead) {
  if (std::system("command -v pdftotext >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "pdftotext is not installed";
  EXPECT_EQ(pdf_text("a.pdf", small_pdf("A fox ran.")), "A fox ran.\n\n");
  EXPECT_THAT(fault(), HasSubstr("a.pdf: pdftotext cannot read it: "));
}

}  // namespace
}  // namespace confab::app
