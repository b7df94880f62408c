// SPDX-License-Identifier: MIT
#include "app/attach/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "app/error.h"
#include "tests/app/attach/small_pdf.h"
#include "tests/app/home_dir.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReaderTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  std::string fault(const std::string& name, const ReadOptions& options = {}) {
    Reader reader(options);
    try {
      reader.add(path(name));
    } catch (const UserError& error) {
      EXPECT_EQ(reader.size(), 0U) << "all or nothing";
      std::string text = error.what();
      if (text.starts_with(dir_.path().string())) text.erase(0, dir_.path().string().size() + 1);
      return text;
    }
    return "none";
  }
  Attached read(const std::vector<std::string>& names, const ReadOptions& options = {}) {
    Reader reader(options);
    for (const std::string& name : names) reader.add(path(name));
    return reader.take();
  }
  static std::vector<std::string> names(const Attached& attached) {
    std::vector<std::string> all;
    for (const auto& file : attached.files) all.push_back(file.name);
    return all;
  }
  TempDir dir_;
};

TEST_F(ReaderTest, FilesHaveTheirNameAndText) {
  dir_.file("a.txt", "alpha\n");
  dir_.file("x/b.txt", "");
  const Attached attached = read({"a.txt", "x/b.txt", "x/../a.txt"});
  EXPECT_THAT(names(attached), ElementsAre("a.txt", "b.txt")) << "each file once";
  EXPECT_EQ(attached.files[0].content, "alpha\n");
  EXPECT_EQ(attached.files[1].content, "");
  EXPECT_THAT(attached.notices, IsEmpty());
}

TEST_F(ReaderTest, FilesOfOneNameAreToldApartByTheirPaths) {
  for (const char* name : {"x/a.txt", "y/a.txt", "b.txt"}) dir_.file(name, "t");
  EXPECT_THAT(names(read({"x/a.txt", "b.txt", "y/a.txt"})),
              ElementsAre(path("x/a.txt"), "b.txt", path("y/a.txt")));
}

TEST_F(ReaderTest, TheHomeDirectoryHasAShortName) {
  const HomeDir home;
  home.file("a.txt", "alpha");
  Reader reader;
  reader.add("~/a.txt");
  reader.add("~/*.txt");
  EXPECT_THAT(names(reader.take()), ElementsAre("a.txt"));
}

TEST_F(ReaderTest, AFolderIsItsTextFiles) {
  dir_.file("src/b.txt", "b");
  dir_.file("src/a/a.txt", "a");
  dir_.file("src/logo.png", "\x89PNG\r\n\x1A\n");
  dir_.file("src/x.bin", std::string("\0\1", 2));
  const Attached attached = read({"src/"});
  EXPECT_THAT(names(attached), ElementsAre("src/a/a.txt", "src/b.txt"));
  EXPECT_THAT(attached.notices, ElementsAre(path("src/") + ": left out 2 files that are not text: "
                                                           "src/logo.png, src/x.bin"));
}

TEST_F(ReaderTest, ManyThatAreLeftOutAreCounted) {
  for (const char* name : {"1", "2", "3", "4", "5", "6", "7"})
    dir_.file(std::string("s/") + name, std::string("\0", 1));
  dir_.file("s/a", "a");
  EXPECT_THAT(read({"s"}).notices,
              ElementsAre(path("s") + ": left out 7 files that are not text: s/1, s/2, s/3, s/4, "
                                      "s/5 and 2 others"));
  std::filesystem::remove(dir_ / "s/a");
  EXPECT_EQ(fault("s"), "s: has no text files");
}

TEST_F(ReaderTest, PatternsThatNoShellHasExpanded) {
  for (const char* name : {"a.c", "b.c", "c.h", "x/d.c"}) dir_.file(name, "t");
  EXPECT_THAT(names(read({"*.c"})), ElementsAre("a.c", "b.c"));
  EXPECT_THAT(names(read({"**/*.c"})), ElementsAre("a.c", "b.c", "d.c"));
  EXPECT_EQ(fault("*.cpp"), "*.cpp: no file matches");
  dir_.file("[1].c", "a file that is called so");
  EXPECT_THAT(names(read({"[1].c"})), ElementsAre("[1].c"));
}

TEST_F(ReaderTest, WhatWasNamedAndIsNoTextIsRefusedByName) {
  dir_.file("logo.png", "\x89PNG\r\n\x1A\n");
  dir_.file("a.docx", "PK\3\4");
  dir_.file("a.bin", std::string("a\0b", 3));
  EXPECT_EQ(fault("none"), "none: no such file");
  EXPECT_EQ(fault("logo.png"), "logo.png: seems to be an image (PNG); confab reads text only");
  EXPECT_THAT(fault("a.docx"), HasSubstr("a.docx: seems to be a Word document; convert it"));
  EXPECT_EQ(fault("a.bin"), "a.bin: is not a text file; confab reads text only");
  Reader reader;
  EXPECT_THROW(reader.add("/dev/zero"), UserError);
}

TEST_F(ReaderTest, OtherEncodingsAreReadAndGuessesAreTold) {
  dir_.file("latin.txt",
            "Gr\xFC\xDF"
            "e");
  dir_.file("wide.txt", std::string("\xFF\xFEh\0i\0", 6));
  dir_.file("torn.txt", "caf\u00e9 \xFF");
  const Attached attached = read({"latin.txt", "wide.txt", "torn.txt"});
  EXPECT_EQ(attached.files[0].content, "Gr\u00fc\u00dfe");
  EXPECT_EQ(attached.files[1].content, "hi");
  EXPECT_THAT(attached.notices,
              ElementsAre("latin.txt: read as Latin-1",
                          "torn.txt: read as it is, with what is not valid text replaced by "
                          "\uFFFD"));
}

TEST_F(ReaderTest, PagesAreTextUnlessTheirTagsAreWanted) {
  dir_.file("a.html", "<!doctype html><p>one<p>two");
  const Attached page = read({"a.html"});
  EXPECT_EQ(page.files[0].content, "one\n\ntwo\n");
  EXPECT_THAT(page.notices, ElementsAre(HasSubstr("a.html: read as a web page")));
  const Attached code = read({"a.html"}, {.keep_html = true});
  EXPECT_EQ(code.files[0].content, "<!doctype html><p>one<p>two");
  EXPECT_THAT(code.notices, IsEmpty());
}

TEST_F(ReaderTest, LimitsAreToldInOneLine) {
  for (const char* name : {"s/a", "s/b", "s/c"}) dir_.file(name, "12345");
  EXPECT_EQ(fault("s", {.max_files = 2}),
            "s: that makes more than 2 files, the most that can be attached; name fewer of them");
  EXPECT_EQ(fault("s/a", {.max_bytes = 4}),
            "s/a: larger than 4 B, the most that can be attached; attach a part of it");
  EXPECT_EQ(fault("s", {.max_bytes = 12}),
            "s: that makes more than 12 B, the most that can be attached; name fewer files");
  EXPECT_EQ(fault("s", {.max_files = 3, .max_bytes = 15}), "none");
}

TEST_F(ReaderTest, APipeIsReadWhereThatIsAsked) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(fault("pipe"), "pipe: is not a file");
  ASSERT_EQ(std::system(("printf text >'" + pipe + "' &").c_str()), 0);
  EXPECT_EQ(read({"pipe"}, {.reads_pipes = true}).files[0].content, "text");
}

TEST_F(ReaderTest, WhatWasPipedInIsReadTheSameWay) {
  Reader reader;
  reader.add_piped("caf\xE9");
  const Attached attached = reader.take();
  EXPECT_EQ(attached.files[0].name, "-");
  EXPECT_EQ(attached.files[0].content, "caf\u00e9");
  EXPECT_THAT(attached.notices, ElementsAre("standard input: read as Latin-1"));
  try {
    reader.add_piped("\x89PNG\r\n\x1A\n");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "standard input: seems to be an image (PNG); confab reads text only");
  }
}

TEST_F(ReaderTest, APdfIsReadAndOneOfAFolderThatCannotBeIsLeftOut) {
  if (std::system("command -v pdftotext >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "pdftotext is not installed";
  dir_.file("s/a.pdf", small_pdf("A fox ran."));
  dir_.file("s/b.pdf", "%PDF-1.4 broken");
  EXPECT_EQ(read({"s/a.pdf"}).files[0].content, "A fox ran.\n\n");
  const Attached folder = read({"s"});
  EXPECT_THAT(names(folder), ElementsAre("s/a.pdf"));
  EXPECT_THAT(folder.notices, ElementsAre(HasSubstr("left out 1 file that is not text: s/b.pdf"),
                                          HasSubstr("s/b.pdf: pdftotext cannot read it: ")));
  EXPECT_THAT(fault("s/b.pdf"), HasSubstr("s/b.pdf: pdftotext cannot read it: "));
}

}  // namespace
}  // namespace confab::app
