// SPDX-License-Identifier: MIT
// The memory that a model takes, part by part.
//
// Mapped pages are the file's own: they cost no swap, but a model whose pages do not stay in memory
// is read from the disk again for every token. Anonymous memory is the process's.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace confab::engine {

struct Model;

// How much of a model's file is read while it runs, and how often.
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

// Memory that may be taken, and what it is that leaves no more.
struct MemoryRoom {
  MemoryRoom(std::uint64_t n_bytes, std::string from = {})  // NOLINT: a number is one
      : bytes(n_bytes), limit(std::move(from)) {}

  std::uint64_t bytes;
  std::string limit;  // "the limit of control group /app"; empty: the machine's memory
};

struct MemoryPlan {
  std::uint64_t weights_bytes = 0;  // mapped: what is read of the file
  std::uint64_t kv_bytes = 0;       // anonymous, as all that follows: of all whole contexts,
  std::uint64_t spare_bytes = 0;    // of these, what only forks of a sequence and long passes need
  std::uint64_t scratch_bytes = 0;
  // Of these two, what rows of drafts take: touched only where a text repeats itself.
  std::uint64_t draft_rows_bytes = 0;
  std::uint64_t draft_bytes = 0;         // all of these, of a draft model
  std::uint64_t draft_mapped_bytes = 0;  // of that, mapped
  // Of a mixture, and of weights_bytes: all experts, and those that a token reads.
  std::uint64_t expert_bytes = 0;
  std::uint64_t expert_token_bytes = 0;
  // What the process has already: its code, the model's vocabulary. 0: not measured.
  std::uint64_t process_bytes = 0;
  std::uint64_t process_mapped_bytes = 0;
  std::uint64_t available_bytes = 0;  // what this machine (or its cgroup) has to give beside that

  // What is to be taken.
  std::uint64_t total_bytes() const noexcept {
    return weights_bytes + kv_bytes + scratch_bytes + draft_bytes;
  }
  bool fits() const noexcept { return total_bytes() <= available_bytes; }
  // Of a mixture: what every token needs, and a token's own experts.
  std::uint64_t resident_bytes() const noexcept { return total_bytes() - expert_bytes; }
  bool fits_but_for_experts() const noexcept {
    return expert_bytes > 0 && resident_bytes() + expert_token_bytes <= available_bytes;
  }
  // Of the bytes of a token's experts, those that are not in memory, as far as it goes.
  double missing_token_bytes() const noexcept;

  // Of the whole process, when a conversation has filled the context.
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
