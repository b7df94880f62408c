// SPDX-License-Identifier: MIT
// Turns bytes from a terminal into keys, pastes and reports.
//
// It understands the sequences of xterm and of the terminals that follow it: ECMA-48 CSI and SS3,
// modifiers as in xterm's ctlseqs.txt, the editing keys of VT220 and rxvt, bracketed paste, kitty's
// keyboard protocol, focus, the mouse (SGR) and the answers to the questions in terminal_facts.h.
// The time is passed in, so tests can cover every case.
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

// Terminals that use a sequence for a different key than other terminals do.
enum class KeyDialect : std::uint8_t {
  usual,
  konsole,  // ESC O M is Shift+Enter, not Enter on the keypad
  st,       // CSI P is Delete, CSI M is Ctrl+Delete and so on, until keypad mode is set
};

class KeyDecoder {
 public:
  using Clock = std::chrono::steady_clock;

  // An ESC that nothing follows becomes the Escape key after this time.
  static constexpr std::chrono::milliseconds kEscapeTimeout{40};
  // An incomplete longer sequence ends after this time without input.
  static constexpr std::chrono::milliseconds kIdleTimeout{500};
  // An unclosed paste ends after this time without input, or on Ctrl+C after kIdleTimeout. The time
  // is long because slow lines and busy machines pause for seconds, and the rest of the paste would
  // be taken for keys, Enter among them.
  static constexpr std::chrono::seconds kPasteTimeout{10};
  // If another end marker arrives within this time after the end marker of a paste, the text in
  // between belongs to the paste.
  static constexpr std::chrono::milliseconds kPasteEndTime{40};
  // After questions to the terminal, the parts of an answer may arrive separately. For this long,
  // or until everything is answered, the decoder waits longer after an ESC.
  static constexpr std::chrono::milliseconds kReplyTime{1000};
  // Bytes of a paste beyond this size are dropped.
  static constexpr std::size_t kMaxPasteBytes = std::size_t{8} << 20;

  // Decodes `bytes`. They may end anywhere in a sequence or character; the rest is kept. The keys
  // do not depend on the cuts. Bytes that are not UTF-8 become U+FFFD. If a paste contains its own
  // end marker, the last marker that arrives within kPasteEndTime counts and earlier ones are
  // dropped, so the paste becomes an event only after that time.
  std::vector<Event> feed(std::string_view bytes, Clock::time_point now);
  // Returns what is due when no more bytes came: the Escape key, or the end of a paste.
  std::vector<Event> expire(Clock::time_point now);
  // Call these when the terminal has been asked something, and when it has answered everything.
  void expect_replies(Clock::time_point now);
  void replies_complete() noexcept { replies_until_ = {}; }
  void set_dialect(KeyDialect dialect) noexcept { dialect_ = dialect; }
  // When expire() has something to do if no more bytes come. nullopt: nothing is pending.
  std::optional<Clock::time_point> deadline() const noexcept;

 private:
  void decode(bool final, std::vector<Event>& out);
  // Moves the paste's bytes from pending_, starting at `pos`. Returns false if more are to come.
  bool take_paste(std::size_t& pos, std::vector<Event>& out);
  // pending_ must begin with an end marker. Takes everything before the last end marker that
  // counts.
  bool extend_paste();
  void end_paste(std::vector<Event>& out);
  void append_to_paste(std::string_view text);

  std::string pending_;  // not decoded yet; in a paste, bytes that may begin its end marker
  std::string paste_;
  bool in_paste_ = false;
  std::optional<Clock::time_point> closed_;  // when pending_ began with the end marker
  KeyDialect dialect_ = KeyDialect::usual;
  Clock::time_point replies_until_{};
  Clock::time_point last_{};  // when the last bytes came
};

}  // namespace confab::ui
