// SPDX-License-Identifier: MIT
// The memory that a model takes, part by part.
//
// Mapped pages belong to the file. They use no swap, but if a model's pages do not stay in memory,
// it is read from disk again for every token. Anonymous memory belongs to the process.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace confab::engine {

struct Model;

// How much of a model's file is read while it runs, and how often.
struct WeightsUse {
  std::uint64_t file_bytes = 0;
  std::uint64_t unused_bytes = 0;  // tensors that this program does not read
  std::uint64_t table_bytes = 0;   // lookup tables, whose rows are read from the file on demand
  std::uint64_t expert_bytes = 0;  // all experts of a mixture
  std::uint64_t expert_token_bytes = 0;  // the experts of one token

  // The size of the mapped pages once every expert has been read.
  std::uint64_t mapped_bytes() const noexcept { return file_bytes - unused_bytes - table_bytes; }
};

// Looks only at sizes; does not read the weights.
WeightsUse weights_use(const Model& model) noexcept;

// The memory available and what limits it.
struct MemoryRoom {
  MemoryRoom(std::uint64_t n_bytes, std::string from = {})  // NOLINT: implicit from a number
      : bytes(n_bytes), limit(std::move(from)) {}

  std::uint64_t bytes;
  std::string limit;  // "the limit of control group /app"; empty: the machine's memory
};

struct MemoryPlan {
  std::uint64_t weights_bytes = 0;  // mapped: the part of the file that is read
  std::uint64_t kv_bytes = 0;       // anonymous: all contexts at full length
  std::uint64_t spare_bytes = 0;    // part of kv_bytes only for forks of a sequence and long passes
  std::uint64_t scratch_bytes = 0;  // anonymous
  // The part of the above that rows of drafts take. It is touched only if a text repeats itself.
  std::uint64_t draft_rows_bytes = 0;
  std::uint64_t draft_bytes = 0;         // everything that a draft model takes
  std::uint64_t draft_mapped_bytes = 0;  // the mapped part of it
  // For a mixture, the part of weights_bytes in all experts, and in the experts of one token.
  std::uint64_t expert_bytes = 0;
  std::uint64_t expert_token_bytes = 0;
  // What the process already has: its code and the model's vocabulary. 0: not measured.
  std::uint64_t process_bytes = 0;
  std::uint64_t process_mapped_bytes = 0;
  std::uint64_t available_bytes = 0;  // what this machine or its cgroup can still give

  // The memory that the model will take.
  std::uint64_t total_bytes() const noexcept {
    return weights_bytes + kv_bytes + scratch_bytes + draft_bytes;
  }
  bool fits() const noexcept { return total_bytes() <= available_bytes; }
  // For a mixture: everything but the experts, which every token needs.
  std::uint64_t resident_bytes() const noexcept { return total_bytes() - expert_bytes; }
  bool fits_but_for_experts() const noexcept {
    return expert_bytes > 0 && resident_bytes() + expert_token_bytes <= available_bytes;
  }
  // Estimates how many bytes of a token's experts are not in memory.
  double missing_token_bytes() const noexcept;

  // For the whole process, once a conversation has filled the context.
  std::uint64_t anonymous_bytes() const noexcept {
    return process_bytes + kv_bytes - spare_bytes + scratch_bytes - draft_rows_bytes + draft_bytes -
           draft_mapped_bytes;
  }
  std::uint64_t mapped_bytes() const noexcept {
    return process_mapped_bytes + weights_bytes + draft_mapped_bytes;
  }
  std::uint64_t peak_bytes() const noexcept { return anonymous_bytes() + mapped_bytes(); }
};

}  // namespace confab::engine
