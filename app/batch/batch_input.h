// SPDX-License-Identifier: MIT
// The file of a batch: its requests, a line each, and how they are told apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/batch/batch_request.h"

namespace confab::app {

struct BatchEntry {
  int line = 0;  // from 1
  std::size_t begin = 0, n_bytes = 0;
  std::string id = {};  // as BatchRequest has it
  bool openai = false;
};

class BatchInput {
 public:
  // Lines of white space are no requests. Throws UserError when the file cannot be read, has no
  // requests, or has two with the same id.
  BatchInput(const std::string& path, ChatOptions defaults);

  const std::vector<BatchEntry>& entries() const noexcept { return entries_; }
  BatchRequest request(const BatchEntry& entry) const;

 private:
  std::string text_;
  ChatOptions defaults_;
  std::vector<BatchEntry> entries_;
};

}  // namespace confab::app
