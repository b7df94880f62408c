// SPDX-License-Identifier: MIT
// One message of a conversation, as it is kept. Messages form a tree: each has at most one parent,
// an edited question or a second answer is a sibling. Only drafts ever change.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace confab::sessions {

enum class ConversationId : std::int64_t {};
enum class MessageId : std::int64_t {};

enum class Role { system, user, assistant, tool };

// draft: an answer that is still growing, or whose writer died; stopped: the user cut it short.
enum class MessageState { draft, done, stopped, error };

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

struct MessageStats {
  int n_prompt = 0;
  int n_cached = 0;  // of n_prompt
  int n_generated = 0;
  std::chrono::duration<double> ttft{0};
  std::chrono::duration<double> prefill{0};
  std::chrono::duration<double> decode{0};
};

// What was attached, not its text: that is part of the message's content.
struct Attachment {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::string content_hash;
};

// What an answer has become so far.
struct AnswerContent {
  std::string_view content;
  std::string_view reasoning = {};
  std::span<const std::int32_t> tokens = {};  // of the content, as sampled
};

// What a message is made from; the store adds identity and time.
struct NewMessage {
  Role role = Role::user;
  std::string content;  // exact bytes, UTF-8 or not
  MessageState state = MessageState::done;
  std::vector<std::int32_t> tokens = {};  // as sampled; empty: none known
  std::string tokenizer_hash = {};        // whose ids these are
  std::string model = {};                 // name or path of the model that answers
  std::string sampler_json = {};
  std::vector<Attachment> attachments = {};
  std::string reasoning = {};  // of an answer: what the model thought first
};

struct Message : NewMessage {
  MessageId id{};
  ConversationId conversation{};
  std::optional<MessageId> parent;  // nullopt: the first of its conversation
  Time created{};
  std::optional<MessageStats> stats;  // of a finished answer
};

}  // namespace confab::sessions
