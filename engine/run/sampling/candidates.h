// SPDX-License-Identifier: MIT
// The tokens that may come next, and the softmax of their logits: what samplers narrow down.
//
// All tokens of a row at first. As long as there are very many they stand in the order of their
// ids, and what is to be known of them is found in few passes that read little; once there are few,
// they stand from the likeliest down, of equal ones the lowest id first. All logits are finite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/api/token.h"
#include "engine/run/sampling/selection.h"

namespace confab::engine {

// Weights whose sum is kept for the draw.
constexpr std::size_t kWeightBlock = 256;

struct SoftmaxSums {
  double total = 0;  // of the weights
  double mean = 0;   // of x by these weights: the entropy is ln(total) - mean
};

// What candidates weigh by the softmax of their logits, for very many of them: in single precision,
// and the same on every machine. weights[i] = e^x with x = (logits[i] - best) / temperature, within
// 1e-6 of it where the logits are near the best; 0 for x below -87. `best` is the greatest logit,
// which has the weight 1. weights [n], block_sums [n / kWeightBlock, rounded up]. Temperature > 0;
// logits are finite.
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

  // The tokens of a row [n_vocab], which is borrowed and not changed.
  void begin(std::span<const float> row) noexcept;
  // The best of a row, kFew at most.
  void begin(std::span<const TopLogit> best) noexcept;
  // No two edits are of the same token. What has no finite logit is no candidate any more, from the
  // next settle() on.
  void edit(std::span<const LogitEdit> edits) noexcept;
  // To be called after begin() and edit(), and before all else. Throws ModelError when no candidate
  // is left.
  void settle();

  std::size_t size() const noexcept { return n_; }
  bool are_few() const noexcept { return few_; }
  std::span<const float> logits() const noexcept { return {logits_, n_}; }
  Token id(std::size_t i) const noexcept { return whole_ ? static_cast<Token>(i) : ids_[i]; }
  float best() const noexcept { return best_; }  // the greatest logit
  // By which logits are divided, from now on and besides what they are by now; > 0.
  void divide(double temperature) noexcept { temperature_ *= temperature; }
  double temperature() const noexcept { return temperature_; }

  // Computes the weights.
  SoftmaxSums weigh() noexcept;
  // Of weigh(): e^((logit - best) / temperature), in double precision where there are few.
  double weight(std::size_t i) const noexcept {
    return few_ ? few_weights_[i] : double{weights_[i]};
  }
  std::span<const float> weights() const noexcept { return {weights_.get(), n_}; }
  std::span<const double> block_sums() const noexcept { return {block_sums_.data(), n_blocks()}; }
  // The least logit that weighs so much, by double precision's measure.
  float bar_of(double weight) const noexcept;

  // The best logits, from the best down; best.size() <= size().
  void copy_best(std::span<float> best) noexcept;
  // Keeps the k best.
  void keep_best(std::size_t k) noexcept;
  // Keeps logits from `bar` on; it is not above the best.
  void keep_from(float bar) noexcept;
  // After weigh(). Keeps the best until they weigh so much together, the last one included.
  void keep_mass(double mass) noexcept;
  // And those whose logits are nearest to this one; of equally near ones those that stand first.
  void keep_mass_near(double logit, double mass) noexcept;
  // Of those from `bar` on, keeps the last alone, and all below. How many were taken away.
  std::size_t drop_above_last(float bar) noexcept;

 private:
  static constexpr std::size_t kRowBlock = 64;  // logits of a row whose greatest is known

  std::size_t n_blocks() const noexcept { return (n_ + kWeightBlock - 1) / kWeightBlock; }
  std::size_t n_row_blocks() const noexcept { return (n_ + kRowBlock - 1) / kRowBlock; }
  bool scan_row() noexcept;
  void own_logits() noexcept;
  float* find(Token token) noexcept;
  void find_best() noexcept;
  void sort_few() noexcept;
  void keep(std::span<const float> keys, Cut cut) noexcept;
  // Calls visit(i) in turn for those from `bar` on at least, and for few others.
  template <class Visit>
  void visit_from(float bar, const Visit& visit) const noexcept;
  // Keeps those for which is_kept(i), which is asked in turn for those from `bar` on at least.
  template <class IsKept>
  void compact(float bar, const IsKept& is_kept) noexcept;

  std::size_t n_vocab_;
  const float* logits_ = nullptr;  // the row, or own_
  std::size_t n_ = 0;
  bool whole_ = false;  // place and id are the same
  bool few_ = false;
  bool settled_ = false;
  float best_ = 0;
  float least_ = 0;  // no logit is below
  double temperature_ = 1;
  std::unique_ptr<float[]> own_;       // [n_vocab]
  std::unique_ptr<Token[]> ids_;       // [n_vocab], of own_
  std::unique_ptr<float[]> weights_;   // [n_vocab]
  std::unique_ptr<float[]> nearness_;  // [n_vocab]
  std::vector<double> few_weights_;    // [kFew]
  std::vector<double> block_sums_;     // of weights_
  std::vector<float> row_bests_;       // of each kRowBlock logits of a whole row
  std::vector<float> sorted_bests_;    // some of them
  Selection selection_;
};

}  // namespace confab::engine
