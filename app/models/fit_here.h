// SPDX-License-Identifier: MIT
// Summarises a model file and how it would run on this machine, judged by its header alone.
#pragma once

#include <cstdint>
#include <string>

#include "app/stores/stores.h"
#include "engine/fit/memory_plan.h"

namespace confab::engine {
class Gguf;
}

namespace confab::app {

// The contents of a model file's header, in the terms by which people compare models.
struct ModelSummary {
  std::string title = {};   // general.name; empty: none. Untrusted text, as are the next two
  std::string family = {};  // general.architecture
  std::string type = {};    // its number format: "Q4_K_M", or that of most weights
  std::int64_t n_parameters = 0;
  std::int64_t n_layers = 0;  // 0: not stated; the same goes for n_ctx
  std::int64_t n_ctx = 0;     // the context it was made for
  bool has_template = false;
};

// Throws ModelError for keys of the wrong type.
ModelSummary summary_of(const engine::Gguf& file);

// "7.6B", "46M"; empty for 0.
std::string parameters_text(std::int64_t n);

// How a model fits into memory. unknown: the file cannot be run, or the amount of memory is
// unknown. from_disk: a mixture that fits except for its experts.
enum class Fit : std::uint8_t { unknown, whole, from_disk, no };
// "whole", "from disk", "no"; empty for unknown.
std::string_view name_of(Fit fit) noexcept;

struct ModelFacts {
  ModelSummary summary = {};  // as far as it could be read
  std::string fault = {};  // why it cannot be run, in one line that names the file; empty: it can
  Fit fit = Fit::unknown;
  int n_ctx = 0;                   // the context that it would get
  std::uint64_t needed_bytes = 0;  // total memory needed
  double bytes_per_token = 0;      // bytes that a token reads, with the context half full

  // The speed that memory allows if its bandwidth is read_gbs (units of 1e9 bytes per second); 0 if
  // unknown, or if the model does not fit.
  double tokens_per_second(double read_gbs) const noexcept;
};

// Facts about a model with the usual context and cache. Throws only std::bad_alloc: an unreadable
// file gets a fault. Reads no weights.
ModelFacts facts_of(const std::string& path, const engine::MemoryRoom& room);

// The memory available on this machine, including what this process would give back when it loads
// another model.
engine::MemoryRoom room_for_another();

// One line: "fits here, with a context of 8,192 tokens", or why not.
std::string fit_text(const ModelFacts& facts);
// "12", "3.4"; empty if unknown.
std::string speed_text(double tokens_per_second);

// A few lines for choosing a model: name, size, number format, layers and context from its header,
// whether it fits here, how fast it can be where memory gives read_gbs (0: not known), where it is
// from, and what goes with it; or what is wrong with the file. The text is untrusted.
std::string model_card(const FoundModel& model, double read_gbs);

}  // namespace confab::app
