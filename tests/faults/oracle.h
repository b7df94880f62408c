// SPDX-License-Identifier: MIT
// Looks at what a program left behind: the database by sessions::Store, the cache by what the
// program makes of it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sessions/conversations/conversation.h"
#include "sessions/conversations/message.h"

namespace confab::faults {

struct Conversations {
  std::vector<sessions::Conversation> conversations;
  std::vector<sessions::Message> messages;  // of all branches

  const sessions::Message* question(const std::string& text) const;
  // The finished answer to it; nullptr: there is none.
  const sessions::Message* answer_to(const std::string& question) const;
};

// Empty when there is no file.
Conversations read_conversations(const std::filesystem::path& database);

// "ok", or what is wrong with the pages, the references or the search index.
std::string integrity_of(const std::filesystem::path& database);

class Scenario;
struct Acknowledged;

// Holds a home that a fault has been through to the promises: what was acknowledged is there byte
// for byte, the database is whole, the next start works and answers what it answers without a
// cache. An object remembers the answers without a cache. Failures are reported to googletest.
class Oracle {
 public:
  explicit Oracle(const Scenario& scenario) : scenario_(scenario) {}

  void check(const std::filesystem::path& home, const Acknowledged& acknowledged);

 private:
  void check_next_start(const std::filesystem::path& home);
  std::string ask(const std::filesystem::path& home) const;
  std::string cold_answer(const std::filesystem::path& home);

  const Scenario& scenario_;
  std::map<std::string, std::string> cold_answers_;  // by what had been said
};

}  // namespace confab::faults
