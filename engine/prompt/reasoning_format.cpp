// SPDX-License-Identifier: MIT
// The markers are taken from the published chat templates; harmony's are taken from OpenAI's
// description of the format ("OpenAI harmony response format").
#include "engine/prompt/reasoning_format.h"

#include <algorithm>
#include <array>

namespace confab::engine {
namespace {

using Begins = PartMarker::Begins;
constexpr auto kNone = std::string_view::npos;

template <const char* open>
constexpr std::array<PartMarker, 1> kOpen = {{{open, Begins::reasoning}}};

constexpr char kThink[] = "<think>";
constexpr char kSeedThink[] = "<seed:think>";
constexpr char kMmThink[] = "<mm:think>";
constexpr char kThinking[] = "<thinking>";
constexpr char kThought[] = "<thought>";
constexpr char kReasoning[] = "<reasoning>";
constexpr char kStartThinking[] = "<|START_THINKING|>";
constexpr char kBracketThink[] = "[THINK]";
constexpr char kInnerPrefix[] = "<|inner_prefix|>";
constexpr char kGemma[] = "<|channel>thought\n";
constexpr char kApriel[] = "Here are my reasoning steps:\n";

constexpr std::array<PartMarker, 5> kHarmony = {
    {{"<|channel|>analysis<|message|>", Begins::reasoning},
     {"<|channel|>final<|message|>", Begins::answer},
     {"<|channel|>commentary<|message|>", Begins::answer},
     {"<|start|>assistant", Begins::nothing},
     {"<|constrain|>", Begins::nothing}}};
constexpr std::array<PartMarker, 3> kSolar = {{{"<|think|>", Begins::reasoning},
                                               {"<|content|>", Begins::answer},
                                               {"<|begin|>assistant", Begins::nothing}}};
constexpr std::array<PartMarker, 3> kCohere = {{{kStartThinking, Begins::reasoning},
                                                {"<|START_RESPONSE|>", Begins::answer},
                                                {"<|START_TEXT|>", Begins::answer}}};
constexpr std::array<PartMarker, 3> kKimiXml = {
    {{"<|open|>think<|sep|>", Begins::reasoning},
     {"<|open|>response<|sep|>", Begins::answer},
     {"<|open|>message role=\"assistant\"<|sep|>", Begins::nothing}}};
constexpr std::array<PartMarker, 2> kGranite = {
    {{"Here is my thought process:", Begins::reasoning},
     {"Here's my thought process:", Begins::reasoning}}};

// Special signs come first, because a template of one family may mention the plainer markers of
// another.
constexpr std::array<ReasoningFormat, 16> kFormats = {{
    {"harmony", "<|channel|>analysis", kHarmony, "<|end|>",
     "<|end|><|start|>assistant<|channel|>final<|message|>", true},
    {"gemma4", "<|channel>", kOpen<kGemma>, "<channel|>", "<channel|>"},
    {"kimi-xml", "open_tag('think'", kKimiXml, "<|close|>think<|sep|>",
     "<|close|>think<|sep|><|open|>response<|sep|>"},
    {"solar", "<|begin|>assistant<|think|>", kSolar, "<|end|>",
     "<|end|><|begin|>assistant<|content|>"},
    {"cohere", "<|START_THINKING|>", kCohere, "<|END_THINKING|>",
     "<|END_THINKING|><|START_RESPONSE|>"},
    {"seed", "seed:think", kOpen<kSeedThink>, "</seed:think>", "</seed:think>\n"},
    {"minimax-m3", "mm:think", kOpen<kMmThink>, "</mm:think>", "\n</mm:think>\n\n"},
    {"magistral", "[THINK]", kOpen<kBracketThink>, "[/THINK]", "[/THINK]"},
    {"apertus", "<|inner_prefix|>", kOpen<kInnerPrefix>, "<|inner_suffix|>", "<|inner_suffix|>"},
    {"apriel", "[BEGIN FINAL RESPONSE]", kOpen<kApriel>, "[BEGIN FINAL RESPONSE]",
     "\n[BEGIN FINAL RESPONSE]\n"},
    {"granite-3.2", "Here is my thought process:", kGranite,
     "Here is my response:", "\n\nHere is my response:\n"},
    {"think", "<think>", kOpen<kThink>, "</think>", "\n</think>\n\n"},
    {"think", "</think>", kOpen<kThink>, "</think>", "\n</think>\n\n"},
    {"thinking", "<thinking>", kOpen<kThinking>, "</thinking>", "\n</thinking>\n\n"},
    {"exaone", "<thought>", kOpen<kThought>, "</thought>", "\n</thought>\n\n"},
    {"reasoning", "<reasoning>", kOpen<kReasoning>, "</reasoning>", "\n</reasoning>\n\n"},
}};

}  // namespace

bool ReasoningFormat::mentions(std::string_view token) const noexcept {
  return close.find(token) != kNone ||
         std::any_of(markers.begin(), markers.end(), [token](const PartMarker& marker) {
           return marker.text.find(token) != kNone;
         });
}

bool ReasoningFormat::is_open_after(std::string_view tail) const noexcept {
  const std::size_t closed = tail.rfind(close);
  return std::any_of(markers.begin(), markers.end(), [&](const PartMarker& marker) {
    const std::size_t opened = marker.begins == Begins::reasoning ? tail.rfind(marker.text) : kNone;
    return opened != kNone && (closed == kNone || closed < opened);
  });
}

std::string_view ReasoningFormat::answer_header(std::string_view tail) const noexcept {
  const auto begins_answer = [](const PartMarker& marker) {
    return marker.begins == Begins::answer;
  };
  const auto is_there = [&](const PartMarker& marker) {
    return begins_answer(marker) && tail.find(marker.text) != kNone;
  };
  const auto first = std::ranges::find_if(markers, begins_answer);
  if (first == markers.end() || std::ranges::any_of(markers, is_there)) return {};
  return first->text;
}

const ReasoningFormat* find_reasoning_format(std::string_view chat_template) noexcept {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [chat_template](const ReasoningFormat& format) {
                                    return chat_template.find(format.sign) != kNone;
                                  });
  return found == kFormats.end() ? nullptr : &*found;
}

std::string_view reasoning_key(std::string_view chat_template) noexcept {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSigns = {
      {{"reasoning_content", "reasoning_content"},
       {"message.thinking", "thinking"},
       {"message['thinking']", "thinking"},
       {"message[\"thinking\"]", "thinking"},
       {"message.reasoning", "reasoning"},
       {"message['reasoning']", "reasoning"},
       {"message[\"reasoning\"]", "reasoning"}}};
  for (const auto& [sign, key] : kSigns) {
    if (chat_template.find(sign) != kNone) return key;
  }
  return "reasoning_content";
}

}  // namespace confab::engine
