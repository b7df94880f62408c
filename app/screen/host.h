// SPDX-License-Identifier: MIT
// The services that the chat needs from the terminal and the system, apart from drawing frames.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/screen/status_line.h"
#include "engine/platform/memory_pressure.h"
#include "engine/platform/power.h"
#include "ui/theme.h"

namespace confab::app {

// Where a copied text went. The terminal does not say whether it accepted one.
struct Copied {
  enum class To { nowhere, terminal, clipboard };
  To to = To::nowhere;
  std::string program = {};  // the program that put it into the clipboard
};

class ScreenHost {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~ScreenHost() = default;
  virtual Clock::time_point now() const = 0;
  virtual MachineState machine() = 0;  // at most a moment old
  // Whether the machine is short of memory, now or since the last call.
  virtual engine::platform::MemoryPressure memory_pressure() = 0;
  virtual engine::platform::PowerReason power_reason() = 0;  // why to save power now
  // How often to ask for it; nullopt means never.
  virtual std::optional<std::chrono::milliseconds> power_interval() const = 0;
  virtual bool follows_links() const { return true; }  // people can follow links in the terminal
  // Called while everything waits for one thing. Draws, queues input, and returns true if the
  // person has cancelled the wait.
  virtual bool is_stopped() { return false; }
  virtual void redraw() = 0;   // all of the next frame
  virtual void suspend() = 0;  // Ctrl+Z; returns when the program continues
  // Edits the text in the person's editor, which takes over the terminal. Throws like edit_text().
  virtual std::string edit(const std::string& text) = 0;
  // Rings the bell, and shows a desktop notification if the terminal supports it.
  virtual void notify(const std::string& title, const std::string& text) = 0;
  // Copies to the desktop's clipboard, else to the terminal's.
  virtual Copied copy(const std::string& text) = 0;
  virtual void set_theme(const ui::Theme& theme) = 0;
  virtual ui::Theme theme() const = 0;
};

}  // namespace confab::app
