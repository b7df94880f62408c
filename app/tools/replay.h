// SPDX-License-Identifier: MIT
// A given answer written as if it had been sampled, with and without drafts: so a real text shows
// what they give for it, whatever the model would have said.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "app/models/inference.h"
#include "engine/api/events.h"
#include "engine/run/drafting.h"

namespace confab::app {

struct Replay {
  std::chrono::duration<double> time{0};       // of the answer alone
  std::chrono::duration<double> processor{0};  // the same in processor time, of all threads
  int n_passes = 0;
  engine::DraftCount by_lookup = {};
  engine::DraftCount by_model = {};
  engine::DraftCount by_heads = {};
};

// What the text of a file is to a model. Throws UserError when it cannot be read, or is empty.
std::vector<engine::Token> tokens_of_file(const engine::Model& model, const std::string& file);

// The prompt is read, untimed, then the answer is written; both together must fit into the context.
// `forward` gives the logits of DraftLength::kMost + 1 rows; each row is looked at as sampling
// would.
Replay replay(Inference& inference, engine::Forward& forward, engine::Drafting& drafting,
              std::span<const engine::Token> prompt, std::span<const engine::Token> answer);

}  // namespace confab::app
