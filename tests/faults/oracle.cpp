// SPDX-License-Identifier: MIT
#include "tests/faults/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sessions/conversations/sql.h"
#include "sessions/conversations/store.h"
#include "tests/faults/scenario.h"
#include "tests/temp_dir.h"

namespace confab::faults {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLastQuestion = "Are you still there?";

// All that the next answer depends on: what is shown of the last conversation.
std::string transcript_of(const fs::path& database) {
  std::string text;
  if (!fs::exists(database)) return text;
  sessions::Store store(database);
  const auto latest = store.latest_conversation();
  if (!latest) return text;
  for (const sessions::Message& message : store.messages(latest->id)) {
    text += std::to_string(static_cast<int>(message.role)) + message.content + '\0';
    for (const std::int32_t token : message.tokens) text += std::to_string(token) + ' ';
  }
  return text;
}

}  // namespace

namespace {

bool is_question(const sessions::Message& message, const std::string& text) {
  return message.role == sessions::Role::user && message.content.ends_with(text);
}

// Done, or stopped by -n.
bool is_finished_answer(const sessions::Message& message) {
  return message.role == sessions::Role::assistant &&
         (message.state == sessions::MessageState::done ||
          message.state == sessions::MessageState::stopped);
}

}  // namespace

const sessions::Message* Conversations::question(const std::string& text) const {
  const auto it = std::ranges::find_if(
      messages, [&](const sessions::Message& message) { return is_question(message, text); });
  return it == messages.end() ? nullptr : &*it;
}

const sessions::Message* Conversations::answer_to(const std::string& text) const {
  // A question may be there twice: forked, or saved again after a write that had only seemed to
  // fail.
  for (const sessions::Message& asked : messages) {
    if (!is_question(asked, text)) continue;
    const auto it = std::ranges::find_if(messages, [&](const sessions::Message& message) {
      return message.parent == asked.id && is_finished_answer(message);
    });
    if (it != messages.end()) return &*it;
  }
  return nullptr;
}

Conversations read_conversations(const fs::path& database) {
  Conversations all;
  if (!fs::exists(database)) return all;
  sessions::Store store(database);
  all.conversations = store.list();
  for (const sessions::Conversation& conversation : all.conversations)
    for (sessions::Message& message : store.tree(conversation.id).messages)
      all.messages.push_back(std::move(message));
  return all;
}

std::string integrity_of(const fs::path& database) {
  sessions::Database db(database);
  sessions::Statement pages(db, "PRAGMA integrity_check");
  if (!pages.step() || pages.bytes(0) != "ok") return "pages: " + pages.bytes(0);
  sessions::Statement references(db, "PRAGMA foreign_key_check");
  if (references.step()) return "a reference of table " + references.bytes(0);
  sessions::Statement indexes(db,
                              "SELECT name FROM sqlite_schema"
                              " WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'");
  while (indexes.step()) {
    const std::string name = indexes.bytes(0);
    db.run(("INSERT INTO " + name + "(" + name + ") VALUES('integrity-check')").c_str());
  }
  return "ok";
}

void Oracle::check(const fs::path& home, const Acknowledged& acknowledged) {
  const fs::path database = database_of(home);
  const Conversations found = read_conversations(database);
  for (const std::string& question : acknowledged.asked)
    EXPECT_NE(found.question(question), nullptr) << question;
  for (const std::string& question : acknowledged.answered) {
    const sessions::Message* answer = found.answer_to(question);
    if (answer == nullptr) {
      ADD_FAILURE() << "the answer is lost: " << question;
      continue;
    }
    EXPECT_EQ(answer->content, scenario_.answers().at(question).content);
    EXPECT_EQ(answer->tokens, scenario_.answers().at(question).tokens);
  }
  for (const std::string& question : acknowledged.deleted)
    for (const char* end : {"", "-journal"})
      EXPECT_EQ(read_file(database.string() + end).find(question), std::string::npos) << end;
  check_next_start(home);
  EXPECT_EQ(integrity_of(database), "ok");
}

std::string Oracle::ask(const fs::path& home) const {
  Command next{.home = home, .words = scenario_.common_words()};
  next.words.emplace_back("--plain");
  if (!read_conversations(database_of(home)).conversations.empty())
    next.words.emplace_back("--continue");
  next.input = std::string(kLastQuestion) + "\n/rename the-end\n";
  const Outcome outcome = run(next);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("\"the-end\""), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("confab: "), std::string::npos) << outcome.output;
  const Conversations after = read_conversations(database_of(home));
  const sessions::Message* answer = after.answer_to(kLastQuestion);
  if (answer != nullptr) return answer->content;
  ADD_FAILURE() << "no answer after the fault";
  return {};
}

std::string Oracle::cold_answer(const fs::path& home) {
  const auto [known, is_new] = cold_answers_.try_emplace(transcript_of(database_of(home)));
  if (!is_new) return known->second;
  const TempDir other;
  if (fs::exists(database_of(home))) {
    fs::create_directories(database_of(other.path()).parent_path());
    fs::copy(database_of(home), database_of(other.path()));
  }
  return known->second = ask(other.path());
}

void Oracle::check_next_start(const fs::path& home) {
  // The cold one first: it begins with a copy of what is there now, journal and all rolled back.
  const std::string cold = cold_answer(home);
  EXPECT_EQ(ask(home), cold) << "with what the cache has";
}

}  // namespace confab::faults
