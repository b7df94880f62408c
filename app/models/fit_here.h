// SPDX-License-Identifier: MIT
// What a model file is, and how it would run on this machine, by its header alone.
#pragma once

#include <cstdint>
#include <string>

#include "app/models/model_summary.h"
#include "engine/fit/memory_plan.h"

namespace confab::app {

// unknown: the file cannot be run, or nobody says how much memory there is. from_disk: a mixture
// that fits but for its experts.
enum class Fit : std::uint8_t { unknown, whole, from_disk, no };
// "whole", "from disk", "no"; empty: unknown.
std::string_view name_of(Fit fit) noexcept;

struct ModelFacts {
  ModelSummary summary = {};  // as much as could be read
  std::string fault = {};     // why it cannot be run, a line that names the file; empty: it can
  Fit fit = Fit::unknown;
  int n_ctx = 0;                   // of the context that it would be given
  std::uint64_t needed_bytes = 0;  // in all
  double bytes_per_token = 0;      // that a token reads, with the context half full

  // That memory allows, where it gives read_gbs (units of 1e9 bytes); 0: not known, or not so.
  double tokens_per_second(double read_gbs) const noexcept;
};

// With the usual context and cache. Throws nothing but std::bad_alloc: a file that cannot be read
// has a fault. Reads no weights.
ModelFacts facts_of(const std::string& path, const engine::MemoryRoom& room);

// The memory that may be taken on this machine, with what this process would give back when it
// loads another model.
engine::MemoryRoom room_for_another();

// "fits, with a context of 8,192 tokens", or why not; a line.
std::string fit_text(const ModelFacts& facts);
// "12", "3.4"; empty: not known.
std::string speed_text(double tokens_per_second);

}  // namespace confab::app
