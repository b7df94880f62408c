// SPDX-License-Identifier: MIT
// How much of a model's file is read while it runs, told apart by how often.
#pragma once

#include <cstdint>

namespace confab::engine {

struct Model;

struct WeightsUse {
  std::uint64_t file_bytes = 0;
  std::uint64_t unused_bytes = 0;        // tensors that nothing here reads
  std::uint64_t table_bytes = 0;         // tables whose rows are read as they are looked up
  std::uint64_t expert_bytes = 0;        // of a mixture: all of its experts
  std::uint64_t expert_token_bytes = 0;  // those of one token

  // Pages that are mapped once every expert has been read.
  std::uint64_t mapped_bytes() const noexcept { return file_bytes - unused_bytes - table_bytes; }
};

// Looks at sizes only: reads nothing of the weights.
WeightsUse weights_use(const Model& model) noexcept;

}  // namespace confab::engine
