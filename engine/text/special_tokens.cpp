// SPDX-License-Identifier: MIT
#include "engine/text/special_tokens.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "engine/gguf/gguf.h"
#include "engine/text/text_table.h"
#include "engine/text/vocab.h"

namespace confab::engine {
namespace {

// Texts of tokens that end a generation.
constexpr std::string_view kEogTexts[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
};
// Tokens of fill-in-the-middle models, found by keys of the file or else by their texts.
struct FimToken {
  std::size_t first_key, n_keys;  // indices into kFimKeys
  bool ends_generation;
  std::array<std::string_view, 8> texts;  // unused entries are empty
};
constexpr std::string_view kFimKeys[] = {
    "tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id",
    "tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.suffix_token_id",
    "tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.middle_token_id",
    "tokenizer.ggml.fim_pad_token_id", "tokenizer.ggml.fim_rep_token_id",
    "tokenizer.ggml.fim_sep_token_id"};
constexpr FimToken kFimTokens[] = {
    {0,
     2,
     false,
     {"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
      "<|code_prefix|>", "<|prefix|>"}},
    {2,
     2,
     false,
     {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
      "<|code_suffix|>", "<|suffix|>"}},
    {4,
     2,
     false,
     {"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
      "<|code_middle|>", "<|middle|>"}},
    {6, 1, true, {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
    {7, 1, true, {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
    {8, 1, true, {"<|file_sep|>"}},
};
// The markers of the harmony format (gpt-oss). They structure an answer, so they are shown.
constexpr std::string_view kHarmonyMarkers[] = {"<|start|>", "<|channel|>", "<|message|>",
                                                "<|constrain|>"};

// Values in the table of texts: one of these, or kFim plus an index into kFimTokens.
constexpr int kEog = 0;
constexpr int kMarker = 1;
constexpr int kFim = 2;

TextTable table_of_texts() {
  TextTable table(100);
  for (const auto text : kEogTexts) table.insert(text, kEog);
  for (const auto text : kHarmonyMarkers) table.insert(text, kMarker);
  for (std::size_t i = 0; i < std::size(kFimTokens); ++i) {
    for (const auto text : kFimTokens[i].texts) {
      if (!text.empty()) table.insert(text, kFim + static_cast<int>(i));
    }
  }
  return table;
}

// The token that the file names for this purpose, if any.
std::optional<Token> named_token(const Gguf& gguf, const FimToken& fim, std::size_t n_tokens) {
  std::optional<Token> token;
  for (const auto key : std::span(kFimKeys).subspan(fim.first_key, fim.n_keys)) {
    if (const auto named = token_at(gguf, key, n_tokens)) token = named;
  }
  return token;
}

class Finder {
 public:
  Finder(const Gguf& gguf, std::span<const std::string_view> texts) : texts_(texts) {
    for (std::size_t i = 0; i < fim_.size(); ++i) {
      fim_[i] = named_token(gguf, kFimTokens[i], texts.size());
      if (fim_[i] && kFimTokens[i].ends_generation) found_.eog.push_back(*fim_[i]);
    }
  }

  SpecialTexts find() {
    const TextTable table = table_of_texts();
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::string_view text = texts_[i];
      if (text.size() > table.longest() || text.empty()) continue;
      // All texts in the table start with one of these.
      if (std::string_view("<_[\xE2").find(text[0]) == std::string_view::npos) continue;
      if (const int kind = table.find(text); kind >= 0) add(static_cast<Token>(i), kind);
    }
    except();
    return std::move(found_);
  }

 private:
  void add(Token token, int kind) {
    if (kind == kMarker) {
      found_.markers.push_back(token);
    } else if (kind == kEog) {
      found_.control.push_back(token);
      found_.eog.push_back(token);
      note(token);
    } else if (const auto i = static_cast<std::size_t>(kind - kFim); !fim_[i]) {
      found_.control.push_back(token);
      if (kFimTokens[i].ends_generation) found_.eog.push_back(token);
    }
  }

  void note(Token token) {
    const std::string_view text = texts_[static_cast<std::size_t>(token)];
    if (text == "<|end|>") end_ = token;
    if (text == "</s>") s_ = token;
    has_call_ = has_call_ || text == "<|call|>" || text == "<|calls|>";
    has_return_ = has_return_ || text == "<|return|>" || text == "<|flush|>";
    has_tool_response_ = has_tool_response_ || text == "<|tool_response>";
  }

  void except() {
    // In the harmony format <|end|> ends a message, and the answer continues with the next one.
    if (has_call_ && has_return_ && end_) take_out(*end_, found_.markers);
    // Gemma 4 uses </s> as HTML.
    if (has_tool_response_ && s_) take_out(*s_, found_.normal);
  }

  void take_out(Token token, std::vector<Token>& kind) {
    std::erase(found_.eog, token);
    std::erase(found_.control, token);
    kind.push_back(token);
  }

  std::span<const std::string_view> texts_;
  SpecialTexts found_;
  std::array<std::optional<Token>, std::size(kFimTokens)> fim_;
  std::optional<Token> end_, s_;
  bool has_call_ = false, has_return_ = false, has_tool_response_ = false;
};

}  // namespace

SpecialTexts find_special_texts(const Gguf& gguf, std::span<const std::string_view> texts) {
  return Finder(gguf, texts).find();
}

namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// isspace() of the C locale, independent of the current locale.
bool is_ascii_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

SpecialTokens::SpecialTokens(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::erase_if(entries_,
                [](const Entry& e) { return e.text.empty() || e.text.size() > kMaxText; });
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.text < b.text; });
  const auto same = [](const Entry& a, const Entry& b) { return a.text == b.text; };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    Range& range = by_first_byte_[byte_at(entries_[i].text, 0)];
    if (range.end == 0) range.begin = i;
    range.end = i + 1;
  }
}

const SpecialTokens::Entry* SpecialTokens::longest_at(std::string_view text, std::size_t pos,
                                                      std::size_t control_end) const noexcept {
  const Range first = by_first_byte_[byte_at(text, pos)];
  const Entry* begin = entries_.data() + first.begin;  // these match the first `depth` bytes
  const Entry* end = entries_.data() + first.end;
  const Entry* best = nullptr;
  for (std::size_t depth = 1; begin != end; ++depth) {
    if (begin->text.size() == depth) {  // sorts before longer entries
      if (!begin->control || pos + depth <= control_end) best = begin;
      ++begin;
    }
    if (pos + depth == text.size()) break;
    const unsigned char next = byte_at(text, pos + depth);
    begin = std::partition_point(begin, end,
                                 [&](const Entry& e) { return byte_at(e.text, depth) < next; });
    end = std::partition_point(begin, end,
                               [&](const Entry& e) { return byte_at(e.text, depth) == next; });
  }
  return best;
}

std::vector<SpecialTokens::Match> SpecialTokens::find_all(std::string_view text,
                                                          std::span<const ByteSpan> literal) const {
  std::vector<Match> matches;
  auto span = literal.begin();
  for (std::size_t pos = 0; pos < text.size(); ++pos) {
    if (by_first_byte_[byte_at(text, pos)].end == 0) continue;
    while (span != literal.end() && span->end <= pos) ++span;
    const std::size_t control_end =
        span == literal.end() ? std::numeric_limits<std::size_t>::max() : span->begin;
    const Entry* entry = longest_at(text, pos, control_end);
    if (entry != nullptr) matches.push_back({pos, control_end, entry});
  }
  return matches;
}

void SpecialTokens::resolve(std::string_view text, std::span<const Match> matches,
                            std::vector<Match>& winners) const {
  const auto comes_later = [](const Match& a, const Match& b) {
    const std::size_t a_size = a.entry->text.size(), b_size = b.entry->text.size();
    return a_size < b_size || (a_size == b_size && a.begin > b.begin);
  };
  std::vector<Match> heap(matches.begin(), matches.end());
  std::make_heap(heap.begin(), heap.end(), comes_later);
  struct Winner {
    Match match;
    std::size_t end = 0;
  };
  std::map<std::size_t, Winner> won;  // keyed by begin
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    Match match = heap.back();
    heap.pop_back();
    const auto next = won.upper_bound(match.begin);
    const std::size_t limit = next == won.end() ? text.size() : next->first;
    if (next != won.begin() && std::prev(next)->second.end > match.begin) continue;
    if (match.begin + match.entry->text.size() <= limit) {
      won.emplace(match.begin, Winner{match, end_of(text.substr(0, limit), match)});
      continue;
    }
    // Its end is taken, but a shorter token may still fit.
    match.entry = longest_at(text.substr(0, limit), match.begin, match.control_end);
    if (match.entry == nullptr) continue;
    heap.push_back(match);
    std::push_heap(heap.begin(), heap.end(), comes_later);
  }
  for (const auto& [begin, winner] : won) winners.push_back(winner.match);
}

std::size_t SpecialTokens::end_of(std::string_view text, const Match& match) {
  std::size_t end = match.begin + match.entry->text.size();
  while (match.entry->rstrip && end < text.size() && is_ascii_space(text[end])) ++end;
  return end;
}

std::vector<SpecialTokens::Fragment> SpecialTokens::split(std::string_view text,
                                                          std::span<const ByteSpan> literal) const {
  const std::vector<Match> matches = find_all(text, literal);
  std::vector<Match> winners;
  for (auto first = matches.begin(); first != matches.end();) {
    // [first, last) is a stretch of overlapping matches.
    auto last = first;
    bool shrinks = true;  // if so, the leftmost remaining match always wins
    for (std::size_t end = 0; last != matches.end() && (last == first || last->begin < end);
         ++last) {
      if (last->begin + last->entry->text.size() > end) end = end_of(text, *last);
      shrinks = shrinks &&
                (last == first || last->entry->text.size() <= std::prev(last)->entry->text.size());
    }
    if (!shrinks) {
      resolve(text, std::span(first, last), winners);
    } else {
      std::size_t end = 0;
      for (; first != last; ++first) {
        if (first->begin < end) continue;
        winners.push_back(*first);
        end = end_of(text, *first);
      }
    }
    first = last;
  }
  return fragments_of(text, winners);
}

std::vector<SpecialTokens::Fragment> SpecialTokens::fragments_of(std::string_view text,
                                                                 std::span<const Match> winners) {
  std::vector<Fragment> out;
  std::size_t raw_begin = 0;
  const auto flush_until = [&](std::size_t pos) {
    if (pos > raw_begin) out.push_back({text.substr(raw_begin, pos - raw_begin), -1});
  };
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const Match& match = winners[i];
    flush_until(match.begin);
    out.push_back({text.substr(match.begin, match.entry->text.size()), match.entry->id});
    const std::size_t limit = i + 1 < winners.size() ? winners[i + 1].begin : text.size();
    raw_begin = end_of(text.substr(0, limit), match);
  }
  flush_until(text.size());
  return out;
}

}  // namespace confab::engine
