// SPDX-License-Identifier: MIT
#include "app/line/decide.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "app/chat/backend.h"
#include "app/chat/context_advice.h"
#include "app/chat/question.h"
#include "app/chat/report.h"
#include "app/error.h"
#include "app/line/decision.h"
#include "app/line/given_question.h"
#include "app/progress_line.h"
#include "app/pump.h"
#include "ui/terminal/plain_writer.h"
#include "ui/terminal/signals.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUnsure = 3;

void complain(std::string_view text) {
  fmt::print(stderr, "confab: {}\n", ui::sanitize(text));
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const engine::ScoreStats& stats) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return {{"prompt_tokens", stats.n_prompt},
          {"cached_tokens", stats.n_cached},
          {"scored_tokens", stats.n_scored},
          {"passes", stats.n_passes},
          {"prefill_ms", Milliseconds(stats.prefill).count()},
          {"scoring_ms", Milliseconds(stats.scoring).count()}};
}

class Decision {
 public:
  Decision(Backend& backend, ui::Signals& signals, const ChatOptions& options)
      : model_(*backend.model),
        signals_(signals),
        options_(options),
        choices_(choices_of(options.decision)) {}

  int run(Question question) {
    question.text = asked_for_choice(question.text, options_.decision);
    engine::ScoreRequest request{.options = spellings_of(choices_),
                                 .settings = {.thinking = false}};
    if (!options_.system.empty()) request.turns.push_back({{"system", options_.system}});
    request.turns.push_back({{"user", prompt_of(question)}});
    const engine::Event end = wait_for(model_.score(std::move(request)));
    progress_.clear();
    if (status_ != 0) return status_;
    if (const auto* scored = std::get_if<engine::Scored>(&end)) return tell(*scored);
    if (const auto* failed = std::get_if<engine::Failed>(&end))
      complain(failed->message +
               (failed->prompt_too_long ? "; " + larger_context(model_.info()) : ""));
    return 1;
  }

 private:
  engine::Event wait_for(engine::AnswerId id) {
    for (;;) {
      wait_readable({model_.wake_fd(), signals_.fd()});
      if (const int status = status_asked_for(signals_); status != 0) {
        status_ = status;
        model_.cancel(id);
      }
      while (auto told = model_.next_event()) {
        if (engine::is_end(told->event)) return std::move(told->event);
        if (const auto* load = std::get_if<engine::LoadProgress>(&told->event))
          progress_.show(progress_text(*load));
        if (const auto* prefill = std::get_if<engine::PrefillProgress>(&told->event))
          progress_.show(progress_text(*prefill));
      }
    }
  }

  int tell(const engine::Scored& scored) {
    const Verdict verdict = weigh(choices_, scored.options);
    const double p = verdict.probabilities[verdict.best];
    const std::string& name = choices_[verdict.best].name;
    const bool sure = p >= static_cast<double>(options_.decision.threshold);
    if (!sure)
      complain(fmt::format("unsure: {} is the likeliest with {:.2f}, below the threshold of {}",
                           name, p, options_.decision.threshold));
    if (options_.stats) fmt::print(stderr, "{}\n", dumped(to_json(scored.stats)));
    if (options_.decision.json)
      out_.write(as_json(verdict, scored, sure) + "\n");
    else if (sure)
      out_.write(name + "\n");
    out_.finish();
    if (!sure) return kUnsure;
    return options_.decision.yes_no && verdict.best != 0 ? 1 : 0;
  }

  std::string as_json(const Verdict& verdict, const engine::Scored& scored, bool sure) const {
    Json probabilities = Json::object();
    for (std::size_t i = 0; i < choices_.size(); ++i)
      probabilities[choices_[i].name] = verdict.probabilities[i];
    Json answer;  // null: unsure
    if (sure) answer = choices_[verdict.best].name;
    return dumped(Json{{"answer", answer},
                       {"probability", verdict.probabilities[verdict.best]},
                       {"probabilities", probabilities},
                       {"coverage", verdict.coverage},
                       {"model", model_.info().name},
                       {"statistics", to_json(scored.stats)}});
  }

  engine::ChatModel& model_;
  ui::Signals& signals_;
  const ChatOptions& options_;
  std::vector<Choice> choices_;
  ui::PlainWriter out_{STDOUT_FILENO};
  ProgressLine progress_;
  int status_ = 0;  // that a signal asks for
};

}  // namespace

int run_decide(const ChatOptions& options, const Paths& paths) {
  Question question = read_question(options, complain);
  if (question.text.empty() && question.attachments.empty())
    throw UsageError(
        options.decision.yes_no
            ? "--yes-no needs a question: confab --yes-no \"QUESTION\" [FILE...]"
            : "--choose needs a question: confab --choose A,B -p \"QUESTION\" [FILE...]");
  ui::Signals signals;  // before the model's threads
  ChatOptions alone = options;
  alone.model.lookup = false;  // nothing is written
  alone.model.drafts = false;
  Backend backend = open_backend(alone, paths, false);
  if (const std::string notice = backend.take_notice(); !notice.empty()) complain(notice);
  const int status = Decision(backend, signals, options).run(std::move(question));
  if (const std::string notice = backend.take_notice(); !notice.empty()) complain(notice);
  backend.close();
  return status;
}

}  // namespace confab::app
