// SPDX-License-Identifier: MIT
// From the turns of a conversation to the token ids that the model is given.
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

// The chat template to use: `forced` when given, which is Jinja or the name of a built-in one, else
// the file's own. A model without one gets ChatML. Where the marker that ends an answer of a
// built-in one is no token of the vocabulary, its markers are text, and stop strings.
struct TemplateSource {
  std::string text;
  std::vector<std::string> stop = {};   // what ends an answer where the template has no such token
  std::vector<NamedToken> tokens = {};  // special tokens that templates may name
  std::string origin = "the file's own";
};
TemplateSource choose_template(const Gguf& gguf, const Tokenizer& tokenizer,
                               std::string_view forced);

// More text than a template is given: it cannot fit in any context.
class PromptTooLong : public ModelError {
 public:
  PromptTooLong(const std::string& what, int n_tokens) : ModelError(what), n_tokens_(n_tokens) {}
  int n_tokens() const noexcept { return n_tokens_; }  // about

 private:
  int n_tokens_;
};

struct Prompt {
  std::vector<Token> ids = {};
  bool reasoning_open = false;  // it ends inside the reasoning that the model is to go on with
};

// A prompt up to where the text of an answer begins, and texts as the tokens that follow it.
struct OptionPrompt {
  std::vector<Token> ids = {};
  std::vector<std::vector<Token>> options = {};
};

// Const after construction, so safe to share between threads.
class PromptBuilder {
 public:
  // The tokenizer must outlive the object. Throws ModelError when the template cannot be parsed.
  PromptBuilder(const Tokenizer& tokenizer, std::string_view chat_template,
                const std::vector<NamedToken>& tokens = {});

  // The prompt for the next answer. Contents of messages cannot make special tokens. An answer
  // whose text the template repeats unchanged keeps its sampled ids: tokenising it again could cut
  // it otherwise, and would void the cache from there on. Throws ModelError; PromptTooLong;
  // Stopped when `stop` was requested while the template was rendered. If the template knows no
  // system prompt, the first question begins with it. A conversation in an order that the template
  // refuses, or leaves a message out of, is brought into the usual one.
  Prompt build_prompt(const std::vector<Turn>& conversation, const TemplateSettings& settings = {},
                      const std::stop_token& stop = {}) const;
  std::vector<Token> build(const std::vector<Turn>& turns, const TemplateSettings& settings = {},
                           const std::stop_token& stop = {}) const {
    return build_prompt(turns, settings, stop).ids;
  }
  // The same, and these texts as the answer. The reasoning is empty: it is closed where the
  // template opens it, and where it writes the header of the answer's part that follows. Special
  // tokens in the texts stay text. Throws as build_prompt().
  OptionPrompt build_options(const std::vector<Turn>& conversation,
                             std::span<const std::string> options,
                             const TemplateSettings& settings = {},
                             const std::stop_token& stop = {}) const;
  // The text that build_prompt() makes tokens of.
  std::string text(const std::vector<Turn>& turns, const TemplateSettings& settings = {},
                   const std::stop_token& stop = {}) const;
  // The tokens that an answer, which was cut off, has come to after its prompt: as sampled, or,
  // when these are not known, as its text makes them. prompt_reasons: that prompt has begun the
  // reasoning.
  std::vector<Token> begun_answer(const Turn& answer, bool prompt_reasons) const;
  // The template leaves the question out of the prompt, however messages are written for it. One
  // that refuses any conversation does not: it says so when it is asked.
  bool leaves_out_question() const noexcept { return leaves_out_question_; }
  // How the answers of this template's models are to be read; null: they have no reasoning.
  const ReasoningFormat* reasoning() const noexcept { return reasoning_; }
  // The markers that lead from the reasoning to the answer, spelled as the template does.
  std::span<const Token> reasoning_end() const noexcept { return reasoning_end_; }

 private:
  // A prompt, and the turns that its contents come from.
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
