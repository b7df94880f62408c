// SPDX-License-Identifier: MIT
// Defines a command of the chat, and the state that its handler works on. Every family of commands
// includes this header; commands.h, the table, joins the families.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat/chat.h"
#include "app/chat/question.h"
#include "app/commands/console.h"
#include "app/commands/pasted_paths.h"
#include "app/expectation.h"
#include "app/paths.h"
#include "app/prompts/router.h"
#include "app/pull/model_pull.h"
#include "app/remembered.h"
#include "sessions/conversations/store.h"

namespace confab::app {

class AwaitedEngine;
struct Backend;

struct CommandContext;

enum class Completion { nothing, conversations, files, models, themes, settings, parts, routes };

// Says what happens when a command is chosen from a list without an argument. Most commands run. A
// command that writes, deletes or changes something, or that needs an argument, is written into the
// input instead, so that the person can complete it.
enum class WhenChosen { runs, is_written };

struct Command {
  std::string_view name;       // with its slash
  std::string_view aliases;    // separated by spaces
  std::string_view arguments;  // as help shows them
  std::string_view help;
  bool while_generating;
  void (*run)(CommandContext& context, const std::string& argument);
  Completion completion = Completion::nothing;  // completes the argument
  WhenChosen when_chosen = WhenChosen::runs;
};

// The chat's state for routing questions to templates. It can be moved, but not copied.
struct Routing {
  Router router = {};
  RouteDecision last = {};                    // how the last question was routed
  std::vector<std::string> changed = {};      // what its template changed
  std::string asked = {};                     // the last question, as the conversation has it
  std::vector<std::string> instruction = {};  // its template's instruction, from filled()
  Expectation expected = {};                  // the form expected of its answer
  std::string told_of = {};                   // the template that a notice named last
  // templates whose unused settings were reported
  std::set<std::string, std::less<>> told_kept = {};
  // A question that waits until the model has said which class it belongs to.
  struct Pending {
    engine::AnswerId scoring;
    Question question;
  };
  std::optional<Pending> pending = {};
  std::optional<Question> ready = {};  // can be sent: its template's model has loaded
  std::list<std::string> texts = {};   // what the rows below point to
  std::vector<Command> commands;       // the templates, for lists; choosing one writes it
};

// The chat's state for its download.
struct Pulling {
  std::unique_ptr<BackgroundPull> running = {};  // nullptr if nothing is being downloaded
  BackgroundPull::State state = {};              // as of the last look
  bool is_over() const noexcept { return state.step != BackgroundPull::Step::runs; }
};

struct CommandContext {
  Chat& chat;
  sessions::Store* store;  // nullptr if nothing is saved
  Console& console;
  Backend* backend = nullptr;                       // nullptr if the model cannot be changed
  const Paths* paths = nullptr;                     // nullptr if the disk is not searched
  std::vector<sessions::Attachment> attached = {};  // to the next question
  std::size_t n_sent_along = 0;                     // how many of them went with the last question
  PastedPaths pasted = {};                          // paths pasted into the input in this run
  Remembered remembered{""};                        // choices to keep for the next run
  std::vector<sessions::ConversationId> forked_from = {};  // for /pop; the latest is last
  Routing routing = {};
  Pulling pulling = {};
};

// The command's name, then its aliases.
std::vector<std::string_view> all_names(const Command& command);

// Calls f. Catches the errors of the person, the database, the model and the terminal, and shows
// them in the console.
void attempt(CommandContext& context, const std::function<void()>& f);
// Keeps a choice for the next run; nullopt removes the kept choice.
void remember(CommandContext& context, std::string_view key,
              const std::optional<Remembered::Value>& value);
// The remote engine that is awaited for the chosen model; nullptr if there is none.
AwaitedEngine* awaited_engine(const CommandContext& context) noexcept;
// Throws UserError "WHAT: an answer is being written; ..." while an answer is written or an engine
// is awaited.
void require_idle(const CommandContext& context, std::string_view what);

}  // namespace confab::app
