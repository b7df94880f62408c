// SPDX-License-Identifier: MIT
// A chat that goes on over several runs of the program, on a tiny model, greedily: what it says is
// the same each time. Every turn ends with a /rename, whose confirmation tells that all before it
// has been done: whatever the program acknowledged so must still be there whatever comes.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sessions/conversations/message.h"
#include "tests/engine/tiny_model.h"
#include "tests/faults/child.h"
#include "tests/temp_dir.h"

namespace confab::faults {

struct Turn {
  std::string question;
  std::string fence;  // is printed when question and answer have been saved; empty: the run's end
};

struct Stage {
  std::string name;
  Words words;
  std::string input;
  std::vector<Turn> turns;  // none: it is no chat
  // The question of an earlier stage whose conversation goes.
  std::string deleted = {};
};

struct Answer {  // as a run without faults gives it
  std::string content;
  std::vector<std::int32_t> tokens;
};

// What an output tells to be safe.
struct Acknowledged {
  std::vector<std::string> answered;  // questions whose answers are there, done
  std::vector<std::string> asked;     // and those that are there themselves
  std::vector<std::string> deleted;   // and those of which no trace is left in the database
};

class Scenario {
 public:
  Scenario();  // plays all stages once

  const std::vector<Stage>& stages() const noexcept { return stages_; }
  const Stage& stage(std::size_t i) const { return stages_.at(i); }
  // A home as it is when stage i begins.
  void copy_home_before(std::size_t i, const std::filesystem::path& to) const;
  Command command_of(std::size_t i, const std::filesystem::path& home,
                     const Fault& fault = {}) const;
  // The calls of stage i that count for a fault.
  std::vector<std::string> calls_of_stage(std::size_t i, const Fault& fault) const;
  std::chrono::microseconds duration(std::size_t i) const { return durations_.at(i); }
  const std::map<std::string, Answer>& answers() const noexcept { return answers_; }

  // Of a run of stage i that was killed after this output, which must be how the stage's own
  // begins; with all that the stages before acknowledged.
  Acknowledged acknowledged(std::size_t i, const std::string& output) const;

  Words common_words(int n_predict = 12) const;

 private:
  void play(std::size_t i);
  void read_stage(std::size_t i, const std::string& seen, Acknowledged& all) const;

  engine::TinyModelFile model_;
  TempDir homes_;
  std::vector<Stage> stages_;
  std::vector<std::string> outputs_;
  std::vector<std::chrono::microseconds> durations_;
  std::map<std::string, Answer> answers_;  // by question
};

// A home as it is when a stage begins, gone with the object.
class Home {
 public:
  Home(const Scenario& scenario, std::size_t stage) : path_(dir_ / "home") {
    scenario.copy_home_before(stage, path_);
  }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  TempDir dir_;
  std::filesystem::path path_;
};

std::filesystem::path database_of(const std::filesystem::path& home);
std::filesystem::path cache_of(const std::filesystem::path& home);

}  // namespace confab::faults
