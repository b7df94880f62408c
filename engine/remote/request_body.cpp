// SPDX-License-Identifier: MIT
// Fields as of August 2026: llama.cpp tools/server/README.md, vLLM's "Extra parameters", SGLang's
// sampling parameters, lmstudio.ai/docs, Ollama docs/api.md and docs/modelfile.md.
#include "engine/remote/request_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "engine/error.h"
#include "engine/remote/json_fields.h"

namespace confab::engine {
namespace {

using Kind = EngineKind;
using Shape = ConstraintSpec::Kind;

constexpr unsigned bit(Kind kind) {
  return 1U << static_cast<unsigned>(kind);
}
constexpr unsigned kLlama = bit(Kind::llama_server);
constexpr unsigned kBatching = bit(Kind::vllm) | bit(Kind::sglang);
constexpr unsigned kStudio = bit(Kind::lm_studio);
constexpr unsigned kOllama = bit(Kind::ollama);
constexpr unsigned kAll = kLlama | kBatching | kStudio | kOllama | bit(Kind::other);

// A sampling parameter, by name, and the engines that support it.
struct Field {
  std::string_view name;
  unsigned kinds;
  Json (*value)(const SamplerParams&);
  std::string_view other = {};  // vLLM's and SGLang's name; empty if it is the same
};

template <auto Member>
Json value_of(const SamplerParams& params) {
  return params.*Member;
}

Json sampler_names(const SamplerParams& params) {
  Json names = Json::array();
  for (const SamplerKind kind : params.samplers) names.push_back(sampler_name(kind));
  return names;
}

// Pairs of a token, or its text if the token is not known here, and a bias.
Json biases(const SamplerParams& params) {
  Json list = Json::array();
  for (const LogitBias& bias : params.logit_bias) {
    const Json what = bias.token >= 0 ? Json(bias.token) : Json(bias.text);
    list.push_back(Json::array({what, bias.bias < -1e30F ? Json(false) : Json(bias.bias)}));
  }
  return list;
}

Json seed_of(const SamplerParams& params) {
  constexpr std::uint64_t kMost = 0x7FFFFFFF;  // some engines accept no more
  return params.seed ? Json(*params.seed & kMost) : Json();
}

using P = SamplerParams;
constexpr std::array kFields{
    Field{"temperature", kAll, &value_of<&P::temperature>},
    Field{"top_p", kAll, &value_of<&P::top_p>},
    Field{"frequency_penalty", kAll, &value_of<&P::frequency_penalty>},
    Field{"presence_penalty", kAll, &value_of<&P::presence_penalty>},
    Field{"seed", kAll, &seed_of},
    Field{"top_k", kLlama | kBatching | kStudio | kOllama, &value_of<&P::top_k>},
    Field{"min_p", kLlama | kBatching | kStudio | kOllama, &value_of<&P::min_p>},
    Field{"repeat_penalty", kLlama | kBatching | kStudio | kOllama, &value_of<&P::repeat_penalty>,
          "repetition_penalty"},
    Field{"repeat_last_n", kLlama | kOllama, &value_of<&P::repeat_last_n>},
    Field{"typical_p", kLlama | kOllama, &value_of<&P::typical_p>},
    Field{"ignore_eos", kLlama | kBatching, &value_of<&P::ignore_eos>},
    Field{"samplers", kLlama, &sampler_names},
    Field{"xtc_probability", kLlama, &value_of<&P::xtc_probability>},
    Field{"xtc_threshold", kLlama, &value_of<&P::xtc_threshold>},
    Field{"top_n_sigma", kLlama, &value_of<&P::top_n_sigma>},
    Field{"dynatemp_range", kLlama, &value_of<&P::dynatemp_range>},
    Field{"dynatemp_exponent", kLlama, &value_of<&P::dynatemp_exponent>},
    Field{"mirostat", kLlama, &value_of<&P::mirostat>},
    Field{"mirostat_tau", kLlama, &value_of<&P::mirostat_tau>},
    Field{"mirostat_eta", kLlama, &value_of<&P::mirostat_eta>},
    Field{"dry_multiplier", kLlama, &value_of<&P::dry_multiplier>},
    Field{"dry_base", kLlama, &value_of<&P::dry_base>},
    Field{"dry_allowed_length", kLlama, &value_of<&P::dry_allowed_length>},
    Field{"dry_penalty_last_n", kLlama, &value_of<&P::dry_penalty_last_n>},
    Field{"dry_sequence_breakers", kLlama, &value_of<&P::dry_sequence_breakers>},
    Field{"logit_bias", kLlama, &biases},
};

// vLLM and SGLang turn top_k off with -1 instead of 0.
Json as_batching(std::string_view name, Json value) {
  return name == "top_k" && value == 0 ? Json(-1) : value;
}

void put_sampling(Kind kind, const GenerateRequest& request, Json& into,
                  std::vector<std::string>& left_out) {
  const auto is_chosen = [&](std::string_view name) {
    return std::ranges::find(request.chosen, name) != request.chosen.end();
  };
  for (const Field& one : kFields) {
    const bool is_seed = one.name == "seed" && request.sampling.seed;  // each answer has its own
    if (!is_chosen(one.name) && !is_seed) continue;
    if ((one.kinds & bit(kind)) == 0) {
      left_out.emplace_back(one.name);
      continue;
    }
    Json value = one.value(request.sampling);
    if (value.is_null()) continue;
    const bool batching = (kBatching & bit(kind)) != 0;
    if (batching) value = as_batching(one.name, std::move(value));
    into[std::string(batching && !one.other.empty() ? one.other : one.name)] = std::move(value);
  }
}

Json message_of(const ChatMessage& message, const std::string& reasoning_key) {
  Json json{{"role", message.role}, {"content", message.content}};
  if (!message.reasoning.empty() && !reasoning_key.empty()) json[reasoning_key] = message.reasoning;
  return json;
}

// The key that this kind of engine uses, unless it has already shown one.
std::string reasoning_key(const Addressee& to) {
  if (!to.reasoning_key.empty()) return to.reasoning_key;
  switch (to.kind) {
    case Kind::ollama:
      return "thinking";
    case Kind::vllm:
      return "reasoning";
    case Kind::llama_server:
    case Kind::sglang:
      return "reasoning_content";
    default:
      return {};
  }
}

Json messages_of(const Addressee& to, const std::vector<Turn>& turns) {
  Json messages = Json::array();
  for (const Turn& turn : turns) messages.push_back(message_of(turn.message, reasoning_key(to)));
  return messages;
}

constexpr const char* kGoOn =
    "Go on with your last message from exactly where it stops, without repeating any of it.";

// These are fields of vLLM and SGLang that llama-server has too. Ollama's templates leave a last
// answer open. Other engines must be asked in words.
void go_on(Kind kind, Json& body) {
  if (kind == Kind::ollama) return;
  if (goes_on_exactly(kind)) {
    body["continue_final_message"] = true;
    body["add_generation_prompt"] = false;
    return;
  }
  body["messages"].push_back({{"role", "user"}, {"content", kGoOn}});
}

// As a string in llama.cpp's or xgrammar's grammars.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') {
      out += c;
      continue;
    }
    out += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
  }
  return out + '"';
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(R"(\^$.|?*+()[]{}/)").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string choices_pattern(const std::vector<std::string>& choices) {
  std::string pattern = "(";
  for (const std::string& choice : choices)
    pattern += (pattern.size() > 1 ? "|" : "") + escaped(choice);
  return pattern + ")";
}

[[noreturn]] void refuse_shape(Kind kind, const char* shape) {
  throw ModelError(fmt::format(
      "{} cannot hold an answer to {}; ask for a JSON Schema, or use a model on this machine",
      name_of(kind), shape));
}

Json schema_of(const ConstraintSpec& shape) {
  auto schema = parse_json(shape.text);
  if (!schema) throw ModelError("the schema is not JSON");
  return *std::move(schema);
}

void put_grammar(Kind kind, const ConstraintSpec& shape, Json& body) {
  if (kind == Kind::llama_server)
    body["grammar"] = shape.text;
  else if (kind == Kind::vllm)
    body["structured_outputs"] = {{"grammar", shape.text}};
  else if (kind == Kind::sglang)
    body["ebnf"] = shape.text;
  else
    refuse_shape(kind, "a grammar");
}

void put_pattern(Kind kind, const ConstraintSpec& shape, Json& body) {
  if (kind == Kind::vllm)
    body["structured_outputs"] = {{"regex", shape.text}};
  else if (kind == Kind::sglang)
    body["regex"] = shape.text;
  else
    refuse_shape(kind, "a regular expression");
}

void put_choices(Kind kind, const ConstraintSpec& shape, Json& body) {
  if (kind == Kind::llama_server)
    body["grammar"] = choices_grammar(shape.choices);
  else if (kind == Kind::vllm)
    body["structured_outputs"] = {{"choice", shape.choices}};
  else if (kind == Kind::sglang)
    body["regex"] = choices_pattern(shape.choices);
  else
    refuse_shape(kind, "a list of choices");
}

void put_shape(Kind kind, const ConstraintSpec& shape, Json& body) {
  if (shape.kind == Shape::none) return;
  if (!shape.opening.empty()) refuse_shape(kind, "a shape between markers");
  if (shape.kind == Shape::gbnf) return put_grammar(kind, shape, body);
  if (shape.kind == Shape::pattern) return put_pattern(kind, shape, body);
  if (shape.kind == Shape::choices) return put_choices(kind, shape, body);
  if (kind == Kind::ollama) {
    body["format"] = schema_of(shape);
    return;
  }
  body["response_format"] = {
      {"type", "json_schema"},
      {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", schema_of(shape)}}}};
}

void put_thinking(const Addressee& to, std::optional<bool> thinking, Json& body) {
  if (!thinking) return;
  if (to.kind == Kind::ollama) body["think"] = *thinking;
  if ((bit(to.kind) & (kLlama | kBatching)) != 0)
    body["chat_template_kwargs"] = {{"enable_thinking", *thinking}, {"thinking", *thinking}};
}

RequestBody openai_body(const Addressee& to, const GenerateRequest& request) {
  Json body{{"model", to.model},
            {"messages", messages_of(to, request.turns)},
            {"stream", true},
            {"stream_options", {{"include_usage", true}}}};
  std::vector<std::string> left_out;
  put_sampling(to.kind, request, body, left_out);
  if (request.n_predict > 0) body["max_tokens"] = request.n_predict;
  if (!request.stop.empty()) body["stop"] = request.stop;
  if (to.kind == Kind::llama_server) {
    body["return_progress"] = true;
    body["cache_prompt"] = true;
  }
  if (request.reasoning_budget >= 0) {
    if (to.kind == Kind::llama_server)
      body["reasoning_budget_tokens"] = request.reasoning_budget;
    else if (to.kind == Kind::vllm)
      body["thinking_token_budget"] = request.reasoning_budget;
    else
      left_out.emplace_back("reasoning_budget");
  }
  put_thinking(to, request.settings.thinking, body);
  put_shape(to.kind, request.shape, body);
  if (request.continues) go_on(to.kind, body);
  return {to.api + "/chat/completions", body.dump(), std::move(left_out)};
}

RequestBody ollama_body(const Addressee& to, const GenerateRequest& request) {
  Json options = Json::object();
  std::vector<std::string> left_out;
  put_sampling(to.kind, request, options, left_out);
  if (to.n_ctx > 0) options["num_ctx"] = to.n_ctx;
  if (request.n_predict > 0) options["num_predict"] = request.n_predict;
  if (!request.stop.empty()) options["stop"] = request.stop;
  if (request.reasoning_budget >= 0) left_out.emplace_back("reasoning_budget");
  Json body{{"model", to.model}, {"messages", messages_of(to, request.turns)},
            {"stream", true},    {"truncate", false},
            {"shift", false},    {"options", std::move(options)}};
  put_thinking(to, request.settings.thinking, body);
  put_shape(to.kind, request.shape, body);
  return {"/api/chat", body.dump(), std::move(left_out)};
}

}  // namespace

std::string choices_grammar(const std::vector<std::string>& choices) {
  std::string grammar = "root ::= ";
  for (std::size_t i = 0; i < choices.size(); ++i)
    grammar += (i == 0 ? "" : " | ") + quoted(choices[i]);
  return grammar;
}

RequestBody request_body(const Addressee& to, const GenerateRequest& request) {
  return to.kind == Kind::ollama ? ollama_body(to, request) : openai_body(to, request);
}

bool goes_on_exactly(EngineKind kind) noexcept {
  return (bit(kind) & (kLlama | kBatching)) != 0 || kind == Kind::ollama;
}

// Turns reasoning off if possible, so that the first token is the first of the answer.
RequestBody score_body(const Addressee& to, const ScoreRequest& request,
                       const std::string& beginning) {
  constexpr int kMost = 20;
  GenerateRequest one{.turns = request.turns, .n_predict = 1, .settings = request.settings};
  if (!beginning.empty()) {
    one.turns.push_back({{"assistant", beginning}});
    one.continues = true;
  }
  one.sampling.temperature = 0;
  one.chosen = {"temperature"};
  if (to.kind != Kind::ollama || request.settings.thinking) one.settings.thinking = false;
  RequestBody made = request_body(to, one);
  Json body = *parse_json(made.text);
  body["stream"] = false;
  body.erase("stream_options");
  body["logprobs"] = true;
  body["top_logprobs"] = kMost;
  made.text = body.dump();
  return made;
}

}  // namespace confab::engine
