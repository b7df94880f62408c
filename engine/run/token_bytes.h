// SPDX-License-Identifier: MIT
// How many bytes a forward pass reads. If memory bandwidth is the limit, this determines its speed.
#pragma once

namespace confab::engine {

class KvLayout;
struct Model;

// Bytes of weights read by a run of n_tokens, each weight once. The embedding table counts only the
// rows of these tokens, unless it is also the output matrix. A mixture counts the experts that so
// many tokens choose, if each chooses independently.
double weight_bytes_of_run(const Model& model, int n_tokens) noexcept;

// Bytes of layer state read by a token at position `depth`: the rows that it sees.
double memory_bytes_of_token(const Model& model, const KvLayout& kv, double depth) noexcept;

}  // namespace confab::engine
