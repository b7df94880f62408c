// SPDX-License-Identifier: MIT
// The golden vectors of the fixtures folder: ids and round trips in real vocabularies, made with
// llama.cpp. Its README tells the format. Skipped when the folder is not there.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/gguf/gguf.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/gguf/gguf_writer.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path fixtures() {
  const char* folder = std::getenv("CONFAB_FIXTURES");
  const fs::path root =
      folder != nullptr ? fs::path(folder) : fs::path(CONFAB_SOURCE_DIR) / "../shared/fixtures";
  return root / "tokenizers";
}

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The output of `xz -dc`; empty when that fails.
std::string decompress(const fs::path& path) {
  const std::string command = "xz -dc '" + path.string() + "' 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 65536> buffer{};
  for (std::size_t n = 0; pipe && (n = fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;) {
    out.append(buffer.data(), n);
  }
  return out;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::string text_of(const json& entry) {
  return entry.contains("hex") ? from_hex(entry["hex"]) : entry["text"].get<std::string>();
}

// The tokenizer keys of `source` under another pre-tokenizer.
void write_with_pre(const Gguf& source, const std::string& pre, const std::string& path) {
  GgufWriter writer;
  writer.add("tokenizer.ggml.model", *source.find_string("tokenizer.ggml.model"));
  writer.add("tokenizer.ggml.pre", pre);
  for (const auto* key : {"tokenizer.ggml.tokens", "tokenizer.ggml.merges"}) {
    writer.add_array(key, *source.find_array<std::string_view>(key));
  }
  const auto* types = source.find_array<std::int32_t>("tokenizer.ggml.token_type");
  writer.add_array("tokenizer.ggml.token_type", *types);
  for (const auto* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id"}) {
    writer.add(key, static_cast<std::uint32_t>(*source.find_int(key)));
  }
  writer.write(path);
}

void check_info(const Tokenizer& tokenizer, const json& info) {
  const auto list = [](std::span<const Token> ids) {
    return json(std::vector(ids.begin(), ids.end()));
  };
  EXPECT_EQ(tokenizer.n_vocab(), info["n_vocab"]);
  EXPECT_EQ(tokenizer.bos(), info["bos"].get<Token>());
  EXPECT_EQ(tokenizer.eos(), info["eos"].get<Token>());
  EXPECT_EQ(list(tokenizer.prefix()), info["prefix_added"]);
  EXPECT_EQ(list(tokenizer.suffix()), info["suffix_added"]);
  EXPECT_TRUE(tokenizer.is_eog(*tokenizer.eos()));
  const Token eot = info["eot"];
  EXPECT_TRUE(eot < 0 || tokenizer.is_eog(eot));
}

void check_cases(const Tokenizer& tokenizer, const json& cases) {
  const json strings = json::parse(read_all(fixtures() / "strings.json"));
  ASSERT_GE(cases.size(), strings.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const json& want = cases[i];
    const std::string text = text_of(i < strings.size() ? strings[i] : want);
    SCOPED_TRACE(testing::Message()
                 << "case " << i << ": "
                 << json(text).dump(-1, ' ', true, json::error_handler_t::replace));
    const auto ids = tokenizer.encode(text, false);
    const auto ids_special = tokenizer.encode(text, true);
    if (want["ids"].is_null()) continue;  // the reference fails on it
    EXPECT_EQ(json(ids), want["ids"]);
    EXPECT_EQ(json(ids_special), want.value("ids_special", want["ids"]));
    const auto bytes = [&](const char* key, const std::string& otherwise) {
      return want.contains(key) ? from_hex(want[key]) : otherwise;
    };
    const std::string shown = bytes("detok_hex", text);
    EXPECT_EQ(tokenizer.detokenize(ids, true), shown);
    if (want.contains("ids_special")) {
      EXPECT_EQ(tokenizer.detokenize(ids_special, true), bytes("detok_special_hex", text));
      const std::string hidden = bytes("detok_hidden_hex", text);
      EXPECT_EQ(tokenizer.detokenize(ids_special, false), hidden);
    }
  }
}

// The strings that llama.cpp tests these vocabularies with, where they are.
void check_original_strings(const Tokenizer& tokenizer, const std::string& name) {
  if (!fs::exists(fixtures() / (name + ".inp"))) return;
  const std::string separator = "\n__ggml_vocab_test__\n";
  std::string in = read_all(fixtures() / (name + ".inp"));
  std::istringstream out(read_all(fixtures() / (name + ".out")));
  int n = 0;
  for (std::string line; std::getline(out, line); ++n) {
    const std::size_t end = in.find(separator);
    std::istringstream numbers(line);
    const std::vector<Token> want{std::istream_iterator<Token>(numbers), {}};
    EXPECT_EQ(tokenizer.encode(in.substr(0, end), false), want) << in.substr(0, end);
    in.erase(0, end == in.npos ? end : end + separator.size());
  }
  EXPECT_GE(n, 40);
}

class TokenizerFidelityTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(fixtures())) GTEST_SKIP() << "no fixtures in " << fixtures();
    vectors_ = json::parse(read_all(fixtures() / (std::string(GetParam()) + ".json")));
    const std::string vocab = decompress(fixtures() / vectors_["vocab"].get<std::string>());
    if (vocab.empty()) GTEST_SKIP() << "xz is not installed";
    const std::string path = folder_ / "vocab.gguf";
    std::ofstream(path, std::ios::binary) << vocab;
    if (vectors_["pre_override"].is_string()) {
      const std::string changed = folder_ / "changed.gguf";
      write_with_pre(Gguf(path), vectors_["pre_override"], changed);
      tokenizer_ = Tokenizer::load(Gguf(changed));
    } else {
      tokenizer_ = Tokenizer::load(Gguf(path));
    }
  }

  TemporaryFolder folder_;
  json vectors_;
  std::unique_ptr<const Tokenizer> tokenizer_;
};

TEST_P(TokenizerFidelityTest, EqualsTheReference) {
  check_info(*tokenizer_, vectors_["info"]);
  check_cases(*tokenizer_, vectors_["cases"]);
  check_original_strings(*tokenizer_, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, TokenizerFidelityTest,
                         testing::Values("llama-spm", "phi-3", "gpt-2", "deepseek-coder",
                                         "llama-bpe", "qwen2", "pre-tekken", "pre-gpt-4o",
                                         "pre-smollm", "pre-dbrx", "pre-glm4", "pre-deepseek-v3",
                                         "pre-command-r"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace confab::engine
