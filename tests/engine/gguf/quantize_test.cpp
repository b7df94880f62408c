// SPDX-License-Identifier: MIT
#include "engine/gguf/quantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "kernels/isa.h"
#include "tests/engine/error_of.h"
#include "tests/engine/gguf/gguf_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

std::vector<float> decode(const GgufTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.n_elements()));
  kernels::usable_kernel_tables().front()->decode_row(tensor.dtype, tensor.data.data(),
                                                      tensor.n_elements(), values.data());
  return values;
}

class QuantizeTest : public ::testing::Test {
 protected:
  QuantizeTest() {
    writer_.add("general.architecture", "llama")
        .add("general.name", "a test")
        .add("general.file_type", std::uint32_t{0})
        .add("llama.block_count", std::uint32_t{1});
    add("token_embd.weight", {256, 40});
    add("output_norm.weight", {256});
    add("output.weight", {256, 40});
    add("blk.0.attn_q.weight", {256, 300});
    add("blk.0.attn_q.bias", {300});
    add("blk.0.ffn_down_exps.weight", {256, 30, 4});
  }

  void add(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::int64_t n = 1;
    for (const std::int64_t dim : shape) n *= dim;
    std::normal_distribution<float> normal(0, 0.05F);
    std::vector<float> values(static_cast<std::size_t>(n));
    for (float& v : values) v = normal(rng_);
    writer_.add_tensor(name, shape, values);
  }

  std::string in() {
    const std::string path = (dir_ / "in.gguf").string();
    if (!std::filesystem::exists(path)) writer_.write(path);
    return path;
  }
  QuantizeResult run(const std::string& type, const std::string& out, int n_threads = 2) {
    kernels::ThreadPool pool(n_threads);
    return quantize_file({Gguf(in()), out, *find_file_type(type)},
                         *kernels::usable_kernel_tables().back(), pool,
                         [this](const QuantizeProgress& progress) {
                           progress_.push_back(progress.bytes_done);
                           bytes_ = progress.bytes;
                           return static_cast<int>(progress_.size()) != stop_at_;
                         });
  }
  std::string error(const std::string& type, const std::string& out) {
    return error_of([&] { run(type, out); });
  }
  std::string out() const { return (dir_ / "out.gguf").string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }

  TempDir dir_;
  std::mt19937 rng_{91};
  GgufWriter writer_;
  std::vector<std::uint64_t> progress_;
  std::uint64_t bytes_ = 0;
  int stop_at_ = 0;
};

TEST_F(QuantizeTest, KeepsTheMetadataAndSaysWhatItIs) {
  EXPECT_TRUE(run("Q4_K_M", out()).finished);
  const Gguf before(in()), after(out());
  EXPECT_EQ(after.find_int("general.file_type"), 15);
  EXPECT_EQ(after.find_int("general.quantization_version"), 2);
  EXPECT_EQ(after.find_string("general.name"), "a test");
  EXPECT_EQ(after.find_int("llama.block_count"), 1);
  EXPECT_EQ(after.keys().size(), before.keys().size() + 1);
  EXPECT_EQ(files(), (std::vector<std::string>{"in.gguf", "out.gguf"}));
}

TEST_F(QuantizeTest, AFileThatIsCutShortMeanwhileIsAnError) {
  kernels::ThreadPool pool(2);
  const auto cut_short = [this](const QuantizeProgress&) {
    std::filesystem::resize_file(in(), 4096);
    return true;
  };
  for (const char* type : {"Q4_0", "F16"}) {
    std::filesystem::remove(in());
    QuantizeOptions options{Gguf(in()), out(), *find_file_type(type)};
    EXPECT_TRUE(error_of([&] {
                  quantize_file(std::move(options), *kernels::usable_kernel_tables().back(), pool,
                                cut_short);
                }).starts_with(in() + ": the file was overwritten or truncated"))
        << type;
    EXPECT_EQ(files(), std::vector<std::string>{"in.gguf"});
  }
}

TEST_F(QuantizeTest, MatricesBecomeSmallerAndStayWhatTheyWere) {
  for (const auto& [type, dtype, nmse] : {std::tuple{"Q4_K_S", Dtype::Q4_K, 6e-3},
                                          {"Q8_0", Dtype::Q8_0, 1e-4},
                                          {"Q4_0", Dtype::Q4_0, 1.2e-2},
                                          {"Q6_K", Dtype::Q6_K, 5e-4},
                                          {"BF16", Dtype::BF16, 5e-6},
                                          {"F16", Dtype::F16, 2e-7}}) {
    const QuantizeResult result = run(type, out());
    const Gguf before(in()), after(out());
    EXPECT_EQ(result.bytes_in, before.file_bytes());
    EXPECT_EQ(result.bytes_out, after.file_bytes());
    ASSERT_EQ(after.tensors().size(), before.tensors().size());
    EXPECT_EQ(after.find_tensor("blk.0.attn_q.weight")->dtype, dtype) << type;
    for (const GgufTensor& old : before.tensors()) {
      const GgufTensor* tensor = after.find_tensor(old.name);
      ASSERT_NE(tensor, nullptr) << old.name;
      EXPECT_EQ(tensor->shape, old.shape) << old.name;
      const auto want = decode(old), got = decode(*tensor);
      double errors = 0, norm = 0;
      for (std::size_t i = 0; i < want.size(); ++i) {
        errors += std::pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
        norm += std::pow(static_cast<double>(want[i]), 2);
      }
      EXPECT_LE(errors / norm, old.shape.size() == 1 ? 0 : nmse) << type << " " << old.name;
    }
  }
}

TEST_F(QuantizeTest, BytesDoNotDependOnTheNumberOfThreads) {
  run("Q5_K_M", out(), 1);
  const std::string alone = read_file(out());
  run("Q5_K_M", out(), 3);
  EXPECT_TRUE(read_file(out()) == alone);
}

TEST_F(QuantizeTest, TellsHowFarItIs) {
  run("Q8_0", out());
  EXPECT_TRUE(std::ranges::is_sorted(progress_));
  EXPECT_EQ(progress_.front(), 0U);
  EXPECT_EQ(progress_.back(), bytes_);
}

TEST_F(QuantizeTest, StoppedAtAnyPointItLeavesWhatWasThere) {
  run("Q8_0", out());
  const int n_questions = static_cast<int>(progress_.size());
  write_file(out(), "older");
  for (stop_at_ = 1; stop_at_ <= n_questions; ++stop_at_) {
    progress_.clear();
    EXPECT_FALSE(run("Q8_0", out()).finished) << stop_at_;
    EXPECT_EQ(read_file(out()), "older");
    EXPECT_EQ(files().size(), 2U);
  }
}

TEST_F(QuantizeTest, AFileOfTheSameTypeIsCopied) {
  run("Q8_0", out());
  const std::string again = (dir_ / "again.gguf").string();
  kernels::ThreadPool pool(1);
  quantize_file({Gguf(out()), again, *find_file_type("Q8_0")},
                *kernels::usable_kernel_tables().back(), pool,
                [](const QuantizeProgress&) { return true; });
  EXPECT_TRUE(read_file(again) == read_file(out()));
}

// What Hugging Face's order of rows becomes, whether the type changes or not.
TEST_F(QuantizeTest, RowsOfHeadsAreWrittenAsOtherProgramsExpectThem) {
  writer_.add("llama.rope.dimension_count", std::uint32_t{100})
      .add("llama.rope.interleaved", false);
  run("F16", out());
  const Gguf before(in()), after(out());
  EXPECT_EQ(after.find("llama.rope.interleaved"), nullptr);
  for (const auto& [name, n_cols] :
       {std::pair{"blk.0.attn_q.weight", std::size_t{256}}, {"blk.0.attn_q.bias", 1}}) {
    const std::vector<float> from = decode(*before.find_tensor(name)),
                             to = decode(*after.find_tensor(name));
    for (std::size_t i = 0; i < n_cols; ++i) {
      EXPECT_NEAR(to[203 * n_cols + i], from[251 * n_cols + i], 1e-3F) << name;
      EXPECT_NEAR(to[102 * n_cols + i], from[101 * n_cols + i], 1e-3F) << name;
    }
  }
}

TEST_F(QuantizeTest, AQ8_0FileCanBecomeSmaller) {
  run("Q8_0", out());
  const std::string smaller = (dir_ / "smaller.gguf").string();
  kernels::ThreadPool pool(1);
  quantize_file({Gguf(out()), smaller, *find_file_type("Q4_K_M")},
                *kernels::usable_kernel_tables().back(), pool,
                [](const QuantizeProgress&) { return true; });
  EXPECT_EQ(Gguf(smaller).find_tensor("blk.0.attn_q.weight")->dtype, Dtype::Q4_K);
}

TEST_F(QuantizeTest, APartOfASetIsReadWithTheOthers) {
  const auto part = [&](int i, const char* tensor) {
    GgufWriter writer;
    writer.add("general.architecture", "llama")
        .add("split.no", static_cast<std::uint16_t>(i))
        .add("split.count", std::uint16_t{2})
        .add("split.tensors.count", std::int32_t{2})
        .add_tensor(tensor, {32, 2}, std::vector<float>(64, 1.0F));
    const std::string path =
        (dir_ / ("m-0000" + std::to_string(i + 1) + "-of-00002.gguf")).string();
    writer.write(path);
    return path;
  };
  const std::string first = part(0, "a.weight"), second = part(1, "b.weight");
  kernels::ThreadPool pool(1);
  const auto quantize = [&](const std::string& to) {
    quantize_file({Gguf(first), to, *find_file_type("Q8_0")},
                  *kernels::usable_kernel_tables().back(), pool,
                  [](const QuantizeProgress&) { return true; });
  };
  quantize(out());
  const Gguf whole(out());
  EXPECT_EQ(whole.tensors().size(), 2U);
  EXPECT_EQ(whole.find("split.count"), nullptr);
  EXPECT_EQ(error_of([&] { quantize(second); }),
            second + ": is the input file; choose another name");
}

TEST_F(QuantizeTest, TheInputIsNotOverwritten) {
  EXPECT_EQ(error("Q8_0", in()), in() + ": is the input file; choose another name");
  std::filesystem::create_symlink(in(), dir_ / "link.gguf");
  const std::string link = (dir_ / "link.gguf").string();
  EXPECT_EQ(error("Q8_0", link), link + ": is the input file; choose another name");
}

TEST_F(QuantizeTest, WeightsThatCannotBeHeldAreRefused) {
  std::vector<float> values(256 * 2, 0.5F);
  values[300] = NAN;
  writer_.add_tensor("blk.0.attn_k.weight", {256, 2}, values);
  EXPECT_EQ(error("Q4_K_M", out()),
            in() +
                ": tensor blk.0.attn_k.weight has weights that Q4_K cannot hold: not finite, or "
                "above 65504, which BF16 can");
  EXPECT_EQ(files(), std::vector<std::string>{"in.gguf"});
}

TEST_F(QuantizeTest, WeightsBeyondF16AreRefused) {
  std::vector<float> values(256 * 2, 0.5F);
  values[300] = -70000;
  writer_.add_tensor("blk.0.attn_k.weight", {256, 2}, values);
  EXPECT_EQ(error("F16", out()),
            in() +
                ": tensor blk.0.attn_k.weight has weights that F16 cannot hold: not finite, or "
                "above 65504, which BF16 can");
  EXPECT_TRUE(run("BF16", out()).finished);
}

TEST_F(QuantizeTest, AFolderThatIsMissingIsNamed) {
  EXPECT_EQ(error("Q8_0", "/no/such/folder/out.gguf"),
            "/no/such/folder/out.gguf: cannot be created: No such file or directory");
}

}  // namespace
}  // namespace confab::engine
