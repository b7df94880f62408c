// SPDX-License-Identifier: MIT
#include "app/line/plain_chat.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "app/chat/answer_loop.h"
#include "app/chat/backend.h"
#include "app/chat/chat.h"
#include "app/chat/context_report.h"
#include "app/chat/history.h"
#include "app/chat/report.h"
#include "app/chat/welcome.h"
#include "app/commands/attach_files.h"
#include "app/commands/commands.h"
#include "app/commands/completion.h"
#include "app/commands/context.h"
#include "app/commands/model.h"
#include "app/commands/route.h"
#include "app/copy_watch.h"
#include "app/line/answers_in_turn.h"
#include "app/manners/caretaker.h"
#include "app/progress_line.h"
#include "app/pump.h"
#include "app/themes.h"
#include "ui/error.h"
#include "ui/input/plain_reader.h"
#include "ui/terminal/plain_writer.h"
#include "ui/terminal/signals.h"
#include "ui/terminal/terminal_device.h"
#include "ui/text.h"

namespace confab::app {

void WaitNotes::begin(Clock::time_point now) {
  due_ = now + kFirst;
}

std::optional<std::string> WaitNotes::take(const AnswerWait& wait, Clock::time_point now) {
  if (now < due_) return std::nullopt;
  due_ = now + kInterval;
  return std::visit([](const auto& of) { return progress_text(of); }, wait);
}

namespace {

constexpr int kTold = 25;                        // percent
constexpr std::chrono::milliseconds kSoon{300};  // shorter waits are not reported

}  // namespace

ui::PlainReader::Watch download_watch(CommandContext& context) {
  Pulling& pulling = context.pulling;
  return {.fd = [&pulling] { return pull_fd(pulling); },
          .has_news =
              [&pulling] {
                const int before = pulling.state.percent;
                pulling.state = pulling.running->state();
                return pulling.is_over() || pulling.state.percent / kTold > before / kTold;
              },
          .tell =
              [&context] {
                if (context.pulling.is_over()) return end_pull(context);
                context.console.notice(pull_text(context.pulling));
              }};
}

void await_download(CommandContext& context, const WaitBeside& wait) {
  while (context.pulling.running != nullptr && wait(pull_fd(context.pulling))) take_pull(context);
}

void await_model(CommandContext& context, const WaitBeside& wait) {
  if (context.backend == nullptr || !context.backend->awaited) return;
  Backend& backend = *context.backend;
  wait_readable({awaited_fd(backend)}, kSoon);
  std::string told;
  for (;;) {
    attempt(context, [&] { take_awaited(backend, context.chat); });
    if (!backend.awaited) break;
    if (const std::string text = backend.awaited->engine->text(); text != told) {
      context.console.notice(fmt::format("{}; Ctrl+C stops that", text));
      told = text;
    }
    if (!wait(awaited_fd(backend))) backend.awaited->engine->stop();
  }
  if (auto question = take_ready(context)) context.chat.send(*std::move(question));
}

namespace {

class PlainChat : public Console, public AnswerSink {
 public:
  PlainChat(Backend& backend, ui::Signals& signals, const ChatOptions& options, const Paths& paths)
      : backend_(backend),
        signals_(signals),
        chat_(*backend.model, backend.store.get(), options),
        context_{chat_, backend.store.get(), *this, &backend, &paths},
        reader_(signals),
        history_(paths.history, options.save),
        care_(backend, options.save ? paths.log : "") {
    if (options.save) context_.remembered = Remembered(paths.state);
    begin_routing(context_, options);
    reader_.set_history(history_.load());
    reader_.set_history_source([this] { return history_.changed(); });
    reader_.watch(download_watch(context_));
    reader_.set_completer([this](std::string_view before, std::string_view word) {
      return complete(context_, before, word);
    });
  }

  int run(const ChatOptions& options) {
    if (reader_.interactive() && !options.resume && !options.continue_last)
      for (const std::string& line : greeting(chat_.model_info(), backend_.is_demo,
                                              options.save ? Keeping::kept : Keeping::incognito))
        notice(line);
    tell_notice();
    if (backend_.store != nullptr) {
      if (const auto wanted = wanted_conversation(options, *backend_.store)) {
        open_conversation(backend_, chat_, *wanted);
        await_model(context_, wait_beside_);
        show_conversation();
        make_room(context_);
        tell_notice();
        chat_.prepare("");
      }
    }
    while (!done_) read_and_act();
    constexpr std::chrono::seconds kLastPatience{5};
    if (backend_.store != nullptr) backend_.store->set_patience(kLastPatience);
    chat_.save_rest();
    tell_notice();
    for (const std::string& text : {pull_farewell(context_.pulling), farewell()})
      if (!text.empty()) notice(text);
    return status_;
  }

  void notice(const std::string& text) override { errors_.write(text + "\n"); }
  void error(const std::string& text) override { errors_.write("confab: " + text + "\n"); }
  void quit() override { done_ = true; }
  WhileReading watch_reading(const std::string& what) override {
    const auto line = std::make_shared<ProgressLine>();
    return [this, line, what] {
      line->show(fmt::format("reading {}; Ctrl+C stops", what));
      bool stops = false;
      for (const int signal : signals_.take()) {
        if (signal != SIGINT) take_signal(signal);
        stops = stops || signal == SIGINT || done_;
      }
      if (stops) throw ReadingStopped(what);
    };
  }

  void show_conversation() override {
    const std::vector<std::string> labels = memory_labels(chat_);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const sessions::Message& message = chat_.messages()[i];
      if (!labels[i].empty()) notice(in_ascii(labels[i]));
      const bool asked = message.role == sessions::Role::user;
      if (!message.reasoning.empty()) errors_.write("(thinking) " + message.reasoning + "\n\n");
      errors_.write(asked ? "\n> " + shown_question(message) + "\n" : message.content + "\n");
    }
    if (chat_.messages().empty()) notice("A new conversation.");
    if (const std::string note = chat_.unfinished_note(); !note.empty()) notice(note);
  }

  void confirm(const std::string& question, std::function<void()> yes, const std::string& instead,
               std::function<void()> no) override {
    if (!reader_.interactive())
      return Console::confirm(question, std::move(yes), instead, std::move(no));
    const ui::PlainLine line = ask(question + " (y/N)");
    unanswered_ = line.kind == ui::PlainLine::Kind::end;
    if (line.kind != ui::PlainLine::Kind::line) return;
    if (const auto& answer = says_yes(line.text) ? yes : no) attempt(context_, answer);
  }

  void ask_line(const std::string& label, const std::string&,
                std::function<void(const std::string&)> done) override {
    const ui::PlainLine line = ask(label);
    if (line.kind == ui::PlainLine::Kind::line) attempt(context_, [&] { done(line.text); });
  }

  // When an answer continues, the part already on the terminal is not written again.
  void show_answer() override {
    n_shown_reasoning_ = chat_.messages().back().reasoning.size();
    n_shown_ = chat_.messages().back().content.size();
  }

 private:
  ui::PlainLine ask(const std::string& label) {
    ui::PlainLine line = reader_.ask(ui::one_line(label) + ' ');
    if (line.kind == ui::PlainLine::Kind::end) errors_.write("\n");
    if (line.kind == ui::PlainLine::Kind::interrupted && line.signal != SIGINT)
      take_signal(line.signal);
    return line;
  }

  // How to return to the conversation, if something was said on a terminal.
  std::string farewell() {
    const bool told = reader_.interactive() && said_ && status_ == 0 && backend_.store != nullptr;
    return told ? way_back(*backend_.store) : "";
  }

  void tell_notice() {
    if (const std::string text = care_.take_news(); reader_.interactive() && !text.empty())
      notice(text);
    if (const std::string text = backend_.take_notice(); !text.empty()) notice(text);
    if (const std::string text = chat_.take_error(); !text.empty()) error(text);
    if (const std::string text = chat_.take_notice(); !text.empty()) notice(text);
  }

  void read_and_act() {
    const ui::PlainLine line = reader_.read("> ");
    if (line.kind == ui::PlainLine::Kind::end) {
      end_input();
    } else if (line.kind == ui::PlainLine::Kind::interrupted) {
      take_signal(line.signal);
    } else if (!line.text.empty()) {
      unanswered_ = false;
      reader_.add_history(line.text);
      if (const std::string fault = history_.add(line.text); !fault.empty()) error(fault);
      context_.pasted.add(line.pasted);
      take_note();
      act_on(line.text);
      await_model(context_, wait_beside_);
      while (chat_.generating()) write_answer();
      await_note();
      if (!reader_.interactive()) await_download(context_, wait_beside_);
      tell_notice();
    }
  }

  // In a pipe, every line that is not a command is a question.
  void act_on(const std::string& text) {
    if (is_template_call(context_, text)) return run_template(context_, text);
    if (is_command(text)) return run_command(context_, text);
    if (reader_.interactive()) {
      if (text == "?") return run_command(context_, "/help");
      if (const std::string advice = bare_exit_.advice(chat_, text); !advice.empty())
        return notice(advice);
    }
    attempt(context_, [&] { decide_about_pasted(context_, text, [&] { ask_model(text); }); });
  }

  // Takes the events of a note that came in the meantime.
  void take_note() { AnswerLoop(&chat_, *this).take(*backend_.model); }
  // In a pipe, the next question follows at once, so the note has to be complete first.
  void await_note() {
    while (!reader_.interactive() && chat_.is_noting() && !done_) {
      wait_for_model();
      take_note();
    }
  }
  void noted() override {
    notice(memory_notice(chat_));
    chat_.prepare("");
  }

  void ask_model(const std::string& text) {
    std::optional<Question> question = routed_question(context_, text);
    while (context_.routing.pending) {
      wait_for_model();
      while (const auto told = backend_.model->next_event())
        if (auto classed = take_class(context_, *told)) question = std::move(classed);
    }
    if (question && !done_) chat_.send(*std::move(question));
  }

  void wait_for_model() {
    wait_readable({backend_.model->wake_fd(), signals_.fd(), reader_.typing_fd(), care_.fd()},
                  care_.timeout());
    care_.look(true);
    take_signals();
    reader_.take_typed();
  }

  // A terminal that has gone ends every input. If it ended even the question whether to leave,
  // leave without asking again.
  void end_input() {
    if (reader_.interactive()) errors_.write("\n");
    if (reader_.interactive() && !unanswered_) return leave_chat(context_);
    done_ = true;
  }

  void write_answer() {
    said_ = true;
    care_.ask();
    tell_notice();
    waits_.begin(WaitNotes::Clock::now());
    answer_ = false;
    n_answers_ = chat_.n_answers();
    n_headed_ = 0;
    n_ended_ = 0;
    AnswersInTurn in_turn(*this);
    const AnswerOutcome outcome =
        AnswerLoop(&chat_, in_turn).run(*backend_.model, [this] { wait_for_model(); });
    end_reasoning();
    out_.finish();
    n_shown_reasoning_ = n_shown_ = 0;
    care_.look(false);
    tell(outcome);
    if (!done_ && n_answers_ < 2) check_form(context_, outcome);
    if (!done_) make_room(context_, outcome, n_answers_);
    if (!done_) chat_.prepare("");
  }

  void tell(const AnswerOutcome& outcome) {
    if (outcome.end == AnswerEnd::failed && !reader_.interactive()) status_ = 1;
    if (outcome.is_aside()) {
      end_aside(context_, outcome);
      return tell_notice();
    }
    if (outcome.end == AnswerEnd::failed && n_answers_ < 2) error(outcome.fault);
    std::string note = end_note(outcome.end, chat_);
    if (n_answers_ > 1) {
      if (!note.empty()) note += '\n';
      note += others_note(chat_, n_answers_, "/branches lists them, /branch NUMBER switches");
    }
    const bool wanted = reader_.interactive() || outcome.end == AnswerEnd::context_full;
    if (wanted && !done_ && !note.empty()) notice(note);
    tell_notice();
  }

  // Removes the part that has been shown, and counts it off.
  static std::string_view unseen(std::string_view text, std::size_t& n_shown) {
    const std::size_t n = std::min(text.size(), n_shown);
    n_shown -= n;
    return text.substr(n);
  }

  // Reasoning goes to stderr with the notices, so that stdout has only the answers.
  void show_reasoning(std::string_view text) {
    if (text.empty()) return;
    if (!std::exchange(reasoning_, true))
      errors_.write(accessible_ ? "Thinking:\n" : "(thinking) ");
    errors_.write(text);
  }
  void end_reasoning() {
    if (std::exchange(reasoning_, false)) errors_.write("\n\n");
  }

  // Separates several answers.
  void head(std::size_t answer) {
    if (n_answers_ < 2 || answer < n_headed_) return;
    end_reasoning();
    out_.finish();
    if (n_headed_ == 0 && reader_.interactive())
      notice("Ctrl+C stops the answer that is shown; the others go on.");
    notice(fmt::format("Answer {} of {}:", answer + 1, n_answers_));
    n_headed_ = answer + 1;
  }

  void ended(std::size_t answer, const AnswerOutcome& outcome) override {
    n_ended_ = answer + 1;
    if (n_answers_ < 2 || outcome.is_aside()) return;
    head(answer);
    end_reasoning();
    out_.finish();
    if (outcome.end == AnswerEnd::failed) error(outcome.fault);
    if (outcome.end == AnswerEnd::stopped) notice("(this answer was stopped)");
  }

  void progress(std::size_t /*answer*/, const AnswerWait& wait) override {
    const auto note = waits_.take(wait, WaitNotes::Clock::now());
    if (note && reader_.interactive()) notice(*note);
  }

  void reasoning(std::size_t answer, const engine::ReasoningDelta& delta) override {
    head(answer);
    show_reasoning(unseen(delta.text, n_shown_reasoning_));
  }

  bool text(std::size_t answer, const engine::TextDelta& delta) override {
    head(answer);
    end_reasoning();
    if (accessible_ && n_answers_ < 2 && !std::exchange(answer_, true)) notice("Answer:");
    done_ = !out_.write(unseen(delta.text, n_shown_)) || done_;  // nobody reads the output
    if (done_) chat_.stop();
    return !done_;
  }

  void take_signals() {
    for (const int signal : signals_.take()) take_signal(signal);
  }

  void take_signal(int signal) {
    if (signal == SIGTERM || signal == SIGHUP) {
      status_ = 128 + signal;
      done_ = true;
      chat_.stop();
      forget_class(context_);
    } else if (signal == SIGINT) {
      interrupt();
    } else if (signal == SIGTSTP) {
      signals_.stop_process();
    }
  }

  // Stops the answer that is shown, or all answers while none is.
  void interrupt() {
    if (context_.routing.pending) return forget_class(context_);
    if (AwaitedEngine* const engine = awaited_engine(context_)) return engine->stop();
    if (chat_.generating() && n_headed_ > 0 && reader_.interactive()) {
      chat_.stop(n_ended_);
    } else if (chat_.generating()) {
      chat_.stop();
    } else if (reader_.interactive()) {
      notice(kToLeave);
    }
    if (!reader_.interactive()) {
      status_ = 128 + SIGINT;
      done_ = true;
    }
  }

  Backend& backend_;
  ui::Signals& signals_;
  Chat chat_;
  CommandContext context_;
  ui::PlainReader reader_;
  History history_;
  Caretaker care_;
  ui::PlainWriter out_{STDOUT_FILENO};
  ui::PlainWriter errors_{STDERR_FILENO, ui::WriteFaults::ignored};
  const bool accessible_ = ui::wants_accessible() && reader_.interactive();
  const WaitBeside wait_beside_ = [this](int fd) {
    wait_readable({fd, signals_.fd()});
    take_signals();
    return !done_;
  };
  WaitNotes waits_;
  BareExit bare_exit_;
  bool said_ = false;                  // something was asked in this run
  bool reasoning_ = false;             // reasoning is being shown
  bool answer_ = false;                // the answer has been announced
  std::size_t n_shown_reasoning_ = 0;  // bytes of a continued answer
  std::size_t n_shown_ = 0;
  std::size_t n_answers_ = 1;  // being written
  std::size_t n_headed_ = 0;   // announced, of several
  std::size_t n_ended_ = 0;    // whose ends have been reported
  bool unanswered_ = false;    // the last question got an end of input instead of an answer
  bool done_ = false;
  int status_ = 0;
};

}  // namespace

int run_plain_chat(const ChatOptions& options, const Paths& paths) {
  find_theme(options.theme, paths);  // only to report an invalid name
  ui::Signals signals;               // before the model starts threads
  Backend backend =
      open_backend(options, paths, options.save, waits_at_start(signals, OnInterrupt::goes_on));
  backend.watch_copying = watch_copying(signals, OnInterrupt::goes_on);
  int status = 0;
  try {
    status = PlainChat(backend, signals, options, paths).run(options);
  } catch (const ui::TerminalError&) {
    // The terminal has gone: it sent SIGHUP and cannot be written to.
    status = status_asked_for(signals);
    if (status == 0) throw;
  }
  backend.close();
  return status;
}

}  // namespace confab::app
