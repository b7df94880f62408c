// SPDX-License-Identifier: MIT
// What the chat asks of the terminal and the system around it, but for frames.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/screen/status_line.h"
#include "engine/platform/memory_pressure.h"
#include "engine/platform/power.h"
#include "ui/theme.h"

namespace confab::app {

// Where a text that is copied has gone: the terminal does not tell whether it took it.
struct Copied {
  enum class To { nowhere, terminal, clipboard };
  To to = To::nowhere;
  std::string program = {};  // that has put it into the clipboard
};

class ScreenHost {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~ScreenHost() = default;
  virtual Clock::time_point now() const = 0;
  virtual MachineState machine() = 0;  // of a moment ago at most
  // Whether the machine is short of memory, since this was asked last or now.
  virtual engine::platform::MemoryPressure memory_pressure() = 0;
  virtual engine::platform::PowerReason power_reason() = 0;  // to spare the machine, now
  // How often that is worth asking; nullopt: never.
  virtual std::optional<std::chrono::milliseconds> power_interval() const = 0;
  virtual bool follows_links() const { return true; }  // people can, in what is shown
  // Called while everything waits for one thing: draws, queues input, and returns whether the
  // person has cancelled the wait.
  virtual bool is_stopped() { return false; }
  virtual void redraw() = 0;   // everything, with the next frame
  virtual void suspend() = 0;  // Ctrl+Z; returns when the program goes on
  // In the person's editor, which has the terminal meanwhile. Throws UserError as edit_text() does.
  virtual std::string edit(const std::string& text) = 0;
  // A bell, and a notification of the desktop where the terminal can make one.
  virtual void notify(const std::string& title, const std::string& text) = 0;
  // To the desktop's clipboard, else to the terminal's.
  virtual Copied copy(const std::string& text) = 0;
  virtual void set_theme(const ui::Theme& theme) = 0;
  virtual ui::Theme theme() const = 0;
};

}  // namespace confab::app
