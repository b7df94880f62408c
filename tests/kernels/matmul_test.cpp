// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "kernels/block.h"
#include "kernels/tables.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

using testing::Misaligned;

struct Case {
  Dtype dtype;
  ActFormat format;
};

// Every type with f32 activations, the quantised ones with q8, BF16 with bf16.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const DtypeInfo* type : testing::all_dtypes()) {
    all.push_back({type->dtype, ActFormat::f32});
    if (type->block > 1) all.push_back({type->dtype, ActFormat::q8});
    if (type->dtype == Dtype::BF16) all.push_back({type->dtype, ActFormat::bf16});
  }
  return all;
}

// A weight matrix and packed activations, with what they stand for.
struct Problem {
  Problem(std::mt19937& rng, Case c, std::int64_t n_rows, std::int64_t n_cols, int n_tokens)
      : rows(n_rows), cols(n_cols), tokens(n_tokens) {
    weights = testing::random_weights(rng, c.dtype, static_cast<std::size_t>(n_rows * n_cols));
    w = {c.dtype, weights.data(), n_cols, row_bytes(c.dtype, n_cols)};
    const std::size_t bytes = act_row_bytes(c.format, n_cols);
    acts.resize(bytes * static_cast<std::size_t>(n_tokens));
    x = {c.format, acts.data(), n_tokens, bytes};
    const auto values = testing::random_floats(rng, static_cast<std::size_t>(n_tokens * n_cols));
    for (int t = 0; t < n_tokens; ++t) {
      kScalarTable.pack_row(c.format, values.data() + t * n_cols, n_cols,
                            acts.data() + static_cast<std::size_t>(t) * bytes);
    }
  }

  std::vector<float> weight_row(std::int64_t r) const {
    std::vector<float> row(static_cast<std::size_t>(cols));
    kScalarTable.decode_row(w.dtype, w.data + static_cast<std::size_t>(r) * w.row_bytes, cols,
                            row.data());
    return row;
  }
  double activation(int t, std::int64_t c) const {
    const std::byte* row = acts.data() + static_cast<std::size_t>(t) * x.row_bytes;
    if (x.format == ActFormat::f32) return static_cast<double>(load_as<float>(row + 4 * c));
    if (x.format == ActFormat::bf16) {
      return static_cast<double>(bf16_to_f32(load_as<std::uint16_t>(row + 2 * c)));
    }
    const auto meta = load_as<Q8Meta>(row + cols + c / 32 * 16);
    return static_cast<double>(meta.d) * load_as<std::int8_t>(row + c);
  }
  std::vector<float> run(const KernelTable& table) const {
    std::vector<float> y(static_cast<std::size_t>(rows * tokens), NAN);
    table.matmul(w, 0, rows, x, y.data(), rows);
    return y;
  }

  std::int64_t rows, cols;
  int tokens;
  std::vector<std::byte> weights, acts;
  WeightRows w{};
  Activations x{};
};

class MatmulTest : public testing::EveryTable {};
INSTANTIATE_TEST_SUITE_P(Isa, MatmulTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

// The bound: each product and each addition rounds once, so the error is at most (n + 4) half-units
// of the sum of magnitudes; a Q8_0 or min-offset path may pass through sums that are larger by
// the offset, which the magnitudes of the unsigned codes cover.
void expect_close(const KernelTable& table, const Problem& p) {
  const auto got = p.run(table);
  for (std::int64_t r = 0; r < p.rows; ++r) {
    const std::vector<float> row = p.weight_row(r);
    for (int t = 0; t < p.tokens; ++t) {
      double want = 0, magnitude = 0;
      for (std::int64_t c = 0; c < p.cols; ++c) {
        const double product =
            static_cast<double>(row[static_cast<std::size_t>(c)]) * p.activation(t, c);
        want += product;
        magnitude += std::fabs(product);
      }
      const double blocks = static_cast<double>(p.cols) / 8 + 8;
      const double bound = 0x1p-24 * 4 * blocks * magnitude + 1e-30;
      ASSERT_NEAR(static_cast<double>(got[static_cast<std::size_t>(t * p.rows + r)]), want, bound)
          << info(p.w.dtype).name << " [" << p.rows << ", " << p.cols << "] token " << t << " row "
          << r;
    }
  }
}

TEST_P(MatmulTest, EqualsTheSumInDoubleAtEveryWidth) {
  std::mt19937 rng(21);
  for (const Case c : cases()) {
    const std::int64_t block = info(c.dtype).block;
    const std::int64_t step = block == 1 ? (c.format == ActFormat::q8 ? 32 : 7) : block;
    const std::int64_t last = block == 256 ? 768 : block > 1 ? 32 * 20 : 300;
    for (std::int64_t n = step; n <= last; n += step) expect_close(table(), {rng, c, 3, n, 2});
  }
}

TEST_P(MatmulTest, EqualsTheSumInDoubleAtEveryHeightAndTokenCount) {
  std::mt19937 rng(22);
  for (const Case c : cases()) {
    for (const std::int64_t n_rows : {1, 2, 7, 8, 9, 15, 16, 17, 33}) {
      for (const int n_tokens : {1, 2, 3, 4, 5, 9, 17}) {
        expect_close(table(), {rng, c, n_rows, 256, n_tokens});
      }
    }
  }
}

TEST_P(MatmulTest, EqualsTheSumInDoubleWithTheTokensOfALongPrompt) {
  std::mt19937 rng(25);
  for (const Case c : cases()) {
    if (info(c.dtype).block == 1) expect_close(table(), {rng, c, 3, 41, 259});
  }
}

TEST_P(MatmulTest, BitsDependNeitherOnTokensNorOnRowRange) {
  std::mt19937 rng(23);
  for (const Case c : cases()) {
    const std::int64_t block = info(c.dtype).block;
    const std::int64_t n_rows = 37, n_cols = block == 256 ? 768 : block > 32 ? 5 * block : 32 * 21;
    const Problem p(rng, c, n_rows, n_cols, 83);
    const auto whole = p.run(table());
    for (int attempt = 0; attempt < 40; ++attempt) {
      const auto row0 = static_cast<std::int64_t>(rng() % 37);
      const auto rows = 1 + static_cast<std::int64_t>(rng() % static_cast<unsigned>(n_rows - row0));
      const int t0 = static_cast<int>(rng() % 83);
      const int tokens =
          attempt % 3 == 0 ? 1 : 1 + static_cast<int>(rng() % static_cast<unsigned>(83 - t0));
      const Activations x{c.format, p.x.data + static_cast<std::size_t>(t0) * p.x.row_bytes, tokens,
                          p.x.row_bytes};
      const std::int64_t stride = rows + 3;
      std::vector<float> y(static_cast<std::size_t>(stride * tokens), 5);
      table().matmul(p.w, row0, rows, x, y.data(), stride);
      for (int t = 0; t < tokens; ++t) {
        for (std::int64_t r = 0; r < stride; ++r) {
          const float got = y[static_cast<std::size_t>(t * stride + r)];
          const float want =
              r < rows ? whole[static_cast<std::size_t>((t0 + t) * n_rows + row0 + r)] : 5;
          ASSERT_EQ(bits_of(got), bits_of(want))
              << info(c.dtype).name << " rows " << row0 << "+" << rows << " tokens " << t0 << "+"
              << tokens << " at token " << t << " row " << r;
        }
      }
    }
  }
}

TEST_P(MatmulTest, AnyAlignment) {
  std::mt19937 rng(24);
  for (const Case c : cases()) {
    Problem p(rng, c, 18, 512, 6);
    const auto want = p.run(table());
    for (const std::size_t shift : {1, 2, 4, 33, 63}) {
      Misaligned w(p.weights.data(), p.weights.size(), shift);
      Misaligned x(p.acts.data(), p.acts.size(), shift);
      p.w.data = w.data();
      p.x.data = x.data();
      EXPECT_EQ(p.run(table()), want) << info(c.dtype).name << " shifted by " << shift;
    }
  }
}

// A copy of some bytes that ends where memory may not be read, or begins there.
class Fenced {
 public:
  Fenced(const std::vector<std::byte>& bytes, bool ends) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t inner = (bytes.size() + page - 1) / page * page;
    size_ = inner + 2 * page;
    map_ = ::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map_ == MAP_FAILED) throw std::bad_alloc();
    std::byte* first = static_cast<std::byte*>(map_) + page;
    EXPECT_EQ(::mprotect(first, inner, PROT_READ | PROT_WRITE), 0);
    data_ = ends ? first + inner - bytes.size() : first;
    std::memcpy(data_, bytes.data(), bytes.size());
  }
  ~Fenced() { ::munmap(map_, size_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  const std::byte* data() const { return data_; }

 private:
  void* map_;
  std::size_t size_;
  std::byte* data_;
};

TEST_P(MatmulTest, ReadsNothingOutsideTheWeights) {
  std::mt19937 rng(25);
  for (const Case c : cases()) {
    const std::int64_t block = info(c.dtype).block;
    const std::int64_t step = block == 1 ? 32 : block;
    for (const std::int64_t n : {step, 3 * step, 1024 / step * step, 1024 / step * step + step}) {
      for (const int tokens : {1, 2}) {
        Problem p(rng, c, 2, n, tokens);
        const auto want = p.run(table());
        for (const bool ends : {false, true}) {
          const Fenced fenced(p.weights, ends);
          p.w.data = fenced.data();
          EXPECT_EQ(p.run(table()), want) << info(c.dtype).name << " [2, " << n << "]";
        }
      }
    }
  }
}

TEST_P(MatmulTest, LargestCodesDoNotSaturate) {
  // Q8_0 codes of -128 and 127 against activations of 127 are the largest products there are.
  for (const int code : {-128, 127}) {
    std::vector<std::byte> weights(34 * 17);
    for (std::size_t r = 0; r < 17; ++r) {
      const std::uint16_t one = f32_to_f16(1);
      std::memcpy(weights.data() + 34 * r, &one, 2);
      std::memset(weights.data() + 34 * r + 2, code, 32);
    }
    for (const float sign : {-1.0F, 1.0F}) {
      const std::vector<float> x(32, 127 * sign);
      std::vector<std::byte> act(act_row_bytes(ActFormat::q8, 32));
      table().pack_row(ActFormat::q8, x.data(), 32, act.data());
      std::vector<float> y(17);
      table().matmul({Dtype::Q8_0, weights.data(), 32, 34}, 0, 17,
                     {ActFormat::q8, act.data(), 1, act.size()}, y.data(), 17);
      for (const float v : y) EXPECT_EQ(v, static_cast<float>(code * 127 * 32) * sign);
    }
  }
}

// Sums of products may be kept in 16 bits only as long as no codes can make them overflow.
TEST_P(MatmulTest, SumsOfTheLargestCodesDoNotSaturate) {
  std::mt19937 rng(26);
  for (const Case c : cases()) {
    if (c.format != ActFormat::q8 || c.dtype == Dtype::IQ1_M)
      continue;  // its scale is in its codes
    const std::size_t n_first = c.dtype == Dtype::MXFP4 ? 1 : c.dtype == Dtype::NVFP4 ? 4 : 0;
    for (const int byte : {0xff, 0x77}) {
      Problem p(rng, c, 17, 512, 9);
      const std::vector<std::byte> scales = p.weights;
      std::memset(p.weights.data(), byte, p.weights.size());
      for (std::size_t at = 0; at < scales.size(); at += info(c.dtype).block_bytes) {
        std::memcpy(p.weights.data() + at, scales.data() + at, n_first);
        for (const std::size_t i : testing::scale_offsets(c.dtype))
          std::memcpy(p.weights.data() + at + i, scales.data() + at + i, 2);
      }
      for (int t = 0; t < p.tokens; ++t) {
        const std::vector<float> x(512, t % 2 == 0 ? 1.0F : -1.0F);
        kScalarTable.pack_row(c.format, x.data(), 512,
                              p.acts.data() + static_cast<std::size_t>(t) * p.x.row_bytes);
      }
      for (p.x.n_tokens = p.tokens = 9; p.tokens > 0; p.x.n_tokens = --p.tokens)
        expect_close(table(), p);
    }
  }
}

}  // namespace
}  // namespace confab::kernels
