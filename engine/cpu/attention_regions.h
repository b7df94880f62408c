// SPDX-License-Identifier: MIT
// The attention regions of a layer: norm, q, k, v, rotation and the append to the cache; then
// attention itself.
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Region: norm, q, k, v, RoPE, append to the cache. Writes buffers.q() and rows of the cache.
void query_key_value(ForwardState& s, const LayerPlan& layer) noexcept;
// The same without queries. The layer must have keys of its own.
void key_value(ForwardState& s, const LayerPlan& layer) noexcept;
// Region: buffers.att() = softmax(q k scale) v, multiplied by the gates if the model has them.
void attention(ForwardState& s, const LayerPlan& layer) noexcept;

// Finishes one head's query of token t after its norm: applies RoPE and the temperature, then the
// Hadamard rotation that the cache applies to its keys. Rotating both leaves q k unchanged.
void finish_query(const ForwardState& s, const LayerPlan& layer, float* q, int t) noexcept;
struct KeyAt {
  int head;  // KV head
  int t;
};
// Does the same to a key and appends it to the cache.
void finish_key(ForwardState& s, const LayerPlan& layer, float* k, KeyAt at) noexcept;

}  // namespace confab::engine
