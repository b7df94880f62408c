// SPDX-License-Identifier: MIT
// How a family of models sets its reasoning apart from its answer, recognised by its chat template.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace confab::engine {

// A text that begins a part of the model's output. Only templates of this family use it.
struct PartMarker {
  enum class Begins { reasoning, answer, nothing };  // nothing: a header before the next marker
  std::string_view text;
  Begins begins;
};

struct ReasoningFormat {
  std::string_view family;
  std::string_view sign;  // a text in the template that identifies the family
  std::span<const PartMarker> markers;
  std::string_view close;  // ends the reasoning
  std::string_view to_answer =
      {};  // leads from the reasoning to the answer unless the template shows another text
  // The output consists of messages, each with a header that names its channel. `markers` are only
  // the usual headers.
  bool has_messages = false;

  // Whether a special token with this text can be part of a marker.
  bool mentions(std::string_view token) const noexcept;
  // Whether a prompt that ends in `tail` leaves the reasoning open for the model to continue.
  bool is_open_after(std::string_view tail) const noexcept;
  // The marker to add to a prompt that ends in `tail`, and has not left the reasoning open, so that
  // the answer begins. Empty if the format has no such marker or the prompt already has it.
  std::string_view answer_header(std::string_view tail) const noexcept;
};

// The first family whose sign the template contains; null if the model does not reason.
const ReasoningFormat* find_reasoning_format(std::string_view chat_template) noexcept;

// The key under which the template reads the reasoning of an earlier answer.
std::string_view reasoning_key(std::string_view chat_template) noexcept;

}  // namespace confab::engine
