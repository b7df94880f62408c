// SPDX-License-Identifier: MIT
#include "app/line/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "app/chat/backend.h"
#include "app/chat/context_advice.h"
#include "app/chat/question.h"
#include "app/chat/report.h"
#include "app/copy_watch.h"
#include "app/error.h"
#include "app/exit_status.h"
#include "app/line/given_question.h"
#include "app/line/side_lines.h"
#include "app/pump.h"
#include "base/json.h"
#include "ui/terminal/plain_writer.h"
#include "ui/terminal/signals.h"

namespace confab::app {
namespace {

bool is_small_letter(char c) {
  return c >= 'a' && c <= 'z';
}

std::string capitalised(std::string text) {
  if (is_small_letter(text.front())) text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

bool begins(const std::vector<engine::Token>& a, const std::vector<engine::Token>& b) {
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

// For each score, the probability of an answer that starts with it but not with a longer one of the
// scores, relative to exp(most). Equal scores count once.
std::vector<double> shares_of(std::span<const engine::OptionScore> scores, double most) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(
      order, std::ranges::less(), [&](std::size_t i) -> const auto& { return scores[i].tokens; });
  std::vector<double> shares(scores.size());
  std::vector<std::size_t> begun;  // each is a prefix of the following ones
  for (const std::size_t i : order) {
    while (!begun.empty() && !begins(scores[begun.back()].tokens, scores[i].tokens))
      begun.pop_back();
    if (!begun.empty() && scores[begun.back()].tokens == scores[i].tokens) continue;
    shares[i] = std::exp(scores[i].log_p - most);
    if (!begun.empty()) shares[begun.back()] -= shares[i];
    begun.push_back(i);
  }
  return shares;
}

}  // namespace

std::vector<Choice> choices_of(const DecisionOptions& options) {
  if (options.yes_no) return {{"yes", {"yes", "Yes", "YES"}}, {"no", {"no", "No", "NO"}}};
  std::vector<Choice> choices;
  for (const std::string& name : options.choices) {
    choices.push_back({name, {name}});
    const std::string other = capitalised(name);
    if (std::ranges::find(options.choices, other) == options.choices.end())
      choices.back().spellings.push_back(other);
  }
  return choices;
}

std::vector<std::string> spellings_of(std::span<const Choice> choices) {
  std::vector<std::string> all;
  for (const Choice& choice : choices)
    all.insert(all.end(), choice.spellings.begin(), choice.spellings.end());
  return all;
}

std::string asked_for_choice(const std::string& question, const DecisionOptions& options) {
  if (options.yes_no) return question + "\n\nAnswer with yes or no only.";
  const bool in_line = std::ranges::none_of(options.choices, [](const std::string& choice) {
    return choice.find_first_of(",.;:") != std::string::npos;
  });
  if (in_line)
    return fmt::format("{}\n\nAnswer with one of these only: {}", question,
                       fmt::join(options.choices, ", "));
  return fmt::format("{}\n\nAnswer with one of these lines only:\n{}", question,
                     fmt::join(options.choices, "\n"));
}

Verdict weigh(std::span<const Choice> choices, std::span<const engine::OptionScore> scores) {
  assert(!choices.empty());
  double most = -std::numeric_limits<double>::infinity();
  for (const engine::OptionScore& score : scores) most = std::max(most, score.log_p);
  Verdict verdict{.probabilities = std::vector<double>(choices.size(), 0.0)};
  if (!std::isfinite(most)) {  // the model gives all of them probability 0
    verdict.probabilities.assign(choices.size(), 1.0 / static_cast<double>(choices.size()));
    return verdict;
  }
  const std::vector<double> shares = shares_of(scores, most);
  auto share = shares.begin();
  for (std::size_t i = 0; i < choices.size(); ++i)
    for (std::size_t k = 0; k < choices[i].spellings.size(); ++k)
      verdict.probabilities[i] += std::max(0.0, *share++);
  const double total = std::reduce(verdict.probabilities.begin(), verdict.probabilities.end());
  verdict.coverage = std::min(1.0, total * std::exp(most));
  for (double& p : verdict.probabilities) p /= total;
  const auto best = std::ranges::max_element(verdict.probabilities);
  verdict.best = static_cast<std::size_t>(best - verdict.probabilities.begin());
  return verdict;
}

namespace {

using base::Json;

// The status that grep and test use, and that scripts expect.
constexpr ExitStatus kNo = ExitStatus::failed;

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
  Decision(Backend& backend, ui::Signals& signals, const ChatOptions& options, SideLines& side)
      : model_(*backend.model),
        signals_(signals),
        options_(options),
        side_(side),
        choices_(choices_of(options.decision)) {}

  int run(Question question) {
    question.text = asked_for_choice(question.text, options_.decision);
    engine::ScoreRequest request{.options = spellings_of(choices_),
                                 .settings = {.thinking = false}};
    const std::string& system = options_.system.empty() ? model_.info().system : options_.system;
    if (!system.empty()) request.turns.push_back({{"system", system}});
    request.turns.push_back({{"user", prompt_of(question)}});
    const engine::Event end = wait_for(model_.score(std::move(request)));
    side_.clear_progress();
    if (status_ != 0) return status_;
    if (const auto* scored = std::get_if<engine::Scored>(&end))
      return static_cast<int>(tell(*scored));
    const auto* failed = std::get_if<engine::Failed>(&end);
    if (failed != nullptr && failed->prompt_too_long)
      throw TooLongError(failed->message + "; " + larger_context(model_.info()));
    if (failed != nullptr) side_.error(failed->message);
    return static_cast<int>(status_of_failure(options_.decision.yes_no));
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
        if (const auto* waiting = std::get_if<engine::Waiting>(&told->event))
          side_.waiting(progress_text(*waiting), waiting->reason);
        if (const auto* load = std::get_if<engine::LoadProgress>(&told->event))
          side_.progress(progress_text(*load));
        if (const auto* prefill = std::get_if<engine::PrefillProgress>(&told->event))
          side_.progress(progress_text(*prefill));
      }
    }
  }

  ExitStatus tell(const engine::Scored& scored) {
    const Verdict verdict = weigh(choices_, scored.options);
    const double p = verdict.probabilities[verdict.best];
    const std::string& name = choices_[verdict.best].name;
    const bool sure = p >= static_cast<double>(options_.decision.threshold);
    if (!sure)
      side_.error(fmt::format("unsure: {} is the likeliest with {:.2f}, below the threshold of {}",
                              name, p, options_.decision.threshold));
    if (options_.stats) side_.line(to_json(scored.stats).dump());
    if (options_.decision.json)
      out_.write(as_json(verdict, scored, sure) + "\n");
    else if (sure)
      out_.write(name + "\n");
    out_.finish();
    if (!sure) return ExitStatus::no_valid_answer;
    return options_.decision.yes_no && verdict.best != 0 ? kNo : ExitStatus::success;
  }

  std::string as_json(const Verdict& verdict, const engine::Scored& scored, bool sure) const {
    Json probabilities = Json::object();
    for (std::size_t i = 0; i < choices_.size(); ++i)
      probabilities[choices_[i].name] = verdict.probabilities[i];
    Json answer;  // null if unsure
    if (sure) answer = choices_[verdict.best].name;
    return Json{{"answer", answer},
                {"probability", verdict.probabilities[verdict.best]},
                {"probabilities", probabilities},
                {"coverage", verdict.coverage},
                {"model", model_.info().name},
                {"statistics", to_json(scored.stats)}}
        .dump();
  }

  engine::ChatModel& model_;
  ui::Signals& signals_;
  const ChatOptions& options_;
  SideLines& side_;
  std::vector<Choice> choices_;
  ui::PlainWriter out_{STDOUT_FILENO};
  int status_ = 0;  // the status requested by a signal
};

}  // namespace

int run_decide(const ChatOptions& options, const Paths& paths) {
  SideLines side(options.once.quiet);
  Question question = read_question(options, [&side](std::string_view line) { side.notice(line); });
  if (question.text.empty() && question.attachments.empty())
    throw UsageError(
        options.decision.yes_no
            ? "--yes-no needs a question: confab --yes-no \"QUESTION\" [FILE...]"
            : "--choose needs a question: confab --choose A,B -p \"QUESTION\" [FILE...]");
  ui::Signals signals;  // before the model starts threads
  ChatOptions alone = options;
  alone.model.lookup = false;  // no text is generated
  alone.model.drafts = false;
  Backend backend = open_backend(alone, paths, false, waits_at_start(signals, OnInterrupt::ends));
  side.notice(backend.take_notice());
  const int status = Decision(backend, signals, options, side).run(std::move(question));
  side.notice(backend.take_notice());
  backend.close();
  return status;
}

}  // namespace confab::app
