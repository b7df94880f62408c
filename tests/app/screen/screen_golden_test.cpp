// SPDX-License-Identifier: MIT
// tests/golden/chat/<case>: what `keys` and the model's `in` make of a screen of `size` is `out`.
// tests/app/screen/screen_script.h tells how they are written; CONFAB_UPDATE_GOLDEN=1 rewrites
// `out`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/app/screen/screen_script.h"
#include "tests/ui/attributes.h"
#include "tests/ui/input/key_named.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(CONFAB_SOURCE_DIR) / "tests/golden/chat";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

class ScreenGoldenTest : public ScreenFixture, public testing::WithParamInterface<std::string> {
 protected:
  void set_size(const std::string& size) {
    char x = 0;
    std::istringstream(size) >> cols_ >> x >> rows_;
    ASSERT_EQ(x, 'x') << size;
  }

  void run(const std::string& line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string verb = line.substr(0, space);
    const std::string rest = line.substr(std::min(space + 1, line.size()));
    if (verb == "type") return type(rest);
    if (verb == "key") return press_all(rest);
    if (verb == "paste") return paste(rest);
    if (verb == "say") return say_part(std::stoul(rest));
    if (verb == "answer") return say_rest();
    if (verb == "tell" || verb == "end") return tell(verb, rest);
    if (verb == "prefill") return prefill(rest);
    if (verb == "size") return set_size(rest);
    ASSERT_EQ(verb, "wait") << line;
    host_.time += std::chrono::milliseconds(static_cast<int>(1000 * std::stod(rest)));
  }

  void press_all(const std::string& names) {
    std::istringstream in(names);
    for (std::string name; in >> name;) {
      std::optional<ui::Key> key = ui::key_named(name);
      ASSERT_TRUE(key) << name;
      key->bytes = bytes_of(*key);
      screen_.take(*key);
    }
  }

  void paste(std::string text) {
    for (std::size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at))
      text.replace(at, 2, "\n");
    screen_.take(ui::Paste{text});
  }

  void prefill(const std::string& numbers) {
    engine::PrefillProgress progress{};
    std::istringstream(numbers) >> progress.n_done >> progress.n_prompt;
    say(progress);
  }

  void say_part(std::size_t n) {
    ASSERT_FALSE(replies_.empty());
    std::string& reasoning = replies_.front().reasoning;
    const std::size_t n_thought = std::min(n, reasoning.size());
    if (n_thought > 0) say(engine::ReasoningDelta{take(reasoning, n_thought), ++n_tokens_, {1}});
    std::string& text = replies_.front().text;
    if (n > n_thought) say(engine::TextDelta{take(text, n - n_thought), ++n_tokens_, {1}});
  }

  void say_rest() {
    ASSERT_FALSE(replies_.empty());
    say_part(replies_.front().reasoning.size() + replies_.front().text.size());
    if (const std::string& error = replies_.front().error; !error.empty())
      say(engine::Failed{error});
    else
      say(finished({1, 2, 3}));
    replies_.pop_front();
    n_tokens_ = 0;
  }

  void tell(const std::string& verb, const std::string& what) {
    std::istringstream in(what);
    std::size_t answer = 0, n = 0;
    char of = 0;
    std::string text;
    in >> answer >> of >> n;
    in.get();
    std::getline(in, text);
    const std::size_t request = model().requests.size() - n + answer - 1;
    if (verb == "end") model().tell(request, finished({1, 2, 3}));
    if (verb == "tell") model().tell(request, engine::TextDelta{text, ++n_told_[request], {1}});
    screen_.take_answers();
  }

  static std::string take(std::string& text, std::size_t n) {
    std::string head = text.substr(0, n);
    text.erase(0, n);
    return head;
  }

  // Draws, and lets the model count what the screen asks for with it.
  void draw() {
    screen_.frame(ui::Rows{rows_}, ui::Cols{cols_});
    for (const engine::CountRequest& request : std::exchange(model().counts, {}))
      say(engine::Counted{request.number, static_cast<int>(request.turns.size())});
  }

  std::string shown() {
    const ui::Frame frame = screen_.frame(ui::Rows{rows_}, ui::Cols{cols_});
    std::string out = frame.to_text() + "--- attributes\n";
    for (int row = 0; row < rows_; ++row) {
      const std::string line = ui::with_attributes(frame, ui::Rows{row});
      if (line.find('[') != std::string::npos) out += std::to_string(row) + ": " + line + '\n';
    }
    out += "--- cursor\n";
    if (frame.cursor)
      out += std::to_string(frame.cursor->row.value) + "," +
             std::to_string(frame.cursor->col.value) + '\n';
    return out;
  }

  std::deque<Reply> replies_;
  int n_tokens_ = 0;
  std::map<std::size_t, int> n_told_;  // tokens, by request
  int rows_ = 24;
  int cols_ = 80;
};

TEST_P(ScreenGoldenTest, ShowsAsRecorded) {
  const fs::path folder = kGolden / GetParam();
  replies_ = parse_replies(read(folder / "in"));
  set_size(read(folder / "size"));
  draw();
  std::istringstream keys(read(folder / "keys"));
  for (std::string line; std::getline(keys, line);) {
    run(line);
    draw();
  }
  const std::string out = shown();
  if (std::getenv("CONFAB_UPDATE_GOLDEN") != nullptr)
    std::ofstream(folder / "out", std::ios::binary) << out;
  EXPECT_EQ(out, read(folder / "out"));
}

INSTANTIATE_TEST_SUITE_P(Cases, ScreenGoldenTest, testing::ValuesIn(golden_cases()),
                         [](const auto& golden) {
                           std::string name = golden.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace confab::app
