// SPDX-License-Identifier: MIT
// One message of a conversation, as it is kept. Messages form a tree: each has at most one parent,
// an edited question or a second answer is a sibling. What is said in them never changes but in
// drafts.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/attachment.h"

namespace confab::sessions {

enum class ConversationId : std::int64_t {};
enum class MessageId : std::int64_t {};

enum class Role { system, user, assistant, tool };

// draft: an answer that is still growing, or whose writer died; stopped: the user, or a limit on
// tokens, cut it short.
enum class MessageState { draft, done, stopped, error };

// Whether a model reads a question with its answer: as long as there is room, always, or never. It
// says nothing of other messages than questions.
enum class Reading { usual, pinned, dropped };

// What the model reads of the messages before, from a message on, until another one of its branch
// says something else. Messages are counted from the first of the branch, but for a system prompt.
struct Memory {
  int n_kept = 0;         // at the beginning, which it goes on reading
  int begin = 0;          // the first one after these that it reads, unless one is pinned
  int n_noted = 0;        // as far as the note tells
  std::string note = {};  // stands for what is left out; any bytes

  bool operator==(const Memory&) const = default;
};

// The words for these in the database and in exported files; nullopt: none of them.
std::string_view name_of(Role role) noexcept;
std::string_view name_of(MessageState state) noexcept;
std::string_view name_of(Reading reading) noexcept;
std::optional<Role> role_of(std::string_view name) noexcept;
std::optional<MessageState> state_of(std::string_view name) noexcept;
std::optional<Reading> reading_of(std::string_view name) noexcept;

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

// Tokens that were guessed and checked in a pass of the model.
struct DraftCount {
  int n_drafted = 0;
  int n_accepted = 0;  // of them, how many were right

  bool operator==(const DraftCount&) const = default;
};

struct MessageStats {
  int n_prompt = 0;
  int n_cached = 0;  // of n_prompt
  int n_generated = 0;
  int n_passes = 0;    // of the model, while it wrote; 0: not known
  int n_drafted = 0;   // tokens that were guessed and checked in these passes
  int n_accepted = 0;  // of them, how many were right
  // Of these, by who guessed; all 0: not known.
  DraftCount by_lookup = {};
  DraftCount by_model = {};  // a draft model
  DraftCount by_heads = {};  // the model's own heads
  std::chrono::duration<double> ttft{0};
  std::chrono::duration<double> prefill{0};
  std::chrono::duration<double> decode{0};

  bool operator==(const MessageStats&) const = default;
};

// What an answer has become so far.
struct AnswerContent {
  std::string_view content;
  std::string_view reasoning = {};
  std::span<const std::int32_t> tokens = {};  // as sampled
  int answer_begin = 0;                       // see NewMessage
};

// What a message is made from; the store adds identity and time.
struct NewMessage {
  Role role = Role::user;
  std::string content;  // exact bytes as they were typed or generated, UTF-8 or not
  MessageState state = MessageState::done;
  std::vector<std::int32_t> tokens = {};  // as sampled, of reasoning and content; empty: unknown
  std::string tokenizer_hash = {};        // whose ids these are
  std::string model = {};                 // name or path of the model that answers
  std::string sampler_json = {};
  std::vector<Attachment> attachments = {};
  std::string reasoning = {};  // of an answer: what the model thought first
  // The first of the tokens after the reasoning; -1: not known, or one is of both. 0 where there is
  // reasoning: the tokens are of the content only, as schema version 2 had them.
  int answer_begin = 0;
  // These two may change at any time: see Store::set_reading().
  Reading reading = Reading::usual;
  std::optional<Memory> memory = {};  // none: as the messages before it say

  bool operator==(const NewMessage&) const = default;
};

struct Message : NewMessage {
  MessageId id{};
  ConversationId conversation{};
  std::optional<MessageId> parent;  // nullopt: the first of its conversation
  Time created{};
  std::optional<MessageStats> stats;  // of a finished answer

  bool operator==(const Message&) const = default;
};

}  // namespace confab::sessions
