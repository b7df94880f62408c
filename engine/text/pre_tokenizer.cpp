// SPDX-License-Identifier: MIT
#include "engine/text/pre_tokenizer.h"

#include <cstddef>

#include "engine/text/pre_chars.h"
#include "engine/text/unicode_class.h"

namespace confab::engine {
namespace {

using namespace pre;

// Collects parts, given their ends.
class Cutter {
 public:
  Cutter(const char* begin, std::vector<std::string_view>& parts) : at_(begin), parts_(parts) {}
  void cut(const char* p) {
    if (p != at_) parts_.emplace_back(at_, static_cast<std::size_t>(p - at_));
    at_ = p;
  }

 private:
  const char* at_;
  std::vector<std::string_view>& parts_;
};

bool is_ascii_digit(Char c) {
  return in(c, '0', '9');
}

}  // namespace

void split_digits_by_threes(std::string_view piece, std::vector<std::string_view>& parts) {
  const char* p = piece.data();
  const char* const end = p + piece.size();
  Cutter cutter(p, parts);
  while (p < end) {
    const char* digits_end = run(p, end, is_ascii_digit);
    for (const char* q = p + (digits_end - p) % 3; q < digits_end; q += 3) cutter.cut(q);
    p = digits_end < end ? digits_end + read_char(digits_end, end).size : end;
  }
  cutter.cut(end);
}

void split_before_digits_by_threes(std::string_view piece, std::vector<std::string_view>& parts) {
  const char* p = piece.data();
  const char* const end = p + piece.size();
  Cutter cutter(p, parts);
  while (p < end) {
    p = run(p, end, [](Char c) { return !has(c, kNumber); });
    int n = 0;
    for (const char* q = p; q < end && has(read_char(q, end), kNumber); ++n) {
      q += read_char(q, end).size;
    }
    for (int taken = n % 3 != 0 ? n % 3 : 3; n > 0; taken = 3) {
      p = numbers(p, end, taken);
      cutter.cut(p);
      n -= taken;
    }
  }
  cutter.cut(end);
}

void split_off_last_spaces(std::string_view piece, std::vector<std::string_view>& parts) {
  const char* const begin = piece.data();
  const char* const end = begin + piece.size();
  const char* spaces = end;
  for (const char* p = end; p != begin;) {
    do {
      --p;
    } while (p != begin && (static_cast<unsigned char>(*p) & 0xC0) == 0x80);
    if (!has(read_char(p, end), kSpace)) break;
    spaces = p;
  }
  Cutter cutter(begin, parts);
  cutter.cut(spaces);
  cutter.cut(end);
}

namespace {

// ignore_merges, add_bos and clean_spaces are set as in llama.cpp, src/llama-vocab.cpp, for the
// same names.
constexpr PreTokenizer llama3(std::string_view name) {
  return {.name = name,
          .stages = {match_llama3},
          .ignore_merges = true,
          .add_bos = true,
          .clean_spaces = true};
}
constexpr PreTokenizer cl100k(std::string_view name) {
  return {.name = name, .stages = {match_llama3}, .clean_spaces = true};
}
constexpr PreTokenizer qwen2(std::string_view name, bool clean_spaces = false) {
  return {.name = name, .stages = {match_qwen2}, .clean_spaces = clean_spaces};
}
constexpr PreTokenizer gpt2(std::string_view name, bool clean_spaces = true) {
  return {.name = name, .stages = {match_gpt2}, .clean_spaces = clean_spaces};
}
constexpr PreTokenizer digits_gpt2(std::string_view name, bool clean_spaces = true) {
  return {.name = name, .stages = {match_number, match_gpt2}, .clean_spaces = clean_spaces};
}
constexpr PreTokenizer gpt4o(std::string_view name) {
  return {.name = name, .stages = {match_gpt4o}};
}
constexpr PreTokenizer deepseek3(std::string_view name) {
  return {.name = name, .stages = {match_numbers_3, match_han_kana, match_deepseek3}};
}
constexpr PreTokenizer tiny_aya(std::string_view name) {
  return {.name = name, .stages = {split_before_digits_by_threes, match_tiny_aya}};
}
constexpr PreTokenizer bloom(std::string_view name, bool clean_spaces) {
  return {.name = name, .stages = {match_bloom}, .clean_spaces = clean_spaces};
}
constexpr PreTokenizer gemma4(std::string_view name) {
  return {.name = name,
          .stages = {match_line},
          .add_bos = true,
          .clean_spaces = true,
          .plain_text = true,
          .gemma4 = true};
}

constexpr PreTokenizer kDefault = {
    .name = "default",
    .stages = {match_punctuation, match_gpt2, match_numbers, match_ascii_digits_3},
    .clean_spaces = true};

constexpr PreTokenizer kRules[] = {
    kDefault,
    gpt2("a.x-4.0"),
    {.name = "afmoe",
     .stages = {split_before_digits_by_threes, match_afmoe_scripts, match_deepseek3}},
    qwen2("bailingmoe"),
    qwen2("bailingmoe2"),
    bloom("bloom", true),
    {.name = "chameleon",
     .stages = {match_sentinel, match_image, match_indent, match_number, match_one_punctuation,
                match_gpt2},
     .add_bos = true},
    digits_gpt2("codeshell"),
    tiny_aya("cohere2moe"),
    digits_gpt2("command-r", false),
    cl100k("chatglm-bpe"),
    cl100k("dbrx"),
    {.name = "deepseek-coder",
     .stages = {match_line_break, match_space_letters, match_space_punctuation, match_east_asian,
                match_number}},
    {.name = "deepseek-llm",
     .stages = {match_line_break, match_space_cased_letters, match_space_signs,
                split_off_last_spaces, match_east_asian, match_numbers}},
    qwen2("deepseek-r1-qwen"),
    deepseek3("deepseek-v3"),
    digits_gpt2("exaone"),
    gpt2("exaone4"),
    {.name = "exaone-moe", .stages = {match_exaone_moe}, .clean_spaces = true},
    qwen2("f2llmv2"),
    {.name = "falcon",
     .stages = {match_falcon_punctuation, match_gpt2, match_ascii_digits_3},
     .clean_spaces = true},
    llama3("falcon-h1"),
    llama3("falcon3"),
    gemma4("gemma4"),
    gpt2("gigachat"),
    cl100k("glm4"),
    gpt2("gpt-2"),
    gpt4o("gpt-4o"),
    bloom("gpt3-finnish", true),
    gpt2("granite-docling", false),
    gemma4("granite-embed-multi-311m"),
    {.name = "granite-embed-multi-97m", .stages = {match_gpt4o_marks}, .ignore_merges = true},
    qwen2("grok-2"),
    qwen2("hunyuan"),
    deepseek3("hunyuan-dense"),
    gpt2("jais"),
    {.name = "jais-2", .stages = {match_llama3, match_jais2_spaces}, .clean_spaces = true},
    gpt2("jina-de"),
    gpt2("jina-es"),
    gpt2("jina-v1-en"),
    llama3("jina-v5-nano"),
    deepseek3("joyai-llm"),
    gpt4o("kanana2"),
    {.name = "kimi-k2", .stages = {match_kimi_k2}},
    qwen2("kormo"),
    {.name = "laguna", .stages = {match_line, match_qwen2}},
    llama3("lfm2"),
    qwen2("llada-moe"),
    llama3("llama-bpe"),
    llama3("llama-v3"),
    llama3("llama3"),
    gpt4o("llama4"),
    qwen2("megrez", true),
    gpt2("mellum"),
    digits_gpt2("mellum2"),
    llama3("midm-2.0"),
    digits_gpt2("minerva-7b"),
    {.name = "minicpm5",
     .stages = {match_numbers_3, match_llama3},
     .ignore_merges = true,
     .clean_spaces = true},
    gpt4o("minimax-m2"),
    gpt2("modern-bert"),
    gpt2("mpt"),
    gpt2("olmo"),
    gpt2("phi-2"),
    llama3("pixtral"),
    bloom("poro-chat", false),
    qwen2("qwen2"),
    {.name = "qwen35", .stages = {match_qwen35}},
    digits_gpt2("refact"),
    gpt2("roberta-bpe"),
    {.name = "sarvam-moe", .stages = {match_line}, .plain_text = true},
    {.name = "seed-coder", .stages = {match_seed_coder}},
    cl100k("smaug-bpe"),
    digits_gpt2("smollm", false),
    qwen2("solar-open"),
    qwen2("stablelm2", true),
    digits_gpt2("starcoder"),
    {.name = "superbpe", .stages = {match_numbers, split_digits_by_threes}},
    gpt4o("talkie"),
    {.name = "tekken", .stages = {match_tekken}, .ignore_merges = true, .add_bos = true},
    tiny_aya("tiny_aya"),
    gpt2("trillion", false),
    {.name = "viking", .stages = {match_bloom, match_number}},
    {.name = "youtu", .stages = {match_youtu_scripts, match_youtu}, .ignore_merges = true},
};

void cut(const PreTokenizer& rule, std::size_t stage, std::string_view text, Words& words);

void cut_by_match(const PreTokenizer& rule, std::size_t stage, std::string_view text,
                  Words& words) {
  const PreMatcher match = rule.stages[stage].match;
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

void cut(const PreTokenizer& rule, std::size_t stage, std::string_view text, Words& words) {
  const PreStage step = stage < rule.stages.size() ? rule.stages[stage] : PreStage();
  if (step.match != nullptr) {
    cut_by_match(rule, stage, text, words);
  } else if (step.split != nullptr) {
    Words parts;
    step.split(text, parts);
    for (const std::string_view part : parts) cut(rule, stage + 1, part, words);
  } else {
    words.push_back(text);
  }
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

void pre_tokenize(const PreTokenizer& rule, std::string_view text, Words& words) {
  if (!text.empty()) cut(rule, 0, text, words);
}

}  // namespace confab::engine
