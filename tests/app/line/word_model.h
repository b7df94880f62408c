// SPDX-License-Identifier: MIT
// A model whose tokens are words, and that can be told to answer all that it is asked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/app/fake_model.h"

namespace confab::app {

inline int n_words(const std::string& text) {
  int n = 0;
  bool inside = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    n += !is_blank && !inside ? 1 : 0;
    inside = !is_blank;
  }
  return n;
}

class WordModel : public FakeModel {
 public:
  explicit WordModel(int n_ctx) {
    change_info().n_ctx = n_ctx;
    change_info().n_ctx_train = n_ctx;
  }
  int count_tokens(const std::vector<engine::Turn>& turns,
                   const engine::TemplateSettings&) const override {
    int n = 0;
    for (const engine::Turn& turn : turns) n += n_words(turn.message.content);
    return n;
  }
  // Each request is answered with what the function says of its last turn.
  engine::AnswerId generate(engine::GenerateRequest request) override {
    EXPECT_LT(count_tokens(request.turns, {}), info().n_ctx);
    const std::string text = answer(request.turns.back().message.content);
    const engine::AnswerId id = FakeModel::generate(std::move(request));
    tell(requests.size() - 1, engine::TextDelta{text, 1});
    tell(requests.size() - 1, finished({1}));
    return id;
  }

  std::function<std::string(const std::string&)> answer = [](const std::string&) { return "ok"; };
};

inline std::string lines(int n) {
  std::string text;
  for (int i = 1; i <= n; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

}  // namespace confab::app
