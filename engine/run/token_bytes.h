// SPDX-License-Identifier: MIT
// How many bytes a forward pass reads: where memory is the limit, its speed follows from them.
#pragma once

namespace confab::engine {

class KvLayout;
struct Model;

// Of the weights, each once, for a run of n_tokens: of the table of embeddings the tokens' rows
// only, unless it is the output matrix as well; of a mixture those experts that so many tokens
// choose when each chooses on its own.
double weight_bytes_of_run(const Model& model, int n_tokens) noexcept;

// Of what the layers remember, for a token at position `depth`: the rows that it sees.
double memory_bytes_of_token(const Model& model, const KvLayout& kv, double depth) noexcept;

}  // namespace confab::engine
