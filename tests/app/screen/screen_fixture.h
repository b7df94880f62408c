// SPDX-License-Identifier: MIT
// A chat on a screen that only exists as frames: a model that says what a test tells it to, a
// database in memory, a terminal that remembers what it was asked.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/screen/chat_screen.h"
#include "tests/app/fake_model.h"
#include "tests/app/screen/fake_host.h"
#include "tests/temp_dir.h"
#include "tests/ui/input/key_named.h"

namespace confab::app {

// A row that shows the text; -1: none does.
inline int row_of(const std::string& screen, std::string_view text) {
  const std::size_t at = screen.find(text);
  return at == std::string::npos
             ? -1
             : static_cast<int>(std::count(screen.begin(),
                                           screen.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

class ScreenFixture : public testing::Test {
 protected:
  explicit ScreenFixture(ChatOptions options = {})
      : options_(std::move(options)), screen_(backend_, options_, paths_, host_) {
    screen_.begin({});
  }

  static Backend make_backend() {
    Backend backend;
    backend.store = std::make_unique<sessions::Store>(sessions::Store::in_memory());
    backend.model = std::make_unique<FakeModel>();
    return backend;
  }
  Paths make_paths() const {
    Paths paths;
    paths.themes = home_ / "themes";
    paths.shipped_themes = home_ / "shipped";
    std::filesystem::create_directory(paths.shipped_themes);
    // Some of them, so that a list of themes stays as it is when there is another one.
    for (const char* theme : {"16-colour", "dark", "high-contrast", "light", "mono"})
      std::filesystem::copy_file(*find_shipped(fmt::format("themes/{}.toml", theme)),
                                 paths.shipped_themes / fmt::format("{}.toml", theme));
    paths.history = home_ / "history";
    paths.log = home_ / "log";
    paths.kv = home_ / "kv";
    return paths;
  }
  FakeModel& model() { return dynamic_cast<FakeModel&>(*backend_.model); }

  void press(ui::Key::Code code) {
    ui::Key key{.code = code};
    if (code == ui::Key::Code::enter) key.bytes = "\r";
    if (code == ui::Key::Code::escape) key.bytes = "\x1b";
    screen_.take(key);
  }
  // A key by its name, without bytes: not for the input line.
  void press(std::string_view name) { screen_.take(*ui::key_named(name)); }
  void control(char letter) {
    screen_.take(ui::Key{.character = static_cast<char32_t>(letter),
                         .ctrl = true,
                         .bytes = std::string(1, static_cast<char>(letter & 0x1f))});
  }
  void type(std::string_view text) {
    for (const char c : text)
      screen_.take(ui::Key{.character = static_cast<char32_t>(c), .bytes = std::string(1, c)});
  }
  void submit(std::string_view text) {
    type(text);
    press(ui::Key::Code::enter);
  }
  void say(engine::Event event) {
    model().events.push_back(std::move(event));
    screen_.take_answers();
  }
  void answer(std::string_view text) {
    say(engine::TextDelta{std::string(text), 1, {1}});
    say(finished({1}));
  }
  void wait(std::chrono::seconds time) {
    host_.time += time;
    screen_.tick();
  }
  std::string text(int rows = 12, int cols = 60) {
    return screen_.frame(ui::Rows{rows}, ui::Cols{cols}).to_text();
  }

  TempDir home_;
  ChatOptions options_;
  Paths paths_ = make_paths();
  Backend backend_ = make_backend();
  FakeHost host_;
  ChatScreen screen_;
};

}  // namespace confab::app
