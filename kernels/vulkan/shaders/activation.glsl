// SPDX-License-Identifier: MIT
// The activation functions of a feed-forward network, numbered as in engine/model/hparams.h.
const uint kSilu = 0, kGelu = 1, kRelu2 = 2, kSwigluOai = 3;

float activate(uint kind, float gate, float up) {
  switch (kind) {
    case kGelu: {
      float inner = 0.79788456 * (gate + 0.044715 * gate * gate * gate);
      return gate / (1 + exp(-2 * inner)) * up;
    }
    case kRelu2: {
      float above = max(gate, 0);
      return above * above * up;
    }
    case kSwigluOai: {
      float g = min(gate, 7.0), u = clamp(up, -7.0, 7.0);
      return g / (1 + exp(-1.702 * g)) * (u + 1);
    }
  }
  return gate / (1 + exp(-gate)) * up;
}
