// SPDX-License-Identifier: MIT
#include "engine/pre_tokenizer.h"

#include <cstddef>

#include "engine/unicode_class.h"

namespace confab::engine {
namespace {

// ignore_merges, add_bos and clean_spaces as in llama.cpp, src/llama-vocab.cpp, by the same names.
constexpr PreTokenizer llama3(std::string_view name) {
  return {name, {match_llama3}, true, true, true};
}
constexpr PreTokenizer cl100k(std::string_view name) {
  return {name, {match_llama3}, false, false, true};
}
constexpr PreTokenizer qwen2(std::string_view name, bool clean_spaces = false) {
  return {name, {match_qwen2}, false, false, clean_spaces};
}
constexpr PreTokenizer gpt2(std::string_view name, bool clean_spaces = true) {
  return {name, {match_gpt2}, false, false, clean_spaces};
}
constexpr PreTokenizer digits_gpt2(std::string_view name, bool clean_spaces = true) {
  return {name, {match_number, match_gpt2}, false, false, clean_spaces};
}
constexpr PreTokenizer gpt4o(std::string_view name) {
  return {name, {match_gpt4o}};
}
constexpr PreTokenizer deepseek3(std::string_view name) {
  return {name, {match_numbers_3, match_han_kana, match_deepseek3}};
}

constexpr PreTokenizer kDefault = {
    "default",
    {match_punctuation, match_gpt2, match_numbers, match_ascii_digits_3},
    false,
    false,
    true};

constexpr PreTokenizer kRules[] = {
    kDefault,
    digits_gpt2("codeshell"),
    digits_gpt2("command-r", false),
    cl100k("chatglm-bpe"),
    cl100k("dbrx"),
    {"deepseek-coder",
     {match_line_break, match_space_letters, match_space_punctuation, match_east_asian,
      match_number}},
    qwen2("deepseek-r1-qwen"),
    deepseek3("deepseek-v3"),
    digits_gpt2("exaone"),
    gpt2("exaone4"),
    {"falcon", {match_falcon_punctuation, match_gpt2, match_ascii_digits_3}, false, false, true},
    llama3("falcon-h1"),
    llama3("falcon3"),
    cl100k("glm4"),
    gpt2("gpt-2"),
    gpt4o("gpt-4o"),
    gpt2("granite-docling", false),
    qwen2("hunyuan"),
    deepseek3("hunyuan-dense"),
    llama3("lfm2"),
    llama3("llama-bpe"),
    llama3("llama-v3"),
    llama3("llama3"),
    gpt4o("llama4"),
    qwen2("megrez", true),
    digits_gpt2("minerva-7b"),
    gpt2("mpt"),
    gpt2("olmo"),
    gpt2("phi-2"),
    llama3("pixtral"),
    qwen2("qwen2"),
    {"qwen35", {match_qwen35}},
    digits_gpt2("refact"),
    cl100k("smaug-bpe"),
    digits_gpt2("smollm", false),
    qwen2("stablelm2", true),
    digits_gpt2("starcoder"),
    {"tekken", {match_tekken}, true, true, false},
    gpt2("trillion", false),
};

void cut(const PreTokenizer& rule, std::size_t stage, std::string_view text,
         std::vector<std::string_view>& words) {
  const PreMatcher match = stage < rule.stages.size() ? rule.stages[stage] : nullptr;
  if (match == nullptr) {
    words.push_back(text);
    return;
  }
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto emit = [&](const char* from, const char* to) {
    if (from != to) cut(rule, stage + 1, {from, static_cast<std::size_t>(to - from)}, words);
  };
  const char* gap = p;
  while (p < end) {
    const char* q = match(p, end);
    if (q == p) {
      p += read_char(p, end).size;
      continue;
    }
    emit(gap, p);
    emit(p, q);
    gap = p = q;
  }
  emit(gap, end);
}

}  // namespace

const PreTokenizer* find_pre_tokenizer(std::optional<std::string_view> name) {
  if (!name || name->empty()) return &kRules[0];
  for (const PreTokenizer& rule : kRules) {
    if (rule.name == *name) return &rule;
  }
  return nullptr;
}

std::string known_pre_tokenizers() {
  std::string names;
  for (const PreTokenizer& rule : kRules) {
    if (!names.empty()) names += ", ";
    names += rule.name;
  }
  return names;
}

void pre_tokenize(const PreTokenizer& rule, std::string_view text,
                  std::vector<std::string_view>& words) {
  if (!text.empty()) cut(rule, 0, text, words);
}

}  // namespace confab::engine
