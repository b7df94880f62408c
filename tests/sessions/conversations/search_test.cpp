// SPDX-License-Identifier: MIT
#include "sessions/conversations/search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "sessions/conversations/catalog.h"
#include "sessions/conversations/sql.h"
#include "sessions/conversations/store.h"
#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NewMessage user(std::string content) {
  return {.role = Role::user, .content = std::move(content)};
}

class SearchTest : public testing::Test {
 protected:
  // The conversation of each hit.
  std::vector<std::string> titles(std::string_view words, int limit = 20) {
    std::vector<std::string> out;
    for (const SearchHit& hit : Catalog(store_).search(words, limit)) out.push_back(hit.title);
    return out;
  }
  Appended say(std::string title, std::string content) {
    return store_.create_conversation({{user(std::move(content))}}, title);
  }
  // A snippet with what is marked in brackets.
  static std::string shown(const Snippet& snippet) {
    std::string out = snippet.text;
    for (std::size_t i = snippet.marked.size(); i-- > 0;) {
      out.insert(snippet.marked[i].end, "]");
      out.insert(snippet.marked[i].begin, "[");
    }
    return out;
  }
  Store store_ = Store::in_memory();
};

TEST(SearchQueryTest, WordsBecomeQuotedTerms) {
  EXPECT_EQ(search_query("red fox"), R"("red" "fox"*)");
  EXPECT_EQ(search_query("  red \t fox "), R"("red" "fox")");
  EXPECT_EQ(search_query(R"("red fox" den)"), R"("red fox" "den"*)");
  EXPECT_EQ(search_query(R"(den "red  fox")"), R"("den" "red  fox")");
  EXPECT_EQ(search_query(R"(a"b)"), R"("a" "b")");
  EXPECT_EQ(search_query(""), "");
  EXPECT_EQ(search_query(" \n "), "");
  EXPECT_EQ(search_query("\"\""), "");
}

TEST_F(SearchTest, AllWordsAreWantedAndTheLastMayBeCutShort) {
  say("fox", "The quick brown fox");
  say("dog", "The quick lazy dog");
  EXPECT_THAT(titles("quick"), ElementsAre("dog", "fox"));  // the newest first
  EXPECT_THAT(titles("QUICK bro"), ElementsAre("fox"));
  EXPECT_THAT(titles("qui brown"), IsEmpty());
  EXPECT_THAT(titles("\"brown quick\""), IsEmpty());
  EXPECT_THAT(titles("\"quick brown\""), ElementsAre("fox"));
  EXPECT_THAT(titles("quick", 1), ElementsAre("dog"));
  EXPECT_THAT(titles("wolf"), IsEmpty());
}

TEST_F(SearchTest, AHitSaysWhereItIs) {
  const auto c = say("Foxes", "Where does the Füchsin\nlive?");
  const auto hits = Catalog(store_).search("fuchsin live");
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits[0].conversation, c.conversation);
  EXPECT_EQ(hits[0].message, c.message);
  EXPECT_EQ(hits[0].role, Role::user);
  EXPECT_EQ(hits[0].created, store_.messages(c.conversation)[0].created);
  EXPECT_EQ(shown(hits[0].snippet), "Where does the [Füchsin] [live]?");
}

TEST_F(SearchTest, ASnippetIsAFewWordsAroundTheHit) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "filler" + std::to_string(i) + " ";
  say("long", text + "needle " + text);
  const Snippet snippet = Catalog(store_).search("needle").at(0).snippet;
  EXPECT_LT(snippet.text.size(), 400u);
  EXPECT_NE(shown(snippet).find("[needle]"), std::string::npos);
  EXPECT_EQ(snippet.text.substr(0, 3), "…");
}

TEST_F(SearchTest, MarksInTheMessageItselfDoNoHarm) {
  say("marks", "\x03 odd \x02 text \x02 with needle \x03\x03 in it \x02");
  const Snippet snippet = Catalog(store_).search("needle").at(0).snippet;
  for (const auto& range : snippet.marked) {
    EXPECT_LT(range.begin, range.end);
    EXPECT_LE(range.end, snippet.text.size());
  }
}

TEST_F(SearchTest, WordsOfScriptsWithoutSpacesAreFound) {
  say("zh", "我喜欢学习中文和日语");
  say("ja", "日本語の勉強は楽しいです");
  say("ko", "한국어를 공부합니다");
  EXPECT_THAT(titles("中文"), ElementsAre("zh"));
  EXPECT_THAT(titles("勉強"), ElementsAre("ja"));
  EXPECT_THAT(titles("한국어"), ElementsAre("ko"));
  EXPECT_THAT(titles("日"), ElementsAre("ja", "zh"));
  EXPECT_THAT(titles("文中"), IsEmpty());
  EXPECT_EQ(shown(Catalog(store_).search("中文").at(0).snippet), "我喜欢学习[中文]和日语");
}

TEST_F(SearchTest, AttachmentsAreFoundByNameAndText) {
  NewMessage question = user("What is this?");
  question.attachments = {make_attachment("giraffe.md", "It has a long neck."),
                          make_attachment("b.txt", "And spots.")};
  store_.create_conversation({{question}}, "animals");
  EXPECT_THAT(titles("giraffe"), ElementsAre("animals"));
  EXPECT_THAT(titles("spots"), ElementsAre("animals"));
  EXPECT_THAT(titles("this neck"), ElementsAre("animals"));  // in the question and in a file
  EXPECT_EQ(shown(Catalog(store_).search("neck").at(0).snippet),
            "giraffe.md It has a long [neck]. b.txt And spots.");
}

TEST_F(SearchTest, AllBranchesAreSearchedButNoSystemPromptsAndReasoning) {
  const NewMessage system{.role = Role::system, .content = "You are a lynx."};
  const auto c = store_.create_conversation({{system, user("first wolf")}}, "x");
  store_.append_message(c.conversation, c.message, user("left wolf"));
  NewMessage answer{.role = Role::assistant, .content = "right wolf", .reasoning = "a badger"};
  store_.append_message(c.conversation, c.message, answer);
  EXPECT_EQ(Catalog(store_).search("wolf").size(), 3u);
  EXPECT_THAT(titles("lynx"), IsEmpty());
  EXPECT_THAT(titles("badger"), IsEmpty());
}

TEST_F(SearchTest, ADraftIsFoundWhileItGrowsAndAfterwards) {
  const auto c = say("x", "question");
  const auto d =
      store_.append_message(c.conversation, c.message,
                            {.role = Role::assistant, .content = "", .state = MessageState::draft});
  EXPECT_THAT(titles("otter"), IsEmpty());
  store_.update_draft(d.message, {"The otter"});
  EXPECT_EQ(shown(Catalog(store_).search("otter").at(0).snippet), "The [otter]");
  store_.update_draft(d.message, {"The beaver"});
  EXPECT_THAT(titles("otter"), IsEmpty());
  store_.finish_message(d.message, MessageState::done, {"The beaver swims"}, {});
  EXPECT_THAT(titles("beaver"), ElementsAre("x"));
  store_.remove(c.conversation);
  EXPECT_THAT(titles("beaver"), IsEmpty());
}

TEST_F(SearchTest, DraftsAndOthersComeInOneOrder) {
  const auto a = say("a", "marten");
  store_.append_message(a.conversation, a.message,
                        {.content = "marten", .state = MessageState::draft});
  say("b", "marten");
  EXPECT_THAT(titles("marten"), ElementsAre("b", "a", "a"));
  EXPECT_THAT(titles("marten", 2), ElementsAre("b", "a"));
}

TEST_F(SearchTest, NothingThatIsTypedIsASyntaxError) {
  say("x", "c++ AND NOT (x OR y) NEAR column:value ^start -minus a*");
  for (const char* words :
       {"c++",    "AND", "NOT x", "NEAR(a b)", "column:value", "^start", "-minus", "a*",   "\"",
        "\"\"\"", "'",   "(",     ")",         "{a b}: c",     "*",      "!!",     "x !!", "!! x",
        "\\",     ";",   "--",    "{",         "a\"*b\" OR",   ","})
    EXPECT_NO_THROW(Catalog(store_).search(words)) << words;
  EXPECT_THAT(titles("x !!"), ElementsAre("x"));
  EXPECT_THAT(titles("!! c++"), ElementsAre("x"));
  EXPECT_THAT(titles("!!"), IsEmpty());
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 rng(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string words(rng() % 30, ' ');
    const std::string_view alphabet = "ab \"*^():{}-+'\\ANDORT,.\n\t\x01";
    for (char& c : words)
      c = rng() % 8 == 0 ? static_cast<char>(rng()) : alphabet[rng() % alphabet.size()];
    EXPECT_NO_THROW(Catalog(store_).search(words)) << words;
  }
  EXPECT_NO_THROW(Catalog(store_).search(std::string(100000, 'a')));
  std::string many;
  for (int i = 0; i < 10000; ++i) many += "a" + std::to_string(i) + " ";
  EXPECT_NO_THROW(Catalog(store_).search(many));
}

// SQLite 3.40 has no secure-delete for FTS5: deleted words would stay in the index's tables.
TEST(SearchFileTest, DeletedWordsAreGoneFromTheFiles) {
  const TempDir dir;
  Store store(dir / "x.db");
  NewMessage question = user("Why is the aardvark nocturnal?");
  question.attachments = {make_attachment("wombat.txt", "the quokka sleeps")};
  const auto kept = store.create_conversation({{user("kept words")}});
  for (int i = 0; i < 40; ++i) store.create_conversation({{user("others " + std::to_string(i))}});
  const auto c = store.create_conversation({{question}});
  const auto d =
      store.append_message(c.conversation, c.message,
                           {.role = Role::assistant, .content = "", .state = MessageState::draft});
  store.finish_message(d.message, MessageState::done, {"Because of the xylophagous aardwolf."}, {});
  const auto files_with = [&](const std::string& word) {
    int n = 0;
    for (const auto& file : std::filesystem::directory_iterator(dir.path()))
      n += read_file(file.path()).find(word) != std::string::npos;
    return n;
  };
  // As the index has them: behind what they share with the word before.
  const std::vector<std::string> words{"ardvark", "ardwolf", "octurnal",
                                       "ombat",   "uokka",   "ylophagous"};
  for (const std::string& word : words) EXPECT_GT(files_with(word), 0) << word;
  store.remove(c.conversation);
  for (const std::string& word : words) EXPECT_EQ(files_with(word), 0) << word;
  {
    Database db(dir / "x.db");
    db.run("INSERT INTO message_fts(message_fts) VALUES('integrity-check')");
    db.run("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, message_fts, row)");
    EXPECT_EQ(db.integer("SELECT count(*) FROM vocabulary WHERE term LIKE 'aard%'"), 0);
    EXPECT_GT(db.integer("SELECT count(*) FROM vocabulary WHERE term = 'kept'"), 0);
  }
  EXPECT_EQ(Catalog(store).search("kept").at(0).conversation, kept.conversation);
  EXPECT_TRUE(Catalog(store).search("aardvark").empty());
}

// An index of some megabytes: not one long transaction, and yet forgotten in the end.
TEST(SearchFileTest, ALargeIndexForgetsInShortSteps) {
  using Clock = std::chrono::steady_clock;
  const TempDir dir;
  Store store(dir / "x.db");
  std::mt19937 rng(5);
  const auto words = [&rng] {
    std::string text;
    for (int i = 0; i < 400; ++i) text += std::to_string(rng()) + ' ';
    return text;
  };
  std::vector<NewMessage> many;
  for (int i = 0; i < 1200; ++i) many.push_back(user(words()));
  store.create_conversation(many);
  const auto secret = store.create_conversation({{user("a xylophagous aardwolf")}});
  const auto other = store.create_conversation({{user("the quokka sleeps")}});
  store.create_conversation(std::span(many).first(50));
  const auto is_in_file = [&](const char* word) {
    return read_file(dir / "x.db").find(word) != std::string::npos;
  };
  store.remove(secret.conversation);
  EXPECT_TRUE(Catalog(store).search("aardwolf").empty()) << "at once";
  ASSERT_TRUE(store.has_to_forget()) << "or this tests nothing";
  int n_steps = 0;
  Clock::duration longest{};
  for (bool more = true; more; ++n_steps) {
    if (n_steps == 3) store.remove(other.conversation);  // which the merge has begun without
    const Clock::time_point begun = Clock::now();
    more = Store(dir / "x.db").forget_more();  // any program goes on with it
    longest = std::max(longest, Clock::now() - begun);
  }
  EXPECT_GT(n_steps, 5);
  EXPECT_LT(longest, std::chrono::milliseconds(400));
  EXPECT_FALSE(is_in_file("ylophagous"));
  EXPECT_FALSE(is_in_file("uokka"));
  EXPECT_FALSE(store.forget_more());
  Database(dir / "x.db").run("INSERT INTO message_fts(message_fts) VALUES('integrity-check')");
}

}  // namespace
}  // namespace confab::sessions
