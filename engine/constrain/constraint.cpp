// SPDX-License-Identifier: MIT
#include "engine/constrain/constraint.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "engine/constrain/gbnf.h"
#include "engine/constrain/grammar.h"
#include "engine/constrain/json/json_schema.h"
#include "engine/constrain/mask_maker.h"
#include "engine/constrain/pattern.h"
#include "engine/error.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

// Above this number of nodes, the next answer gets a new shared set.
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
  // A marked grammar would hide that nothing fits inside its markers.
  if (Machine(*shape).start().is_dead()) throw ModelError("no answer can have this shape");
  return std::make_unique<MarkedGrammar>(std::move(shape), spec.opening, spec.closing);
}

// A control token has no text, so a grammar would never see it.
void check_markers(const Tokenizer& tokenizer, const ConstraintSpec& spec) {
  for (const std::string& marker : {spec.opening, spec.closing})
    for (const Token token : tokenizer.encode(marker, true))
      if (tokenizer.piece(token, false).empty())
        throw ModelError("the marker " + marker +
                         " is a control token of this model; name one that is text");
}

}  // namespace

struct Constraint::Vocabulary {
  explicit Vocabulary(const Tokenizer& of) : tokenizer(of), trie(of) {
    for (Token token = 0; token < tokenizer.n_vocab(); ++token)
      if (tokenizer.is_eog(token)) ends.push_back(token);
  }

  const Tokenizer& tokenizer;
  TokenTrie trie;
  std::vector<Token> ends;  // end-of-generation tokens
};

struct Constraint::Shared {
  explicit Shared(std::shared_ptr<const Vocabulary> of)
      : vocabulary(std::move(of)), masks(vocabulary->trie, regexes) {}

  bool has_many_nodes() const { return regexes.n_nodes() > kManyNodes; }
  // The set that replaces this one, for all answers for which it has become too full.
  std::shared_ptr<Shared> next() {
    if (!next_ || next_->has_many_nodes()) next_ = std::make_shared<Shared>(vocabulary);
    return next_;
  }

  std::shared_ptr<const Vocabulary> vocabulary;
  RegexSet regexes = RegexSet();
  MaskMaker masks;

 private:
  std::shared_ptr<Shared> next_;
};

struct Constraint::Reader {
  Reader(std::shared_ptr<Shared> of, const ConstraintSpec& spec)
      : shared(std::move(of)), grammar(make_grammar(shared->regexes, spec)), machine(*grammar) {}

  std::shared_ptr<Shared> shared;
  std::unique_ptr<Grammar> grammar;
  Machine machine;
};

Constraint::Constraint(std::shared_ptr<Shared> shared, const ConstraintSpec& spec)
    : spec_(spec),
      reader_(std::make_unique<Reader>(std::move(shared), spec)),
      position_(reader_->machine.start()) {
  if (position_.is_dead()) throw ModelError("no answer can have this shape");
}

Constraint::~Constraint() = default;

template <class Act>
auto Constraint::with_room(const Act& act) {
  try {
    return act();
  } catch (const FullRegexSet&) {
    auto reader = std::make_unique<Reader>(reader_->shared->next(), spec_);
    position_ = reader->machine.advance(reader->machine.start(), text_);
    reader_ = std::move(reader);
    recent_.clear();
    n_made_ = 0;
  }
  return act();
}

bool Constraint::allows(Token token) {
  const Tokenizer& tokenizer = reader_->shared->vocabulary->tokenizer;
  if (tokenizer.is_eog(token)) return position_.may_end;
  const std::string_view bytes = tokenizer.piece(token, false);
  if (bytes.empty()) return false;
  try {
    return with_room([&] { return !reader_->machine.advance(position_, bytes).is_dead(); });
  } catch (const ModelError&) {  // what follows is too complex
    return false;
  }
}

void Constraint::accept(Token token) {
  const Tokenizer& tokenizer = reader_->shared->vocabulary->tokenizer;
  if (!tokenizer.is_eog(token)) accept(tokenizer.piece(token, false));
}

void Constraint::accept(std::string_view bytes) {
  position_ = with_room([&] { return reader_->machine.advance(position_, bytes); });
  text_ += bytes;
}

const TokenMask& Constraint::mask() {
  constexpr std::size_t kKept = 16;
  const auto known = std::ranges::find(recent_, position_, &Masked::position);
  if (known != recent_.end()) return known->mask;
  TokenMask mask = make_mask();
  if (position_.may_end)
    for (const Token end : reader_->shared->vocabulary->ends) mask.add(end);
  if (recent_.size() < kKept) recent_.emplace_back();
  Masked& made = recent_[n_made_++ % kKept];
  made = {position_, std::move(mask)};
  return made.mask;
}

TokenMask Constraint::make_mask() {
  if (!makes_masks_) return mask_of_bytes();
  try {
    return with_room([&] { return reader_->shared->masks.mask(reader_->machine, position_); });
  } catch (const ModelError&) {
    makes_masks_ = false;
  }
  return mask_of_bytes();
}

// This is cheap for any shape.
TokenMask Constraint::mask_of_bytes() {
  const TokenTrie& trie = reader_->shared->vocabulary->trie;
  TokenMask mask(trie.n_vocab());
  for (std::uint32_t i = 0; i < trie.nodes().size(); i = trie.nodes()[i].end)
    for (Token token = trie.nodes()[i].token; token != TokenTrie::kNone; token = trie.twin(token))
      if (allows(token)) mask.add(token);
  return mask;
}

std::string Constraint::forced() {
  return with_room([&] { return reader_->machine.forced(position_); });
}

std::string Constraint::way_out(std::string_view after) {
  const auto found = with_room([&] {
    Machine& machine = reader_->machine;
    return machine.way_out(after.empty() ? position_ : machine.advance(position_, after));
  });
  if (!found) throw ModelError("no short answer is known that has this shape: simplify it");
  return *found;
}

std::unique_ptr<Constraint> Constraints::begin(const ConstraintSpec& spec) {
  if (spec.kind == ConstraintSpec::Kind::none) return nullptr;
  check_markers(tokenizer_, spec);
  if (!shared_)
    shared_ =
        std::make_shared<Constraint::Shared>(std::make_shared<Constraint::Vocabulary>(tokenizer_));
  if (shared_->has_many_nodes()) shared_ = shared_->next();
  try {
    return std::make_unique<Constraint>(shared_, spec);
  } catch (const ModelError&) {  // any fault may mean that the set was full
    if (!shared_->has_many_nodes()) throw;
  }
  shared_ = shared_->next();
  return std::make_unique<Constraint>(shared_, spec);
}

void check_constraint(const ConstraintSpec& spec) {
  if (spec.kind == ConstraintSpec::Kind::none) return;
  RegexSet regexes;
  const std::unique_ptr<Grammar> grammar = make_grammar(regexes, spec);
  if (Machine(*grammar).start().is_dead()) throw ModelError("no answer can have this shape");
}

namespace {

// JSON without white space between its parts; the text itself if it is not JSON.
std::string compact(std::string_view text) {
  const auto json = base::Json::try_parse(text);
  return json ? json->dump() : std::string(text);
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
