// SPDX-License-Identifier: MIT
// The tokens that may come next, and the softmax of their logits. Samplers narrow them down.
//
// At first these are all tokens of a row. While there are many, they are kept in the order of their
// ids, and everything is computed in few passes that read little. Once there are few, they are
// sorted from the likeliest down, equal ones by ascending id. All logits are finite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/api/token.h"
#include "engine/run/sampling/selection.h"

namespace confab::engine {

// The draw needs the sum of the weights of each block of so many.
constexpr std::size_t kWeightBlock = 256;

struct SoftmaxSums {
  double total = 0;  // of the weights
  double mean = 0;   // of x by these weights; the entropy is ln(total) - mean
};

// The softmax weights of many candidates: single precision, the same on every machine. weights[i] =
// e^x with x = (logits[i] - best) / temperature, within 1e-6 where the logits are near the best; 0
// for x below -87. `best` is the greatest logit and has weight 1. weights [n], block_sums [n /
// kWeightBlock, rounded up]. The temperature must be > 0, and the logits finite.
SoftmaxSums softmax_weights(std::span<const float> logits, float best, double temperature,
                            std::span<float> weights, std::span<double> block_sums) noexcept;

// A logit becomes (logit > 0 ? logit / divisor : logit * divisor) - less.
struct LogitEdit {
  Token token;
  float divisor = 1;
  float less = 0;
};

class Candidates {
 public:
  static constexpr std::size_t kFew = 512;

  explicit Candidates(std::size_t n_vocab);

  // All tokens of a row [n_vocab], which is borrowed and not changed.
  void begin(std::span<const float> row) noexcept;
  // The best tokens of a row, at most kFew.
  void begin(std::span<const TopLogit> best) noexcept;
  // No two edits may be of the same token. From the next settle() on, a token without a finite
  // logit is no longer a candidate.
  void edit(std::span<const LogitEdit> edits) noexcept;
  // Must be called after begin() and edit(), before everything else. Throws ModelError if no
  // candidate is left.
  void settle();

  std::size_t size() const noexcept { return n_; }
  bool are_few() const noexcept { return few_; }
  std::span<const float> logits() const noexcept { return {logits_, n_}; }
  Token id(std::size_t i) const noexcept { return whole_ ? static_cast<Token>(i) : ids_[i]; }
  float best() const noexcept { return best_; }  // the greatest logit
  // Divides the logits, in addition to earlier divisions; must be > 0.
  void divide(double temperature) noexcept { temperature_ *= temperature; }
  double temperature() const noexcept { return temperature_; }

  // Computes the weights.
  SoftmaxSums weigh() noexcept;
  // After weigh(): e^((logit - best) / temperature), in double precision if there are few.
  double weight(std::size_t i) const noexcept {
    return few_ ? few_weights_[i] : double{weights_[i]};
  }
  std::span<const float> weights() const noexcept { return {weights_.get(), n_}; }
  std::span<const double> block_sums() const noexcept { return {block_sums_.data(), n_blocks()}; }
  // The least logit with at least this weight, computed in double precision.
  float bar_of(double weight) const noexcept;

  // Copies the best logits, in descending order; best.size() <= size().
  void copy_best(std::span<float> best) noexcept;
  // Keeps the k best candidates.
  void keep_best(std::size_t k) noexcept;
  // Keeps candidates whose logits are at least `bar`, which is not above the best.
  void keep_from(float bar) noexcept;
  // After weigh(): keeps the best candidates until their total weight reaches `mass`, including the
  // last.
  void keep_mass(double mass) noexcept;
  // The same for the candidates with logits nearest to this one; of equally near ones, the first.
  void keep_mass_near(double logit, double mass) noexcept;
  // Removes all candidates from `bar` on except the last of them; keeps all below. Returns how many
  // were removed.
  std::size_t drop_above_last(float bar) noexcept;

 private:
  static constexpr std::size_t kRowBlock = 64;  // logits per entry of row_bests_

  std::size_t n_blocks() const noexcept { return (n_ + kWeightBlock - 1) / kWeightBlock; }
  std::size_t n_row_blocks() const noexcept { return (n_ + kRowBlock - 1) / kRowBlock; }
  bool scan_row() noexcept;
  void own_logits() noexcept;
  float* find(Token token) noexcept;
  void find_best() noexcept;
  void sort_few() noexcept;
  void keep(std::span<const float> keys, Cut cut) noexcept;
  // Calls visit(i) in order for all candidates from `bar` on, and for few others.
  template <class Visit>
  void visit_from(float bar, const Visit& visit) const noexcept;
  // Keeps the candidates for which is_kept(i) returns true. Asks in order for all from `bar` on.
  template <class IsKept>
  void compact(float bar, const IsKept& is_kept) noexcept;

  std::size_t n_vocab_;
  const float* logits_ = nullptr;  // the row, or own_
  std::size_t n_ = 0;
  bool whole_ = false;  // index and id are the same
  bool few_ = false;
  bool settled_ = false;
  float best_ = 0;
  float least_ = 0;  // no logit is below this
  double temperature_ = 1;
  std::unique_ptr<float[]> own_;       // [n_vocab]
  std::unique_ptr<Token[]> ids_;       // [n_vocab], the ids of own_
  std::unique_ptr<float[]> weights_;   // [n_vocab]
  std::unique_ptr<float[]> nearness_;  // [n_vocab]
  std::vector<double> few_weights_;    // [kFew]
  std::vector<double> block_sums_;     // of each block of weights_
  std::vector<float> row_bests_;       // of each kRowBlock logits of a whole row
  std::vector<float> sorted_bests_;    // scratch for keep_best()
  Selection selection_;
};

}  // namespace confab::engine
