// SPDX-License-Identifier: MIT
#include "app/chat/context_advice.h"

#include <fmt/format.h>

#include "app/chat/message_path.h"

namespace confab::app {

std::string larger_context(const engine::ModelInfo& model) {
  if (!model.place.empty())
    return "for a larger context, start its engine with one (Ollama: confab -c N)";
  if (model.n_ctx < model.n_ctx_train)
    return fmt::format("for a larger context, start confab with -c N (up to {})",
                       model.n_ctx_train);
  return "the model allows no larger context";
}

std::string context_full_text(const engine::ModelInfo& model) {
  return fmt::format(
      "The context of {} tokens is full, so the answer ends here. /new starts a new conversation, "
      "/compact summarises this one; {}.",
      model.n_ctx, larger_context(model));
}

std::string failure_text(const std::string& fault, const sessions::Message& last) {
  const bool has_come = last.role == sessions::Role::assistant && has_begun(last);
  return fault +
         (has_come ? "; /continue goes on with what came" : "; /undo takes the question back");
}

std::string too_long_text(const std::string& fault, const engine::ModelInfo& model) {
  return fmt::format("{}; shorten it, or make room with /forget or /compact; {}", fault,
                     larger_context(model));
}

}  // namespace confab::app
