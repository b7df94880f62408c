// SPDX-License-Identifier: MIT
#include "app/screen/chat_screen.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/chat/context_advice.h"
#include "app/chat/context_report.h"
#include "app/chat/prompt_size.h"
#include "app/chat/report.h"
#include "app/chat/welcome.h"
#include "app/commands/attach_files.h"
#include "app/commands/completion.h"
#include "app/commands/context.h"
#include "app/commands/model.h"
#include "app/commands/pasted_paths.h"
#include "app/commands/route.h"
#include "app/figures.h"
#include "app/read_beside.h"
#include "app/screen/answer_progress.h"
#include "app/screen/show_messages.h"
#include "app/screen/status_line.h"
#include "sessions/conversations/catalog.h"
#include "sessions/error.h"
#include "ui/text.h"
#include "ui/transcript/chat_view.h"

namespace confab::app {
namespace {

constexpr int kWelcomeRows = 2;  // for each text on the first screen
// Too short for a person to notice, and an import releases the database more often than that.
constexpr std::chrono::milliseconds kPatience{50};
constexpr std::chrono::seconds kLastPatience{5};  // when leaving
// A dialog that opened by itself takes the keys once nobody has typed for this long.
constexpr std::chrono::milliseconds kQuiet{400};
// between steps, which take a few milliseconds each
constexpr std::chrono::milliseconds kForgetInterval{250};

}  // namespace

ChatScreen::ChatScreen(Backend& backend, const ChatOptions& options, const Paths& paths,
                       ScreenHost& host)
    : backend_(backend),
      host_(host),
      chat_(*backend.model, backend.store.get(), options),
      context_{chat_, backend.store.get(), *this, &backend, &paths},
      keeping_(options.save ? Keeping::kept : Keeping::incognito),
      history_(paths.history, options.save),
      transcript_({.show_link_targets = !host.follows_links()}),
      focus_(transcript_view_, context_),
      answer_(transcript_, host),
      answers_(&chat_, answer_),
      rest_(options.unload_after),
      sparing_(backend, options.save ? paths.log : "", host.power_interval()) {
  if (options.save) context_.remembered = Remembered(paths.state);
  begin_routing(context_, options);
  palette_.add(context_.routing.commands);
  input_.set_history(history_.load());
  input_.set_history_source([this] { return history_.changed(); });
  input_.set_completer([this](std::string_view before, std::string_view word) {
    return complete(context_, before, word);
  });
}

void ChatScreen::begin(const std::optional<sessions::Conversation>& conversation) {
  // The chat now goes on while another program has locked the database: see keep_store().
  if (context_.store != nullptr) context_.store->set_patience(kPatience);
  if (conversation) open_conversation(backend_, chat_, *conversation);
  show_conversation();
  if (conversation) make_room(context_);
  tell_notice();
  chat_.prepare("");
}

// --- what is shown

ui::ChatView ChatScreen::view() {
  ui::ChatView view{transcript_view_, input_};
  view.status =
      status_line({.chat = chat_,
                   .progress = answer_.so_far(),
                   .machine = host_.machine(),
                   .n_queued = waiting_.size(),
                   .now = host_.now(),
                   .incognito = keeping_ == Keeping::incognito,
                   .speed = answer_.speed(),
                   .given_up = sparing_.text(),
                   .unloaded = rest_.is_unloaded() && sparing_.memory() != MemoryStep::unloaded});
  view.placeholder = "Ask anything";
  view.hint = news_.line().empty() ? hint() : news_.line();
  view.writing = !focus_.active();
  view.first = first_remarks();
  view.above = news_.unread();
  if (const auto& pending = context_.routing.pending)
    view.above.push_back({"⋯ " + ui::one_line(pending->question.text), ui::Role::dim, 1});
  for (const WaitingQuestion& one : waiting_.all())
    view.above.push_back({"⋯ waiting: " + ui::one_line(one.text), ui::Role::dim, 1});
  add_background(view.above);
  view.keys = key_line({.focused = focus_.active(),
                        .generating = chat_.generating(),
                        .written = !input_.text().empty(),
                        .editing = editing_.has_value(),
                        .waiting = waiting_.size() > 0,
                        .choosing = palette_.is_open(),
                        .several = chat_.n_answers() > 1});
  if (palette_.is_open())
    view.menu = [this](ui::Cols width, ui::Rows rows) { return palette_.lines(width, rows); };
  if (input_.caret() == input_.text().size())
    view.behind = argument_hint(input_.text(), context_.routing.commands);
  return view;
}

ui::Frame ChatScreen::frame(ui::Rows rows, ui::Cols cols) {
  changed_ = false;
  rows_ = rows;
  cols_ = cols;
  ui::Frame frame = ui::draw_chat(view(), rows, cols);
  const std::optional<ui::Point> writing = frame.cursor;
  if (dialog_) dialog_->draw(frame);
  if (dialog_ && is_quiet()) frame.cursor = writing;
  return frame;
}

ui::Frame ChatScreen::live_frame(ui::Rows rows, ui::Cols cols) {
  changed_ = false;
  rows_ = {};
  transcript_view_.window().to_bottom();
  return ui::draw_live(view(), rows, cols);
}

std::vector<ui::Line> ChatScreen::take_settled(ui::Rows rows, ui::Cols cols) {
  constexpr int kReprinted = 3;  // screens of an opened conversation
  if (const auto n = std::exchange(n_opened_, {}))
    transcript_view_.settled().skip_to_last(cols, kReprinted * rows.value, *n);
  return transcript_view_.settled().take(cols);
}

// The first screen's texts; they disappear with the first question.
std::vector<ui::Remark> ChatScreen::first_remarks() const {
  std::vector<ui::Remark> remarks;
  if (!chat_.messages().empty()) return remarks;
  for (std::string& text : welcome(chat_.model_info(), backend_.is_demo, suggestion_, keeping_))
    remarks.push_back(
        {std::move(text), remarks.empty() ? ui::Role::strong : ui::Role::dim, kWelcomeRows});
  return remarks;
}

void ChatScreen::look_around() {
  if (suggestion_ || !backend_.is_demo || !chat_.messages().empty()) return;
  suggestion_ = suggest_model();
  changed_ = true;
}

// The text on the rule above the input.
std::string ChatScreen::hint() {
  if (focus_.active()) return focus_.hint();
  if (editing_) return "Enter ask this instead · Ctrl+C cancel";
  const std::string text = attached_names(context_.attached);
  if (chat_.generating()) return text;
  const std::string size = prompt_size_.describe(chat_, input_.text(), context_.attached);
  return text + (text.empty() || size.empty() ? "" : " · ") + size;
}

void ChatScreen::tell_notice() {
  for (const std::string& text : {backend_.take_notice(), chat_.take_notice()})
    if (!text.empty()) news_.warn(text);
  if (const std::string text = chat_.take_error(); !text.empty()) error(text);
}

// --- what the person does

void ChatScreen::take(const ui::Event& event) {
  changed_ = true;
  acts_ = true;
  act_on(event);
  acts_ = false;
  open_next();
  tell_notice();
}

bool ChatScreen::is_quiet() const {
  return quiet_from_ && host_.now() - *quiet_from_ < kQuiet;
}

// Loads an unloaded model at the first key, so that it is ready for the question.
void ChatScreen::wake_model() {
  // While memory is short, only a question brings the model back.
  if (sparing_.memory() != MemoryStep::all && rest_.is_unloaded()) return;
  if (!rest_.wake(host_.now()) || is_busy()) return;
  chat_.prepare({prepared_, context_.attached});
}

// A waiting question counts as busy, because it would load the model again at once.
void ChatScreen::take_memory_pressure() {
  const bool busy = is_busy() || waiting_.size() > 0;
  if (sparing_.take(host_.memory_pressure(), busy, host_.now()).empty()) return;
  changed_ = true;
  if (sparing_.memory() == MemoryStep::unloaded) rest_.begin_now();
}

void ChatScreen::look_at_power() {
  if (!sparing_.asks_power(host_.now())) return;
  if (!sparing_.take(host_.power_reason(), host_.now()).empty()) changed_ = true;
}

void ChatScreen::tick() {
  if (quiet_from_ && !is_quiet()) {
    quiet_from_.reset();
    changed_ = true;  // the cursor moves to the dialog
  }
  if (is_busy()) look_at_power();
  if (const auto due = sparing_.memory_due(); due && *due <= host_.now()) take_memory_pressure();
  if (is_busy()) rest_.wake(host_.now());
  if (rest_.begin(host_.now())) {
    backend_.model->unload();
    changed_ = true;
  }
  keep_store();
  if (chat_.generating()) answer_.tick();
  if (backend_.awaited) changed_ = true;  // shows the seconds
  changed_ = news_.expire(host_.now()) || answer_.take_change() || changed_;
}

// Database work in the background: saving again what failed to be saved, and erasing what was
// deleted.
void ChatScreen::keep_store() {
  if (const auto due = chat_.retry_due(); due && *due <= host_.now()) {
    chat_.save_rest();
    tell_notice();
    changed_ = true;
  }
  if (const auto due = forget_due(); !due || *due > host_.now()) return;
  forgot_ = host_.now();
  try {
    context_.store->forget_more();
  } catch (const sessions::StoreError&) {
    // The database is locked or the disk is full; this can wait.
  }
}

std::optional<ScreenHost::Clock::time_point> ChatScreen::forget_due() const {
  if (context_.store == nullptr || !context_.store->has_to_forget()) return std::nullopt;
  return forgot_ + kForgetInterval;
}

void ChatScreen::save() {
  if (context_.store != nullptr) context_.store->set_patience(kLastPatience);
  chat_.save_rest();
}

std::optional<ScreenHost::Clock::time_point> ChatScreen::due() const {
  std::optional<ScreenHost::Clock::time_point> first;
  const std::optional<ScreenHost::Clock::time_point> none;
  for (const auto& due : {news_.due(), answer_.due(), rest_.due(), sparing_.memory_due(),
                          sparing_.power_due(is_busy()), background_due(), chat_.retry_due(),
                          forget_due(), quiet_from_ ? *quiet_from_ + kQuiet : none})
    if (due && (!first || *due < *first)) first = due;
  return first;
}

void ChatScreen::act_on(const ui::Event& event) {
  if (const auto* key = std::get_if<ui::Key>(&event)) {
    look_at_power();
    wake_model();
    take_key(*key);
  } else if (const auto* paste = std::get_if<ui::Paste>(&event)) {
    if (dialog_ && !is_quiet()) return dialog_->paste(paste->text);
    interrupt_.forget();
    escape_.forget();
    wake_model();
    focus_.leave();
    take_paste(paste->text);
  } else if (const auto* click = std::get_if<ui::Click>(&event)) {
    take_click(*click);
  } else if (std::holds_alternative<ui::HangUp>(event)) {
    leave(128 + SIGHUP);
  } else if (const auto* focus = std::get_if<ui::Focus>(&event)) {
    answer_.look(focus->in);
  }
}

// A dropped path becomes an attachment, except after a command, which wants the path itself.
void ChatScreen::take_paste(const std::string& pasted) {
  const auto dropped = [&]() -> std::optional<std::string> {
    if (input_.text().starts_with('/')) return std::nullopt;
    try {
      return read_beside([pasted] { return dropped_paths(pasted); },
                         watch_reading("what was pasted"));
    } catch (const ReadingStopped&) {
      return std::nullopt;
    }
  };
  const std::string text = dropped().value_or(pasted);
  context_.pasted.add(text);
  palette_.close();
  input_.paste(text);
}

void ChatScreen::take_signal(int number) {
  changed_ = true;
  if (number == SIGTERM || number == SIGHUP) leave(128 + number);
  if (number == SIGINT) interrupt();
}

void ChatScreen::submit(const std::string& text) {
  if (text.find_first_not_of(" \t\n") == std::string::npos) return;
  looks_back_ = false;
  input_.add_history(text);
  if (const std::string fault = history_.add(text); !fault.empty()) error(fault);
  if (is_command(text) && is_busy() && must_wait(text)) {
    waiting_.add({text});
  } else if (is_template_call(context_, text)) {
    if (is_busy()) return waiting_.add({text, take_attached()});
    run_template(context_, text);
  } else if (is_command(text)) {
    run_command(context_, text);
  } else if (editing_) {
    change(text);
  } else if (const std::string advice = chat_.generating() ? "" : bare_exit_.advice(chat_, text);
             !advice.empty()) {
    notice(advice);
  } else {
    WaitingQuestion question{text, take_attached()};
    if (is_busy()) return waiting_.add(std::move(question));
    decide_and_ask(std::move(question));
  }
}

// If the changed question cannot be asked, its text goes back into the input.
void ChatScreen::change(const std::string& text) {
  const std::optional<std::size_t> question = editing_;
  bool asked = false;
  attempt(context_, [&] {
    require_idle(context_, "the edited question");
    chat_.edit(edited_question(context_, text, question), question);
    asked = true;
    show_answer();
    asked_instead_ = question;
  });
  if (!asked) put_back(text);
}

// Meanwhile, other questions have to wait.
void ChatScreen::decide_and_ask(WaitingQuestion question) {
  decides_ = true;
  bool is_read = false;
  attempt(context_, [&] {
    decide_about_pasted(context_, question.text, [this, question] {
      decides_ = false;
      ask(question);
    });
    is_read = true;
  });
  if (is_read) return;
  decides_ = false;
  put_back(question.text);
  attach_again(std::move(question.files));
}

// A question that cannot be asked comes back with its files. Files attached since then are for the
// next question.
void ChatScreen::ask(const WaitingQuestion& asked) {
  std::vector<sessions::Attachment> later = std::exchange(context_.attached, asked.files);
  bool done = false;
  attempt(context_, [&] {
    if (auto question = routed_question(context_, asked.text)) send(*std::move(question));
    done = true;
  });
  if (!done) {
    context_.attached = asked.files;
    put_back(asked.text);
  }
  attach_again(std::move(later));
}

void ChatScreen::attach_again(std::vector<sessions::Attachment> files) {
  std::ranges::move(files, std::back_inserter(context_.attached));
}

void ChatScreen::send(Question question) {
  chat_.send(std::move(question));
  const std::size_t n = chat_.messages().size();
  transcript_.add_user(shown_question(chat_.messages()[n - 2]), n - 2);
  begin_answer();
}

void ChatScreen::begin_answer() {
  if (!sparing_.ask().empty()) changed_ = true;
  look_at_power();
  rest_.wake(host_.now());
  prepared_.clear();
  said_ = true;
  asked_instead_.reset();
  answer_.begin(chat_.messages().size() - 1, chat_.n_answers());
}

void ChatScreen::read_ahead() {
  if (chat_.generating() || is_command(input_.text())) return;
  if (std::optional<std::string> settled = settled_part(input_.text(), prepared_)) {
    prepared_ = *std::move(settled);
    chat_.prepare({prepared_, context_.attached});
  }
}

// --- what the model says

void ChatScreen::take_answers() {
  while (const auto outcome = answers_.take(*backend_.model)) end_answer(*outcome);
  if (chat_.n_answers() > 1) answer_.turn_to(chat_.chosen());
  if (answer_.take_noted()) {
    show_memory();
    notice(memory_notice(chat_));
    chat_.prepare("");
  }
  if (const auto counted = answer_.take_count()) prompt_size_.take(*counted);
  changed_ = answer_.take_change() || changed_;
  if (const auto scored = answer_.take_scored())
    attempt(context_, [&] {
      if (auto question = take_class(context_, *scored)) send(*std::move(question));
    });
  if (!is_busy() && !done_) go_on_with_waiting();
  tell_notice();
}

void ChatScreen::go_on_with_waiting() {
  const auto next = waiting_.next();
  if (!next) return;
  if (is_template_call(context_, next->text)) {
    std::vector<sessions::Attachment> later = std::exchange(context_.attached, next->files);
    run_template(context_, next->text);
    attach_again(std::move(later));
  } else if (is_command(next->text)) {
    run_command(context_, next->text);
  } else {
    decide_and_ask(*next);
  }
}

void ChatScreen::end_answer(const AnswerOutcome& outcome) {
  const bool failed = outcome.end == AnswerEnd::failed, aside = outcome.is_aside();
  const std::string news = failed || aside ? outcome.fault : answer_begin(chat_.messages().back());
  const std::size_t n_answers = answer_.n_answers();
  answer_.turn_to(outcome.answer);
  answer_.end(waiting_.size() == 0 ? news : "", aside ? "" : chat_.messages().back().reasoning);
  if (aside) end_aside(context_, outcome);
  if (failed && !aside) error(failure_text(outcome.fault, chat_.messages().back()));
  label_messages(transcript_, context_);
  know_speed();
  if (!failed && !aside && chat_.last()) news_.tell(done_line(chat_.last()->stats), host_.now());
  rest_.wake(host_.now());
  if (!done_ && n_answers < 2) check_form(context_, outcome);
  if (!done_) make_room(context_, outcome, n_answers);
  if (chat_.generating()) return;
  if (!done_) chat_.prepare("");
  take_memory_pressure();
  if (failed || aside) return;
  std::string note = end_note(outcome.end, chat_);
  if (n_answers > 1) {
    if (!note.empty()) note += '\n';
    note +=
        others_note(chat_, n_answers, "Tab, then [ or ] shows the others, and so does /branches");
  }
  transcript_.set_tail(note);
}

// Reads the speed of this model's earlier answers on this machine from the database.
void ChatScreen::know_speed() {
  if (context_.store == nullptr) return;
  try {
    prompt_size_.set_rate(
        prefill_rate(sessions::Catalog(*context_.store).latest_stats(chat_.model_info().name)));
  } catch (const sessions::StoreError&) {
    // The speed is only an estimate.
  }
}

// --- what goes on beside the conversation

void ChatScreen::add_background(std::vector<ui::Remark>& remarks) {
  if (const auto& awaited = backend_.awaited) {
    const auto now = host_.now();
    if (!awaiting_since_) awaiting_since_ = now;
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(now - *awaiting_since_);
    remarks.push_back({fmt::format("⋯ {} · {} · Esc stop", ui::one_line(awaited->engine->text()),
                                   time_text(time)),
                       ui::Role::dim, 1});
  }
  if (!held_up_.empty()) remarks.push_back({"⋯ " + held_up_ + " · Esc stop", ui::Role::dim, 1});
  if (const std::string text = pull_text(context_.pulling); !text.empty())
    remarks.push_back({"↓ " + ui::one_line(text), ui::Role::dim, 1});
}

// The next full second of waiting for the engine.
std::optional<ScreenHost::Clock::time_point> ChatScreen::background_due() const {
  if (!backend_.awaited || !awaiting_since_) return std::nullopt;
  const auto whole = std::chrono::floor<std::chrono::seconds>(host_.now() - *awaiting_since_);
  return *awaiting_since_ + whole + std::chrono::seconds(1);
}

void ChatScreen::take_download() {
  take_pull(context_);
  changed_ = true;
}

void ChatScreen::take_engine() {
  changed_ = true;
  attempt(context_, [this] {
    take_awaited(backend_, chat_);
    if (auto question = take_ready(context_)) send(*std::move(question));
  });
  if (!backend_.awaited) awaiting_since_.reset();
  if (!is_busy()) chat_.prepare("");
  if (!is_busy() && !done_) go_on_with_waiting();
  tell_notice();
}

void ChatScreen::tell_held_up(const std::string& text) {
  held_up_ = text;
  changed_ = true;
}

bool ChatScreen::stop_awaiting() {
  if (!backend_.awaited) return false;
  backend_.awaited->engine->stop();
  return true;
}

std::string ChatScreen::farewell() const {
  std::string text = pull_farewell(context_.pulling);
  const std::string back = said_ && context_.store != nullptr ? way_back(*context_.store) : "";
  return text + (text.empty() || back.empty() ? "" : "\n") + back;
}

}  // namespace confab::app
