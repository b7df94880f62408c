// SPDX-License-Identifier: MIT
// What a chat stands on: the database, the prompt cache and the model, opened in the right order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "app/chat/kept_models.h"
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

class Chat;

// How the change to another model has ended: empty, or why it has not, and all is as it was.
using SwitchEnd = std::function<void(const std::string& fault)>;

// A change to a model of an engine elsewhere, which has not answered yet.
struct AwaitedModel {
  std::unique_ptr<AwaitedEngine> engine;
  ModelOptions options;  // that it will have been loaded with
  SwitchEnd then;
};

struct Backend {
  std::unique_ptr<sessions::Store> store;  // nullptr: nothing is saved
  std::unique_ptr<sessions::KvStore> kv;   // nullptr: no prompt cache
  std::unique_ptr<KvBlockStore> blocks;
  std::unique_ptr<engine::ChatModel> model;
  KeptModels kept = {};  // of those that answered before it
  // What the model is told to spare, and the next one as well.
  bool spares_memory = false;
  bool spares_power = false;
  bool is_demo = false;
  std::string notice;  // what works less well than it should, a line each, not told yet
  EventLog log{""};    // of chats that are saved: what runs each model, and why

  // The notice, or why the prompt cache is no longer written; each once, then empty.
  std::string take_notice();
  // Ends the model, which may still hand blocks over after its last event, and waits a moment for
  // the prompt cache to be written: before leaving. No chat may use the model any more.
  void close();

  bool told_saving_off = false;
  std::set<std::string> told_in_the_clear = {};  // places that what is said goes to unencrypted
  ModelOptions options = {};                     // what the model was loaded with
  WatchCopying watch_copying = {};               // of the next one
  // That engines elsewhere took in this run, by their names.
  std::map<std::string, std::string> keys = {};
  std::optional<AwaitedModel> awaited = {};  // no question can be asked meanwhile
  // Of all its models: they seldom compute at once.
  std::shared_ptr<kernels::ThreadPool> team = {};
};

// Throws StoreError, ModelError, UserError. with_store: conversations are wanted, as they are when
// the options name one; without options.save they are read only. Where the database cannot be
// opened, a new one goes on without, with a notice (where it is locked, until it can be); one that
// is to be reopened throws. Where -m names no model, a conversation that is gone on with keeps the
// one that it had. And throws what at_start does.
Backend open_backend(const ChatOptions& options, const Paths& paths, bool with_store,
                     const AtStart& at_start = {});

// Loads another model, or takes the one of that file that was left before, and lets the chat go on
// with it; the one before gives back its memory and is kept. Throws ModelError and UserError, and
// nothing has changed. One of an engine elsewhere is backend.awaited then.
void use_model(Backend& backend, Chat& chat, const std::string& path, SwitchEnd then = {});
// To poll for what take_awaited() is to be called for; below 0: nothing is waited for.
int awaited_fd(const Backend& backend) noexcept;
// Goes over to the model that is waited for, once it is ready, and tells its end.
void take_awaited(Backend& backend, Chat& chat);

// Opens a conversation, and loads the model that it had, if -m has not named another one and it is
// on this machine or of an engine, as use_model() does; which one answers, and why, is a notice.
// Throws as Chat::open(), and nothing has changed.
void open_conversation(Backend& backend, Chat& chat, const sessions::Conversation& conversation);

// The conversation that the options ask for; nullopt: a new one. Throws UserError when there is
// none of that name, or several.
std::optional<sessions::Conversation> wanted_conversation(const ChatOptions& options,
                                                          sessions::Store& store);
// The one conversation that a name or id means. Throws UserError.
sessions::Conversation conversation_by_name(sessions::Store& store, const std::string& name_or_id);

}  // namespace confab::app
