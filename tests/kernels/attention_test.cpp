// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/attention_tile.h"
#include "kernels/dtype.h"
#include "tests/kernels/attention_problem.h"

namespace confab::kernels {
namespace {

using testing::Problem;
using testing::Shape;

// Floats, NaN at first, between numbers that nobody writes.
class Guarded {
 public:
  explicit Guarded(std::size_t n) : storage_(n + 2 * kGuard, kUntouched) {
    std::fill_n(data(), n, NAN);
  }
  float* data() { return storage_.data() + kGuard; }
  std::vector<float> values() const { return {storage_.begin() + kGuard, storage_.end() - kGuard}; }
  bool is_intact() const {
    const auto untouched = [](float f) { return bits_of(f) == bits_of(kUntouched); };
    return std::all_of(storage_.begin(), storage_.begin() + kGuard, untouched) &&
           std::all_of(storage_.end() - kGuard, storage_.end(), untouched);
  }

 private:
  static constexpr std::ptrdiff_t kGuard = 1024;
  static constexpr float kUntouched = 1.25e30F;
  std::vector<float> storage_;
};

class AttentionTest : public testing::EveryTable {
 protected:
  std::vector<float> run(const Problem& p, int window) const {
    std::vector<float> out(p.out_row() * static_cast<std::size_t>(p.n_queries), NAN);
    p.run(table(), 0, p.n_queries, window, out.data());
    return out;
  }
  // With scores of order 1 and values of order 1 an f32 computation is right to a few times 1e-6.
  // Where keys are codes, tables may round queries to whole numbers of 15 bits; where values are,
  // weights to 14 bits.
  void expect_close(const Problem& p, int window) {
    const double f32 = 5e-6 + (info(p.k.dtype).block > 1 ? p.rounding_bound() : 0);
    const std::vector<float> out = run(p, window);
    for (int i = 0; i < p.n_queries; ++i) {
      for (int g = 0; g < p.shape.n_group; ++g) {
        const auto want = p.reference(i, g, window);
        const int n_seen = p.first_position() + i + 1;
        const double tolerance =
            f32 + (info(p.v.dtype).block > 1 ? p.weight_rounding_bound(n_seen, want) : 0);
        const float* got = out.data() + (i * p.shape.n_group + g) * p.shape.head_dim_v;
        for (std::size_t d = 0; d < want.out.size(); ++d) {
          ASSERT_NEAR(static_cast<double>(got[d]), want.out[d], tolerance)
              << "query " << i << " head " << g;
        }
      }
    }
  }
  // Runs with no more memory than the contract asks for, whole and in partials; gives both results.
  std::pair<std::vector<float>, std::vector<float>> run_guarded(const Problem& p, int window) {
    const Shape& s = p.shape;
    const std::size_t n_out = p.out_row() * static_cast<std::size_t>(p.n_queries);
    Guarded scratch(attention_scratch_floats(s.n_group, s.head_dim_k, s.head_dim_v));
    Guarded whole(n_out), joined(n_out);
    table().attention(p.job_of(0, p.n_queries, window, whole.data(), scratch.data()));
    const AttentionJob job = p.job_of(0, p.n_queries, window, joined.data(), scratch.data());
    const auto [first, n_partials] = Problem::slices_of(job);
    const std::size_t n_floats = attention_partial_floats(p.n_queries * s.n_group, s.head_dim_v);
    Guarded partials(n_floats * static_cast<std::size_t>(n_partials));
    for (int i = 0; i < n_partials; ++i) {
      Guarded partial(n_floats);
      table().attention_partial(job, first + i, partial.data());
      EXPECT_TRUE(partial.is_intact()) << "slice " << i;
      std::copy_n(partial.data(), n_floats,
                  partials.data() + n_floats * static_cast<std::size_t>(i));
    }
    table().attention_join(job, partials.data(), n_partials);
    EXPECT_TRUE(partials.is_intact() && scratch.is_intact());
    EXPECT_TRUE(whole.is_intact() && joined.is_intact());
    return {whole.values(), joined.values()};
  }
  // The largest difference that leaving a feature out makes: a test of it must see far less.
  double difference(const Problem& with, const Problem& without) const {
    const std::vector<float> a = run(with, 0), b = run(without, 0);
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      most = std::max(most, static_cast<double>(std::fabs(a[i] - b[i])));
    return most;
  }
};
INSTANTIATE_TEST_SUITE_P(Isa, AttentionTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

TEST_P(AttentionTest, EqualsTheDefinitionInDouble) {
  std::mt19937 rng(31);
  std::vector<std::pair<Dtype, Dtype>> types{{Dtype::F16, Dtype::Q8_0}, {Dtype::Q8_0, Dtype::Q5_1}};
  for (const CacheType& type : kCacheTypes) types.emplace_back(type.dtype, type.dtype);
  for (const auto& [type_k, type_v] : types) {
    for (const Shape s : {Shape{1, 64, 64, 5, 16},
                          {4, 64, 64, 70, 16},
                          {3, 32, 96, 131, 64},
                          {2, 128, 256, 75, 24}}) {
      const Problem p(rng, s, type_k, type_v, 3);
      for (const int window : {0, 1, 4, 33, 1000}) expect_close(p, window);
    }
  }
}

TEST_P(AttentionTest, AnyHeadSize) {
  std::mt19937 rng(32);
  for (int dim = 2; dim <= 70; dim += 2) {
    const Problem p(rng, {2, dim, 72 - dim, 40, 8}, Dtype::F32, Dtype::F16, 2);
    expect_close(p, 0);
  }
}

TEST_P(AttentionTest, BitsDoNotDependOnTheSplitOfQueries) {
  std::mt19937 rng(33);
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::Q8_0, Dtype::Q4_1}) {
    Problem p(rng, {2, 64, 64, 150, 32}, dtype, dtype, 100);
    p.softcap = 3;
    p.sinks = {0.5F, 2};
    for (const int window : {0, 40}) {
      std::vector<float> whole(p.out_row() * 100), pieces(whole.size());
      p.run(table(), 0, 100, window, whole.data());
      for (int begin = 0; begin < 100;) {
        const int n = std::min(100 - begin, 1 + static_cast<int>(rng() % 37));
        p.run(table(), begin, n, window,
              pieces.data() + p.out_row() * static_cast<std::size_t>(begin));
        begin += n;
      }
      for (std::size_t i = 0; i < whole.size(); ++i) {
        ASSERT_EQ(bits_of(whole[i]), bits_of(pieces[i])) << info(dtype).name << " " << i;
      }
    }
  }
}

TEST_P(AttentionTest, PartsGiveTheBitsOfTheWhole) {
  std::mt19937 rng(40);
  for (const Dtype dtype : {Dtype::F32, Dtype::Q8_0, Dtype::Q5_1}) {
    Problem p(rng, {3, 64, 96, 1300, 256}, dtype, dtype, 5);
    p.sinks = {0.5F, 2, -1};
    for (const int window : {0, 1, 40, 700}) {
      std::vector<float> whole(p.out_row() * 5), partials(whole.size());
      p.run(table(), 0, 5, window, whole.data());
      p.run_parts(table(), 0, 5, window, partials.data());
      for (std::size_t i = 0; i < whole.size(); ++i) {
        ASSERT_EQ(bits_of(whole[i]), bits_of(partials[i])) << info(dtype).name << " " << i;
      }
    }
  }
}

// With as many queries as a partial may have, too, and heads that fill no vector or many.
TEST_P(AttentionTest, PartsOfAnyShapeKeepToTheirMemory) {
  std::mt19937 rng(43);
  struct Case {
    Shape shape;
    Dtype k, v;
  };
  for (const Case& c : {Case{{1, 33, 47, 600, 256}, Dtype::F32, Dtype::BF16},
                        Case{{5, 10, 7, 600, 64}, Dtype::BF16, Dtype::F16},
                        Case{{3, 96, 160, 600, 256}, Dtype::Q8_0, Dtype::Q8_0},
                        Case{{16, 32, 32, 530, 256}, Dtype::Q5_0, Dtype::Q5_1},
                        Case{{16, 576, 512, 300, 256}, Dtype::Q8_0, Dtype::Q8_0}}) {
    const auto [n_group, dim_k, dim_v, n_positions, block] = c.shape;
    for (const int n : {1, 2, attention_tile_queries(n_group, dim_k, dim_v)}) {
      Problem p(rng, c.shape, c.k, c.v, n);
      p.sinks = testing::random_floats(rng, static_cast<std::size_t>(n_group));
      for (const int window : {0, 270}) {
        const auto [whole, joined] = run_guarded(p, window);
        ASSERT_EQ(std::memcmp(whole.data(), joined.data(), whole.size() * sizeof(float)), 0)
            << n_group << " heads of " << dim_k << ", " << dim_v << ", " << n << " queries";
        ASSERT_TRUE(
            std::none_of(whole.begin(), whole.end(), [](float f) { return std::isnan(f); }));
      }
    }
  }
}

TEST_P(AttentionTest, SeveralSegmentsEqualTheDefinitionInDouble) {
  std::mt19937 rng(41);
  for (const Dtype dtype : {Dtype::F32, Dtype::Q8_0}) {
    const Problem p(rng, {2, 64, 64, 1100, 256}, dtype, dtype, 3);
    for (const int window : {0, 300}) expect_close(p, window);
  }
}

// What a query does not see may be anything, the rows after it too.
TEST_P(AttentionTest, HiddenRowsMayHoldNoNumbers) {
  std::mt19937 rng(42);
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::Q8_0}) {
    Problem p(rng, {2, 64, 64, 140, 32}, dtype, dtype, 40);
    std::vector<float> clean(p.out_row() * 40), out(clean.size());
    p.run(table(), 0, 40, 20, clean.data());
    for (const int hidden : {60, 139}) {
      std::memset(const_cast<std::byte*>(p.k.row(hidden)), 0xff, p.k.row_bytes);
      std::memset(const_cast<std::byte*>(p.v.row(hidden)), 0xff, p.v.row_bytes);
    }
    p.run(table(), 0, 40, 20, out.data());  // queries at 100 to 139 see 81 to 139
    for (std::size_t i = 0; i < p.out_row() * 39; ++i) {
      ASSERT_EQ(bits_of(clean[i]), bits_of(out[i])) << info(dtype).name << " " << i;
    }
  }
}

TEST(AttentionTileTest, SegmentsCoverAllPositionsAndGrow) {
  EXPECT_EQ(attention_slice_begin(0), 0);
  for (int s = 0; s < kAttentionSlices; ++s) {
    EXPECT_LT(attention_slice_begin(s), attention_slice_end(s)) << s;
    EXPECT_EQ(attention_slice_begin(s) % 256, 0) << s;
    EXPECT_EQ(attention_slice_of(attention_slice_begin(s)), s);
    if (s == 0) continue;
    EXPECT_EQ(attention_slice_end(s - 1), attention_slice_begin(s));
    EXPECT_EQ(attention_slice_of(attention_slice_begin(s) - 1), s - 1);
  }
  EXPECT_EQ(attention_slice_begin(16), 4096);
  EXPECT_EQ(attention_slice_begin(28), 16384);
  EXPECT_EQ(attention_slice_of(INT_MAX - 1), kAttentionSlices - 1);
}

TEST_P(AttentionTest, AWindowHidesWhatIsAsFarAwayAsItIsWide) {
  std::mt19937 rng(35);
  Problem p(rng, {1, 64, 64, 80, 16}, Dtype::F32, Dtype::F32, 1);
  for (float& f : p.q) f *= 10;
  // The key at 70 is that of the query, 9 positions away.
  std::memcpy(const_cast<std::byte*>(p.k.row(70)), p.q.data(), 64 * sizeof(float));
  const auto at_70 = Problem::row(p.v, 70, 64);
  const std::vector<float> seen = run(p, 10), hidden = run(p, 9), own = run(p, 1);
  EXPECT_NEAR(seen[0], at_70[0], 1e-5);
  EXPECT_GT(std::fabs(hidden[0] - at_70[0]), 1e-2);
  EXPECT_NEAR(own[0], Problem::row(p.v, 79, 64)[0], 1e-6);
}

TEST_P(AttentionTest, SoftCapEqualsTheDefinitionInDouble) {
  std::mt19937 rng(36);
  for (const Shape s : {Shape{1, 64, 64, 5, 16}, {4, 64, 64, 70, 16}, {3, 32, 96, 131, 64}}) {
    Problem p(rng, s, Dtype::F32, Dtype::F16, 3);
    for (float& f : p.q) f *= 8;  // scores well beyond the cap
    Problem uncapped = p;
    p.softcap = 4;
    ASSERT_GT(difference(p, uncapped), 1e-2);
    for (const int window : {0, 4, 33}) expect_close(p, window);
  }
}

// What a cap far above the scores does to them is less than their rounding, if tanh is right near
// zero to the last bits.
TEST_P(AttentionTest, AHighSoftCapKeepsSmallScores) {
  std::mt19937 rng(37);
  Problem p(rng, {4, 64, 64, 70, 16}, Dtype::F32, Dtype::F32, 3);
  p.softcap = 1e5F;
  expect_close(p, 0);
}

TEST_P(AttentionTest, SinksTakePartInTheDenominatorOnly) {
  std::mt19937 rng(38);
  for (const Shape s : {Shape{1, 64, 64, 5, 16}, {4, 64, 64, 70, 16}, {3, 32, 96, 131, 64}}) {
    Problem p(rng, s, Dtype::F32, Dtype::F16, 20);
    const Problem without = p;
    p.sinks = testing::random_floats(rng, static_cast<std::size_t>(s.n_group), 2);
    p.sinks[0] = 3;  // above the scores, so that the running maximum starts with it
    ASSERT_GT(difference(p, without), 1e-2);
    for (const int window : {0, 4, 33}) expect_close(p, window);
  }
}

TEST_P(AttentionTest, AnExtremeSinkTakesAllOrNothing) {
  std::mt19937 rng(39);
  Problem p(rng, {2, 64, 64, 70, 16}, Dtype::F32, Dtype::F32, 1);
  const Problem without = p;
  p.sinks = {1e4F, -1e4F};
  const std::vector<float> out = run(p, 0), plain = run(without, 0);
  for (std::size_t d = 0; d < 64; ++d) {
    EXPECT_EQ(out[d], 0) << d;
    EXPECT_NEAR(out[64 + d], plain[64 + d], 1e-6) << d;
  }
}

TEST_P(AttentionTest, LargeScoresDoNotOverflow) {
  std::mt19937 rng(34);
  Problem p(rng, {1, 64, 64, 80, 16}, Dtype::F32, Dtype::F32, 1);
  for (float& f : p.q) f *= 1000;
  std::vector<float> out(64);
  p.run(table(), 0, 1, 0, out.data());
  const auto want = p.reference(0, 0, 0).out;  // one position has nearly all the weight
  for (std::size_t d = 0; d < 64; ++d) EXPECT_NEAR(static_cast<double>(out[d]), want[d], 1e-2);
}

}  // namespace
}  // namespace confab::kernels
