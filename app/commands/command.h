// SPDX-License-Identifier: MIT
// What a command of the chat is, and what its handler works on. Each family of commands stands on
// this; the table that joins the families is commands.h.
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
#include "app/pull/background_pull.h"
#include "app/remembered.h"
#include "sessions/conversations/store.h"

namespace confab::app {

class AwaitedEngine;
struct Backend;

struct CommandContext;

enum class Completion { nothing, conversations, files, models, themes, settings, parts, routes };

// What happens when a command is chosen from a list, without an argument: it runs, or, where it
// writes, deletes or changes something, or is of no use so, it stands in the input to be gone on
// with.
enum class WhenChosen { runs, is_written };

struct Command {
  std::string_view name;       // with its slash
  std::string_view aliases;    // separated by spaces
  std::string_view arguments;  // as help shows them
  std::string_view help;
  bool while_generating;
  void (*run)(CommandContext& context, const std::string& argument);
  Completion completion = Completion::nothing;  // of the argument
  WhenChosen when_chosen = WhenChosen::runs;
};

// What a chat knows of routing. Moved, but not copied.
struct Routing {
  Router router = {};
  RouteDecision last = {};                    // about the last question
  std::vector<std::string> changed = {};      // by its template
  std::string asked = {};                     // the last question, as it stands in the conversation
  std::vector<std::string> instruction = {};  // that it was asked with, as filled() makes it
  Expectation expected = {};                  // of its answer
  std::string told_of = {};                   // the template of which it was told last
  std::set<std::string, std::less<>> told_kept = {};  // those that would have changed the chat
  // The model is asked of which class this question is; then it is asked itself.
  struct Pending {
    engine::AnswerId scoring;
    Question question;
  };
  std::optional<Pending> pending = {};
  std::optional<Question> ready = {};  // the model of its template has come
  std::list<std::string> texts = {};   // of the rows below
  std::vector<Command> commands;       // the templates, for lists; chosen, they are written
};

// What a chat knows of its download.
struct Pulling {
  std::unique_ptr<BackgroundPull> running = {};  // nullptr: none
  BackgroundPull::State state = {};              // of it, when it was looked at last
  bool is_over() const noexcept { return state.step != BackgroundPull::Step::runs; }
};

struct CommandContext {
  Chat& chat;
  sessions::Store* store;  // nullptr: nothing is saved
  Console& console;
  Backend* backend = nullptr;                       // null: the model cannot be changed
  const Paths* paths = nullptr;                     // null: nothing is looked for on the disk
  std::vector<sessions::Attachment> attached = {};  // to the next question
  std::size_t n_sent_along = 0;                     // of them, with the last question
  PastedPaths pasted = {};                          // into the input, in this run
  Remembered remembered{""};                        // what is chosen, for the next time
  std::vector<sessions::ConversationId> forked_from = {};  // for /pop, the last one at the end
  Routing routing = {};
  Pulling pulling = {};
};

// What it is called, its name first.
std::vector<std::string_view> all_names(const Command& command);

// Calls f; what it throws as an error of the person's, the database's or the model's is told to the
// console.
void attempt(CommandContext& context, const std::function<void()>& f);
// Keeps a choice for the next time; none: there is no choice any more.
void remember(CommandContext& context, std::string_view key,
              const std::optional<Remembered::Value>& value);
// That the model which was chosen is waited for of; nullptr: none is.
AwaitedEngine* awaited_engine(const CommandContext& context) noexcept;
// Throws UserError "WHAT: an answer is being written; ..." when it is, and where an engine is
// waited for.
void require_idle(const CommandContext& context, std::string_view what);

}  // namespace confab::app
