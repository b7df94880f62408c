// SPDX-License-Identifier: MIT
#include "app/commands/attach_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/error.h"
#include "tests/app/attach/slow_pdf.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/app/home_dir.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AttachFilesTest : public CommandFixture {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(home_ / name) << text;
    return (home_ / name).string();
  }
  TempDir home_;
};

TEST_F(AttachFilesTest, AFileGoesWithTheNextQuestionAndThenNoMore) {
  run("/read " + write("a.txt", "alpha"));
  const auto files = question_with_files(context_, "what?").attachments;
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "a.txt");
  EXPECT_EQ(files[0].content, "alpha");
  EXPECT_TRUE(question_with_files(context_, "what?").attachments.empty());
}

TEST_F(AttachFilesTest, AllFilesOfAPatternGo) {
  write("a.txt", "alpha");
  write("b.txt", "beta");
  write("c.md", "gamma");
  run("/glob " + (home_ / "*.txt").string());
  EXPECT_EQ(context_.attached.size(), 2u);
  EXPECT_THAT(console_.notices.back(), HasSubstr("a.txt (5 bytes), b.txt (4 bytes) will go with"));
  run("/glob " + (home_ / "*.cpp").string());
  EXPECT_THAT(last_error(), HasSubstr("no file matches"));
}

TEST_F(AttachFilesTest, TheHomeDirectoryHasAShortName) {
  const HomeDir home;
  home.file("a.txt", "alpha");
  home.file("b.txt!", "beta");
  run("/read ~/a.txt");
  run("/glob ~/*.txt");
  EXPECT_THAT(console_.errors, IsEmpty());
  ASSERT_EQ(context_.attached.size(), 2u);
  context_.attached.clear();
  const auto files = question_with_files(context_, "See @~/a.txt, and @~/b.txt!").attachments;
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].content, "beta");
}

TEST_F(AttachFilesTest, AFolderIsItsTextFiles) {
  write("b.txt", "beta");
  write("a.txt", "alpha");
  write("c.bin", std::string("\0", 1));
  run("/read " + home_.path().string());
  ASSERT_EQ(context_.attached.size(), 2U);
  EXPECT_THAT(context_.attached[0].name, testing::EndsWith("/a.txt"));
  EXPECT_THAT(console_.notices.front(), HasSubstr("left out 1 file that is not text: "));
  context_.attached.clear();
  const auto files = question_with_files(context_, "See @" + home_.path().string()).attachments;
  EXPECT_EQ(files.size(), 2U);
}

TEST_F(AttachFilesTest, ManyFilesAreCounted) {
  for (const char* name : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) write(name, "text");
  run("/read " + home_.path().string());
  EXPECT_EQ(last_notice(), "9 files (36 bytes) will go with your next question.");
}

TEST_F(AttachFilesTest, FilesOfOneNameAreToldApart) {
  const TempDir other;
  run("/read " + write("a.txt", "alpha"));
  const std::string path = other.file("a.txt", "beta");
  run("/read " + path);
  ASSERT_EQ(context_.attached.size(), 2U);
  EXPECT_EQ(context_.attached[1].name, path);
}

TEST_F(AttachFilesTest, APatternInAQuestionMayMeanAnything) {
  write("a.txt", "alpha");
  EXPECT_TRUE(
      question_with_files(context_, "What is @" + (home_ / "*.txt").string()).attachments.empty());
  EXPECT_THAT(last_notice(), HasSubstr("no such file"));
}

TEST_F(AttachFilesTest, WhatIsAttachedCanBeRemoved) {
  run("/detach");
  EXPECT_THAT(last_error(), HasSubstr("nothing is attached"));
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) run("/read " + write(name, name));
  run("/detach b.txt");
  run("/detach 2");
  ASSERT_EQ(context_.attached.size(), 1U);
  EXPECT_EQ(context_.attached[0].name, "a.txt");
  EXPECT_THAT(last_notice(), HasSubstr("No longer attached: c.txt"));
  run("/detach d.txt");
  EXPECT_THAT(last_error(), HasSubstr("d.txt is not attached; attached: a.txt"));
  run("/detach");
  EXPECT_THAT(context_.attached, IsEmpty());
  run("/read " + (home_ / "b.txt").string());
  run("/new");
  EXPECT_THAT(context_.attached, IsEmpty());
  EXPECT_THAT(last_notice(), HasSubstr("attached"));
}

// The model would answer about what it has never seen.
TEST_F(AttachFilesTest, AQuestionWithoutItsFileIsNotAsked) {
  run("/read " + write("before.txt", "x"));
  const std::string picture = write("pic.png", "\x89PNG\r\n\x1a\n" + std::string(100, '\xff'));
  const std::string binary = write("rand.bin", std::string("a\0b", 3));
  for (const std::string& path : {picture, binary, home_.path().string() + "/none.txt",
                                  std::string("none.txt"), std::string("src/none")})
    EXPECT_THROW(question_with_files(context_, "Look at @" + path + " please"), UserError) << path;
  EXPECT_EQ(context_.attached.size(), 1U) << "what waits for the question waits on";
  const Question asked = question_with_files(context_, "What does @property do?");
  EXPECT_EQ(asked.attachments.size(), 1U) << "a word is no path";
  EXPECT_THAT(last_notice(), HasSubstr("property: no such file, so it is only text"));
}

TEST_F(AttachFilesTest, DevicesBinariesAndWhatIsNotThereAreRefused) {
  run("/read /dev/zero");
  EXPECT_THAT(last_error(), HasSubstr("is not a file"));
  run("/read " + (home_ / "none").string());
  EXPECT_THAT(last_error(), HasSubstr("no such file"));
  run("/read " + write("binary", std::string("a\0b", 3)));
  EXPECT_THAT(last_error(), HasSubstr("is not a text file"));
  EXPECT_THAT(context_.attached, IsEmpty());
}

TEST_F(AttachFilesTest, FindsPathsInAQuestion) {
  EXPECT_THAT(mentioned_paths("compare @a.txt and @\"b c.md\"\n@d"),
              ElementsAre("a.txt", "b c.md", "d"));
  EXPECT_THAT(mentioned_paths("write to me@example.org @ once"), IsEmpty());
}

TEST_F(AttachFilesTest, WhatAQuestionNamesIsAttached) {
  const std::string path = write("a.txt", "alpha");
  const auto files = question_with_files(context_, "What is in @" + path + "?").attachments;
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(console_.errors, IsEmpty());
  EXPECT_THAT([&] { question_with_files(context_, "and @" + path + "x?"); },
              testing::ThrowsMessage<UserError>(HasSubstr("no such file")));
}

TEST_F(AttachFilesTest, WhatPastedTextNamesIsAttachedOnlyByAYes) {
  const TempDir dir;
  const std::string secret = dir.file("secret.txt", "s"), mine = dir.file("mine.txt", "m");
  const std::string question = "See @" + secret + ", and @" + mine + ".";
  context_.pasted.add("See @" + secret + ", and @/no/such/file");
  int n_asked = 0;
  const auto names = [&] {
    decide_about_pasted(context_, question, [&] { ++n_asked; });
    std::vector<std::string> attached;
    for (const auto& file : question_with_files(context_, question).attachments)
      attached.push_back(file.name);
    return attached;
  };
  EXPECT_THAT(names(), testing::ElementsAre("mine.txt"));
  EXPECT_THAT(console_.confirmations.back(), testing::EndsWith("secret.txt. Attach it?"));
  console_.reply = "y";
  EXPECT_THAT(names(), testing::ElementsAre("secret.txt", "mine.txt"));
  EXPECT_EQ(console_.confirmations.size(), 2U);
  EXPECT_EQ(n_asked, 2) << "the question is asked whatever is said of its files";
}

TEST_F(AttachFilesTest, WhatTakesLongCanBeStopped) {
  const SlowPdf slow(home_);
  const std::string& pdf = slow.path;
  console_.stops_reading = true;
  run("/read " + pdf);
  EXPECT_EQ(last_error(), pdf + ": stopped, not read");
  EXPECT_THAT(context_.attached, IsEmpty());
  const std::string question = "See @" + pdf + " and @" + write("a.txt", "alpha");
  EXPECT_THROW(question_with_files(context_, question), ReadingStopped);
}

}  // namespace
}  // namespace confab::app
