// SPDX-License-Identifier: MIT
// Free text in which whatever stands between two markers is of another grammar, as when a model
// calls tools: any number of times, or never.
#pragma once

#include <memory>
#include <string>

#include "engine/constrain/grammar.h"

namespace confab::engine {

class MarkedGrammar final : public Grammar {
 public:
  // Both markers have at least one byte.
  MarkedGrammar(std::unique_ptr<Grammar> inside, std::string opening, std::string closing);

  StateId start() const override { return kFree; }
  const GrammarState& state(StateId id) override;
  StateId after_scan(StateId scan, int tag) override;
  std::optional<std::string> way_out(StateId id) override;

 private:
  enum : StateId { kEnd, kFree, kMarked, kClosing, kInside };  // those inside begin with the last

  std::unique_ptr<Grammar> inside_;
  std::string closing_;
  RegexId free_text_;
  RegexId closing_text_;
  GrammarState state_;  // the one that is borrowed
};

}  // namespace confab::engine
