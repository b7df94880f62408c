// SPDX-License-Identifier: MIT
// Holds an answer to its shape: which tokens may come next, what must come, and whether it may end.
//
// Asking about a single token is cheap; the mask of the whole vocabulary is made only on request.
// All objects of one `Constraints` are confined to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/constraint_spec.h"
#include "engine/api/token.h"
#include "engine/constrain/machine.h"
#include "engine/constrain/token_mask.h"

namespace confab::engine {

class Tokenizer;

class Constraint {
 public:
  struct Vocabulary;  // what all answers of a model share
  // The vocabulary, and the regular expressions of the answers written at the same time. If there
  // are too many expressions, an answer continues with a new set, in which its text so far is read
  // again.
  struct Shared;
  Constraint(std::shared_ptr<Shared> shared, const ConstraintSpec& spec);
  ~Constraint();

  // Whether the token may come next. For a token that ends the answer: whether the answer may end.
  bool allows(Token token);
  // Call when the token, or these bytes, have come.
  void accept(Token token);
  void accept(std::string_view bytes);
  // Whether the text so far does not fit the shape.
  bool is_dead() const noexcept { return position_.is_dead(); }
  // All tokens that may come next. If a text has a length limit of more bytes than a token, the
  // mask may also contain tokens that leave too little room for what must follow. If the mask is
  // too expensive to compute, it has only tokens of one byte, and the end. Borrowed until the next
  // call.
  const TokenMask& mask();
  // Whether the answer may end here; whether it must.
  bool may_end() const noexcept { return position_.may_end; }
  bool must_end() const noexcept { return position_.may_end && position_.readings.empty(); }
  // The bytes that must come next, up to the first choice.
  std::string forced();
  // A short text that completes the answer in its shape after the bytes `after`, which must be
  // allowed. Throws ModelError if none is found.
  std::string way_out(std::string_view after = {});

 private:
  struct Reader;  // reads the shape
  template <class Act>
  auto with_room(const Act& act);
  TokenMask make_mask();
  TokenMask mask_of_bytes();

  ConstraintSpec spec_;
  std::string text_;  // the answer so far
  std::unique_ptr<Reader> reader_;
  Position position_;
  struct Masked {
    Position position;
    TokenMask mask;
  };
  std::vector<Masked> recent_;  // a ring; positions recur inside a text
  std::size_t n_made_ = 0;
  bool makes_masks_ = true;  // no mask was too expensive so far
};

// Makes the constraints of the answers of one model.
class Constraints {
 public:
  // `tokenizer` must outlive the object.
  explicit Constraints(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  // Returns nullptr if the spec asks for nothing. Throws ModelError.
  std::unique_ptr<Constraint> begin(const ConstraintSpec& spec);

 private:
  const Tokenizer& tokenizer_;
  std::shared_ptr<Constraint::Shared> shared_;  // made when it is first needed
};

// Whether a whole text has the shape. JSON may have any layout. Throws ModelError like
// check_constraint(), and if the text has too many readings.
bool has_shape(const ConstraintSpec& spec, std::string_view text);

}  // namespace confab::engine
