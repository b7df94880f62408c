// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal.h"

#include <termios.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>

#include "ui/terminal/frame_writer.h"
#include "ui/terminal/inline_screen.h"
#include "ui/terminal/terminal_description.h"
#include "ui/terminal/terminal_device.h"
#include "ui/terminal/terminal_facts.h"
#include "ui/terminal/terminal_reset.h"

namespace confab::ui {
namespace {

using Clock = TerminalInput::Clock;
using std::chrono::milliseconds;

// How long the terminal may take to read pending output when it is given back.
constexpr milliseconds kDrainTime{1000};
// How long after a question its answer is still awaited when the terminal is given back. The answer
// must not reach the shell.
constexpr milliseconds kLateAnswerTime{500};
constexpr std::string_view kAskBackground = "\x1b]11;?\x1b\\";
// How often to check for the foreground. A shell does not inform a running job when it brings it
// there.
constexpr milliseconds kAwayInterval{250};
// CAN cancels a sequence whose rest was dropped (ECMA-48, 8.3.6).
constexpr std::string_view kCancel = "\x18";
// Kitty's keyboard protocol, only to distinguish keys, with their Latin equivalents. Each screen
// has a separate stack of these modes.
constexpr std::string_view kKeyboardOn = "\x1b[>5u";
constexpr std::string_view kKeyboardOff = "\x1b[<u";
// xterm's equivalent, for all screens: reports every key with a modifier, Shift+Enter among them.
constexpr std::string_view kModifiedKeysOn = "\x1b[>4;2m";
constexpr std::string_view kModifiedKeysOff = "\x1b[>4m";
constexpr std::string_view kMouseOn = "\x1b[?1000h\x1b[?1006h";
constexpr std::string_view kMouseOff = "\x1b[?1006l\x1b[?1000l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kNoRegion = "\x1b[r";  // also moves the cursor

std::string terminal_name(const TerminalFacts& facts) {
  const char* term = std::getenv("TERM");
  return !facts.name.empty() || term == nullptr ? facts.name : term;
}

}  // namespace

class Terminal::Impl {
 public:
  explicit Impl(Surface surface)
      : surface_(surface),
        description_(describe_terminal(device_.out())),
        output_(device_.out()),
        reset_(output_.fd(), {}),
        theme_(default_theme()),
        input_(device_.in(), [this](const TerminalReply& reply) { return take(reply); }) {
    facts_.background = background_of_environment();
    if (description_.is_st) input_.set_dialect(KeyDialect::st);
    reset_.set_sequence(crash_sequence());
    enter();
    if (description_.like_xterm && !description_.in_gnu_screen) ask();
  }
  ~Impl() { leave(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const TerminalDevice& device() const noexcept { return device_; }
  TerminalTraits traits() const {
    const bool known = environment_follows_links() || follows_links(facts_.name);
    return {description_.can.depth, facts_.background, description_.can.links && known};
  }

  void set_theme(const Theme& theme) {
    theme_ = theme;
    shown_.reset();
    if (inline_) inline_->invalidate();
  }

  void invalidate() noexcept {
    shown_.reset();
    moved_ = true;
  }

  void draw(const Frame& frame) {
    if (suspended_) return;
    output_.flush();
    if (output_.pending()) {
      waiting_ = frame;
      return;
    }
    waiting_.reset();
    show(frame);
  }

  void print(std::vector<Line> lines, const Frame& live) {
    std::ranges::move(lines, std::back_inserter(lines_));
    draw(live);
  }

  void use_own_screen(bool own) {
    if (surface_ != Surface::scrollback || own == own_screen_ || suspended_) return;
    if (!own && facts_.keyboard) send(kKeyboardOff);
    if (own && !has_another_screen()) scroll_inline_away();
    if (!own && !has_another_screen()) send(std::string(kHome) + inline_->clear());
    send(own ? description_.enter_screen : description_.leave_screen);
    if (own && facts_.keyboard) send(kKeyboardOn);
    own_screen_ = own;
    shown_.reset();
    reset_.set_sequence(crash_sequence());
  }

  int output_fd() const noexcept { return output_.pending() ? output_.fd() : -1; }

  void continue_output() {
    output_.flush();
    if (waiting_ && !output_.pending()) show(*std::exchange(waiting_, std::nullopt));
  }

  // In raw mode a line feed does not return the cursor to the left margin.
  void set_farewell(std::string_view text) {
    farewell_.clear();
    for (const char c : text) farewell_ += c == '\n' ? "\r\n" : std::string(1, c);
    if (!text.empty()) farewell_ += "\r\n";
  }

  void set_mouse(bool on) {
    mouse_ = on;
    if (description_.like_xterm) send(on ? kMouseOn : kMouseOff);
  }
  void notify(std::string_view title, std::string_view body) {
    send("\a");
    if (!description_.like_xterm || description_.in_gnu_screen) return;
    send(notification(terminal_name(facts_), title, body));
  }
  bool copy(std::string_view text) {
    const auto sequence = clipboard(text, description_.in_gnu_screen);
    if (!sequence || !description_.like_xterm || suspended_) return false;
    send(*sequence);
    return true;
  }

  int input_fd() const noexcept { return device_.in_foreground() ? device_.in() : -1; }

  std::vector<Event> read_events() {
    if (!device_.in_foreground()) {
      away_ = true;
      return {};
    }
    std::vector<Event> events;
    if (away_) {
      resume();
      events.emplace_back(Focus{true});
    }
    input_.set_wheel_as_arrows(draws_on_screen() && !mouse_);
    std::ranges::move(input_.read_events(), std::back_inserter(events));
    if (std::ranges::find(events, Event(Focus{true})) != events.end()) ask_background();
    return events;
  }

  std::optional<milliseconds> input_timeout() const {
    return away_ ? std::optional(kAwayInterval) : input_.timeout();
  }

  void suspend() {
    leave();
    suspended_ = true;
  }

  void resume() {
    if (!device_.in_foreground()) return;
    // There was no suspend(), so the pushed keyboard mode is still there.
    if (!std::exchange(suspended_, false) && facts_.keyboard) send(kKeyboardOff);
    away_ = false;
    enter();
    invalidate();
  }

 private:
  // Sends between frames, never in the middle of a sequence.
  void send(std::string_view bytes) {
    if (!suspended_) output_.send(bytes);
  }

  // GNU screen has an alternate screen only if the user enabled it.
  bool has_another_screen() const noexcept {
    return !description_.enter_screen.empty() && !description_.in_gnu_screen;
  }

  // True if the terminal answered everything and did not report kitty's keyboard protocol.
  bool reports_modified_keys() const noexcept { return facts_.answered && !facts_.keyboard; }

  bool draws_on_screen() const noexcept { return surface_ == Surface::screen || own_screen_; }

  void enter() {
    reset_.arm();
    device_.use_raw_modes();
    if (draws_on_screen()) send(description_.enter_screen);
    send(description_.enter);
    if (facts_.keyboard) send(kKeyboardOn);
    if (reports_modified_keys()) send(kModifiedKeysOn);
    if (mouse_) send(kMouseOn);
  }

  std::string leave_sequence() const {
    std::string back(facts_.keyboard           ? kKeyboardOff
                     : reports_modified_keys() ? kModifiedKeysOff
                                               : std::string_view());
    back += description_.leave;
    if (draws_on_screen()) back += description_.leave_screen;
    if (own_screen_ && facts_.keyboard) back += kKeyboardOff;
    return back;
  }
  // The same from the middle of a frame, with the cursor anywhere.
  std::string crash_sequence() const {
    const bool below = surface_ == Surface::scrollback;
    std::string back(description_.can.scroll_region ? kNoRegion : std::string_view());
    back += leave_sequence();
    return below ? back.append(kBelowAll) : back;
  }

  void leave() noexcept {
    if (suspended_) return;
    use_own_screen(false);
    waiting_.reset();
    const ScreenSize now = screen_size(device_.out());
    if (!lines_.empty()) show_inline(Frame(Rows{1}, now.cols), now);
    await_late_answers();
    if (inline_) {
      follow_size(now);
      output_.send(inline_->clear());
    }
    output_.send(leave_sequence() + farewell_);
    if (!output_.drain(kDrainTime)) {  // drain() dropped the output
      output_.send(std::string(kCancel) + crash_sequence() + farewell_);
      output_.drain(kDrainTime);
    }
    reset_.restore_modes();
    reset_.disarm();
  }

  void await_late_answers() {
    const bool all_are_awaited = asked_ && !facts_.answered;
    const auto asked = all_are_awaited ? asked_ : background_asked_;
    if (!asked) return;
    const auto left = std::chrono::ceil<milliseconds>(*asked + kLateAnswerTime - Clock::now());
    if (left.count() <= 0) return;
    input_.await([&] { return all_are_awaited ? facts_.answered : !background_asked_; }, left);
    tcflush(device_.in(), TCIFLUSH);
  }

  // The background may have changed while another window had the focus.
  void ask_background() {
    if (!facts_.tells_background || suspended_) return;
    background_asked_ = Clock::now();
    send(kAskBackground);
  }

  void ask() {
    asked_ = Clock::now();
    send(terminal_questions(screen_size(device_.out()).rows, surface_));
    input_.expect_answers();
    await_answers(kAnswerTime);
  }

  void await_answers(milliseconds limit) {
    input_.await([this] { return facts_.answered; }, limit);
  }

  // Returns an event if the background differs from the known one.
  std::optional<Event> take(const TerminalReply& reply) {
    const bool had_keyboard = facts_.keyboard, had_modified = reports_modified_keys();
    const auto former = facts_.background;
    learn(reply, facts_, description_.can);
    if (reply.kind == TerminalReply::Kind::background) background_asked_.reset();
    if (reply.kind == TerminalReply::Kind::scheme) ask_background();
    if (facts_.name.starts_with("Konsole")) input_.set_dialect(KeyDialect::konsole);
    const bool new_keyboard = facts_.keyboard && !had_keyboard;
    const bool new_modified = reports_modified_keys() && !had_modified;
    if ((new_keyboard || new_modified) && !suspended_) {
      reset_.set_sequence(crash_sequence());
      send(new_keyboard ? kKeyboardOn : kModifiedKeysOn);
    }
    if (facts_.background == former) return std::nullopt;
    return BackgroundFound{*facts_.background};
  }

  // The live part begins at the cursor. A terminal that was asked has its cursor in an empty row
  // already.
  InlineScreen& begin_inline() {
    if (!inline_) {
      inline_.emplace();
      if (!asked_) send("\r\n");
    }
    return *inline_;
  }

  void scroll_inline_away() { send(begin_inline().scroll_away(screen_size(device_.out()).rows)); }

  // Whether the terminal breaks rows that become too wide, as most do. The ones named here cut them
  // off.
  bool breaks_rows() const {
    const std::string name = terminal_name(facts_);
    const auto is = [&name](std::string_view other) { return name.starts_with(other); };
    return !description_.in_gnu_screen && !description_.is_st && !is("XTerm") && !is("rxvt") &&
           !is("mlterm") && !is("linux");
  }

  void follow_size(const ScreenSize& now) {
    if (moved_ || now != inline_size_)
      inline_->resized(breaks_rows() ? std::optional(now.cols) : std::nullopt);
    moved_ = false;
    inline_size_ = now;
  }

  void show_inline(const Frame& frame, const ScreenSize& now) {
    begin_inline();
    follow_size(now);
    const std::vector<Line> lines = std::exchange(lines_, {});
    send(inline_->show(lines, frame.cropped(now.rows, now.cols), description_.can, theme_));
  }

  void show(const Frame& frame) {
    const ScreenSize now = screen_size(device_.out());
    if (!draws_on_screen()) return show_inline(frame, now);
    if (now != size_) invalidate();
    size_ = now;
    if (frame.rows() > now.rows || frame.cols() > now.cols)
      write(frame.cropped(now.rows, now.cols));
    else
      write(frame);
  }

  void write(const Frame& frame) {
    send(write_frame(shown_ ? &*shown_ : nullptr, frame, description_.can, theme_));
    shown_ = frame;
  }

  Surface surface_;
  TerminalDevice device_;
  TerminalDescription description_;
  TerminalOutput output_;
  TerminalReset reset_;
  TerminalFacts facts_;
  Theme theme_;
  std::optional<InlineScreen> inline_;  // for the scrollback, from the first frame on
  ScreenSize inline_size_;              // when inline_ was last shown
  bool moved_ = false;                  // the contents of the screen may have moved
  std::vector<Line> lines_;             // to print with the next frame
  bool own_screen_ = false;             // a separate screen is in use, not the scrollback
  ScreenSize size_;                     // when shown_ was drawn
  std::optional<Frame> shown_;          // nullopt: unknown
  std::optional<Frame> waiting_;        // drawn while the terminal had not yet taken shown_
  TerminalInput input_;
  std::optional<Clock::time_point> asked_;
  std::optional<Clock::time_point> background_asked_;  // time of the unanswered question
  std::string farewell_;
  bool mouse_ = false;
  bool suspended_ = false;
  bool away_ = false;  // it was in the background when last checked
};

Terminal::Terminal(Surface surface) : impl_(std::make_unique<Impl>(surface)) {}
Terminal::~Terminal() = default;

ScreenSize Terminal::size() const noexcept {
  return screen_size(impl_->device().out());
}
TerminalTraits Terminal::traits() const {
  return impl_->traits();
}
void Terminal::set_theme(const Theme& theme) {
  impl_->set_theme(theme);
}
void Terminal::draw(const Frame& frame) {
  impl_->draw(frame);
}
void Terminal::print(std::vector<Line> lines, const Frame& live) {
  impl_->print(std::move(lines), live);
}
void Terminal::use_own_screen(bool own) {
  impl_->use_own_screen(own);
}
void Terminal::invalidate() noexcept {
  impl_->invalidate();
}
int Terminal::output_fd() const noexcept {
  return impl_->output_fd();
}
void Terminal::continue_output() {
  impl_->continue_output();
}
void Terminal::set_mouse(bool on) {
  impl_->set_mouse(on);
}
void Terminal::notify(std::string_view title, std::string_view body) {
  impl_->notify(title, body);
}
bool Terminal::copy(std::string_view text) {
  return impl_->copy(text);
}
int Terminal::input_fd() const noexcept {
  return impl_->input_fd();
}
std::vector<Event> Terminal::read_events() {
  return impl_->read_events();
}
std::optional<milliseconds> Terminal::input_timeout() const {
  return impl_->input_timeout();
}
void Terminal::suspend() {
  impl_->suspend();
}
void Terminal::set_farewell(const std::string& text) {
  impl_->set_farewell(text);
}
void Terminal::resume() {
  impl_->resume();
}

}  // namespace confab::ui
