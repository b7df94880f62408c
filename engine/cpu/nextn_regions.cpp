// SPDX-License-Identifier: MIT
#include "engine/cpu/nextn_regions.h"

#include <algorithm>

#include "engine/cpu/attention_regions.h"
#include "engine/cpu/forward_state.h"
#include "engine/cpu/latent_regions.h"

namespace confab::engine {
namespace {

// [enorm(embedding) | hnorm(before)]; before: nullptr where nothing is known of it.
void pack_pair(ForwardState& s, int t, const float* before, float* row,
               ActFormats formats) noexcept {
  const NextnWeights& w = s.weights.nextn;
  const int n_embd = s.hp.n_embd;
  s.embedding_row(w.embed_tokens, t, row);
  s.norm_row(row, w.enorm, row);
  if (before != nullptr) {
    s.norm_row(before, w.hnorm, row + n_embd);
  } else {
    std::fill_n(row + n_embd, n_embd, 0.0F);
  }
  s.pack(row, 2 * n_embd, t, formats);
}

}  // namespace

void nextn_input(ForwardState& s) noexcept {
  const Matrix& m = s.weights.nextn.eh_proj;
  const ActFormats formats = formats_of({&m}, s.options.exact);
  for (const RunPart& part : s.parts) {
    pack_pair(s, part.first, part.before, s.buffers.worker(0), formats);
    s.pool.parallel_for(part.n - 1, [&](int i, int worker) {
      const float* before = s.buffers.normed() + std::int64_t{part.first + i} * s.hp.n_embd;
      pack_pair(s, part.first + i + 1, before, s.buffers.worker(worker), formats);
    });
  }
  s.for_each_slice(m.n_rows, [&](std::int64_t row0, std::int64_t n_rows, int) {
    s.project(m, row0, n_rows, s.buffers.x() + row0, s.hp.n_embd);
  });
}

void nextn_keys(ForwardState& s) noexcept {
  nextn_input(s);
  const LayerPlan& layer = s.plan.nextn->layer;
  layer.mixer == Mixer::latent_attention ? latent_key(s, layer) : key_value(s, layer);
}

}  // namespace confab::engine
