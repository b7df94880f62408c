// SPDX-License-Identifier: MIT
#include "engine/constrain/marked_grammar.h"

#include <utility>

namespace confab::engine {
namespace {

// Text without the marker, which may end the answer (tag 0), or text that the marker ends (tag 1).
RegexId free_text(RegexSet& r, const std::string& marker) {
  const RegexId mark = r.literal(marker), any = RegexSet::kAnything;
  const RegexId byte = r.bytes(~ByteSet());
  const RegexId without = r.negation(r.concat({any, mark, any}));
  const RegexId first = r.both({r.concat(any, mark), r.negation(r.concat({any, mark, byte, any}))});
  return r.either({r.concat(without, r.tag(0)), r.concat(first, r.tag(1))});
}

}  // namespace

MarkedGrammar::MarkedGrammar(std::unique_ptr<Grammar> inside, std::string opening,
                             std::string closing)
    : Grammar(inside->regexes()),
      inside_(std::move(inside)),
      closing_(std::move(closing)),
      free_text_(free_text(regexes(), opening)),
      closing_text_(regexes().concat(regexes().literal(closing_), regexes().tag(0))) {}

const GrammarState& MarkedGrammar::state(StateId id) {
  using enum GrammarState::Kind;
  switch (id) {
    case kEnd:
      return state_ = {};
    case kFree:
      return state_ = {scan, free_text_, {kEnd, kMarked}};
    case kMarked:
      return state_ = {call, RegexSet::kNothing, {inside_->start() + kInside, kClosing}};
    case kClosing:
      return state_ = {scan, closing_text_, {kFree}};
    default:
      state_ = inside_->state(id - kInside);
      for (StateId& next : state_.next) next += kInside;
      return state_;
  }
}

StateId MarkedGrammar::after_scan(StateId scan, int tag) {
  if (scan < kInside) return Grammar::after_scan(scan, tag);
  return inside_->after_scan(scan - kInside, tag) + kInside;
}

std::optional<std::string> MarkedGrammar::way_out(StateId id) {
  if (id >= kInside) return inside_->way_out(id - kInside);
  if (id != kMarked) return id == kClosing ? closing_ : "";
  auto text = inside_->way_out(inside_->start());
  if (text) *text += closing_;
  return text;
}

}  // namespace confab::engine
