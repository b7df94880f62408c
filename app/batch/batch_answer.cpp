// SPDX-License-Identifier: MIT
#include "app/batch/batch_answer.h"

#include <fmt/format.h>

#include "base/json.h"

namespace confab::app {
namespace {

using base::Json;

}  // namespace

bool is_cut_off(engine::FinishReason reason) noexcept {
  return reason == engine::FinishReason::length || reason == engine::FinishReason::context_full;
}

namespace {

const char* finish_reason(engine::FinishReason reason) {
  return is_cut_off(reason) ? "length" : "stop";
}

Json beginning(const BatchEntry& entry) {
  if (entry.openai)
    return {{"id", fmt::format("batch_req_{}", entry.line)}, {"custom_id", Json::parse(entry.id)}};
  Json json{{"line", entry.line}};
  if (!entry.id.empty()) json["id"] = Json::parse(entry.id);
  return json;
}

// An OpenAI line whose custom_id is not there is told by its number.
bool is_told_by_id(const BatchEntry& entry) {
  return entry.openai && !entry.id.empty();
}

Json completion(const BatchEntry& entry, const BatchAnswer& answer, const std::string& model,
                std::int64_t created) {
  const engine::GenerateStats& stats = answer.stats;
  Json message{{"role", "assistant"}, {"content", answer.text}};
  if (!answer.reasoning.empty()) message["reasoning_content"] = answer.reasoning;
  const Json choice{{"index", 0},
                    {"message", std::move(message)},
                    {"logprobs", nullptr},
                    {"finish_reason", finish_reason(answer.reason)}};
  const Json usage{{"prompt_tokens", stats.n_prompt},
                   {"completion_tokens", stats.n_generated},
                   {"total_tokens", stats.n_prompt + stats.n_generated},
                   {"prompt_tokens_details", {{"cached_tokens", stats.n_cached}}}};
  return {{"id", fmt::format("chatcmpl-{}", entry.line)},
          {"object", "chat.completion"},
          {"created", created},
          {"model", model},
          {"choices", Json::array({choice})},
          {"usage", usage}};
}

}  // namespace

std::string answer_line(const BatchEntry& entry, const BatchAnswer& answer,
                        const std::string& model, std::int64_t created) {
  Json json = beginning(entry);
  if (entry.openai) {
    json["response"] = {{"status_code", 200},
                        {"request_id", fmt::format("req_{}", entry.line)},
                        {"body", completion(entry, answer, model, created)}};
    json["error"] = nullptr;
    return json.dump();
  }
  json["answer"] = answer.text;
  if (!answer.reasoning.empty()) json["reasoning"] = answer.reasoning;
  json["finish_reason"] = finish_reason(answer.reason);
  json["statistics"] = {{"prompt_tokens", answer.stats.n_prompt},
                        {"cached_tokens", answer.stats.n_cached},
                        {"generated_tokens", answer.stats.n_generated}};
  if (!answer.refused.empty()) json["refused"] = answer.refused;
  return json.dump();
}

std::string error_line(const BatchEntry& entry, const std::string& fault) {
  if (!is_told_by_id(entry)) {
    Json json{{"line", entry.line}};
    if (!entry.id.empty()) json["id"] = Json::parse(entry.id);
    json["error"] = fault;
    return json.dump();
  }
  Json json = beginning(entry);
  json["response"] = nullptr;
  json["error"] = {{"code", "request_failed"}, {"message", fault}};
  return json.dump();
}

}  // namespace confab::app
