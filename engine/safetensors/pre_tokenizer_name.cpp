// SPDX-License-Identifier: MIT
#include "engine/safetensors/pre_tokenizer_name.h"

namespace confab::engine {
namespace {

constexpr std::string_view kBytes = " bytes", kGpt2 = " gpt2", kDigits = " digits";

// The steps as append_step() writes them, with the expressions that tokenizer.json files have;
// llama.cpp (src/llama-vocab.cpp) cites those where it has the rules by these names.
struct Rule {
  std::string_view name;
  std::string_view steps;
  std::string_view ending = {};  // where `steps` are only the beginning of all
};
constexpr Rule kRules[] = {
    {"gpt-2", " gpt2"},
    {"smollm", " digits gpt2"},
    {"llama-bpe", R"( (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                  R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    {"qwen2", R"( (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
              R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    {"qwen35", R"( (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
               R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    // V2 and its Lite, and before. The range of letters is left out: some files have it normalised.
    {"deepseek-llm", R"( [\r\n] \s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿ)",
     R"(𞤀-𞥃]+ \s?[!-/:-~！-／：-～‘-‟　-。]+ \s+$ [一-龥ࠀ-一가-퟿]+ digits bytes)"},
    {"deepseek-coder", R"( [\r\n] \s?\p{L}+ \s?\p{P}+ [一-龥ࠀ-一가-퟿]+ digits bytes)"},
    {"deepseek-v3", R"( \p{N}{1,3} [一-龥぀-ゟ゠-ヿ]+ )"
                    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|)"
                    R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)"
                    R"(\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    {"tekken", R"( [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
               R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
               R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    {"gpt-4o", R"( [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
               R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
               R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
               R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
               R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
};

bool fits(const Rule& rule, std::string_view steps) noexcept {
  if (rule.ending.empty()) return steps == rule.steps;
  return steps.starts_with(rule.steps) && steps.ends_with(rule.ending);
}

// As llama-bpe, but words that are tokens are merged like any other.
constexpr std::string_view kWithMerges = "smaug-bpe";

bool flag_of(const Json& step, const char* key, bool otherwise) {
  const Json* flag = step.find(key);
  return flag == nullptr ? otherwise : flag->as_bool().value_or(otherwise);
}

// Some files have line breaks as they are instead of their escapes.
void append_escaped(std::string_view regex, std::string& out) {
  for (const char c : regex) {
    if (c == '\r') {
      out += "\\r";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

void append_step(const Json& step, int depth, std::string& out) {
  constexpr int kMaxDepth = 4;
  const std::string type = step.text_at("type");
  const Json* inner = type == "Sequence" ? step.find("pretokenizers") : nullptr;
  const Json* pattern = type == "Split" ? step.find("pattern") : nullptr;
  if (depth < kMaxDepth && inner != nullptr && inner->is_array()) {
    for (const Json& one : inner->elements()) append_step(one, depth + 1, out);
  } else if (type == "ByteLevel") {
    out += flag_of(step, "use_regex", true) ? kGpt2 : kBytes;
  } else if (type == "Digits" && flag_of(step, "individual_digits", false)) {
    out += kDigits;
  } else if (pattern != nullptr && !pattern->text_at("Regex").empty()) {
    out += ' ';
    append_escaped(pattern->text_at("Regex"), out);
  } else {
    out += " " + (type.empty() ? "nothing" : type);
  }
}

}  // namespace

PreTokenizerName name_pre_tokenizer(const Json& pre_tokenizer, bool ignore_merges) {
  PreTokenizerName found;
  append_step(pre_tokenizer, 0, found.steps);
  for (const Rule& rule : kRules)
    if (fits(rule, found.steps)) found.name = rule.name;
  if (found.name == "llama-bpe" && !ignore_merges) found.name = kWithMerges;
  return found;
}

}  // namespace confab::engine
