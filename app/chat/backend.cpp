// SPDX-License-Identifier: MIT
#include "app/chat/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/chat/chat.h"
#include "app/chat/report.h"
#include "app/engines/engine_choice.h"
#include "app/error.h"
#include "app/models/inference.h"
#include "app/models/model_finder.h"
#include "app/pump.h"
#include "engine/platform/memory.h"
#include "sessions/conversations/catalog.h"
#include "sessions/error.h"
#include "ui/text.h"

namespace confab::app {
namespace {

// Returns "" if the file does not exist.
std::string state_of(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return {};
  const auto time = std::filesystem::last_write_time(path, error);
  return error ? std::string{} : fmt::format("{} {}", bytes, time.time_since_epoch().count());
}

}  // namespace

void KeptModels::add(LoadedModel left) {
  left.model->unload();
  std::string file = state_of(left.model->info().path);
  kept_.push_front({std::move(left), std::move(file)});
  if (kept_.size() > kMost) kept_.pop_back();
}

LoadedModel KeptModels::take(const std::string& path) {
  const auto is_wanted = [&](const Kept& kept) {
    return kept.left.model->info().path == path || kept.left.options.path == path;
  };
  const auto found = std::ranges::find_if(kept_, is_wanted);
  if (found == kept_.end()) return {};
  Kept kept = std::move(*found);
  kept_.erase(found);
  if (kept.file.empty() || kept.file != state_of(kept.left.model->info().path)) return {};
  while (kept.left.model->next_event()) continue;
  return std::move(kept.left);
}

std::string Backend::take_notice() {
  if (notice.empty() && kv != nullptr && !told_saving_off) {
    notice = kv->stats().saving_off;
    told_saving_off = !notice.empty();
  }
  return std::exchange(notice, {});
}

void Backend::close() {
  awaited.reset();
  model.reset();
  kept.clear();
  if (kv != nullptr) kv->flush(std::chrono::seconds(5));
}

namespace {

constexpr const char* kDemoModel = "confab-demo.gguf";
// At the start, waits this long for a locked database; after that, it is opened later.
constexpr std::chrono::milliseconds kSoon{300};

void add_notice(Backend& backend, const std::string& line) {
  if (!backend.notice.empty()) backend.notice += '\n';
  backend.notice += line;
}

// A new conversation can do without the database; a saved one cannot.
void open_store(Backend& backend, const ChatOptions& options, const Paths& paths) {
  constexpr int kTries = 2;  // the cause of the first failure may have passed
  const bool goes_on = options.continue_last || options.resume;
  sessions::StoreOptions how{.may_open_later = !goes_on};
  if (!goes_on) how.patience = kSoon;
  if (!options.save) how.read_only_reason = "this chat is incognito, so nothing is saved";
  for (int i = 1; backend.store == nullptr; ++i) {
    try {
      backend.store = std::make_unique<sessions::Store>(paths.database, how);
    } catch (const sessions::StoreError& fault) {
      if (i < kTries) continue;
      if (goes_on) throw;
      add_notice(backend, fmt::format("this chat is not saved: {}", fault.what()));
      return;
    }
  }
  if (!options.save)
    return add_notice(backend,
                      "Incognito: the conversation is read, and nothing of this chat is saved.");
  if (const std::string& reason = backend.store->read_only_reason(); !reason.empty())
    add_notice(backend, fmt::format("{}: {}; until then, conversations can be read but not saved",
                                    paths.database.string(), reason));
}

std::string as_before(const std::string& model) {
  return fmt::format("Using {} again, as before in this conversation; /model switches models.",
                     model);
}

// The model named by -m; else the one that the resumed conversation used, if it is available; else
// the configured one.
ModelOptions choose_model(Backend& backend, const ChatOptions& options) {
  ModelOptions model = options.model;
  if (model.named || backend.store == nullptr) return model;
  const auto conversation = wanted_conversation(options, *backend.store);
  if (!conversation) return model;
  const std::string name = model_of(backend.store->messages(conversation->id));
  if (name.empty()) return model;
  const std::string configured = model.path.empty() ? "" : model_path(model);
  if (engine_choice(name, model.engines)) {
    if (name == configured) return model;
    model.path = name;
    add_notice(backend, as_before(name));
    return model;
  }
  std::vector<FoundModel> models = find_models(configured);
  const auto is_configured = [&](const std::filesystem::path& file) {
    return configured.empty() ? file.filename() == kDemoModel : file == configured;
  };
  // the first to be looked at
  std::ranges::stable_partition(models, is_configured, &FoundModel::path);
  const auto file = file_of_model_called(name, models);
  if (!file || is_configured(*file)) return model;
  model.path = *file;
  add_notice(backend, as_before(name));
  return model;
}

// `returned_bytes` is the memory that the previous model gives back.
std::unique_ptr<engine::ChatModel> load(const Backend& backend, const ModelOptions& options,
                                        std::uint64_t returned_bytes = 0) {
  engine::LoadOptions load = load_options(options);
  load.returned_bytes = returned_bytes;
  load.store = backend.blocks.get();
  load.team = backend.team;
  if (backend.watch_copying) load.on_copied = backend.watch_copying();
  return engine::load_chat_model(load);
}

std::unique_ptr<AwaitedEngine> await_engine(const Backend& backend, const EngineChoice& choice,
                                            const ModelOptions& options) {
  const auto known = backend.keys.find(choice.engine.name);
  return std::make_unique<AwaitedEngine>(
      choice, options.n_ctx,
      known == backend.keys.end() ? std::nullopt : std::optional(known->second));
}

// Throws like AwaitedEngine::take().
std::unique_ptr<engine::ChatModel> take(Backend& backend, AwaitedEngine& engine) {
  AwaitedEngine::Ready ready = engine.take();
  backend.keys[engine.name()] = std::move(ready.key);
  return std::move(ready.model);
}

std::unique_ptr<engine::ChatModel> load_elsewhere(Backend& backend, const EngineChoice& choice,
                                                  const WaitAtStart& wait) {
  const auto engine = await_engine(backend, choice, backend.options);
  while (!engine->is_over()) {
    if (!wait)
      wait_readable({engine->wake_fd()});
    else if (!wait(engine->wake_fd(), engine->text()))
      engine->stop();
  }
  return take(backend, *engine);
}

// If a remote engine does not answer, the chat starts with another model, unless this one was asked
// for.
void load_first(Backend& backend, const ModelOptions& configured, const WaitAtStart& wait) {
  ModelOptions& options = backend.options;
  const auto elsewhere = engine_choice(options.path, options.engines);
  try {
    backend.model = elsewhere ? load_elsewhere(backend, *elsewhere, wait) : load(backend, options);
  } catch (const std::runtime_error& fault) {
    if (options.named || !elsewhere) throw;
    if (configured.path == options.path)
      options.path.clear();
    else
      options = configured;
    backend.model = load(backend, options);
    add_notice(backend, fmt::format("{}; using {} instead, /model chooses another", fault.what(),
                                    backend.model->info().name));
  }
}

void tell_new_model(Backend& backend) {
  const engine::ModelInfo& model = backend.model->info();
  if (!model.notice.empty()) add_notice(backend, model.notice);
  if (!model.device_reason.empty())
    backend.log.add(
        fmt::format("{} runs on {}", ui::one_line(model.name), device_choice_text(model)));
  if (model.is_in_the_clear && backend.told_in_the_clear.insert(model.place).second)
    add_notice(backend, fmt::format("what you say goes to {} unencrypted: use https:// if others "
                                    "can read on the way",
                                    model.place));
}

}  // namespace

Backend open_backend(const ChatOptions& options, const Paths& paths, bool with_store,
                     const AtStart& at_start) {
  engine::platform::save_address_space();  // before any thread starts
  Backend backend;
  if (!options.notice.empty()) add_notice(backend, options.notice);
  const bool goes_on = options.continue_last || options.resume;
  if (with_store || goes_on) open_store(backend, options, paths);
  if (with_store && options.save) backend.log = EventLog(paths.log);
  if (options.save) {
    try {
      backend.kv = std::make_unique<sessions::KvStore>(
          sessions::KvStoreOptions{.directory = paths.kv,
                                   .block_tokens = engine::kBlockTokens,
                                   .max_bytes = options.cache_max_bytes});
      backend.blocks = std::make_unique<KvBlockStore>(*backend.kv);
    } catch (const sessions::StoreError& fault) {
      add_notice(backend, fmt::format("no prompt cache: {}", fault.what()));
    }
  }
  backend.options = choose_model(backend, options);
  backend.team = engine::make_team(backend.options.n_threads);
  backend.watch_copying = at_start.watch_copying;
  load_first(backend, options.model, at_start.wait);
  tell_new_model(backend);
  backend.is_demo = backend.options.path.empty();
  return backend;
}

namespace {

ModelOptions options_of_other(const Backend& backend, const std::string& path) {
  ModelOptions options = backend.options;
  options.path = path;
  options.draft.wanted = false;  // it belonged to the previous model
  return options;
}

// A device rarely has room for two models, so the old one makes room first. It is copied again if
// it has to continue.
void make_room_on_device(engine::ChatModel& before) {
  if (before.info().device.empty()) return;
  if (const std::future<void> done = before.unload(); done.valid()) done.wait();
}

// The old model is unloaded once the new one is loaded, and holds nearly all of the program's
// memory.
LoadedModel load_other(const Backend& backend, const std::string& path) {
  const engine::platform::MemoryUse use = engine::platform::memory_use();
  make_room_on_device(*backend.model);
  LoadedModel other{.model = {}, .options = options_of_other(backend, path)};
  other.model = load(backend, other.options, use.anonymous_bytes + use.mapped_bytes);
  return other;
}

// Afterwards, `next` holds the previous model.
void put_in_place(Backend& backend, Chat& chat, LoadedModel& next) {
  next.model->spare_memory(backend.spares_memory);
  next.model->spare_power(backend.spares_power);
  chat.use_model(*next.model);
  std::swap(backend.model, next.model);
  std::swap(backend.options, next.options);
  const std::filesystem::path file(backend.options.path);
  backend.is_demo = file.empty() || file.filename() == kDemoModel;
  if (next.model->info().place.empty()) backend.kept.add(std::move(next));
}

}  // namespace

void use_model(Backend& backend, Chat& chat, const std::string& path, SwitchEnd then) {
  if (const auto elsewhere = engine_choice(path, backend.options.engines)) {
    ModelOptions options = options_of_other(backend, path);
    auto engine = await_engine(backend, *elsewhere, options);
    backend.awaited = AwaitedModel{std::move(engine), std::move(options), std::move(then)};
    return;
  }
  LoadedModel next = backend.kept.take(path);
  const bool was_kept = next.model != nullptr;
  if (!was_kept) next = load_other(backend, path);
  try {
    put_in_place(backend, chat, next);
  } catch (...) {
    if (was_kept) backend.kept.add(std::move(next));
    throw;
  }
  if (!was_kept) tell_new_model(backend);
  if (then) then("");
}

int awaited_fd(const Backend& backend) noexcept {
  return backend.awaited ? backend.awaited->engine->wake_fd() : -1;
}

void take_awaited(Backend& backend, Chat& chat) {
  if (!backend.awaited || !backend.awaited->engine->is_over()) return;
  const AwaitedModel awaited = *std::exchange(backend.awaited, std::nullopt);
  std::string fault;
  try {
    LoadedModel next{.model = take(backend, *awaited.engine), .options = awaited.options};
    put_in_place(backend, chat, next);
    tell_new_model(backend);
  } catch (const std::runtime_error& error) {  // ModelError, UserError, StoreError
    fault = error.what();
  }
  if (awaited.then) awaited.then(fault);
}

void open_conversation(Backend& backend, Chat& chat, const sessions::Conversation& conversation) {
  const bool was_open = chat.conversation() == conversation.id;
  chat.open(conversation);
  const std::string wanted = model_of(chat.messages());
  const engine::ModelInfo& now = chat.model_info();
  if (was_open || wanted.empty() || wanted == now.name || backend.options.named) return;
  chat.take_notice();  // drops the notice that another model answers; this function knows why
  const auto tell = [&backend, &chat, wanted](const std::string& fault) {
    add_notice(backend, fault.empty()
                            ? as_before(wanted)
                            : fmt::format("This conversation used {}, which {}; using {} instead.",
                                          wanted, fault, chat.model_info().name));
  };
  const auto tell_end = [tell](const std::string& fault) {
    tell(fault.empty() ? "" : fmt::format("cannot be loaded ({})", fault));
  };
  try {
    if (engine_choice(wanted, backend.options.engines))
      return use_model(backend, chat, wanted, tell_end);
    if (const auto file = file_of_model_called(wanted, find_models(now.path)))
      return use_model(backend, chat, *file, tell_end);
    tell("is not on this machine");
  } catch (const std::runtime_error& error) {
    tell_end(error.what());
  }
}

sessions::Conversation conversation_by_name(sessions::Store& store, const std::string& name_or_id) {
  const std::vector<sessions::Conversation> found = sessions::Catalog(store).find(name_or_id);
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw UserError(fmt::format("no conversation '{}'; confab list shows them", name_or_id));
  std::string candidates;
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i)
    candidates += fmt::format("{}#{} ({})", i == 0 ? "" : ", ",
                              static_cast<std::int64_t>(found[i].id), found[i].title);
  throw UserError(fmt::format("'{}' matches {} conversations; give a number: {}{}", name_or_id,
                              found.size(), candidates, found.size() > kShown ? ", ..." : ""));
}

std::optional<sessions::Conversation> wanted_conversation(const ChatOptions& options,
                                                          sessions::Store& store) {
  if (options.resume) return conversation_by_name(store, *options.resume);
  if (!options.continue_last) return std::nullopt;
  std::optional<sessions::Conversation> latest = store.latest_conversation();
  if (!latest) throw UserError("no conversation to continue yet: start one with confab");
  return latest;
}

}  // namespace confab::app
