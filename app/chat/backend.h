// SPDX-License-Identifier: MIT
// The parts a chat needs: the database, the prompt cache and the model, opened in the right order.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "app/chat/kv_block_store.h"
#include "app/copy_watch.h"
#include "app/engines/engine_choice.h"
#include "app/event_log.h"
#include "app/options.h"
#include "app/paths.h"
#include "engine/api/chat_model.h"
#include "sessions/blocks/kv_store.h"
#include "sessions/conversations/store.h"

namespace confab::kernels {
class ThreadPool;
}

namespace confab::app {

// Models that the chat has switched away from, kept so that switching back does not load them
// again. Unloaded, they need little more memory than their vocabulary.
struct LoadedModel {
  std::unique_ptr<engine::ChatModel> model;  // nullptr: no model
  ModelOptions options;                      // it was loaded with these
};

class KeptModels {
 public:
  // The most models to keep; the one left longest ago goes first.
  static constexpr std::size_t kMost = 3;

  // Unloads the model and keeps it. No answer may be in progress.
  void add(LoadedModel left);
  // Removes and returns the model of this file or load name. The result is empty if that model is
  // not kept, or if the file has changed since. Discards the model's pending events.
  LoadedModel take(const std::string& path);
  void clear() noexcept { kept_.clear(); }

 private:
  struct Kept {
    LoadedModel left;
    std::string file;  // the file's size and time, to notice changes
  };
  std::deque<Kept> kept_;  // the one left last comes first
};

class Chat;

// Called when a switch to another model has ended. `fault` is empty if it worked; otherwise it
// gives the reason, and nothing has changed.
using SwitchEnd = std::function<void(const std::string& fault)>;

// A switch to a remote engine's model, while the engine has not answered yet.
struct AwaitedModel {
  std::unique_ptr<AwaitedEngine> engine;
  ModelOptions options;  // the model will have been loaded with these
  SwitchEnd then;
};

struct Backend {
  std::unique_ptr<sessions::Store> store;  // nullptr: nothing is saved
  std::unique_ptr<sessions::KvStore> kv;   // nullptr: no prompt cache
  std::unique_ptr<KvBlockStore> blocks;
  std::unique_ptr<engine::ChatModel> model;
  KeptModels kept = {};  // the models used before this one
  // Savings that apply to the model and its successors.
  bool spares_memory = false;
  bool spares_power = false;
  bool is_demo = false;
  std::string notice;  // what works less well than it should; one per line, not shown yet
  EventLog log{""};    // what runs each model and why, if the chat is saved

  // The pending notice, or the reason why the prompt cache is no longer written. Returns each once,
  // then "".
  std::string take_notice();
  // Destroys the model, which may still hand over blocks after its last event, then waits up to
  // five seconds for the prompt cache to be written. Call it before leaving; no chat may use the
  // model any more.
  void close();

  bool told_saving_off = false;
  // hosts reached without encryption, already reported
  std::set<std::string> told_in_the_clear = {};
  ModelOptions options = {};        // the model was loaded with these
  WatchCopying watch_copying = {};  // for the next model
  // The keys that remote engines accepted in this run, by engine name.
  std::map<std::string, std::string> keys = {};
  std::optional<AwaitedModel> awaited = {};  // while set, no question can be asked
  // Shared by all models, as they rarely compute at the same time.
  std::shared_ptr<kernels::ThreadPool> team = {};
};

// with_store: open the conversations; they are opened in any case if the options name one. Without
// options.save they are read only. If the database cannot be opened, a new conversation starts
// without it and a notice says so; if it is locked, it is opened later. Resuming a conversation
// throws instead. If -m names no model, a resumed conversation keeps its own model. Throws
// StoreError, ModelError and UserError, and what at_start throws.
Backend open_backend(const ChatOptions& options, const Paths& paths, bool with_store,
                     const AtStart& at_start = {});

// Switches the chat to another model, loading it unless it is kept. The old model frees its memory
// and is kept. Throws ModelError and UserError, and then nothing has changed. A remote engine's
// model becomes backend.awaited instead. `then` is called at the end.
void use_model(Backend& backend, Chat& chat, const std::string& path, SwitchEnd then = {});
// The descriptor to poll before calling take_awaited(), or -1 if no engine is awaited.
int awaited_fd(const Backend& backend) noexcept;
// Switches to the awaited model once it is ready, and reports how that ended.
void take_awaited(Backend& backend, Chat& chat);

// Opens a conversation and switches to the model it used, as use_model() does, unless -m named
// another one or that model is not available. A notice says which model answers, and why. Throws
// like Chat::open(), and then nothing has changed.
void open_conversation(Backend& backend, Chat& chat, const sessions::Conversation& conversation);

// The conversation that the options ask for, or nullopt for a new one. Throws UserError if no
// conversation, or more than one, has that name.
std::optional<sessions::Conversation> wanted_conversation(const ChatOptions& options,
                                                          sessions::Store& store);
// The conversation with this name or id. Throws UserError unless there is exactly one.
sessions::Conversation conversation_by_name(sessions::Store& store, const std::string& name_or_id);

}  // namespace confab::app
