// SPDX-License-Identifier: MIT
// `confab fit`: how much memory a model would need, and whether this machine has that. Uses only
// the model's metadata and sizes, before anything is loaded.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "engine/gguf/file_type.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"
#include "engine/run/device_fit.h"
#include "kernels/dtype.h"

namespace confab::app {

struct FitReport {
  std::string name;  // name of the model; untrusted text
  engine::ContextPlan plan = {};
  engine::platform::MemoryFacts facts = {};
  bool is_this_machine = true;  // if false, `facts` do not apply
  std::string draft = {};   // why there is no draft model; empty: there is one, or none was named
  std::string advice = {};  // what would fit instead; empty: the model fits
  int n_layer = 0;
  std::vector<engine::DeviceFit> devices = {};  // the graphics processors of this machine
};

// For example "fits: it takes 5.2 GiB of the 22.6 GiB that may be taken".
std::string verdict(const FitReport& report);

void print_fit(const FitReport& report, std::ostream& out);
void print_fit_json(const FitReport& report, std::ostream& out);

// Prints the plan or, with options.table, the sizing guide. Returns the exit status: success if the
// model fits, otherwise does_not_fit. Throws ModelError, UserError.
int run_fit(const FitOptions& options, std::ostream& out);

// --- --table: which sizes of models, at how many bits, fit into the given memory

// The sizes of a well-known model, from which its memory follows without a file.
struct ModelShape {
  std::string_view size;  // "8B"
  std::string_view name;  // "Llama 3.1"
  std::string_view architecture;
  int n_embd;
  int n_layer;
  int n_head;
  int n_head_kv;
  int head_dim;
  int n_ff;  // size of one expert, if the model has experts
  int n_vocab;
  int n_ctx;
  bool tied;  // the embedding is also the output matrix
  int n_expert = 0;
  int n_expert_used = 0;
};

// Models from 3B to 405B, and a mixture.
std::span<const ModelShape> model_shapes() noexcept;

std::int64_t n_parameters(const ModelShape& shape);
// Bytes of the tensors in a file of that type.
std::uint64_t weights_bytes(const ModelShape& shape, const engine::FileType& type);
// Bytes of weights that a token reads: each weight once, but only one row of the embedding, and
// only the experts that the token uses.
std::uint64_t token_weight_bytes(const ModelShape& shape, const engine::FileType& type);
// Bytes of a KV cache for this many tokens, including what a fork may need.
std::uint64_t kv_bytes(const ModelShape& shape, int n_ctx, kernels::Dtype type);
// Approximate bytes of the activations for a pass of 512 tokens.
std::uint64_t scratch_bytes(const ModelShape& shape);

struct FitRow {
  std::string_view size;  // "8B"
  std::string_view name;
  std::string_view type;  // "Q4_K_M"
  std::uint64_t weights_bytes = 0;
  std::uint64_t bytes_8k = 0;  // total bytes with a context of 8192 tokens
  std::uint64_t bytes_32k = 0;
  int n_ctx = 0;  // the longest context that fits, up to the model's own limit; 0: none fits
  bool from_disk = false;        // a mixture that fits except for its experts; n_ctx is then 0
  double tokens_per_second = 0;  // limit set by the memory's bandwidth; 0: unknown, or does not fit
};

// read_gbs: the bandwidth of the memory in units of 1e9 bytes per second; 0: not measured.
std::vector<FitRow> fit_rows(std::uint64_t memory_bytes, double read_gbs);

// `about`: describes the memory in one line.
void print_fit_table(const std::vector<FitRow>& rows, std::string_view about, std::ostream& out);
void print_fit_table_json(const std::vector<FitRow>& rows, std::uint64_t memory_bytes,
                          double read_gbs, std::ostream& out);

}  // namespace confab::app
