// SPDX-License-Identifier: MIT
// The sizes of a mixture of experts, and how a token chooses among them.
#pragma once

namespace confab::engine {

class KeyReader;
struct Hparams;

constexpr int kMaxExperts = 1024;
constexpr int kMaxExpertWidth = 1 << 20;

// What makes weights of the router's logits. softmax_of_chosen: the experts with the largest logits
// are chosen, and their logits alone are normalised.
enum class ExpertGating { softmax, sigmoid, softmax_of_chosen };

struct ExpertHparams {
  int n_expert = 0;       // 0: the model has none
  int n_expert_used = 0;  // chosen by each token
  int n_ff = 0;           // hidden size of one expert
  int n_ff_shared = 0;    // hidden size of all shared experts, which see every token; 0: none
  ExpertGating gating = ExpertGating::softmax;
  // Experts may be chosen from the n_group_used best of n_group groups of neighbours only.
  int n_group = 1;
  int n_group_used = 1;
  bool normalise_weights = false;  // to a sum of 1
  float weights_scale = 1;         // applied last
  bool has_biases = false;         // of router and experts must be there; else they may
  // A plain feed-forward stands beside them. Both, and the router, read the stream under norms of
  // their own, and what they give is normed before it is summed (Gemma 4).
  bool beside_plain = false;
  bool shared_gate = false;  // what the shared experts give is multiplied by sigmoid(gate x)
};

// How wide an expert is without a key for it: as the feed-forward of the layer, or so that all that
// a token uses are together.
enum class DefaultExpertWidth { whole_layer, share_of_layer };

// Those below throw ModelError when a key is missing or a value makes no sense.

// Whether the file has experts, where an architecture has models with and without.
bool has_experts(const KeyReader& keys);
// Reads the counts of experts, their groups and their width into hparams.experts, and makes
// mixtures of all layers.
void read_experts(const KeyReader& keys, Hparams& hparams, DefaultExpertWidth width);
// Reads how weights are made, for architectures in which models differ in that.
void read_expert_weighting(const KeyReader& keys, Hparams& hparams);
// All of these, where the file has experts: after some leading layers without, and beside shared
// ones that each token uses.
void read_mixture_after_dense(const KeyReader& keys, Hparams& hparams);
// Reads the width of the shared expert that the token turns up and down (Qwen's).
void read_gated_shared_expert(const KeyReader& keys, Hparams& hparams);

}  // namespace confab::engine
