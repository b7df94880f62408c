// SPDX-License-Identifier: MIT
// `confab list`, `search` and so on: the built program, with conversations that a test has made.
#include "app/transfer/subcommands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sessions/conversations/sql.h"
#include "sessions/conversations/store.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ConversationsTest : public ::testing::Test {
 protected:
  ConversationsTest() {
    sessions::Store store(database());
    for (const char* question : {"Where do foxes live?", "What does a hen eat?"})
      store.create_conversation(
          {{sessions::NewMessage{.role = sessions::Role::user, .content = question}}});
  }
  std::filesystem::path database() const { return home_ / ".local/share/confab/confab.db"; }
  RunResult run(const std::vector<std::string>& words, const std::string& input = {}) {
    return run_program(home_, words, input);
  }
  TempDir home_;
};

TEST_F(ConversationsTest, ListAndPin) {
  EXPECT_EQ(run({"pin", "Where"}).status, 0);
  const RunResult listed = run({"list"});
  EXPECT_EQ(listed.status, 0);
  EXPECT_THAT(listed.out, HasSubstr("1 * "));
  EXPECT_LT(listed.out.find("foxes"), listed.out.find("hen"));
  EXPECT_EQ(run({"unpin", "1"}).status, 0);
  EXPECT_THAT(run({"list", "-n", "1"}).out, Not(HasSubstr("foxes")));
}

TEST_F(ConversationsTest, SearchHasAStatus) {
  const RunResult found = run({"search", "fox"});
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(found.out, HasSubstr("Where do [foxes] live?"));
  EXPECT_EQ(found.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(run({"search", "bears"}).status, 1);
  EXPECT_EQ(run({"search", "(\"*"}).status, 1);
  std::filesystem::remove(database());
  std::filesystem::create_directory(database());
  EXPECT_EQ(run({"search", "fox"}).status, 2) << "as with grep: 1 is an answer";
}

TEST_F(ConversationsTest, RenameAndDelete) {
  EXPECT_EQ(run({"rename", "2", "Hens", "and", "corn"}).status, 0);
  EXPECT_THAT(run({"list"}).out, HasSubstr("Hens and corn"));
  const RunResult asked = run({"delete", "Hens"});
  EXPECT_EQ(asked.status, 1);
  EXPECT_THAT(asked.err, HasSubstr("--yes"));
  EXPECT_EQ(run({"delete", "Hens", "--yes"}).status, 0);
  EXPECT_THAT(run({"list"}).out, Not(HasSubstr("Hens")));
  EXPECT_EQ(run({"delete", "1", "-y"}).status, 0);
  EXPECT_EQ(run({"list"}).out, "");
  EXPECT_EQ(run({"delete", "1", "-y"}).status, 1);
}

TEST_F(ConversationsTest, ExportAndImport) {
  const RunResult json = run({"export", "Where", "--format", "json"});
  EXPECT_EQ(json.status, 0);
  EXPECT_EQ(run({"delete", "Where", "--yes"}).status, 0);
  EXPECT_THAT(run({"import", "-"}, json.out).out, HasSubstr("imported as conversation 3"));
  EXPECT_EQ(run({"export", "3", "-f", "json"}).out, json.out);
  const std::string file = (home_ / "x.html").string();
  EXPECT_EQ(run({"export", "2", "-o", file}).out, "");
  EXPECT_THAT(read_file(file), StartsWith("<!doctype html>"));
  EXPECT_THAT(run({"export", "2"}).out, StartsWith("# What does a hen eat?"));
}

TEST_F(ConversationsTest, AnExportReplacesNothingUnlessItIsForcedTo) {
  const std::string file = home_.file("x.md", "mine");
  const RunResult refused = run({"export", "1", "-o", file});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("x.md: already exists; choose another name, or replace it with --force"));
  EXPECT_EQ(read_file(file), "mine");
  EXPECT_EQ(run({"export", "1", "-o", "~/x.md", "--force"}).status, 0);
  EXPECT_THAT(read_file(file), StartsWith("# Where do foxes live?"));
}

TEST_F(ConversationsTest, AFileIsImportedWholeOrNotAtAll) {
  const std::string bad = home_.file(
      "bad.json", R"([{"messages":[{"role":"user","content":"fine"}]},{"messages":[{"role":1}]}])");
  const std::string good = home_.file("good.json", R"([{"role":"user","content":"good"}])");
  const RunResult result = run({"import", good, bad});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("bad.json: [1].messages[0].role: found a number"));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  const RunResult listed = run({"list"});
  EXPECT_THAT(listed.out, HasSubstr("good"));
  EXPECT_THAT(listed.out, Not(HasSubstr("fine")));
}

TEST_F(ConversationsTest, AFileThatIsImportedTwiceAddsNothing) {
  const std::string file = home_.file("c.json", R"([{"role":"user","content":"foxes"}])");
  run({"import", file});
  const std::string ours = home_.file("ours.json", run({"export", "1", "-f", "json"}).out);
  for (const std::string& again : {file, ours}) {
    const RunResult result = run({"import", again});
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr("nothing new; 1 conversation was already there"));
  }
  const std::string listed = run({"list"}).out;
  EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 3) << "this one and two from before";
}

TEST_F(ConversationsTest, ATitleThatCannotBeSeenIsRefused) {
  run({"import", home_.file("c.json", R"([{"role":"user","content":"foxes"}])")});
  for (const char* title : {"", "  "}) {
    const RunResult result = run({"rename", "1", title});
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.err, HasSubstr("title is empty"));
  }
  EXPECT_THAT(run({"list"}).out, HasSubstr("foxes"));
}

TEST_F(ConversationsTest, ADatabaseOfANewerProgramIsRead) {
  sessions::Database(database()).run_script("PRAGMA user_version = 99");
  EXPECT_EQ(run({"list"}).status, 0);
  EXPECT_EQ(run({"search", "foxes"}).status, 0);
  EXPECT_EQ(run({"export", "1"}).status, 0);
  const RunResult refused = run({"rename", "1", "x"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("newer confab"));
}

TEST_F(ConversationsTest, NeitherAModelNorAConfigurationIsNeeded) {
  home_.file(".config/confab/config.toml", "this is = no [toml");
  EXPECT_EQ(run({"list"}).status, 0);
}

// A deleted conversation's text could be had back from its cached keys and values as well.
TEST_F(ConversationsTest, DeletingOneDeletesWhatItAloneHasCached) {
  std::string secret;
  for (int i = 0; i < 90; ++i) secret += "word " + std::to_string(i) + ", ";
  const auto n_blocks = [&] {
    int n = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(home_ / ".cache/confab/kv/v2"))
      n += entry.is_regular_file();
    return n;
  };
  const std::vector<std::string> chat{"--plain", "-n", "4", "--temp", "0"};
  ASSERT_EQ(run(chat, secret + "\n").status, 0);
  const int n_first = n_blocks();
  EXPECT_GT(n_first, 0);
  ASSERT_EQ(run(chat, secret + " and more\n/list\n").status, 0);  // shares the beginning
  EXPECT_GT(n_blocks(), n_first);
  EXPECT_EQ(run({"delete", "4", "--yes"}).status, 0);
  EXPECT_EQ(n_blocks(), n_first);
  EXPECT_EQ(run({"delete", "3", "--yes"}).status, 0);
  EXPECT_EQ(n_blocks(), 0);
}

}  // namespace
}  // namespace confab::app
