// SPDX-License-Identifier: MIT
#include "tests/faults/scenario.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tests/faults/oracle.h"

namespace confab::faults {
namespace {

namespace fs = std::filesystem;

// Long enough for a block of 256 tokens that all conversations share.
constexpr const char* kSystem =
    "You are a person who sits in the reading room of a small library in the old town, and who "
    "answers each question that the visitors ask about the books and the house with one short "
    "line. You do not guess: when you are not sure, you say so, and you name the shelf on which "
    "the visitors can look it up. In the evening you close the windows, water the plants and "
    "count the books that came back. You like the quiet hours in the morning best.";

std::string ask(const Turn& turn) {
  return turn.question + "\n/rename " + turn.fence + "\n";
}

Turn turn_of(int i, std::string question) {
  return {std::move(question), "turn-" + std::to_string(i)};
}

std::vector<Stage> make_stages() {
  const std::vector<Turn> turns{
      turn_of(0, "Which shelf has the maps of the old town?"),
      turn_of(1, "And who drew them?"),
      turn_of(2, "When do you close the windows today?"),
      turn_of(3, "Are the maps for sale?"),
      {"What is this list about?", ""},
      turn_of(5, "Did the book about the lighthouse come back?"),
      turn_of(6, "Who has it, then?"),
      turn_of(7, "Is the reading room open on Sunday?"),
      turn_of(8, "Is the reading room open on Monday?"),
      turn_of(9, "How long?"),
  };
  std::string list = "Books that came back today:\n";
  for (int i = 0; i < 30; ++i) list += "  " + std::to_string(i) + ". the book of the hour\n";
  return {
      {"chat",
       {"--plain"},
       ask(turns[0]) + ask(turns[1]) + "/new\n" + ask(turns[2]) + "/resume turn-1\n" +
           ask(turns[3]),
       {turns[0], turns[1], turns[2], turns[3]}},
      {"once", {"--continue", "-p", turns[4].question}, list, {turns[4]}},
      {"resumed", {"--plain", "--continue"}, ask(turns[5]) + ask(turns[6]), {turns[5], turns[6]}},
      {"deleted", {"delete", "turn-2", "--yes"}, "", {}, turns[2].question},
      {"branches",
       {"--plain", "--continue"},
       ask(turns[7]) + "/edit " + ask(turns[8]) +
           "/retry\n/pin\n/export json ~/out.json\n/fork\n/import ~/out.json\n" + ask(turns[9]),
       {turns[7], turns[8], turns[9]}},
  };
}

}  // namespace

fs::path database_of(const fs::path& home) {
  return home / ".local/share/confab/confab.db";
}

fs::path cache_of(const fs::path& home) {
  return home / ".cache";
}

Scenario::Scenario() : model_({.n_ctx = 4096}), stages_(make_stages()) {
  fs::create_directory(homes_ / "0");
  for (std::size_t i = 0; i < stages_.size(); ++i) play(i);
}

void Scenario::play(std::size_t i) {
  const fs::path home = homes_ / std::to_string(i + 1);
  copy_home_before(i, home);
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run(command_of(i, home));
  durations_.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin));
  if (outcome.status != 0)
    throw std::runtime_error("stage " + stages_[i].name + ": " + outcome.output);
  outputs_.push_back(outcome.output);
  const Conversations all = read_conversations(database_of(home));
  for (const Turn& turn : stages_[i].turns) {
    const auto* answer = all.answer_to(turn.question);
    if (answer == nullptr || answer->content.empty())
      throw std::runtime_error("no answer to: " + turn.question);
    answers_[turn.question] = {answer->content, answer->tokens};
  }
}

void Scenario::copy_home_before(std::size_t i, const fs::path& to) const {
  fs::copy(homes_ / std::to_string(i), to, fs::copy_options::recursive);
}

Words Scenario::common_words(int n_predict) const {
  return {"-m", model_.path(), "-n",   std::to_string(n_predict), "--temp", "0", "-t",
          "1",  "--system",    kSystem};
}

Command Scenario::command_of(std::size_t i, const fs::path& home, const Fault& fault) const {
  Words words = stages_[i].turns.empty() ? Words{} : common_words();
  words.insert(words.end(), stages_[i].words.begin(), stages_[i].words.end());
  std::string input = stages_[i].input;
  for (std::size_t at = 0; (at = input.find('~', at)) != std::string::npos; ++at)
    input.replace(at, 1, home.string());
  return {.home = home, .words = words, .input = input, .fault = fault};
}

std::vector<std::string> Scenario::calls_of_stage(std::size_t i, const Fault& fault) const {
  const Home home(*this, i);
  return calls_of(command_of(i, home.path(), fault));
}

Acknowledged Scenario::acknowledged(std::size_t i, const std::string& output) const {
  if (!outputs_[i].starts_with(output))
    throw std::runtime_error("unexpected output:\n" + output + "\ninstead of:\n" + outputs_[i]);
  Acknowledged all;
  for (std::size_t stage = 0; stage < i; ++stage) read_stage(stage, outputs_[stage], all);
  read_stage(i, output, all);
  return all;
}

void Scenario::read_stage(std::size_t i, const std::string& seen, Acknowledged& all) const {
  const Stage& stage = stages_[i];
  const std::string& whole = outputs_[i];
  std::size_t at = 0;
  for (const Turn& turn : stage.turns) {
    const std::size_t begin = whole.find(answers_.at(turn.question).content, at);
    at = turn.fence.empty() ? whole.size() : whole.find('"' + turn.fence + '"', begin);
    if (begin == std::string::npos || at == std::string::npos)
      throw std::runtime_error("cannot follow the output:\n" + whole);
    const bool asked = seen.size() > begin;
    // The end of a run without a fence is seen by its exit status alone.
    const bool answered =
        turn.fence.empty() ? &seen == &whole : seen.size() > at + turn.fence.size();
    if (asked) all.asked.push_back(turn.question);
    if (answered) all.answered.push_back(turn.question);
  }
  if (stage.deleted.empty()) return;
  std::erase(all.asked, stage.deleted);  // it may be gone
  std::erase(all.answered, stage.deleted);
  if (seen == whole) all.deleted.push_back(stage.deleted);
}

}  // namespace confab::faults
