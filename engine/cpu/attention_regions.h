// SPDX-License-Identifier: MIT
// The first two regions of a layer: norm, q, k, v, rotation and the append to the cache; attention.
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Region: norm, q, k, v, rope, append to the cache. Writes buffers.q(), and the rows of the cache.
void query_key_value(ForwardState& s, const LayerPlan& layer) noexcept;
// The same without queries, of a layer that has keys of its own.
void key_value(ForwardState& s, const LayerPlan& layer) noexcept;
// Region: buffers.att() = softmax(q k scale) v, gated where the model has gates.
void attention(ForwardState& s, const LayerPlan& layer) noexcept;

// What happens to one head's query of token t once it is normed: it is rotated, scaled, and turned
// as the cache keeps its keys. The products of the two stay what they were.
void finish_query(const ForwardState& s, const LayerPlan& layer, float* q, int t) noexcept;
struct KeyAt {
  int head;  // of KV heads
  int t;
};
// The same to a key, which then goes to the cache.
void finish_key(ForwardState& s, const LayerPlan& layer, float* k, KeyAt at) noexcept;

}  // namespace confab::engine
