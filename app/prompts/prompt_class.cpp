// SPDX-License-Identifier: MIT
#include "app/prompts/prompt_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "app/prompts/prompt_cues.h"
#include "ui/words.h"

namespace confab::app {
namespace {

constexpr int kLead = 2;                   // the lead that makes the best class certain
constexpr std::size_t kMaxBytes = 20'000;  // of a prompt; the rest is ignored
constexpr std::size_t kMaxWords = 60;      // of a request; the rest is ignored

constexpr auto kNames = std::to_array<std::string_view>(
    {"code", "question", "summary", "rewrite", "extraction", "chat"});
static_assert(kNames.size() == kPromptClasses.size());

constexpr std::string_view kInPhrase = " -";  // separate the words of a cue

using Words = std::vector<std::string>;

// The letter of U+00C0 to U+00FF without its accent, or a blank.
char bare_letter(unsigned char second) noexcept {
  constexpr std::string_view kBare = "aaaaaaaceeeeiiiidnooooo ouuuuy  ";
  static_assert(kBare.size() == 32);
  return kBare[second & 0x1FU];
}

// Lower case without accents. Other characters outside ASCII become blanks.
std::string folded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out += ui::to_lower(text[i]);
    } else if (byte == 0xC3 && i + 1 < text.size()) {
      const auto second = static_cast<unsigned char>(text[++i]);
      if (second == 0x9F)
        out += "ss";
      else
        out += bare_letter(second);
    } else if (text.substr(i, 3) == "’") {
      out += '\'';
      i += 2;
    } else if (byte >= 0xC0) {
      out += ' ';
    }
  }
  return out;
}

// "c++", "node.js" and "tl;dr" are one word, "est-ce" is two.
bool is_of_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("+#'.;").find(c) != std::string_view::npos;
}

Words words_of(std::string_view text) {
  Words words;
  const auto add = [&](std::string_view word) {
    while (!word.empty() && std::string_view("'.;").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    while (!word.empty() && std::string_view("'.;").find(word.front()) != std::string_view::npos)
      word.remove_prefix(1);
    if (!word.empty()) words.emplace_back(word);
  };
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i)
    if (i == text.size() || !is_of_word(text[i])) {
      add(text.substr(begin, i - begin));
      begin = i + 1;
    }
  return words;
}

std::vector<std::string_view> parts_of(std::string_view list, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    parts.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

bool fits(std::string_view word, std::string_view pattern) noexcept {
  if (!pattern.ends_with('*')) return word == pattern;
  pattern.remove_suffix(1);
  return word.starts_with(pattern);
}

// Returns true if the phrase starts at this word. A * on its own matches one to six words.
bool is_at(std::span<const std::string> words, std::span<const std::string_view> phrase) {
  constexpr std::size_t kGap = 6;
  if (phrase.empty()) return true;
  if (phrase[0] == "*") {
    for (std::size_t n = 1; n <= std::min(kGap, words.size()); ++n)
      if (is_at(words.subspan(n), phrase.subspan(1))) return true;
    return false;
  }
  return !words.empty() && fits(words[0], phrase[0]) && is_at(words.subspan(1), phrase.subspan(1));
}

// A parsed prompt.
struct Prompt {
  Words all;
  Words request;      // the request, as far as it can be told from its material
  std::size_t begin;  // its first word after the polite ones
  bool has_material;  // it quotes something, or has text after a colon
};

// In "Translate this: ...", the request is the part before the colon. In a prompt of several lines,
// it is the first line and a short last line.
std::string request_in(std::string_view text) {
  const auto line_before_colon = [](std::string_view line) {
    return std::string(line.substr(0, std::min(line.find(": "), line.size())));
  };
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return line_before_colon(text);
  std::string request = line_before_colon(text.substr(0, end));
  const std::size_t last = text.find_last_not_of(" \n\t");
  const std::size_t begin = text.rfind('\n', last);
  constexpr std::size_t kShort = 160;
  if (begin != std::string_view::npos && last - begin < kShort && begin >= end)
    request += " | " + std::string(text.substr(begin + 1));
  return request;
}

std::size_t polite_end(const Words& words) {
  std::size_t begin = 0;
  for (bool again = true; again && begin < words.size();) {
    again = false;
    for (const std::string_view phrase : parts_of(polite_words(), "|")) {
      const auto parts = parts_of(phrase, kInPhrase);
      if (!is_at(std::span(words).subspan(begin), parts) || begin + parts.size() >= words.size())
        continue;
      begin += parts.size();
      again = true;
      break;
    }
  }
  return begin;
}

bool has_material(std::string_view text) {
  constexpr auto kSigns = std::to_array<std::string_view>({": ", ":\n", "\"", "“", "„", "«"});
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

Prompt taken_apart(std::string_view text) {
  const std::string plain = folded(text.substr(0, kMaxBytes));
  Prompt prompt{words_of(plain), words_of(request_in(plain)), 0, has_material(text)};
  if (prompt.request.size() > kMaxWords) prompt.request.resize(kMaxWords);
  prompt.begin = polite_end(prompt.request);
  return prompt;
}

// Returns true if the text has signs that only occur in programs.
bool has_code_signs(std::string_view text) {
  constexpr auto kSigns = std::to_array<std::string_view>(
      {"();", "){", ") {", "=>", "->",  "::",  "#include", "def ", "+=",    "&&",    "||",
       "!=",  "==", "</",  "$(", "[i]", "[0]", "*.",       "fn ",  "std::", "/bin/", "--onto"});
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

bool is_code_file(std::string_view name) {
  const std::string plain = ui::lower_case(name.substr(name.rfind('/') + 1));
  if (plain == "makefile" || plain == "dockerfile" || plain == "cmakelists.txt") return true;
  const std::size_t dot = plain.rfind('.');
  return dot != std::string::npos && ui::has_word(code_endings(), plain.substr(dot + 1));
}

// Adds up the evidence for each class. Only the strongest cue of each kind counts, as a word may be
// in the lists of several languages.
class Scale {
 public:
  enum class Kind { begin, request, anywhere, sign, file, mark };

  void add(PromptClass one, Kind kind, int weight, std::string reason) {
    Side& side = sides_[static_cast<std::size_t>(one)];
    int& counted = side.weights[static_cast<std::size_t>(kind)];
    if (weight > *std::ranges::max_element(side.weights)) side.reason = std::move(reason);
    counted = std::max(counted, weight);
  }
  Classed verdict() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < sides_.size(); ++i)
      if (sides_[i].total() > sides_[best].total()) best = i;
    int next = 0;
    for (std::size_t i = 0; i < sides_.size(); ++i)
      if (i != best) next = std::max(next, sides_[i].total());
    const int most = sides_[best].total();
    if (most == 0) return {std::nullopt, "nothing in it says what it is"};
    if (most < kDecides || most < next + kLead) return {std::nullopt, "it may be several things"};
    return {kPromptClasses[best], sides_[best].reason};
  }

 private:
  struct Side {
    std::array<int, 6> weights = {};  // by kind
    std::string reason = {};
    int total() const { return std::accumulate(weights.begin(), weights.end(), 0); }
  };
  std::array<Side, kPromptClasses.size()> sides_ = {};
};

// The words that match the cue, or "".
std::string found_at(std::span<const std::string> words, std::string_view phrase, bool only_first) {
  const auto parts = parts_of(phrase, kInPhrase);
  for (std::size_t i = 0; i < words.size() && (i == 0 || !only_first); ++i)
    if (is_at(words.subspan(i), parts)) {
      std::string found = words[i];
      for (std::size_t k = 1; k < parts.size() && i + k < words.size(); ++k)
        found += " " + words[i + k];
      return found;
    }
  return {};
}

std::string found_in(const Prompt& prompt, const Cue& cue) {
  const bool begins = cue.place == CuePlace::begin;
  const Words& words = cue.place == CuePlace::anywhere ? prompt.all : prompt.request;
  const std::span<const std::string> from =
      std::span(words).subspan(begins ? std::min(prompt.begin, words.size()) : 0);
  for (const std::string_view phrase : parts_of(cue.words, "|"))
    if (std::string found = found_at(from, phrase, begins); !found.empty()) return found;
  return {};
}

Scale::Kind kind_of(CuePlace place) noexcept {
  return place == CuePlace::begin     ? Scale::Kind::begin
         : place == CuePlace::request ? Scale::Kind::request
                                      : Scale::Kind::anywhere;
}

void weigh_words(const Prompt& prompt, bool has_files, Scale& scale) {
  for (const Cue& cue : prompt_cues()) {
    if (cue.needs == CueNeeds::attachment && !has_files) continue;
    if (cue.needs == CueNeeds::no_attachment && has_files) continue;
    // "Is this right: ..." asks about the text, so it may belong to any class.
    if (cue.of == PromptClass::question && cue.place == CuePlace::begin && prompt.has_material)
      continue;
    if (const std::string found = found_in(prompt, cue); !found.empty())
      scale.add(cue.of, kind_of(cue.place), cue.weight,
                fmt::format("it {} \"{}\"", cue.place == CuePlace::begin ? "begins with" : "says",
                            found));
  }
}

}  // namespace

std::string_view name_of(PromptClass one) noexcept {
  return kNames[static_cast<std::size_t>(one)];
}

std::optional<PromptClass> find_class(std::string_view name) noexcept {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return kPromptClasses[static_cast<std::size_t>(found - kNames.begin())];
}

Classed class_of(std::string_view text, std::span<const std::string> attachments) {
  Scale scale;
  weigh_words(taken_apart(text), !attachments.empty(), scale);
  if (text.find("```") != std::string_view::npos)
    scale.add(PromptClass::code, Scale::Kind::sign, 4, "it has a code fence");
  if (has_code_signs(text)) scale.add(PromptClass::code, Scale::Kind::sign, 4, "it has code in it");
  const auto file = std::ranges::find_if(attachments, is_code_file);
  if (file != attachments.end())
    scale.add(PromptClass::code, Scale::Kind::file, 4, fmt::format("{} is attached", *file));
  if (text.ends_with('?') && attachments.empty())
    scale.add(PromptClass::question, Scale::Kind::mark, 1, "it ends with a question mark");
  return scale.verdict();
}

}  // namespace confab::app
