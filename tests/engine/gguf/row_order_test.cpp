// SPDX-License-Identifier: MIT
#include "engine/gguf/row_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/gguf/gguf_header.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

Gguf model(bool with_key, std::uint32_t head_dim = 6) {
  GgufHeader header(32);
  header.add_text("general.architecture", "llama");
  header.add("llama.rope.dimension_count", head_dim);
  if (with_key) header.add_flag("llama.rope.interleaved", false);
  GgufContents contents;
  contents.path = "folder";
  contents.metadata = header.bytes();
  return Gguf(std::move(contents));
}

std::vector<std::int64_t> order(const RowOrder& rows, std::int64_t n) {
  std::vector<std::int64_t> sources;
  for (std::int64_t i = 0; i < n; ++i) sources.push_back(rows.source(i));
  return sources;
}

GgufTensor tensor(std::string_view name, std::vector<std::int64_t> shape) {
  return {name, kernels::Dtype::F32, std::move(shape), {}};
}

TEST(RowOrderTest, PairsThatAreHalfAHeadApartBecomeNeighbours) {
  const Gguf gguf = model(true);
  const std::vector<std::int64_t> want{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11};
  EXPECT_EQ(order(RowOrder(gguf, tensor("blk.0.attn_q.weight", {4, 12})), 12), want);
  EXPECT_EQ(order(RowOrder(gguf, tensor("blk.0.attn_k.bias", {12})), 12), want);
}

TEST(RowOrderTest, OtherRowsStayWhereTheyAre) {
  const Gguf halves = model(true), neighbours = model(false);
  EXPECT_FALSE(RowOrder(halves, tensor("blk.0.attn_v.weight", {4, 12})).changes());
  EXPECT_FALSE(RowOrder(halves, tensor("blk.0.attn_q_norm.weight", {6})).changes());
  const RowOrder rows(neighbours, tensor("blk.0.attn_q.weight", {4, 12}));
  EXPECT_FALSE(rows.changes());
  EXPECT_EQ(rows.source(7), 7);
}

// Two key heads that three value heads share each, of four numbers.
Gguf delta_net(bool tiled) {
  GgufHeader header(32);
  header.add_text("general.architecture", "qwen35");
  header.add("qwen35.ssm.group_count", 2U);
  header.add("qwen35.ssm.time_step_rank", 6U);
  header.add("qwen35.ssm.state_size", 4U);
  if (!tiled) header.add_flag("qwen35.ssm.value_heads_tiled", false);
  GgufContents contents;
  contents.path = "folder";
  contents.metadata = header.bytes();
  return Gguf(std::move(contents));
}

TEST(RowOrderTest, ValueHeadsComeByTheirNumberAmongThoseThatShareAKeyHead) {
  const Gguf gguf = delta_net(false);
  const std::vector<std::int64_t> heads{0, 3, 1, 4, 2, 5};
  for (const char* name : {"blk.3.ssm_a", "blk.3.ssm_dt.bias"})
    EXPECT_EQ(order(RowOrder(gguf, tensor(name, {6})), 6), heads) << name;
  EXPECT_EQ(order(RowOrder(gguf, tensor("blk.0.ssm_beta.weight", {8, 6})), 6), heads);
  const RowOrder gate(gguf, tensor("blk.0.attn_gate.weight", {8, 24}));
  EXPECT_EQ(order(gate, 8), (std::vector<std::int64_t>{0, 1, 2, 3, 12, 13, 14, 15}));
  // Queries and keys of two heads are before them.
  const RowOrder qkv(gguf, tensor("blk.0.attn_qkv.weight", {8, 40}));
  EXPECT_EQ(qkv.source(15), 15);
  EXPECT_EQ(qkv.source(16), 16);
  EXPECT_EQ(qkv.source(20), 28);
  const RowOrder out(gguf, tensor("blk.0.ssm_out.weight", {24, 8}));
  EXPECT_FALSE(out.changes());
  EXPECT_TRUE(out.changes_columns());
  EXPECT_EQ(out.source_column(4), 12);
  EXPECT_FALSE(RowOrder(delta_net(true), tensor("blk.0.attn_gate.weight", {8, 24})).changes());
  EXPECT_EQ(error_of([&] {
              RowOrder(gguf, tensor("blk.0.attn_gate.weight", {8, 23}));
            }),
            "folder: tensor blk.0.attn_gate.weight has 23 rows, expected 6 value heads of 4");
}

TEST(RowOrderTest, RowsThatAreNoHeadsAreRefused) {
  const Gguf gguf = model(true, 5);
  EXPECT_EQ(error_of([&] {
              RowOrder(gguf, tensor("blk.0.attn_q.weight", {4, 12}));
            }),
            "folder: tensor blk.0.attn_q.weight has 12 rows, expected heads of 5");
}

}  // namespace
}  // namespace confab::engine
