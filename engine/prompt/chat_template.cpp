// SPDX-License-Identifier: MIT
#include "engine/prompt/chat_template.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <utility>

#include "engine/error.h"
#include "engine/prompt/jinja/interpreter.h"
#include "engine/prompt/jinja/parser.h"
#include "engine/prompt/jinja/request.h"
#include "engine/prompt/reasoning_format.h"

namespace confab::engine {
namespace {

// The longest template in use has 17 KB.
constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20U;

std::tm local_time(std::chrono::sys_seconds time) {
  const std::time_t now = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  localtime_r(&now, &local);
  return local;
}

std::chrono::sys_seconds current_time() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// A long conversation may take more steps and time than a short one, and a long message may take
// more copying. The output has to be tokenised, so it is limited to the messages with some text
// around them.
jinja::Limits limits_for(std::size_t n_messages, std::size_t request_bytes) {
  jinja::Limits limits;
  limits.steps += 2000 * n_messages;
  limits.work_bytes += 512 * request_bytes;
  limits.output_bytes = std::min(jinja::kMaxTextBytes, (std::size_t{1} << 20U) + 8 * request_bytes);
  limits.time +=
      std::chrono::microseconds(100) * n_messages + std::chrono::nanoseconds(100) * request_bytes;
  return limits;
}

jinja::Value marked(const std::string& text, int source) {
  return {std::make_shared<const jinja::Text>(text, source)};
}

jinja::Value content_of(const std::string& text, int source, bool in_parts) {
  if (!in_parts) return marked(text, source);
  jinja::DictBuilder part;
  part.set(jinja::Text("type"), jinja::Value::plain("text"));
  part.set(jinja::Text("text"), marked(text, source));
  jinja::Dict dict = std::move(part).take();
  jinja::List parts{
      {std::make_shared<const jinja::Dict>(std::move(dict))}, jinja::ListKind::list, 2};
  return std::make_shared<const jinja::List>(std::move(parts));
}

jinja::Value message_of(const ChatMessage& message, const MessageForm& form, int source,
                        const std::string& reasoning_key) {
  MessageForm::Role role{message.role};
  for (const auto& [name, known] : {std::pair("system", form.system), std::pair("user", form.user),
                                    std::pair("assistant", form.assistant)})
    if (message.role == name) role = known;
  const jinja::Value name = marked(std::string(role.name), jinja::kElsewhere);
  const jinja::Value content = content_of(message.content, source, role.in_parts);
  jinja::DictBuilder built;
  built.set(jinja::Text("role"), name);
  built.set(jinja::Text("content"), content);
  if (form.has_other_keys) {
    built.set(jinja::Text("from"), name);
    built.set(jinja::Text("value"), content);
    built.set(jinja::Text("text"), content);
  }
  if (!message.reasoning.empty())
    built.set(jinja::Text(reasoning_key), marked(message.reasoning, jinja::kElsewhere));
  jinja::Dict dict = std::move(built).take();
  if (role.in_parts) dict.depth = 3;
  return std::make_shared<const jinja::Dict>(std::move(dict));
}

// Qwen, GLM and Hunyuan read the first, Granite and DeepSeek the second.
constexpr std::array kThinkingVariables = {"enable_thinking", "thinking"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether the source has the name as a whole word that is not in quotes and not a key of a message.
bool has_variable(std::string_view source, std::string_view name) {
  for (std::size_t at = source.find(name); at != std::string_view::npos;
       at = source.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : source[at - 1];
    const std::size_t end = at + name.size();
    const char after = end == source.size() ? ' ' : source[end];
    const auto outside = [](char c) {
      return !is_name_character(c) && c != '\'' && c != '"' && c != '.' && c != '<' && c != '/';
    };
    if (outside(before) && outside(after) && after != '>') return true;
  }
  return false;
}

}  // namespace

bool can_switch_thinking(std::string_view source) noexcept {
  return std::ranges::any_of(kThinkingVariables,
                             [&](const char* name) { return has_variable(source, name); });
}

struct ChatTemplate::Program {
  jinja::Block block;
  std::vector<NamedToken> tokens;
  std::string reasoning_key;

  RenderedPrompt run(jinja::Request request, std::size_t request_bytes,
                     const RenderWatch& watch) const;
};

RenderedPrompt ChatTemplate::Program::run(jinja::Request request, std::size_t request_bytes,
                                          const RenderWatch& watch) const {
  jinja::Variables& variables = request.variables;
  variables.emplace("add_generation_prompt", false);
  for (const char* name : {"tools", "documents"}) {
    variables.emplace(name, jinja::absent(name));
  }
  for (const NamedToken& token : tokens) {
    variables.emplace(token.name, jinja::Value::plain(token.text));
  }
  jinja::Runtime runtime(limits_for(request.n_messages, request_bytes),
                         request.now ? *request.now : local_time(current_time()), watch);
  jinja::Interpreter interpreter(runtime, std::move(variables));
  jinja::Text text = interpreter.run(block);
  RenderedPrompt prompt;
  for (const jinja::Mark& mark : text.marks()) {
    prompt.content.push_back({{mark.begin, mark.end}, mark.source});
  }
  prompt.text = std::move(text).take_bytes();
  return prompt;
}

ChatTemplate::ChatTemplate(std::string_view source, std::string_view bos_token,
                           std::string_view eos_token, const std::vector<NamedToken>& more_tokens) {
  if (source.size() > kMaxSourceBytes) {
    throw ModelError(fmt::format("line 1: the template has {} bytes, expected at most {}",
                                 source.size(), kMaxSourceBytes));
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (source.starts_with(kByteOrderMark)) source.remove_prefix(kByteOrderMark.size());
  std::vector<NamedToken> tokens = more_tokens;
  tokens.push_back({"bos_token", std::string(bos_token)});
  tokens.push_back({"eos_token", std::string(eos_token)});
  program_ = std::make_unique<const Program>(
      Program{jinja::parse(source), std::move(tokens), std::string(engine::reasoning_key(source))});
}

ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;

RenderedPrompt ChatTemplate::render(const std::vector<ChatMessage>& messages,
                                    bool add_generation_prompt, const TemplateSettings& settings,
                                    const RenderWatch& watch) const {
  jinja::Request request;
  if (settings.now) request.now = local_time(*settings.now);
  if (settings.thinking)
    for (const char* name : kThinkingVariables) request.variables.emplace(name, *settings.thinking);
  std::vector<jinja::Value> list;
  std::size_t n_bytes = 0;
  for (const ChatMessage& message : messages) {
    list.push_back(
        message_of(message, form_, static_cast<int>(list.size()), program_->reasoning_key));
    n_bytes += message.role.size() + message.content.size() + message.reasoning.size();
  }
  request.n_messages = list.size();
  request.variables.emplace("messages", std::make_shared<const jinja::List>(jinja::List{
                                            std::move(list), jinja::ListKind::list, 4}));
  request.variables.emplace("add_generation_prompt", add_generation_prompt);
  return program_->run(std::move(request), n_bytes, watch);
}

RenderedPrompt ChatTemplate::render_json(std::string_view request, const RenderWatch& watch) const {
  return program_->run(jinja::parse_request(request), request.size(), watch);
}

}  // namespace confab::engine
