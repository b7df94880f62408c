// SPDX-License-Identifier: MIT
// Paths and fields as of August 2026: llama.cpp tools/server/README.md, vLLM's and SGLang's
// OpenAI-compatible servers, lmstudio.ai/docs (REST API v0 and v1), Ollama docs/api.md.
#include "engine/remote/engine_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "engine/ascii_case.h"
#include "engine/error.h"
#include "engine/remote/error_reply.h"
#include "engine/remote/http_client.h"
#include "engine/remote/json_fields.h"

namespace confab::engine {
namespace {

constexpr int kOk = 200;
constexpr std::size_t kMostModels = 2000;

HttpRequest request_to(const EngineAddress& address, const std::string& path) {
  return {.url = address.url + path,
          .key = address.key,
          .connect = address.connect,
          .most = 5 * address.connect};
}

// nullopt if there is no response, or not a usable one.
std::optional<Json> json_of(const HttpAnswer& answer) {
  if (!answer.fault.empty() || answer.head.status != kOk) return std::nullopt;
  std::optional<Json> json = parse_json(answer.body);
  if (!json || !json->is_object() || error_in(*json)) return std::nullopt;
  return json;
}

[[noreturn]] void fail(const EngineAddress& address, const std::string& fault) {
  throw ModelError(fmt::format("{}: {}", address.name, fault));
}

// nullptr if there is no such list.
const Json* list_in(const Json& json, const char* key) {
  const Json* list = field(json, key);
  return list != nullptr && list->is_array() ? list : nullptr;
}

// Whether it ends in a version, "/v4" or "/v1beta/openai", so that no other version is to be added.
bool is_version(const std::string& url) {
  if (url.ends_with("/openai")) return true;
  const std::string_view last = std::string_view(url).substr(url.rfind('/') + 1);
  return last.size() > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9';
}

// Parses "8.0B" or "270M"; 0 if it is not a number of parameters.
std::int64_t n_params_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const double scale = *end == 'B' ? 1e9 : *end == 'M' ? 1e6 : *end == 'K' ? 1e3 : 0;
  const double n = number * scale;
  return std::isfinite(n) && n > 0 && n < 1e16 ? static_cast<std::int64_t>(n) : 0;
}

EngineKind kind_by_owner(const Json& models) {
  const Json* list = list_in(models, "data");
  if (list == nullptr || list->empty()) return EngineKind::other;
  const std::string owner = text_of(field(list->elements().front(), "owned_by"));
  if (owner == "llamacpp") return EngineKind::llama_server;
  if (owner == "vllm") return EngineKind::vllm;
  if (owner == "sglang") return EngineKind::sglang;
  if (owner == "organization_owner") return EngineKind::lm_studio;
  return EngineKind::other;
}

ServedModel openai_model(const Json& entry) {
  ServedModel model{.id = text_of(field(entry, "id"))};
  model.n_ctx = count_of(field(entry, "max_model_len"));
  model.is_loaded = true;
  const Json* meta = field(entry, "meta");
  if (meta == nullptr) return model;
  model.n_ctx = count_of(field(*meta, "n_ctx"));
  model.n_ctx_train = count_of(field(*meta, "n_ctx_train"));
  model.n_params = whole_of(field(*meta, "n_params")).value_or(0);
  model.bytes = static_cast<std::uint64_t>(whole_of(field(*meta, "size")).value_or(0));
  model.quantisation = text_of(field(*meta, "ftype"));
  // In router mode llama-server also lists models that it could load.
  model.is_loaded = model.n_ctx > 0;
  return model;
}

void take_models(const Json& json, EngineFacts& facts) {
  const Json* list = list_in(json, "data");
  if (list == nullptr) return;
  for (const Json& entry : list->elements())
    if (ServedModel model = openai_model(entry);
        !model.id.empty() && facts.models.size() < kMostModels)
      facts.models.push_back(std::move(model));
}

void take_llama_props(const Json& props, EngineFacts& facts) {
  facts.n_slots = count_of(field(props, "total_slots"));
  facts.version = text_of(field(props, "build_info"));
  facts.chat_template = text_of(field(props, "chat_template"));
  const int n_ctx = count_of(field(props, "default_generation_settings", "n_ctx"));
  if (facts.models.size() == 1 && facts.models.front().n_ctx == 0)
    facts.models.front().n_ctx = n_ctx;
}

ServedModel* model_called(EngineFacts& facts, const std::string& id) {
  const auto found = std::ranges::find(facts.models, id, &ServedModel::id);
  return found == facts.models.end() ? nullptr : &*found;
}

// REST API v0.
void take_lm_studio(const Json& json, EngineFacts& facts) {
  const Json* list = list_in(json, "data");
  if (list == nullptr) return;
  for (const Json& entry : list->elements()) {
    const std::string id = text_of(field(entry, "id"));
    if (text_of(field(entry, "type")) == "embeddings")
      std::erase_if(facts.models, [&](const ServedModel& model) { return model.id == id; });
    ServedModel* model = model_called(facts, id);
    if (model == nullptr) continue;
    model->is_loaded = text_of(field(entry, "state")) == "loaded";
    model->n_ctx = count_of(field(entry, "loaded_context_length"));
    model->n_ctx_train = count_of(field(entry, "max_context_length"));
    model->quantisation = text_of(field(entry, "quantization"));
  }
}

// REST API v1, which reports the context in cases where v0 does not.
void take_lm_studio_v1(const Json& json, EngineFacts& facts) {
  const Json* list = list_in(json, "models");
  if (list == nullptr) return;
  for (const Json& entry : list->elements()) {
    const Json* instances = list_in(entry, "loaded_instances");
    if (instances == nullptr) continue;
    for (const Json& instance : instances->elements()) {
      ServedModel* model = model_called(facts, text_of(field(instance, "id")));
      if (model == nullptr) model = model_called(facts, text_of(field(entry, "key")));
      if (model == nullptr) continue;
      model->is_loaded = true;
      if (const int n = count_of(field(instance, "config", "context_length")); n > 0)
        model->n_ctx = n;
      model->n_params = n_params_of(text_of(field(entry, "params_string")));
      model->bytes = static_cast<std::uint64_t>(whole_of(field(entry, "size_bytes")).value_or(0));
    }
  }
}

void take_ollama(const std::optional<Json>& tags, const std::optional<Json>& running,
                 EngineFacts& facts) {
  facts.models.clear();
  const Json* list = tags ? list_in(*tags, "models") : nullptr;
  if (list == nullptr) return;
  for (const Json& entry : list->elements()) {
    if (facts.models.size() >= kMostModels) break;
    ServedModel model{.id = text_of(field(entry, "name"))};
    if (model.id.empty()) continue;
    model.bytes = static_cast<std::uint64_t>(whole_of(field(entry, "size")).value_or(0));
    model.n_params = n_params_of(text_of(field(entry, "details", "parameter_size")));
    model.quantisation = text_of(field(entry, "details", "quantization_level"));
    facts.models.push_back(std::move(model));
  }
  const Json* loaded = running ? list_in(*running, "models") : nullptr;
  if (loaded == nullptr) return;
  for (const Json& entry : loaded->elements()) {
    ServedModel* model = model_called(facts, text_of(field(entry, "name")));
    if (model == nullptr) continue;
    model->is_loaded = true;
    model->n_ctx = count_of(field(entry, "context_length"));
  }
}

std::vector<HttpAnswer> ask(HttpClient& client, const EngineAddress& address,
                            const std::vector<const char*>& paths) {
  std::vector<HttpRequest> requests;
  for (const char* path : paths) requests.push_back(request_to(address, path));
  return fetch_all(client, std::move(requests));
}

void learn_kind(HttpClient& client, const EngineAddress& address, EngineFacts& facts) {
  if (facts.kind == EngineKind::llama_server) {
    if (const auto props = json_of(ask(client, address, {"/props"}).front()))
      take_llama_props(*props, facts);
  } else if (facts.kind == EngineKind::lm_studio) {
    const auto answers = ask(client, address, {"/api/v0/models", "/api/v1/models"});
    if (const auto old = json_of(answers[0])) take_lm_studio(*old, facts);
    if (const auto now = json_of(answers[1])) take_lm_studio_v1(*now, facts);
  } else if (facts.kind == EngineKind::ollama) {
    const auto answers = ask(client, address, {"/api/tags", "/api/ps"});
    take_ollama(json_of(answers[0]), json_of(answers[1]), facts);
  }
}

// Whether the response means that the engine does not have this path.
bool has_no_list(const HttpAnswer& answer) {
  constexpr int kNotFound = 404, kNotAllowed = 405, kGone = 410, kNotMade = 501;
  if (!answer.fault.empty()) return false;
  const int status = answer.head.status;
  return status == kOk || status == kNotFound || status == kNotAllowed || status == kGone ||
         status == kNotMade;
}

// The list of models from whichever of these addresses has one; nullopt if none has.
std::optional<Json> list_of(HttpClient& client, const EngineAddress& address, HttpAnswer& answer,
                            EngineFacts& facts) {
  auto models = json_of(answer);
  if (models && list_in(*models, "data") != nullptr) return models;
  // For example "https://engine.example/api/paas/v4", the base to which other programs add
  // "/models".
  const bool has_path = address.url.find('/', address.url.find("//") + 2) != std::string::npos;
  if (has_path && has_no_list(answer)) {
    HttpAnswer at_base = std::move(ask(client, address, {"/models"}).front());
    auto others = json_of(at_base);
    const bool is_list = others && list_in(*others, "data") != nullptr;
    const bool says_more = !has_no_list(at_base);  // it wants a key
    if (is_list || says_more) {
      facts.api.clear();
      answer = std::move(at_base);
    }
    if (is_list) return others;
    if (!says_more && is_version(address.url)) facts.api.clear();
  }
  return models;
}

// Explains why neither response lists any models.
[[noreturn]] void refuse(const EngineAddress& address, const HttpAnswer& models) {
  constexpr int kNoKey = 401, kWrongKey = 403, kNotFound = 404;
  if (!models.fault.empty()) {
    // An engine without a name is called by its address, which the fault already contains.
    if (models.fault == "nothing answers at " + address.name)
      throw ModelError("no engine is running at " + address.name);
    if (models.fault.find(address.name) != std::string::npos) throw ModelError(models.fault);
    fail(address, models.fault);
  }
  const int status = models.head.status;
  const std::string said = refusal_of(models.head, models.body).message;
  if (status == kNoKey || status == kWrongKey)
    throw KeyRefused(fmt::format(
        "{}: it refuses the key: {}; key_env, key_command or key_file in config.toml name the "
        "right one",
        address.name, said));
  if (status == kNotFound || status == kOk)
    fail(address, fmt::format("no engine that confab knows answers at {}", address.url));
  fail(address, said);
}

}  // namespace

EngineFacts probe_engine(HttpClient& client, const EngineAddress& address, const ProbeWait& wait) {
  for (int tries = 0;; ++tries) {
    std::vector<HttpAnswer> answers = ask(client, address, {"/v1/models", "/api/version"});
    const auto pause = retry_after(answers[0].head, tries);
    if (answers[0].fault.empty() && pause && wait) {
      const std::string said = refusal_of(answers[0].head, answers[0].body).message;
      if (!wait(fmt::format("{} is not ready: {}", address.name, said)))
        fail(address, "not waited for");
      continue;
    }
    EngineFacts facts;
    const auto models = list_of(client, address, answers[0], facts);
    const auto version = json_of(answers[1]);
    if (models) {
      facts.kind = kind_by_owner(*models);
      take_models(*models, facts);
    }
    if (facts.kind == EngineKind::other && version) {
      facts.version = text_of(field(*version, "version"));
      if (!facts.version.empty()) facts.kind = EngineKind::ollama;
    }
    const bool is_known = !address.models.empty() && has_no_list(answers[0]);
    if (facts.kind == EngineKind::other && !models && !is_known) refuse(address, answers[0]);
    learn_kind(client, address, facts);
    if (facts.models.empty())
      for (const std::string& name : address.models)
        facts.models.push_back({.id = name, .is_loaded = true});
    return facts;
  }
}

void learn_model(HttpClient& client, const EngineAddress& address, EngineKind kind,
                 ServedModel& model) {
  if (kind != EngineKind::ollama) return;
  HttpRequest request = request_to(address, "/api/show");
  request.body = Json{{"model", model.id}}.dump();
  const auto shown = json_of(fetch(client, std::move(request)));
  if (!shown) return;
  const Json* facts = field(*shown, "model_info");
  if (facts != nullptr)
    for (const auto& [key, value] : facts->members())
      if (key.ends_with(".context_length")) model.n_ctx_train = count_of(&value);
  if (const Json* skills = list_in(*shown, "capabilities"))
    model.can_reason =
        std::ranges::find(skills->elements(), Json("thinking")) != skills->elements().end();
}

const ServedModel& find_served(const EngineFacts& facts, const EngineAddress& address,
                               const std::string& name) {
  if (facts.models.empty()) fail(address, "it has no models yet; load one there first");
  if (name.empty()) {
    const auto loaded = std::ranges::find_if(facts.models, &ServedModel::is_loaded);
    return loaded == facts.models.end() ? facts.models.front() : *loaded;
  }
  std::vector<const ServedModel*> found;
  for (const ServedModel& model : facts.models) {
    if (model.id == name || model.id == name + ":latest") return model;
    if (ascii_lower(model.id).find(ascii_lower(name)) != std::string::npos) found.push_back(&model);
  }
  if (found.size() == 1) return *found.front();
  std::string names;
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(facts.models.size(), kShown); ++i)
    names += (i == 0 ? "" : ", ") + printable(facts.models[i].id);
  if (facts.models.size() > kShown) names += ", ...";
  fail(address, found.empty() ? fmt::format("no model '{}'; it has {}", printable(name), names)
                              : fmt::format("'{}' may be any of {} models; it has {}",
                                            printable(name), found.size(), names));
}

}  // namespace confab::engine
