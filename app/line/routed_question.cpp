// SPDX-License-Identifier: MIT
#include "app/line/routed_question.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "app/error.h"
#include "app/line/given_question.h"
#include "app/prompts/template_call.h"

namespace confab::app {
namespace {

// A template that somebody has named is there from the beginning: what it says of the model and
// the context counts, and its instruction is told from what is piped in.
ChatOptions with_template(const PromptTemplate* named, ChatOptions options) {
  if (named == nullptr) return options;
  options.instruction = filled(*named, options.template_arguments);
  apply(*named, options);
  return options;
}

void require_something(const ChatOptions& options, const Question& question,
                       const PromptTemplate* named) {
  if (!question.attachments.empty()) return;
  if (question.text.empty())
    throw UsageError("-p needs a question: confab -p \"QUESTION\", or pipe one into confab -p");
  if (named == nullptr || !(named->is_built_in() || named->has_input())) return;
  if (!options.instruction.empty() && question.text == instructed(options.instruction, ""))
    throw UsageError(
        fmt::format("{0} needs something to work on: confab {0} FILE, or pipe it into "
                    "confab {0}",
                    named->name));
}

}  // namespace

RoutedQuestion::RoutedQuestion(const ChatOptions& options, const Paths& paths, Tell tell)
    : tell_(std::move(tell)),
      router_(TemplateSet::load(paths.templates), options),
      options_(with_template(router_.named(), options)),
      question_(read_question(options_, tell_)) {
  for (const std::string& fault : router_.templates().faults()) tell_(fault);
  require_something(options_, question_, router_.named());
  if (router_.named() != nullptr) return;
  decision_ = router_.decide(question_.text, names_of(question_.attachments));
  if (decision_.asked_with == nullptr) return;
  const std::vector<std::string> changed = apply(*decision_.asked_with, options_);
  question_.options = options_;
  use(changed);
}

bool RoutedQuestion::ask_model(engine::ChatModel& model, const std::function<bool()>& wait) {
  if (!router_.asks_model(decision_)) return true;
  const engine::AnswerId id =
      model.score(router_.request(question_.text, names_of(question_.attachments)));
  for (;;) {
    const bool goes_on = wait();
    if (!goes_on) model.cancel(id);
    while (const auto told = model.next_event()) {
      if (told->answer != id || !engine::is_end(told->event)) continue;
      const auto* scored = std::get_if<engine::Scored>(&told->event);
      if (scored == nullptr) return goes_on;  // it is asked as it is
      decision_ = router_.decide(*scored);
      if (decision_.asked_with != nullptr) use(apply(*decision_.asked_with, *question_.options));
      return goes_on;
    }
  }
}

// What has been read stays as it is; the template's instruction goes in front of it or around it.
void RoutedQuestion::use(const std::vector<std::string>& changed) {
  const std::vector<std::string> instruction = filled(*decision_.asked_with, {});
  question_.text = instructed(instruction, question_.text);
  if (changed.empty() && instruction.empty()) return;
  tell_(told_of(decision_, changed) + "; --route off asks as it is");
}

}  // namespace confab::app
