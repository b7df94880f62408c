// SPDX-License-Identifier: MIT
#include "engine/constrain/constraint.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/constrain/gbnf.h"
#include "engine/constrain/json/json_schema.h"
#include "engine/constrain/marked_grammar.h"
#include "engine/constrain/mask_maker.h"
#include "engine/constrain/pattern.h"
#include "engine/constrain/static_grammar.h"
#include "engine/error.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

// Past so many nodes, what answers have in common is made anew for the next one.
constexpr std::size_t kManyNodes = 400'000;

std::unique_ptr<Grammar> whole(RegexSet& regexes, RegexId text) {
  auto grammar = std::make_unique<StaticGrammar>(regexes, text);
  if (!grammar->drop_dead_ends()) throw ModelError("regular expression: no text fits it");
  return grammar;
}

std::unique_ptr<Grammar> choices(RegexSet& regexes, const std::vector<std::string>& texts) {
  std::vector<RegexId> all;
  for (const std::string& text : texts) all.push_back(regexes.literal(text));
  if (all.empty()) throw ModelError("there is nothing to choose from");
  return std::make_unique<StaticGrammar>(regexes, regexes.either(std::move(all)));
}

std::unique_ptr<Grammar> make_shape(RegexSet& regexes, const ConstraintSpec& spec) {
  switch (spec.kind) {
    case ConstraintSpec::Kind::json_schema:
      return parse_json_schema(regexes, spec.text);
    case ConstraintSpec::Kind::gbnf:
      return parse_gbnf(regexes, spec.text);
    case ConstraintSpec::Kind::pattern:
      return whole(regexes, parse_pattern(regexes, spec.text));
    case ConstraintSpec::Kind::choices:
      return choices(regexes, spec.choices);
    case ConstraintSpec::Kind::none:
      break;
  }
  throw ModelError("the answer has no shape to be held to");
}

std::unique_ptr<Grammar> make_grammar(RegexSet& regexes, const ConstraintSpec& spec) {
  std::unique_ptr<Grammar> shape = make_shape(regexes, spec);
  if (spec.opening.empty() && spec.closing.empty()) return shape;
  if (spec.opening.empty() || spec.closing.empty())
    throw ModelError("both markers that the answer's shape stands between are needed");
  // That nothing fits would not show from outside.
  if (Machine(*shape).start().is_dead()) throw ModelError("no answer can have this shape");
  return std::make_unique<MarkedGrammar>(std::move(shape), spec.opening, spec.closing);
}

// A control token is no text, so that no grammar sees it.
void check_markers(const Tokenizer& tokenizer, const ConstraintSpec& spec) {
  for (const std::string& marker : {spec.opening, spec.closing})
    for (const Token token : tokenizer.encode(marker, true))
      if (tokenizer.piece(token, false).empty())
        throw ModelError("the marker " + marker +
                         " is a control token of this model; name one that is text");
}

std::vector<Token> ends_of(const Tokenizer& tokenizer) {
  std::vector<Token> ends;
  for (Token token = 0; token < tokenizer.n_vocab(); ++token)
    if (tokenizer.is_eog(token)) ends.push_back(token);
  return ends;
}

}  // namespace

struct Constraint::Shared {
  explicit Shared(const Tokenizer& of)
      : tokenizer(of), trie(of), masks(trie, regexes), ends(ends_of(of)) {}

  const Tokenizer& tokenizer;
  RegexSet regexes = RegexSet();
  TokenTrie trie;
  MaskMaker masks;
  std::vector<Token> ends;  // of generation
};

Constraint::Constraint(std::shared_ptr<Shared> shared, const ConstraintSpec& spec)
    : shared_(std::move(shared)),
      grammar_(make_grammar(shared_->regexes, spec)),
      machine_(std::make_unique<Machine>(*grammar_)),
      position_(machine_->start()) {
  if (position_.is_dead()) throw ModelError("no answer can have this shape");
}

Constraint::~Constraint() = default;

bool Constraint::allows(Token token) {
  if (shared_->tokenizer.is_eog(token)) return position_.may_end;
  const std::string_view bytes = shared_->tokenizer.piece(token, false);
  return !bytes.empty() && !machine_->advance(position_, bytes).is_dead();
}

void Constraint::accept(Token token) {
  if (!shared_->tokenizer.is_eog(token))
    position_ = machine_->advance(position_, shared_->tokenizer.piece(token, false));
}

const TokenMask& Constraint::mask() {
  constexpr std::size_t kKept = 16;
  const auto known = std::ranges::find(recent_, position_, &Masked::position);
  if (known != recent_.end()) return known->mask;
  if (recent_.size() < kKept) recent_.emplace_back();
  Masked& made = recent_[n_made_++ % kKept];
  made = {position_, shared_->masks.mask(*machine_, position_)};
  if (position_.may_end)
    for (const Token end : shared_->ends) made.mask.add(end);
  return made.mask;
}

std::unique_ptr<Constraint> Constraints::begin(const ConstraintSpec& spec) {
  if (spec.kind == ConstraintSpec::Kind::none) return nullptr;
  check_markers(tokenizer_, spec);
  if (!shared_ || shared_->regexes.n_nodes() > kManyNodes)
    shared_ = std::make_shared<Constraint::Shared>(tokenizer_);
  return std::make_unique<Constraint>(shared_, spec);
}

void check_constraint(const ConstraintSpec& spec) {
  if (spec.kind == ConstraintSpec::Kind::none) return;
  RegexSet regexes;
  const std::unique_ptr<Grammar> grammar = make_grammar(regexes, spec);
  if (Machine(*grammar).start().is_dead()) throw ModelError("no answer can have this shape");
}

namespace {

// Of JSON without what stands between its parts; the text itself where it is none.
std::string compact(std::string_view text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  return json.is_discarded() ? std::string(text) : json.dump();
}

}  // namespace

bool has_shape(const ConstraintSpec& spec, std::string_view text) {
  if (spec.kind == ConstraintSpec::Kind::none) return true;
  RegexSet regexes;
  const std::unique_ptr<Grammar> grammar = make_grammar(regexes, spec);
  const auto fits = [&](std::string_view whole) {
    Machine machine(*grammar);
    return machine.advance(machine.start(), whole).may_end;
  };
  if (fits(text)) return true;
  const bool is_json = spec.kind == ConstraintSpec::Kind::json_schema && spec.opening.empty();
  return is_json && fits(compact(text));
}

}  // namespace confab::engine
