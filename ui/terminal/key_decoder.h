// SPDX-License-Identifier: MIT
// Bytes from a terminal made into keys, pastes and what it reports.
//
// Knows the sequences of xterm and of the terminals that follow it (ECMA-48 CSI and SS3, modifiers
// as xterm's ctlseqs.txt gives them, VT220's and rxvt's editing keys), bracketed paste, kitty's
// keyboard protocol, focus, the mouse (SGR) and the answers that terminal_facts.h asks
// for. Time is passed in, never read, so that every case can be tested.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/event.h"

namespace confab::ui {

// Terminals that have bytes of their own for keys which mean something else from others.
enum class KeyDialect : std::uint8_t {
  usual,
  konsole,  // ESC O M is Shift+Enter, not the keypad's Enter
  st,       // CSI P is Delete, CSI M is Ctrl+Delete, and more, while its keypad sends no codes
};

class KeyDecoder {
 public:
  using Clock = std::chrono::steady_clock;

  // An ESC with nothing behind it is the Escape key after this long.
  static constexpr std::chrono::milliseconds kEscapeTimeout{40};
  // A longer sequence that is never completed ends when nothing came for this long.
  static constexpr std::chrono::milliseconds kIdleTimeout{500};
  // A paste that is never closed ends when nothing came for this long, or by Ctrl+C after
  // kIdleTimeout. Slow lines and busy machines pause for seconds, and what came after the end would
  // be taken for keys, Enter among them.
  static constexpr std::chrono::seconds kPasteTimeout{10};
  // For so long after a paste's end marker another one makes what is between them a part of it.
  static constexpr std::chrono::milliseconds kPasteEndTime{40};
  // So long after questions, until all is answered, the parts of an answer may come apart: an ESC
  // is then waited for longer.
  static constexpr std::chrono::milliseconds kReplyTime{1000};
  // What a paste holds beyond this is dropped.
  static constexpr std::size_t kMaxPasteBytes = std::size_t{8} << 20;

  // Decodes `bytes`, which may end anywhere in a sequence or character; the rest is kept. The keys
  // do not depend on the cuts. Bytes that are not UTF-8 become U+FFFD. When a paste holds its own
  // end marker, the last marker that comes within kPasteEndTime counts and those before it are
  // dropped; so a paste is an event only when that time has passed.
  std::vector<Event> feed(std::string_view bytes, Clock::time_point now);
  // What is due when no more came: the Escape key, or the end of a paste.
  std::vector<Event> expire(Clock::time_point now);
  // The terminal has just been asked something; it has answered all that it was asked.
  void expect_replies(Clock::time_point now);
  void replies_complete() noexcept { replies_until_ = {}; }
  void set_dialect(KeyDialect dialect) noexcept { dialect_ = dialect; }
  // When expire() has something to do unless more bytes come; nullopt: nothing is kept.
  std::optional<Clock::time_point> deadline() const noexcept;

 private:
  void decode(bool final, std::vector<Event>& out);
  // Moves the paste's part of pending_ from `pos` on; false: more of it is to come.
  bool take_paste(std::size_t& pos, std::vector<Event>& out);
  // With an end marker at the start of pending_: takes what is before the last one that counts.
  bool extend_paste();
  void end_paste(std::vector<Event>& out);
  void append_to_paste(std::string_view text);

  std::string pending_;  // not decoded yet; in a paste, what may begin its end marker
  std::string paste_;
  bool in_paste_ = false;
  std::optional<Clock::time_point> closed_;  // in a paste: pending_ begins with its end marker
  KeyDialect dialect_ = KeyDialect::usual;
  Clock::time_point replies_until_{};
  Clock::time_point last_{};  // when the last bytes came
};

}  // namespace confab::ui
