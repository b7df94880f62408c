// SPDX-License-Identifier: MIT
// Holds an answer to its shape: which tokens may come next, what must come, whether it may end.
//
// A token is asked about by itself, which is cheap; the mask of the whole vocabulary is made only
// when it is wanted. All objects of one `Constraints` are for one thread.
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
  struct Vocabulary;  // what the answers of a model have in common
  // And the expressions of those that are written at the same time. Where these become too many, an
  // answer goes on with new ones, to which its text so far is read.
  struct Shared;
  Constraint(std::shared_ptr<Shared> shared, const ConstraintSpec& spec);
  ~Constraint();

  // Whether the token, or the end of the answer, may come next.
  bool allows(Token token);
  // It has come, or these bytes have.
  void accept(Token token);
  void accept(std::string_view bytes);
  // What has come does not fit.
  bool is_dead() const noexcept { return position_.is_dead(); }
  // All tokens that may come next; where a text has a limit of more bytes than a token, also such
  // after which that leaves too little room for what has to come. Where that is too much to work
  // out, only those of one byte, and the end. Borrowed until the next call.
  const TokenMask& mask();
  // Whether the answer may end here; whether it must.
  bool may_end() const noexcept { return position_.may_end; }
  bool must_end() const noexcept { return position_.may_end && position_.readings.empty(); }
  // The bytes that must come next, for as long as there is no choice.
  std::string forced();
  // A short text that ends the answer in its shape, once these bytes have come, which may. Throws
  // ModelError where none is found.
  std::string way_out(std::string_view after = {});

 private:
  struct Reader;  // of the shape
  template <class Act>
  auto with_room(const Act& act);
  TokenMask make_mask();
  TokenMask mask_of_bytes();

  ConstraintSpec spec_;
  std::string text_;  // that has come
  std::unique_ptr<Reader> reader_;
  Position position_;
  struct Masked {
    Position position;
    TokenMask mask;
  };
  std::vector<Masked> recent_;  // a ring: inside of a text, positions come again
  std::size_t n_made_ = 0;
  bool makes_masks_ = true;  // they were never too much
};

// Of one model.
class Constraints {
 public:
  // `tokenizer` must outlive the object.
  explicit Constraints(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  // nullptr where the spec asks for nothing. Throws ModelError.
  std::unique_ptr<Constraint> begin(const ConstraintSpec& spec);

 private:
  const Tokenizer& tokenizer_;
  std::shared_ptr<Constraint::Shared> shared_;  // made when it is first needed
};

// Whether a whole text has the shape; the JSON of a schema in whatever layout. Throws ModelError as
// check_constraint() does, and where the text has too many readings.
bool has_shape(const ConstraintSpec& spec, std::string_view text);

}  // namespace confab::engine
