// SPDX-License-Identifier: MIT
// A model's chat template: the Jinja program in the file that turns messages into one prompt.
//
// We interpret the part of Jinja that templates use, with the settings of Hugging Face transformers
// (trim_blocks, lstrip_blocks, loop controls, raise_exception, strftime_now, tojson). The template
// is untrusted: its steps, the bytes it looks at, its depth, output and time are bounded, and it
// can reach only its variables. Const after construction.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/turn.h"
#include "engine/prompt/render_watch.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {

// A special token by the name that templates use, for example "unk_token" for "<unk>".
struct NamedToken {
  std::string name;
  std::string text;
};

// A piece of the prompt that came from a message's content and not from the template.
struct ContentSpan {
  ByteSpan bytes;
  int message;  // index of the message, or -1 if from elsewhere in the request
};

// How messages are written for a template. Most templates read the text under "content" and know
// the roles by OpenAI's names.
struct MessageForm {
  struct Role {
    std::string_view name;  // a string literal
    bool in_parts = false;  // content is a list: [{"type": "text", "text": ...}]
    bool operator==(const Role&) const = default;
  };
  Role system{"system"};
  Role user{"user"};
  Role assistant{"assistant"};
  bool has_other_keys = false;  // also writes "from", "value" and "text"
};

// Whether the template reads the variable enable_thinking or thinking.
bool can_switch_thinking(std::string_view source) noexcept;

struct RenderedPrompt {
  std::string text;
  std::vector<ContentSpan> content;  // sorted, disjoint
};

class ChatTemplate {
 public:
  // Throws ModelError "line N: ..." if the source cannot be parsed. `more_tokens` become further
  // variables; transformers passes unk_token, pad_token and so on.
  ChatTemplate(std::string_view source, std::string_view bos_token, std::string_view eos_token,
               const std::vector<NamedToken>& more_tokens = {});
  // Sets how render() writes messages from now on.
  void write_messages_as(const MessageForm& form) { form_ = form; }
  const MessageForm& form() const noexcept { return form_; }

  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;

  // Throws ModelError if the template raises an exception or exceeds a limit; the time limit is
  // about half a second for a conversation of usual length. Throws Stopped if `watch` requests a
  // stop.
  RenderedPrompt render(const std::vector<ChatMessage>& messages, bool add_generation_prompt,
                        const TemplateSettings& settings = {}, const RenderWatch& watch = {}) const;
  // The same for a request in JSON: {"messages": [...], "tools": [...]?, "add_generation_prompt":
  // bool?, "vars": {...}?, "now": "2026-08-15T12:34:56"?}. The members of vars become further
  // variables. Throws ModelError "request: ..." for any other shape. If tools is absent, the
  // variable is undefined and also passes the test `none`.
  RenderedPrompt render_json(std::string_view request, const RenderWatch& watch = {}) const;

 private:
  struct Program;
  std::unique_ptr<const Program> program_;
  MessageForm form_ = {};
};

}  // namespace confab::engine
