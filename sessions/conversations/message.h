// SPDX-License-Identifier: MIT
// One message of a conversation, as it is stored. Messages form a tree: each has at most one
// parent, and an edited question or a second answer is a sibling of the first. The text of a
// message never changes once it is no longer a draft.
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

// draft: an answer that is still being written, or whose writer died. stopped: cut short by the
// user or by a token limit.
enum class MessageState { draft, done, stopped, error };

// Whether a model reads a question and its answer: as long as there is room, always, or never. Only
// meaningful for questions.
enum class Reading { usual, pinned, dropped };

// Which of the earlier messages the model reads, from this message on, until a later message of the
// branch changes that. Messages are counted from the first of the branch, without a system prompt.
struct Memory {
  int n_kept = 0;         // messages at the beginning that it still reads
  int begin = 0;          // the first message after those that it reads, except pinned ones
  int n_noted = 0;        // messages that the note covers
  std::string note = {};  // replaces the messages that are left out; any bytes

  bool operator==(const Memory&) const = default;
};

// The names of these values in the database and in exported files. Returns nullopt for an unknown
// name.
std::string_view name_of(Role role) noexcept;
std::string_view name_of(MessageState state) noexcept;
std::string_view name_of(Reading reading) noexcept;
std::optional<Role> role_of(std::string_view name) noexcept;
std::optional<MessageState> state_of(std::string_view name) noexcept;
std::optional<Reading> reading_of(std::string_view name) noexcept;

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

// Tokens that were guessed and then checked in a pass of the model.
struct DraftCount {
  int n_drafted = 0;
  int n_accepted = 0;  // how many of them were right

  bool operator==(const DraftCount&) const = default;
};

struct MessageStats {
  int n_prompt = 0;
  int n_cached = 0;  // how many of n_prompt were cached
  int n_generated = 0;
  int n_passes = 0;    // passes of the model while it wrote; 0: unknown
  int n_drafted = 0;   // tokens that were guessed and checked in these passes
  int n_accepted = 0;  // how many of them were right
  // The guesses by source; all 0: unknown.
  DraftCount by_lookup = {};
  DraftCount by_model = {};  // guesses of a draft model
  DraftCount by_heads = {};  // guesses of the model's own prediction heads
  std::chrono::duration<double> ttft{0};
  std::chrono::duration<double> prefill{0};
  std::chrono::duration<double> decode{0};

  bool operator==(const MessageStats&) const = default;
};

// An answer as far as it has been written.
struct AnswerContent {
  std::string_view content;
  std::string_view reasoning = {};
  std::span<const std::int32_t> tokens = {};  // as sampled
  int answer_begin = 0;                       // see NewMessage
};

// The data that a message is made from; the store adds its identity and time.
struct NewMessage {
  Role role = Role::user;
  std::string content;  // the exact bytes that were typed or generated, valid UTF-8 or not
  MessageState state = MessageState::done;
  std::vector<std::int32_t> tokens = {};  // as sampled, reasoning and content; empty: unknown
  std::string tokenizer_hash = {};        // the tokenizer of these ids
  std::string model = {};                 // name or path of the model that answered
  std::string sampler_json = {};
  std::vector<Attachment> attachments = {};
  std::string reasoning = {};  // what the model thought before it answered
  // Index of the first token after the reasoning; -1: unknown, or one token spans both. 0 although
  // there is reasoning: the tokens are those of the content only, as in schema version 2.
  int answer_begin = 0;
  // These two may change at any time: see Store::set_reading().
  Reading reading = Reading::usual;
  std::optional<Memory> memory = {};  // nullopt: as the messages before it say

  bool operator==(const NewMessage&) const = default;
};

struct Message : NewMessage {
  MessageId id{};
  ConversationId conversation{};
  std::optional<MessageId> parent;  // nullopt: a first message of its conversation
  Time created{};
  std::optional<MessageStats> stats;  // of a finished answer

  bool operator==(const Message&) const = default;
};

}  // namespace confab::sessions
