// SPDX-License-Identifier: MIT
#include "app/line/once.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/chat/backend.h"
#include "app/chat/chat.h"
#include "app/chat/context_advice.h"
#include "app/chat/context_report.h"
#include "app/chat/report.h"
#include "app/copy_watch.h"
#include "app/error.h"
#include "app/expectation.h"
#include "app/figures.h"
#include "app/line/answer_output.h"
#include "app/line/answers_in_turn.h"
#include "app/line/fitting.h"
#include "app/line/given_question.h"
#include "app/line/side_lines.h"
#include "app/manners/caretaker.h"
#include "app/progress_line.h"
#include "app/pump.h"
#include "ui/terminal/plain_writer.h"
#include "ui/terminal/signals.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kShapeCutOff =
    "the answer was cut off before it had its shape; allow more tokens with -n";
// For engines that accept a shape but ignore it.
constexpr const char* kShapeIgnored =
    "the engine ended its answer without the shape that was asked for; it may ignore shapes";

class OneAnswer : public AnswerSink {
 public:
  OneAnswer(const OnceStreams& streams, const ChatOptions& options)
      : backend_(streams.backend),
        signals_(streams.signals),
        options_(options),
        side_(streams.side),
        care_(streams.care),
        chat_(*backend_.model, backend_.store.get(), options),
        output_(make_output(options.once, streams.out, side_)) {}

  int run(Question question) {
    if (backend_.store != nullptr)
      if (const auto wanted = wanted_conversation(options_, *backend_.store))
        open_conversation(backend_, chat_, *wanted);
    while (backend_.awaited) {
      wait_for_model();
      if (signalled_ != 0) return signalled_;
      take_awaited(backend_, chat_);
    }
    question.text = asked_in_form(question.text, options_.once.expected);
    std::optional<Question> fitting = made_to_fit(std::move(question));
    if (!fitting) return signalled_;
    const std::string asked = fitting->text;
    chat_.send(*std::move(fitting));
    output_->begin(chat_.model_info().name, chat_.n_answers());
    AnswerOutcome last = take_answers();
    const bool is_too_long = last.too_long;
    while (ask_again(asked, last)) last = take_answers();
    if (ended_.empty()) ended_.push_back(last);  // they were refused
    const ExitStatus status =
        is_too_long ? ExitStatus::too_long : output_->finish(status_of_answers());
    chat_.save_rest();
    tell();
    return signalled_ != 0 ? signalled_ : static_cast<int>(status);
  }

  void progress(std::size_t answer, const AnswerWait& wait) override {
    heard_ = Clock::now();
    const std::string text = std::visit([](const auto& of) { return progress_text(of); }, wait);
    const auto* waiting = std::get_if<engine::Waiting>(&wait);
    if (waiting != nullptr)
      side_.waiting(text, waiting->reason);
    else
      side_.progress(text);
    if (const auto* prefill = std::get_if<engine::PrefillProgress>(&wait))
      output_->prefilled(answer, *prefill);
  }
  void reasoning(std::size_t answer, const engine::ReasoningDelta& delta) override {
    heard_ = Clock::now();
    side_.clear_progress();
    if (delta.takes_back) {
      said(answer).text = false;
      output_->take_back(answer);
    }
    said(answer).reasoning += delta.text;
    output_->reasoning(answer, delta.text);
  }
  bool text(std::size_t answer, const engine::TextDelta& delta) override {
    heard_ = Clock::now();
    side_.clear_progress();
    said(answer).text = said(answer).text || has_words(delta.text);
    if (output_->text(answer, delta.text) == Wants::more) return true;
    chat_.stop();
    return false;
  }
  void ended(std::size_t answer, const AnswerOutcome& outcome) override {
    side_.clear_progress();
    if (outcome.too_long) return;
    output_->ended(answer, outcome);
    ended_.push_back(outcome);
    said(answer).is_empty = outcome.end == AnswerEnd::finished && !said(answer).text;
  }

 private:
  // Returns nullopt if a signal ended the run.
  std::optional<Question> made_to_fit(Question question) {
    const Fitting fitting(*backend_.model, chat_);
    const auto notice = [this](std::string_view text) { side_.notice(text); };
    Question least = question;  // without files, as they may be cut or read in pieces
    if (is_of_question(options_.overflow)) least.attachments.clear();
    if (chat_.make_room_for(least))
      notice(fmt::format("the context is full, so {} of the conversation {} no longer read",
                         n_left_out(chat_) == 1
                             ? "the oldest question"
                             : fmt::format("the oldest {} questions", n_left_out(chat_)),
                         n_left_out(chat_) == 1 ? "is" : "are"));
    if (options_.overflow == Overflow::truncate)
      return fitting.truncated(std::move(question), notice);
    if (options_.overflow == Overflow::split) return merged(std::move(question));
    fitting.require(question);
    return question;
  }
  std::optional<Question> merged(Question question) {
    const auto wait = [this] {
      wait_for_model();
      return signalled_ == 0;
    };
    const auto told = [this](std::size_t n_done, std::size_t n_pieces) {
      const auto n = static_cast<std::int64_t>(n_pieces);
      if (n_done == 0)
        side_.notice(fmt::format("the text does not fit into the context, so it is read in {}",
                                 app::counted(n, "piece")));
      side_.progress(fmt::format("{} of {} read", n_done, app::counted(n, "piece")));
      output_->asked_pieces(n_done, n_pieces);
    };
    return SplitQuestion(*backend_.model, chat_, wait, told).reduce(std::move(question));
  }

  // Takes the answers that were asked for to their ends. Returns the chosen one's outcome.
  AnswerOutcome take_answers() {
    AnswersInTurn in_turn(*this);
    AnswerSink& sink = output_->in_turn() ? static_cast<AnswerSink&>(in_turn) : *this;
    AnswerOutcome last =
        AnswerLoop(&chat_, sink).run(*backend_.model, [this] { wait_for_model(); });
    side_.clear_progress();
    chat_.save_rest();
    return last;
  }

  // Asks again if the output rejected the answer. The new prompt starts like the old one, so only
  // the rest has to be read.
  bool ask_again(const std::string& asked, const AnswerOutcome& last) {
    if (signalled_ != 0 || last.too_long) return false;
    const std::optional<std::string> again = output_->asks_again(asked);
    if (!again) return false;
    tell_statistics();
    ended_.clear();
    said_.clear();
    chat_.edit(*again);
    return true;
  }

  ExitStatus status_of_answers() const {
    const auto any = [this](auto is) { return std::ranges::any_of(ended_, is); };
    if (any([](const AnswerOutcome& o) { return o.end == AnswerEnd::failed && o.is_in_shape; }))
      return ExitStatus::failed;
    if (any([this](const AnswerOutcome& o) { return !o.is_in_shape || is_empty(o); }))
      return ExitStatus::no_valid_answer;
    const auto is_cut_off = [](const AnswerOutcome& o) {
      return o.end == AnswerEnd::length || o.end == AnswerEnd::context_full;
    };
    return any(is_cut_off) ? ExitStatus::cut_off : ExitStatus::success;
  }

  void tell() {
    for (const AnswerOutcome& outcome : ended_) tell_end(outcome);
    side_.notice(backend_.take_notice());
    side_.error(chat_.take_error());
    side_.notice(chat_.take_notice());
    tell_statistics();
  }
  void tell_statistics() {
    for (const AnswerOutcome& outcome : ended_)
      if (options_.stats && outcome.end != AnswerEnd::failed) side_.line(stats_json(outcome.stats));
  }
  void tell_end(const AnswerOutcome& outcome) {
    const engine::ModelInfo& model = chat_.model_info();
    const std::string which =
        ended_.size() > 1 ? fmt::format("answer {}: ", outcome.answer + 1) : "";
    if (outcome.end == AnswerEnd::failed)
      side_.error(which + outcome.fault + (outcome.too_long ? "; " + larger_context(model) : ""));
    if (outcome.end != AnswerEnd::failed && !outcome.is_in_shape)
      side_.error(which + (outcome.end == AnswerEnd::finished ? kShapeIgnored : kShapeCutOff));
    if (is_empty(outcome)) tell_empty(which, said_[outcome.answer].reasoning);
    // An answer with a shape is completed while there is still room, so it ends by length when the
    // context is full.
    const bool is_at_length = outcome.end == AnswerEnd::length;
    const bool is_limited = chat_.options().n_predict >= 0;
    const bool is_elsewhere = !model.place.empty();
    if (is_at_length && !is_limited && is_elsewhere)
      side_.notice(
          fmt::format("{}the engine cut the answer off after {} tokens, by a limit of its "
                      "own; ask for more with -n",
                      which, grouped(outcome.stats.n_generated)));
    else if (outcome.end == AnswerEnd::context_full || (is_at_length && !is_limited))
      side_.notice(fmt::format("{}the context of {} tokens is full, so the answer ends here; {}",
                               which, model.n_ctx, larger_context(model)));
    if (is_at_length && is_limited)
      side_.notice(fmt::format("{}the answer was cut off after {} tokens, as -n says", which,
                               grouped(outcome.stats.n_generated)));
  }

  // A remote engine may be silent for minutes. A line then says so.
  void tell_silence() {
    constexpr std::chrono::seconds kLong{15};
    const engine::ModelInfo& model = chat_.model_info();
    if (model.place.empty() || Clock::now() - heard_ < kLong) return;
    heard_ = Clock::now();
    const std::string text = fmt::format("waiting for {}, which is silent", model.place);
    side_.waiting(text, text);
  }

  // If the model only reasoned, the reasoning is shown, but not as the answer.
  void tell_empty(const std::string& which, const std::string& reasoning) {
    if (!has_words(reasoning))
      return side_.error(which + "the model ended its answer without a word");
    side_.line(ui::sanitize(reasoning));
    side_.error(which +
                "the model ended inside its reasoning, which is above, and gave no answer; "
                "--reasoning off or --reasoning-budget may help");
  }
  // The results of an answer so far, by its number.
  struct Said {
    bool text = false;
    std::string reasoning = {};
    bool is_empty = false;  // the model ended it normally, without text
  };
  Said& said(std::size_t answer) {
    said_.resize(std::max(said_.size(), answer + 1));
    return said_[answer];
  }
  bool is_empty(const AnswerOutcome& outcome) const {
    return outcome.answer < said_.size() && said_[outcome.answer].is_empty;
  }
  static bool has_words(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") != std::string_view::npos;
  }

  void wait_for_model() {
    constexpr std::chrono::seconds kLook{5};
    std::optional<std::chrono::milliseconds> most = care_.timeout();
    if (!chat_.model_info().place.empty())
      most = std::min<std::chrono::milliseconds>(most.value_or(kLook), kLook);
    wait_readable({backend_.model->wake_fd(), awaited_fd(backend_), signals_.fd(), care_.fd()},
                  most);
    tell_silence();
    care_.look(true);
    for (const int signal : signals_.take()) {
      if (signal == SIGTSTP) {
        side_.clear_progress();
        ui::Signals::stop_process();
      }
      if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) continue;
      signalled_ = 128 + signal;  // 130 for SIGINT
      chat_.stop();
    }
  }

  Backend& backend_;
  ui::Signals& signals_;
  const ChatOptions& options_;
  SideLines& side_;
  Caretaker& care_;
  Chat chat_;
  std::unique_ptr<AnswerOutput> output_;
  std::vector<AnswerOutcome> ended_;
  std::vector<Said> said_ = {};
  int signalled_ = 0;  // the status requested by a signal
  Clock::time_point heard_ = Clock::now();
};

}  // namespace

int run_once(const ChatOptions& given, const Paths& paths) {
  SideLines side(given.once.quiet);
  RoutedQuestion question(given, paths, [&side](std::string_view line) { side.notice(line); });
  const ChatOptions& options = question.options();
  ui::Signals signals;  // before the model starts threads
  const bool continues = options.continue_last || options.resume.has_value();
  Backend backend =
      open_backend(options, paths, continues, waits_at_start(signals, OnInterrupt::ends));
  side.notice(backend.take_notice());
  ui::PlainWriter out(STDOUT_FILENO);
  Caretaker care(backend, options.save ? paths.log : "");
  care.ask();
  int status = 0;
  const auto wait = [&] {
    wait_readable({backend.model->wake_fd(), signals.fd()});
    if (const int asked_for = status_asked_for(signals); asked_for != 0) status = asked_for;
    return status == 0;
  };
  if (question.ask_model(*backend.model, wait))
    status = answer_once(
        {.backend = backend, .signals = signals, .out = out, .side = side, .care = care}, options,
        question.take());
  backend.close();
  return status;
}

int answer_once(const OnceStreams& streams, const ChatOptions& options, Question question) {
  return OneAnswer(streams, options).run(std::move(question));
}

}  // namespace confab::app
