// SPDX-License-Identifier: MIT
// Turns a conversation into the token ids that the model reads.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/chat_model.h"
#include "engine/error.h"
#include "engine/prompt/chat_template.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {

class Gguf;
struct ReasoningFormat;

// The chat template to use. `forced` wins if it is not empty; it is Jinja source or the name of a
// built-in template. Otherwise the file's own template is used, or ChatML if the file has none. If
// the end marker of a built-in template is not a token of the vocabulary, its markers are plain
// text and become stop strings.
struct TemplateSource {
  std::string text;
  std::vector<std::string> stop = {};   // end an answer if the end marker is not a token
  std::vector<NamedToken> tokens = {};  // special tokens that templates may name
  std::string origin = "the file's own";
};
TemplateSource choose_template(const Gguf& gguf, const Tokenizer& tokenizer,
                               std::string_view forced);

// Thrown if the messages cannot fit in any context. Then the template is not even rendered.
class PromptTooLong : public ModelError {
 public:
  PromptTooLong(const std::string& what, int n_tokens) : ModelError(what), n_tokens_(n_tokens) {}
  int n_tokens() const noexcept { return n_tokens_; }  // an estimate

 private:
  int n_tokens_;
};

struct Prompt {
  std::vector<Token> ids = {};
  bool reasoning_open = false;  // the prompt ends inside reasoning that the model continues
};

// A prompt up to the point where the text of an answer begins, and the tokens of each text that may
// follow it.
struct OptionPrompt {
  std::vector<Token> ids = {};
  std::vector<std::vector<Token>> options = {};
};

// Const after construction, so threads may share it.
class PromptBuilder {
 public:
  // The tokenizer must outlive the object. Throws ModelError if the template cannot be parsed.
  PromptBuilder(const Tokenizer& tokenizer, std::string_view chat_template,
                const std::vector<NamedToken>& tokens = {});

  // The prompt for the next answer. The contents of messages cannot produce special tokens. An
  // answer whose text the template repeats unchanged keeps its sampled ids: tokenising it again
  // could cut it differently, which would void the cache from there on. If the template does not
  // write system prompts, the first question begins with the system prompt. If the template refuses
  // the order of the messages, or leaves one out, they are brought into the usual order. Throws
  // ModelError, PromptTooLong, and Stopped if `stop` is requested while the template is rendered.
  Prompt build_prompt(const std::vector<Turn>& conversation, const TemplateSettings& settings = {},
                      const std::stop_token& stop = {}) const;
  std::vector<Token> build(const std::vector<Turn>& turns, const TemplateSettings& settings = {},
                           const std::stop_token& stop = {}) const {
    return build_prompt(turns, settings, stop).ids;
  }
  // The same prompt, and these texts as answers to it. The reasoning is left empty: if the template
  // opens it, it is closed, and if the format marks the answer with a header, the header is added.
  // Special tokens in the texts stay text. Throws what build_prompt() throws.
  OptionPrompt build_options(const std::vector<Turn>& conversation,
                             std::span<const std::string> options,
                             const TemplateSettings& settings = {},
                             const std::stop_token& stop = {}) const;
  // The text that build_prompt() tokenises.
  std::string text(const std::vector<Turn>& turns, const TemplateSettings& settings = {},
                   const std::stop_token& stop = {}) const;
  // The tokens of an interrupted answer that follow its prompt: the sampled tokens if they are
  // known, otherwise the tokens of its text. `prompt_reasons` means that the prompt has begun the
  // reasoning.
  std::vector<Token> begun_answer(const Turn& answer, bool prompt_reasons) const;
  // Whether the template leaves the question out of the prompt in every form of the messages. A
  // template that refuses every conversation does not count: it throws when it is rendered.
  bool leaves_out_question() const noexcept { return leaves_out_question_; }
  // How to read the answers of this template's models; null if they have no reasoning.
  const ReasoningFormat* reasoning() const noexcept { return reasoning_; }
  // The markers that lead from the reasoning to the answer, spelled as in the template.
  std::span<const Token> reasoning_end() const noexcept { return reasoning_end_; }

 private:
  // A prompt and the turns that its contents come from.
  struct Rendered {
    RenderedPrompt prompt;
    std::vector<Turn> turns;
  };
  std::string find_reasoning_end() const;
  void find_form(std::string_view source);
  bool finds_system() const;
  std::vector<Turn> as_told(std::vector<Turn> turns) const;
  Rendered render(const std::vector<Turn>& conversation, const TemplateSettings& settings,
                  const std::stop_token& stop) const;
  RenderedPrompt render_turns(const std::vector<Turn>& turns, const TemplateSettings& settings,
                              const std::stop_token& stop) const;
  void check_length(const std::vector<Turn>& turns) const;
  Prompt tokens_of(const Rendered& rendered) const;
  std::vector<Token> option_tokens(const std::string& before, const std::string& option) const;
  bool knows(std::span<const Token> tokens) const noexcept;
  std::span<const Token> answer_tokens(const Turn& turn, std::string_view text) const;
  void append_text(const RenderedPrompt& prompt, ByteSpan range, std::vector<Token>& ids) const;

  const Tokenizer& tokenizer_;
  ChatTemplate template_;
  const ReasoningFormat* reasoning_;
  std::string reasoning_end_text_;
  std::vector<Token> reasoning_end_;
  bool leaves_out_question_ = false;
  bool has_system_;  // the template writes system prompts into the prompt
};

}  // namespace confab::engine
