// SPDX-License-Identifier: MIT
// A model that counts the tokens of a prompt as bytes: 4 around each turn, 1 for each byte said.
#pragma once

#include "tests/app/fake_model.h"

namespace confab::app {

class CountingModel : public FakeModel {
 public:
  explicit CountingModel(int n_ctx) { change_info().n_ctx = n_ctx; }
  int count_tokens(const std::vector<engine::Turn>& turns,
                   const engine::TemplateSettings&) const override {
    int n = 0;
    for (const engine::Turn& turn : turns) n += 4 + static_cast<int>(turn.message.content.size());
    return n;
  }
  // An answer that fills the context with what has been asked for last.
  engine::Finished finished_with(
      const std::string& answer,
      engine::FinishReason reason = engine::FinishReason::end_of_turn) const {
    engine::Finished event = finished({}, reason);
    event.n_ctx_used =
        count_tokens(requests.back().turns, {}) + 4 + static_cast<int>(answer.size());
    return event;
  }
};

}  // namespace confab::app
