// SPDX-License-Identifier: MIT
#include "sessions/conversations/search_tokenizer.h"

#include <gmock/gmock.h>

#include <random>

#include "sessions/conversations/sql.h"

namespace confab::sessions {
namespace {

using testing::ElementsAre;

class SearchTokenizerTest : public testing::Test {
 protected:
  SearchTokenizerTest() {
    db_->run_script(
        "CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'confab');"
        "CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);");
  }
  // The words of a text in their order.
  std::vector<std::string> words(std::string_view text) {
    db_->run("DELETE FROM t");
    db_->run("INSERT INTO t VALUES(?)", text);
    std::vector<std::string> out;
    Statement rows(*db_, "SELECT term FROM v ORDER BY offset");
    while (rows.step()) out.push_back(rows.bytes(0));
    return out;
  }
  std::string highlighted(std::string_view text, std::string_view query) {
    db_->run("DELETE FROM t");
    db_->run("INSERT INTO t VALUES(?)", text);
    Statement row = db_->query("SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH ?", query);
    return row.step() ? row.bytes(0) : "";
  }
  std::unique_ptr<Database> db_ = Database::in_memory();
};

TEST_F(SearchTokenizerTest, WordsAreWithoutCaseAndDiacritics) {
  EXPECT_THAT(words("Über naïve café's C++ x_1 Київ"),
              ElementsAre("uber", "naive", "cafe", "s", "c", "+", "+", "x", "1", "киів"));
}

TEST_F(SearchTokenizerTest, LettersThatAreAlsoWrittenOtherwiseAreOne) {
  EXPECT_THAT(words("Straße STRASSE STRAẞE"), ElementsAre("strasse", "strasse", "strasse"));
  EXPECT_THAT(words("Ёлка ёлка елка е\u0308лка"), ElementsAre("елка", "елка", "елка", "елка"));
  EXPECT_THAT(words("ΟΔΟΣ οδός"), ElementsAre("οδοσ", "οδοσ"));
  EXPECT_THAT(words("й и\u0306 Œuvre ﬁn Kızıl Łódź"),
              ElementsAre("и", "и", "oeuvre", "fin", "kizil", "lodz"));
}

TEST_F(SearchTokenizerTest, SignsThatArePartOfANameAreWords) {
  EXPECT_THAT(words("C++17, C#, F#! g++ Disney+"),
              ElementsAre("c", "+", "+", "17", "c", "#", "f", "#", "g", "+", "+", "disney", "+"));
  EXPECT_THAT(words("a+b issue#5 # one ++ x+++++y"),
              ElementsAre("a", "b", "issue", "5", "one", "x", "+", "+", "y"));
  EXPECT_EQ(highlighted("c, C and C++ or C#", "\"c++\""), "c, C and [C++] or C#");
  EXPECT_EQ(highlighted("c, C and C++ or C#", "\"C#\""), "c, C and C++ or [C#]");
}

TEST_F(SearchTokenizerTest, ScriptsWithoutSpacesGoByCharacter) {
  EXPECT_THAT(words("日本語のtext"), ElementsAre("日", "本", "語", "の", "text"));
  EXPECT_THAT(words("abc漢字def"), ElementsAre("abc", "漢", "字", "def"));
  EXPECT_THAT(words("한국어"), ElementsAre("한", "국", "어"));
  EXPECT_THAT(words("ไทย"), ElementsAre("ไ", "ท", "ย"));
  EXPECT_THAT(words("𠀋"), ElementsAre("𠀋"));
  EXPECT_THAT(words("中。文"), ElementsAre("中", "文"));
}

TEST_F(SearchTokenizerTest, PlacesAreThoseInTheWholeText) {
  EXPECT_EQ(highlighted("die Größe 大きさ", "große"), "die [Größe] 大きさ");
  EXPECT_EQ(highlighted("ein Straßenfest 大", "strassenfest"), "ein [Straßenfest] 大");
  EXPECT_EQ(highlighted("die Gröse 大きさ und GROSE", "grose"), "die [Gröse] 大きさ und [GROSE]");
  EXPECT_EQ(highlighted("x 大きさ y 大", "\"きさ y\""), "x 大[きさ y] 大");
}

TEST_F(SearchTokenizerTest, AnyBytesAreTaken) {
  std::mt19937 rng(11);
  for (int round = 0; round < 500; ++round) {
    std::string text(rng() % 40, ' ');
    for (char& c : text) c = static_cast<char>(rng() % 3 == 0 ? 0xE0 + rng() % 32 : rng());
    words(text);
    db_->run("INSERT INTO t(t) VALUES('integrity-check')");
  }
}

}  // namespace
}  // namespace confab::sessions
