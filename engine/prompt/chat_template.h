// SPDX-License-Identifier: MIT
// A model's chat template: the Jinja program in the file that turns messages into one prompt.
//
// Our own interpreter of the part of Jinja that templates use, set up as Hugging Face transformers
// does (trim_blocks, lstrip_blocks, loop controls, raise_exception, strftime_now, tojson). The
// template is untrusted: steps, bytes looked at, depth, output and time are bounded, and it can
// reach nothing but its variables. Const after construction.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/turn.h"
#include "engine/prompt/render_watch.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {

// A special token as a template names it: "unk_token", "<unk>".
struct NamedToken {
  std::string name;
  std::string text;
};

// A piece of the prompt that came from a message's content and not from the template.
struct ContentSpan {
  ByteSpan bytes;
  int message;  // index into the messages; -1: from elsewhere in the request
};

// How messages are written for a template: most read a text under "content" and know the roles by
// OpenAI's names.
struct MessageForm {
  struct Role {
    std::string_view name;  // a literal
    bool in_parts = false;  // content is a list: [{"type": "text", "text": ...}]
    bool operator==(const Role&) const = default;
  };
  Role system{"system"};
  Role user{"user"};
  Role assistant{"assistant"};
  bool has_other_keys = false;  // "from" and "value", "text" as well as "role" and "content"
};

// Whether the template looks at enable_thinking or thinking.
bool can_switch_thinking(std::string_view source) noexcept;

struct RenderedPrompt {
  std::string text;
  std::vector<ContentSpan> content;  // sorted, disjoint
};

class ChatTemplate {
 public:
  // Throws ModelError "line N: ..." when the source cannot be parsed.
  // more_tokens: further variables; transformers gives unk_token, pad_token, ...
  ChatTemplate(std::string_view source, std::string_view bos_token, std::string_view eos_token,
               const std::vector<NamedToken>& more_tokens = {});
  // How render() writes messages from now on.
  void write_messages_as(const MessageForm& form) { form_ = form; }
  const MessageForm& form() const noexcept { return form_; }

  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;

  // Throws ModelError when the template raises one, or does what it may not; for a conversation of
  // usual length that is to compute for half a second. Throws Stopped when it is stopped.
  RenderedPrompt render(const std::vector<ChatMessage>& messages, bool add_generation_prompt,
                        const TemplateSettings& settings = {}, const RenderWatch& watch = {}) const;
  // The same for a request in JSON: {"messages": [...], "tools": [...]?, "add_generation_prompt":
  // bool?, "vars": {...}?, "now": "2026-08-15T12:34:56"?}. Values of vars are further variables.
  // Throws ModelError "request: ..." for another shape. Absent tools are undefined, and none too.
  RenderedPrompt render_json(std::string_view request, const RenderWatch& watch = {}) const;

 private:
  struct Program;
  std::unique_ptr<const Program> program_;
  MessageForm form_ = {};
};

}  // namespace confab::engine
