// SPDX-License-Identifier: MIT
// What a terminal writes its next character with: graphic rendition (SGR, ECMA-48 8.3.117) and
// hyperlink (OSC 8).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/capabilities.h"
#include "ui/style.h"
#include "ui/theme.h"

namespace confab::ui {

// The control sequence that turns one rendition into another, the shortest that is known; empty
// when they are the same. Both only have what the terminal can show.
std::string rendition(const Look& from, const Look& to, const Capabilities& can);

class Pen {
 public:
  // At first plain, as each update leaves it. `can` and `theme` must outlive it.
  Pen(const Capabilities& can, const Theme& theme);

  // How a style looks on this terminal.
  const Look& look(const Style& style);
  const Look& current() const noexcept { return look_; }
  const std::string& current_link() const noexcept { return link_; }

  // Append what is needed to go on in this look or link; an empty link ends the one before.
  void set(const Look& look, std::string& out);
  void set_link(const std::string& link, std::string& out);

 private:
  const Capabilities& can_;
  const Theme& theme_;
  std::vector<std::optional<Look>> looks_;  // by style
  Look look_;
  std::string link_;
};

}  // namespace confab::ui
