// SPDX-License-Identifier: MIT
#include "app/engines/engine_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <utility>

#include "app/error.h"
#include "app/figures.h"
#include "app/paths.h"
#include "base/thread.h"
#include "engine/error.h"
#include "engine/remote/url.h"

namespace confab::app {
namespace {

// The ports of llama-server, vLLM, SGLang, Ollama and LM Studio, from their makers' documentation,
// August 2026.
constexpr std::array kUsualPorts{8080, 8000, 30000, 11434, 1234};
constexpr std::chrono::milliseconds kNear{100};

EngineConfig at_url(std::string_view url) {
  EngineConfig engine{.name = engine::host_of(url), .url = engine::base_url(url)};
  if (engine.name.empty())
    throw UserError(
        "an URL of an engine needs a host, and no name or password before it; keys stand in "
        "config.toml as key_env, key_command or key_file");
  if (!engine::is_loopback(url)) engine.name = engine.url;
  return engine;
}

const EngineConfig* engine_called(std::span<const EngineConfig> engines, std::string_view name) {
  const auto found = std::ranges::find(engines, name, &EngineConfig::name);
  return found == engines.end() ? nullptr : &*found;
}

EngineChoice choice_of_url(const std::string& name, std::span<const EngineConfig> engines) {
  const std::size_t hash = std::min(name.find('#'), name.size());
  const std::string url = name.substr(0, hash);
  std::string model = name.substr(std::min(hash + 1, name.size()));
  EngineConfig found = at_url(url);
  const auto known = std::ranges::find(engines, found.url, &EngineConfig::url);
  return {known != engines.end() ? *known : std::move(found), std::move(model)};
}

// The part of "v1/chat/completions" after an address that belongs to the engine's path: up to the
// version, "v1". Empty if the text is the name of a model.
std::string path_in(const std::string& behind) {
  const std::string first = behind.substr(0, behind.find('/'));
  const bool is_version = first.size() > 1 && first[0] == 'v' &&
                          first.find_first_not_of("0123456789", 1) == std::string::npos;
  return is_version ? first : "";
}

// Whether it is an address such as "127.0.0.1:8080". A name such as Ollama's "llama3.2:3b" is not.
bool is_local_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return false;
  const bool is_port = text.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return is_port && engine::is_loopback("http://" + text);
}

}  // namespace

AwaitedEngine::AwaitedEngine(EngineChoice choice, int n_ctx, std::optional<std::string> key)
    : choice_(std::move(choice)),
      n_ctx_(n_ctx),
      key_(std::move(key)),
      client_(std::make_shared<engine::HttpClient>()),
      thread_(base::stack::kUsual, [this](const std::stop_token& stop) { run(stop); }) {}

AwaitedEngine::~AwaitedEngine() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  client_.reset();  // its thread uses what the model owns
}

bool AwaitedEngine::is_over() {
  wake_.clear();  // before the state is read, so that a later change wakes again
  return state_.with([](const State& state) { return state.is_over; });
}

std::string AwaitedEngine::text() {
  const std::string reason = state_.with([](const State& state) { return state.reason; });
  return reason.empty() ? fmt::format("waiting for {}", name()) : reason;
}

void AwaitedEngine::tell(State state) {
  state_.with([&](State& now) { return now = std::move(state), true; });
  wake_.set();
}

// Waits a moment before the next attempt. Returns false if a stop was requested.
bool AwaitedEngine::wait(const std::string& reason, const std::stop_token& stop) {
  tell({.reason = reason});
  std::mutex mutex;  // guards nothing: only a stop request wakes
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
  return !stop.stop_requested();
}

AwaitedEngine::Ready AwaitedEngine::load(const std::stop_token& stop) {
  const auto reach = [&](const std::string& key) {
    engine::RemoteOptions options = remote_options(choice_, key);
    options.n_ctx = n_ctx_;
    options.wait = [&](const std::string& reason) { return wait(reason, stop); };
    return Ready{engine::load_remote_model(options, client_), key};
  };
  if (key_) {
    try {
      return reach(*key_);
    } catch (const engine::KeyRefused&) {  // the key may have expired
    }
  }
  return reach(key_of(choice_.engine, stop));
}

void AwaitedEngine::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { client_->abandon(); });
  try {
    ready_ = load(stop);
  } catch (...) {
    fault_ = std::current_exception();
  }
  tell({.is_over = true});
}

AwaitedEngine::Ready AwaitedEngine::take() {
  const bool was_stopped = thread_.get_stop_token().stop_requested();
  thread_.join();
  client_.reset();  // from here on only the model uses it
  if (was_stopped) throw engine::ModelError(fmt::format("{}: not waited for", name()));
  if (fault_) std::rethrow_exception(fault_);
  return std::move(ready_);
}

std::optional<EngineChoice> engine_choice(const std::string& name,
                                          std::span<const EngineConfig> engines) {
  if (engine::is_url(name)) return choice_of_url(name, engines);
  const std::size_t slash = std::min(name.find('/'), name.size());
  const std::string first = name.substr(0, slash);
  std::string model = name.substr(std::min(slash + 1, name.size()));
  if (const EngineConfig* known = engine_called(engines, first)) {
    std::error_code error;
    const bool is_file = std::filesystem::is_regular_file(expand_home(name), error);
    if (!is_file) return EngineChoice{*known, std::move(model)};
  }
  if (is_local_address(first)) {
    std::string url = "http://" + first;
    if (const std::string path = path_in(model); !path.empty()) {
      url += '/' + path;
      model.erase(0, path.size() + 1);
      if (const std::string rest = model; engine::base_url(url + '/' + rest) != url + '/' + rest)
        model.clear();  // "chat/completions", pasted together with the address
    }
    EngineChoice choice = choice_of_url(url, engines);
    if (!model.empty()) choice.model = std::move(model);
    return choice;
  }
  return std::nullopt;
}

engine::RemoteOptions remote_options(const EngineChoice& choice, std::string key) {
  return {.address = {.name = choice.engine.name,
                      .url = choice.engine.url,
                      .key = std::move(key),
                      .models = choice.engine.models,
                      .silence = std::chrono::seconds(choice.engine.timeout)},
          .model = choice.model};
}

std::vector<EngineConfig> usual_engines(std::span<const EngineConfig> engines) {
  std::vector<EngineConfig> usual;
  for (const int port : kUsualPorts) {
    const std::string host = fmt::format("127.0.0.1:{}", port);
    const bool is_known = std::ranges::any_of(engines, [&](const EngineConfig& engine) {
      const std::string of = engine::host_of(engine.url);
      return of == host || of == fmt::format("localhost:{}", port);
    });
    if (!is_known) usual.push_back({.name = host, .url = "http://" + host});
  }
  return usual;
}

std::vector<AskedEngine> ask_engines(std::vector<EngineConfig> engines,
                                     std::chrono::milliseconds connect) {
  std::vector<AskedEngine> asked(engines.size());
  std::vector<base::Thread> threads;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    asked[i].config = std::move(engines[i]);
    threads.emplace_back(base::stack::kUsual, [&of = asked[i], connect](const std::stop_token&) {
      try {
        engine::RemoteOptions options = remote_options({of.config, {}}, key_of(of.config));
        options.address.connect = connect;
        engine::HttpClient client;
        of.facts = engine::probe_engine(client, options.address);
      } catch (const std::runtime_error& fault) {  // ModelError, UserError
        of.fault = fault.what();
      }
    });
  }
  threads.clear();  // waits until all have finished
  return asked;
}

std::vector<AskedEngine> running_engines(std::span<const EngineConfig> engines) {
  std::vector<AskedEngine> asked = ask_engines(usual_engines(engines), kNear);
  std::erase_if(asked, [](const AskedEngine& engine) { return !engine.fault.empty(); });
  return asked;
}

std::vector<OfferedModel> offered_models(std::span<const EngineConfig> engines) {
  std::vector<OfferedModel> offered;
  for (const EngineConfig& engine : engines) {
    for (const std::string& model : engine.models)
      offered.push_back({engine.name + "/" + model, engine::host_of(engine.url)});
    if (engine.models.empty()) offered.push_back({engine.name, engine::host_of(engine.url)});
  }
  for (const AskedEngine& engine : running_engines(engines))
    for (const engine::ServedModel& model : engine.facts.models)
      offered.push_back(
          {engine::name_at(engine.config.name, model.id), engine::name_of(engine.facts.kind)});
  return offered;
}

}  // namespace confab::app
