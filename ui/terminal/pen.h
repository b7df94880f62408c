// SPDX-License-Identifier: MIT
// The state in which a terminal writes its next character: graphic rendition (SGR, ECMA-48 8.3.117)
// and hyperlink (OSC 8).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/capabilities.h"
#include "ui/style.h"
#include "ui/theme.h"

namespace confab::ui {

// Returns the shortest known control sequence that changes one rendition into another. It is empty
// if they are the same. Both may contain only what the terminal can show.
std::string rendition(const Look& from, const Look& to, const Capabilities& can);

class Pen {
 public:
  // The pen starts plain, as each update leaves it. `can` and `theme` must outlive it.
  Pen(const Capabilities& can, const Theme& theme);

  // Returns how a style looks on this terminal.
  const Look& look(const Style& style);
  const Look& current() const noexcept { return look_; }
  const std::string& current_link() const noexcept { return link_; }

  // Append the bytes that switch to this look or link. An empty link ends the current one.
  void set(const Look& look, std::string& out);
  void set_link(const std::string& link, std::string& out);

 private:
  const Capabilities& can_;
  const Theme& theme_;
  std::vector<std::optional<Look>> looks_;  // indexed by style
  Look look_;
  std::string link_;
};

}  // namespace confab::ui
