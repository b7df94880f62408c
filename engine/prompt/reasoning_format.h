// SPDX-License-Identifier: MIT
// How a family of models sets its reasoning apart from its answer, recognised by its chat template.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace confab::engine {

// A text that only such a template has a use for begins each part of what the model says.
struct PartMarker {
  enum class Begins { reasoning, answer, nothing };  // nothing: a header before the next marker
  std::string_view text;
  Begins begins;
};

struct ReasoningFormat {
  std::string_view family;
  std::string_view sign;  // in the template's text
  std::span<const PartMarker> markers;
  std::string_view close;  // ends the reasoning
  std::string_view to_answer =
      {};  // from the reasoning to the answer, if the template shows no other
  // What is said is messages, each with a header that names its channel; `markers` are only the
  // usual headers.
  bool has_messages = false;

  // Whether a special token of that text can be part of a marker.
  bool mentions(std::string_view token) const noexcept;
  // Whether a prompt that ends in `tail` leaves the reasoning open for the model to go on with.
  bool is_open_after(std::string_view tail) const noexcept;
  // What has to be added to such a prompt, which has not left it open, for the answer's part to
  // begin: its marker where the format has one and the prompt does not; else nothing.
  std::string_view answer_header(std::string_view tail) const noexcept;
};

// The first family whose sign the template has; null when the model's answers are all answer.
const ReasoningFormat* find_reasoning_format(std::string_view chat_template) noexcept;

// The key under which the template reads the reasoning of an earlier answer.
std::string_view reasoning_key(std::string_view chat_template) noexcept;

}  // namespace confab::engine
