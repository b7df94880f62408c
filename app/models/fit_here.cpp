// SPDX-License-Identifier: MIT
#include "app/models/fit_here.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/figures.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/model/model.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"
#include "engine/safetensors/open_model.h"

namespace confab::app {
namespace {

using engine::MemoryPlan;

Fit fit_of(const MemoryPlan& memory) {
  if (memory.available_bytes == engine::platform::kUnknownBytes) return Fit::unknown;
  if (memory.fits()) return Fit::whole;
  return memory.fits_but_for_experts() ? Fit::from_disk : Fit::no;
}

// Of a mixture, of the experts only those that a token uses.
double bytes_per_token(const MemoryPlan& memory) {
  const std::uint64_t weights =
      memory.weights_bytes - memory.expert_bytes + memory.expert_token_bytes;
  return static_cast<double>(weights) +
         static_cast<double>(memory.kv_bytes - memory.spare_bytes) / 2;
}

}  // namespace

std::string_view name_of(Fit fit) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"", "whole", "from disk", "no"};
  return kNames[static_cast<std::size_t>(fit)];
}

double ModelFacts::tokens_per_second(double read_gbs) const noexcept {
  if (fit != Fit::whole || bytes_per_token <= 0) return 0;
  return read_gbs * 1e9 / bytes_per_token;
}

ModelFacts facts_of(const std::string& path, const engine::MemoryRoom& room) {
  ModelFacts facts;
  try {
    engine::Gguf file = engine::open_model(path);
    facts.summary = summary_of(file);
    const engine::Model shape = engine::load_model_shape(std::move(file));
    const engine::ContextPlan plan =
        engine::plan_context(shape, {.path = path, .force = true}, room);
    facts.fit = fit_of(plan.memory);
    facts.n_ctx = plan.n_ctx;
    facts.needed_bytes = plan.memory.total_bytes();
    facts.bytes_per_token = bytes_per_token(plan.memory);
  } catch (const engine::ModelError& fault) {
    facts.fault = fault.what();
  }
  return facts;
}

engine::MemoryRoom room_for_another() {
  engine::MemoryRoom room = engine::memory_room(engine::platform::memory_facts());
  const engine::platform::MemoryUse own = engine::platform::memory_use();
  if (room.bytes != engine::platform::kUnknownBytes)
    room.bytes += own.anonymous_bytes + own.mapped_bytes;
  return room;
}

std::string fit_text(const ModelFacts& facts) {
  if (!facts.fault.empty()) return "cannot be run: " + facts.fault;
  switch (facts.fit) {
    case Fit::whole:
      return fmt::format("fits here, with a context of {} tokens", grouped(facts.n_ctx));
    case Fit::from_disk:
      return "larger than memory: experts would come from the disk";
    case Fit::no:
      return fmt::format("does not fit here: it takes {}", size_text(facts.needed_bytes));
    case Fit::unknown:
      break;
  }
  return fmt::format("it takes {}; nobody says how much is available",
                     size_text(facts.needed_bytes));
}

std::string speed_text(double tokens_per_second) {
  if (tokens_per_second <= 0) return "";
  return fmt::format("{:.{}f}", tokens_per_second, tokens_per_second < 10 ? 1 : 0);
}

}  // namespace confab::app
