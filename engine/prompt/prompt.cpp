// SPDX-License-Identifier: MIT
#include "engine/prompt/prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/prompt/answer_text.h"
#include "engine/prompt/builtin_template.h"
#include "engine/prompt/reasoning_format.h"
#include "engine/prompt/reasoning_stream.h"
#include "engine/text/vocab.h"

namespace confab::engine {
namespace {

std::string text_of_token(const Tokenizer& tokenizer, std::optional<Token> token) {
  return token ? std::string(tokenizer.piece(*token, true)) : std::string();
}

// The special tokens besides BOS and EOS that transformers passes to templates, if the file has
// them. (A GGUF does not have additional_special_tokens.)
std::vector<NamedToken> named_tokens(const Gguf& gguf, const Tokenizer& tokenizer) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kKeys = {
      {{"unk_token", "tokenizer.ggml.unknown_token_id"},
       {"sep_token", "tokenizer.ggml.seperator_token_id"},
       {"pad_token", "tokenizer.ggml.padding_token_id"},
       {"cls_token", "tokenizer.ggml.cls_token_id"},
       {"mask_token", "tokenizer.ggml.mask_token_id"}}};
  std::vector<NamedToken> tokens;
  for (const auto& [name, key] : kKeys) {
    const auto id = token_at(gguf, key, static_cast<std::size_t>(tokenizer.n_vocab()));
    if (id) tokens.push_back({name, text_of_token(tokenizer, id)});
  }
  return tokens;
}

void take_builtin(const BuiltinTemplate& builtin, const Tokenizer& tokenizer,
                  TemplateSource& source) {
  source.text = builtin.text;
  std::string_view ends = builtin.ends;
  std::vector<std::string> all;
  while (!ends.empty()) {
    const std::size_t end = std::min(ends.find(' '), ends.size());
    all.emplace_back(ends.substr(0, end));
    ends.remove_prefix(std::min(end + 1, ends.size()));
  }
  // If the end marker is not a token, the template writes its markers as text, and the model may do
  // the same.
  const bool has_markers = tokenizer.encode(all.front(), true).size() == 1;
  if (!has_markers) source.stop = std::move(all);
}

// Models that reason have these tokens even if the template does not mention reasoning.
bool has_think_tokens(const Tokenizer& tokenizer) {
  const auto is_token = [&](std::string_view text) {
    const std::vector<Token> ids = tokenizer.encode(text, true);
    return ids.size() == 1 && tokenizer.piece(ids.front(), true) == text;
  };
  return is_token("<think>") && is_token("</think>");
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Whether the turns are an optional system prompt, then questions and answers in alternation,
// starting with a question.
bool is_in_usual_order(const std::vector<Turn>& turns) {
  std::string_view before = "assistant";
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const std::string_view role = turns[i].message.role;
    if (i == 0 && role == "system") continue;
    if ((role != "user" && role != "assistant") || role == before) return false;
    before = role;
  }
  return true;
}

// The same conversation in the order that all templates accept. A system prompt in the middle
// becomes part of the question before or after it. An answer without a question follows an empty
// question. Consecutive messages of one side become one.
std::vector<Turn> in_usual_order(const std::vector<Turn>& turns) {
  std::vector<Turn> ordered;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    Turn turn = turns[i];
    if (i == 0 && turn.message.role == "system") {
      ordered.push_back(std::move(turn));
      continue;
    }
    if (turn.message.role != "assistant") turn.message.role = "user";
    const bool is_user = turn.message.role == "user";
    if (!ordered.empty() && ordered.back().message.role == turn.message.role) {
      Turn& last = ordered.back();
      if (!is_blank(last.message.content)) last.message.content += "\n\n";
      last.message.content += turn.message.content;
      last.tokens.clear();
      continue;
    }
    if (!is_user && (ordered.empty() || ordered.back().message.role == "system"))
      ordered.push_back(Turn{{"user", ""}});
    ordered.push_back(std::move(turn));
  }
  return ordered;
}

// Whether the prompt lacks the text of a message that is not blank.
bool leaves_out_any(const RenderedPrompt& prompt, const std::vector<Turn>& turns) {
  std::vector<bool> is_there(turns.size());
  for (const ContentSpan& content : prompt.content)
    if (content.message >= 0 && content.message < std::ssize(turns))
      is_there[static_cast<std::size_t>(content.message)] = true;
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (!is_there[i] && !is_blank(turns[i].message.content)) return true;
  return false;
}

// The text that the template wrote after the last content.
std::string_view tail_of(const RenderedPrompt& prompt) {
  const std::size_t begin = prompt.content.empty() ? 0 : prompt.content.back().bytes.end;
  return std::string_view(prompt.text).substr(begin);
}

}  // namespace

TemplateSource choose_template(const Gguf& gguf, const Tokenizer& tokenizer,
                               std::string_view forced) {
  TemplateSource source{.text = {}, .tokens = named_tokens(gguf, tokenizer)};
  if (const BuiltinTemplate* named = find_builtin_template(forced)) {
    take_builtin(*named, tokenizer, source);
    source.origin = fmt::format("{}, as asked for", named->name);
    return source;
  }
  if (!forced.empty()) {
    source.text = forced;
    source.origin = "the one given";
    return source;
  }
  if (const auto own = gguf.find_string("tokenizer.chat_template")) {
    source.text = *own;
    return source;
  }
  take_builtin(*find_builtin_template("chatml"), tokenizer, source);
  source.origin = "the file has none: ChatML";
  return source;
}

PromptBuilder::PromptBuilder(const Tokenizer& tokenizer, std::string_view chat_template,
                             const std::vector<NamedToken>& tokens)
    : tokenizer_(tokenizer),
      template_(chat_template, text_of_token(tokenizer, tokenizer.bos()),
                text_of_token(tokenizer, tokenizer.eos()), tokens),
      reasoning_(find_reasoning_format(chat_template)) {
  find_form(chat_template);
  if (reasoning_ == nullptr && has_think_tokens(tokenizer))
    reasoning_ = find_reasoning_format("<think>");
  if (reasoning_ != nullptr) reasoning_end_text_ = find_reasoning_end();
  reasoning_end_ = tokenizer_.encode(reasoning_end_text_, true);
  has_system_ = finds_system();
}

// Templates of models that read pictures may expect content in parts, and others use different
// names for the roles. If the usual form does not show a text, the other forms are tried.
void PromptBuilder::find_form(std::string_view source) {
  // Digits only: a template may change the case of letters.
  const ChatMessage question{"user", "8203517"}, answer{"assistant", "6017253"},
      prompt{"system", "5301728"};
  bool any_rendered = false;
  const auto shows = [&](const MessageForm& form, const ChatMessage& wanted,
                         const std::vector<ChatMessage>& messages) {
    try {
      template_.write_messages_as(form);
      const std::string text = template_.render(messages, true).text;
      any_rendered = true;
      // If the list is printed as a list, the template did not expect one.
      return text.find(wanted.content) != std::string::npos &&
             text.find("'type'") == std::string::npos;
    } catch (const ModelError&) {
      return false;
    }
  };
  const auto shows_question = [&](const MessageForm& form) {
    return shows(form, question, {question}) || shows(form, question, {prompt, question});
  };
  const auto shows_answer = [&](const MessageForm& form) {
    return shows(form, answer, {question, answer, question});
  };
  const auto shows_prompt = [&](const MessageForm& form) {
    return shows(form, prompt, {prompt, question});
  };
  constexpr auto kUsers = std::to_array<std::string_view>({"user", "human", "User", "Human"});
  constexpr auto kAssistants = std::to_array<std::string_view>(
      {"assistant", "model", "ai", "gpt", "bot", "Assistant", "AI", "chatbot"});
  constexpr auto kSystems = std::to_array<std::string_view>({"system", "System", "developer"});
  MessageForm form;
  const auto find_role = [&](MessageForm::Role MessageForm::*role, const auto& names,
                             const auto& is_shown) {
    for (const std::string_view name : names) {
      // Another name is tried only if the template mentions it, because some templates show any
      // role.
      const bool is_named = source.find(fmt::format("'{}'", name)) != std::string_view::npos ||
                            source.find(fmt::format("\"{}\"", name)) != std::string_view::npos;
      if (name != names.front() && !is_named) continue;
      for (const bool in_parts : {false, true}) {
        MessageForm with = form;
        with.*role = {name, in_parts};
        if (!is_shown(with)) continue;
        form = with;
        return true;
      }
    }
    return false;
  };
  bool is_shown = find_role(&MessageForm::user, kUsers, shows_question);
  if (!is_shown && any_rendered) {
    form.has_other_keys = true;
    is_shown = find_role(&MessageForm::user, kUsers, shows_question);
  }
  if (is_shown) {
    find_role(&MessageForm::assistant, kAssistants, shows_answer);
    find_role(&MessageForm::system, kSystems, shows_prompt);
  }
  leaves_out_question_ = !is_shown && any_rendered;
  template_.write_messages_as(form);
}

// Some templates raise an exception for the system role, others leave it out. If the template does
// not show a question either, it counts as writing system prompts.
bool PromptBuilder::finds_system() const {
  const std::string prompt = "System-7";
  const ChatMessage question{"user", "Hello"};
  const auto shows_prompt = [&](const std::vector<ChatMessage>& messages) {
    return template_.render(messages, true).text.find(prompt) != std::string::npos;
  };
  try {
    if (shows_prompt({{"system", prompt}, question})) return true;
  } catch (const ModelError&) {
  }
  try {
    return !shows_prompt({{"user", prompt}});
  } catch (const ModelError&) {
    return true;
  }
}

std::vector<Turn> PromptBuilder::as_told(std::vector<Turn> turns) const {
  if (has_system_ || turns.empty() || turns.front().message.role != "system") return turns;
  const std::string prompt = std::move(turns.front().message.content);
  turns.erase(turns.begin());
  if (turns.empty() || turns.front().message.role != "user")
    turns.insert(turns.begin(), Turn{{"user", prompt}});
  else
    turns.front().message.content.insert(0, prompt + "\n\n");
  return turns;
}

// The text that the template writes between the reasoning and the text of an answer. Many templates
// drop the reasoning of earlier answers; then it is the usual text of the format.
std::string PromptBuilder::find_reasoning_end() const {
  const std::string thought = "Thought-7", text = "Text-7";
  std::string_view end = reasoning_->to_answer;
  try {
    const std::string said =
        template_.render({{"user", "Hello"}, {"assistant", text, thought}}, false, {}).text;
    const std::size_t begin = said.find(thought), stop = said.rfind(text);
    if (begin == std::string::npos || stop == std::string::npos || stop < begin)
      return std::string(end);
    const std::string shown = said.substr(begin + thought.size(), stop - begin - thought.size());
    return leads_to_answer(*reasoning_, shown) ? shown : std::string(end);
  } catch (const ModelError&) {  // it may refuse this made-up conversation
    return std::string(end);
  }
}

bool PromptBuilder::knows(std::span<const Token> tokens) const noexcept {
  return std::all_of(tokens.begin(), tokens.end(),
                     [this](Token token) { return token >= 0 && token < tokenizer_.n_vocab(); });
}

// The sampled ids of `turn` if they stand for `text`, otherwise empty. They come from a database,
// so ids of another vocabulary are not an error; they are just not used.
std::span<const Token> PromptBuilder::answer_tokens(const Turn& turn, std::string_view text) const {
  const std::span<const Token> all = turn.tokens;
  if (turn.answer_begin < 0 || static_cast<std::size_t>(turn.answer_begin) > all.size()) return {};
  const std::span<const Token> own = all.subspan(static_cast<std::size_t>(turn.answer_begin));
  return knows(own) && text_of_answer(tokenizer_, own) == text ? own : std::span<const Token>{};
}

std::vector<Token> PromptBuilder::begun_answer(const Turn& answer, bool prompt_reasons) const {
  if (!answer.tokens.empty() && knows(answer.tokens)) return answer.tokens;
  const auto literal = [this](const std::string& text) { return tokenizer_.encode(text, false); };
  if (!prompt_reasons) return literal(answer.message.content);
  if (answer.message.content.empty()) return literal(answer.message.reasoning);
  std::vector<Token> ids = reasoning_end_;
  const std::vector<Token> content = literal(answer.message.content);
  ids.insert(ids.end(), content.begin(), content.end());
  return ids;
}

void PromptBuilder::append_text(const RenderedPrompt& prompt, ByteSpan range,
                                std::vector<Token>& ids) const {
  if (range.begin == range.end) return;
  std::vector<ByteSpan> literal;
  for (const ContentSpan& content : prompt.content) {
    const std::size_t begin = std::max(content.bytes.begin, range.begin);
    const std::size_t end = std::min(content.bytes.end, range.end);
    if (begin < end) literal.push_back({begin - range.begin, end - range.begin});
  }
  const auto text = std::string_view(prompt.text).substr(range.begin, range.end - range.begin);
  const std::vector<Token> more = tokenizer_.encode(text, literal);
  ids.insert(ids.end(), more.begin(), more.end());
}

// The number of tokens is estimated from the start of each message.
void PromptBuilder::check_length(const std::vector<Turn>& turns) const {
  constexpr std::size_t kMost = std::size_t{8} << 20, kSample = std::size_t{1} << 16;
  std::size_t n_bytes = 0;
  for (const Turn& turn : turns) n_bytes += turn.message.content.size();
  if (n_bytes <= kMost) return;
  double n_tokens = 0;
  for (const Turn& turn : turns) {
    const std::string_view text = turn.message.content;
    if (text.empty()) continue;
    const std::string_view sample = text.substr(0, kSample);
    n_tokens += static_cast<double>(tokenizer_.encode(sample, false).size()) *
                static_cast<double>(text.size()) / static_cast<double>(sample.size());
  }
  const int n = static_cast<int>(std::min(n_tokens, 2e9));
  throw PromptTooLong(
      fmt::format("the prompt has {} MiB, which is about {} tokens, more than fit in any context",
                  n_bytes >> 20, n),
      n);
}

RenderedPrompt PromptBuilder::render_turns(const std::vector<Turn>& turns,
                                           const TemplateSettings& settings,
                                           const std::stop_token& stop) const {
  std::vector<ChatMessage> messages;
  for (const Turn& turn : turns) messages.push_back(turn.message);
  try {
    return template_.render(messages, true, settings, {.stop = stop});
  } catch (const Stopped&) {
    throw;
  } catch (const ModelError& error) {
    throw ModelError(
        fmt::format("chat template: {}; --chat-template gives the model another", error.what()));
  }
}

PromptBuilder::Rendered PromptBuilder::render(const std::vector<Turn>& conversation,
                                              const TemplateSettings& settings,
                                              const std::stop_token& stop) const {
  check_length(conversation);
  std::vector<Turn> turns = as_told(conversation);
  if (!is_in_usual_order(turns)) {
    try {
      RenderedPrompt prompt = render_turns(turns, settings, stop);
      if (!leaves_out_any(prompt, turns)) return {std::move(prompt), std::move(turns)};
    } catch (const Stopped&) {
      throw;
    } catch (const ModelError&) {
    }
    turns = in_usual_order(turns);
  }
  RenderedPrompt prompt = render_turns(turns, settings, stop);
  return {std::move(prompt), std::move(turns)};
}

std::string PromptBuilder::text(const std::vector<Turn>& turns, const TemplateSettings& settings,
                                const std::stop_token& stop) const {
  return render(turns, settings, stop).prompt.text;
}

Prompt PromptBuilder::build_prompt(const std::vector<Turn>& conversation,
                                   const TemplateSettings& settings,
                                   const std::stop_token& stop) const {
  return tokens_of(render(conversation, settings, stop));
}

Prompt PromptBuilder::tokens_of(const Rendered& rendered) const {
  const auto& [prompt, turns] = rendered;
  std::vector<Token> ids;
  std::size_t done = 0;
  for (const ContentSpan& content : prompt.content) {
    if (content.message < 0 || content.message >= static_cast<int>(turns.size())) continue;
    const Turn& turn = turns[static_cast<std::size_t>(content.message)];
    const auto [begin, end] = content.bytes;
    const std::span<const Token> own =
        answer_tokens(turn, std::string_view(prompt.text).substr(begin, end - begin));
    if (own.empty()) continue;
    append_text(prompt, {done, begin}, ids);
    ids.insert(ids.end(), own.begin(), own.end());
    done = end;
  }
  append_text(prompt, {done, prompt.text.size()}, ids);

  const std::span<const Token> prefix = tokenizer_.prefix();  // most templates write BOS themselves
  const bool has_prefix =
      ids.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), ids.begin());
  if (!has_prefix) ids.insert(ids.begin(), prefix.begin(), prefix.end());
  // Only text that the template wrote after the last content can open the reasoning.
  const bool open = reasoning_ != nullptr && reasoning_->is_open_after(tail_of(prompt));
  return {std::move(ids), open};
}

OptionPrompt PromptBuilder::build_options(const std::vector<Turn>& conversation,
                                          std::span<const std::string> options,
                                          const TemplateSettings& settings,
                                          const std::stop_token& stop) const {
  const Rendered rendered = render(conversation, settings, stop);
  Prompt prompt = tokens_of(rendered);
  std::string before(tail_of(rendered.prompt));
  std::string more = prompt.reasoning_open ? reasoning_end_text_ : std::string();
  if (reasoning_ != nullptr && !prompt.reasoning_open) more = reasoning_->answer_header(before);
  if (!more.empty()) {
    const std::vector<Token> ids = tokenizer_.encode(more, true);
    prompt.ids.insert(prompt.ids.end(), ids.begin(), ids.end());
    before = std::move(more);
  }
  OptionPrompt result{.ids = std::move(prompt.ids)};
  for (const std::string& option : options) result.options.push_back(option_tokens(before, option));
  return result;
}

// The tokens of the option as it is cut after `before`, because SentencePiece adds a space to text
// after a special token. If joining the two would change the tokens of `before`, the option is
// tokenised alone.
std::vector<Token> PromptBuilder::option_tokens(const std::string& before,
                                                const std::string& option) const {
  const std::vector<Token> alone = tokenizer_.encode(before, true);
  const ByteSpan literal{before.size(), before.size() + option.size()};
  const std::vector<Token> joined = tokenizer_.encode(before + option, {&literal, 1});
  const auto [end, rest] = std::ranges::mismatch(alone, joined);
  if (end != alone.end() || rest == joined.end()) return tokenizer_.encode(option, false);
  return {rest, joined.end()};
}

}  // namespace confab::engine
