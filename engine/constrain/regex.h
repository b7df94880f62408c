// SPDX-License-Identifier: MIT
// Languages of bytes as nodes that know what may follow a byte: the automaton of an expression is
// made state by state, as far as somebody walks in it.
//
// A node is a language, and a state of the automaton that accepts it. derive(node, b) is what may
// follow b (Brzozowski 1964); equal nodes are one node, so that states come together again. There
// are intersections and complements. Expressions are simplified as they are made: a node other than
// kNothing that has no intersection or complement in it accepts something.
//
// Tags tell which of several languages has been accepted: concat(a, tag(3)) is a, and tags() of a
// state in which it is accepted has 3. They stand at the end of a whole expression only.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/constrain/effort.h"
#include "engine/error.h"

namespace confab::engine {

// A set of bytes.
class ByteSet {
 public:
  constexpr ByteSet() = default;
  // The bytes first to last.
  static constexpr ByteSet range(std::uint8_t first, std::uint8_t last) {
    ByteSet set;
    for (unsigned b = first; b <= last; ++b) set.add(static_cast<std::uint8_t>(b));
    return set;
  }
  static constexpr ByteSet of(std::uint8_t byte) { return range(byte, byte); }

  constexpr void add(std::uint8_t b) { words_[b / 64U] |= std::uint64_t{1} << (b % 64U); }
  constexpr bool has(std::uint8_t b) const { return ((words_[b / 64U] >> (b % 64U)) & 1U) != 0; }
  constexpr bool is_empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  constexpr int count() const {
    int n = 0;
    for (const std::uint64_t word : words_) n += std::popcount(word);
    return n;
  }
  // The lowest byte of a set that is not empty.
  constexpr std::uint8_t first() const {
    unsigned i = 0;
    while (words_[i] == 0) ++i;
    return static_cast<std::uint8_t>(i * 64U + static_cast<unsigned>(std::countr_zero(words_[i])));
  }

  constexpr ByteSet operator|(const ByteSet& other) const {
    return joined(other, [](auto a, auto b) { return a | b; });
  }
  constexpr ByteSet operator&(const ByteSet& other) const {
    return joined(other, [](auto a, auto b) { return a & b; });
  }
  constexpr ByteSet operator~() const {
    return joined(*this, [](auto a, auto) { return ~a; });
  }
  constexpr auto operator<=>(const ByteSet&) const = default;
  const std::array<std::uint64_t, 4>& words() const { return words_; }

 private:
  template <class Op>
  constexpr ByteSet joined(const ByteSet& other, Op op) const {
    ByteSet set;
    for (std::size_t i = 0; i < 4; ++i) set.words_[i] = op(words_[i], other.words_[i]);
    return set;
  }

  std::array<std::uint64_t, 4> words_{};
};

using RegexId = std::int32_t;

// The set holds as many nodes as it may; another one may have room for what was asked.
class FullRegexSet : public ModelError {
 public:
  FullRegexSet() : ModelError("it is too complex: simplify its patterns") {}
};

class RegexSet {
 public:
  static constexpr RegexId kNothing = 0;   // no text at all
  static constexpr RegexId kEmpty = 1;     // the empty text
  static constexpr RegexId kAnything = 2;  // every text
  static constexpr int kNoLimit = -1;
  // States that are looked at before a language is given up as too complex to know of.
  static constexpr std::size_t kMaxExplored = 50'000;

  // Expressions that stand in each other at most: what is written; what follows from it. The walk
  // recurses over these.
  static constexpr int kMaxWrittenNesting = 100;
  static constexpr int kMaxNesting = 300;

  // Throws FullRegexSet, here and from what follows, when more than this many nodes are needed.
  explicit RegexSet(std::size_t max_nodes = std::size_t{1} << 20U);

  RegexId bytes(const ByteSet& set);  // one of them
  RegexId literal(std::string_view text);
  RegexId tag(int number);  // the empty text
  RegexId concat(RegexId a, RegexId b);
  RegexId concat(std::initializer_list<RegexId> parts);
  RegexId either(std::vector<RegexId> parts);
  RegexId both(std::vector<RegexId> parts);
  RegexId negation(RegexId a);
  RegexId repeat(RegexId a, int min, int max);  // max: kNoLimit
  RegexId optional(RegexId a) { return repeat(a, 0, 1); }
  // An automaton that is given as a table. After the bytes of a column all states go on alike;
  // after those of none nothing goes on.
  struct Table {
    std::vector<ByteSet> columns;    // apart from each other
    std::vector<std::int32_t> next;  // [states, columns], -1: none
    std::vector<bool> accepts;       // [states]

    std::int32_t after(int state, std::uint8_t byte) const noexcept;
  };
  // One of its states.
  RegexId table(std::shared_ptr<const Table> table, int state);

  // What may follow `byte`; kNothing where nothing may. Remembered, so that walking is cheap.
  RegexId derive(RegexId state, std::uint8_t byte);
  RegexId derive(RegexId state, std::string_view text);
  bool accepts(RegexId state) const { return nodes_[index(state)].nullable; }
  bool matches(RegexId state, std::string_view text) { return accepts(derive(state, text)); }
  // Of a state that accepts: which.
  std::vector<int> tags(RegexId state) const;
  // Whether it accepts no text at all, however long.
  bool is_empty(RegexId state);
  // Whether it is a tag alone: nothing may follow.
  bool is_tag(RegexId state) const { return nodes_[index(state)].kind == Kind::tag; }
  // Whether its automaton is known to have no more than kMaxExplored states: then all that is asked
  // of them is answered.
  bool can_be_explored(RegexId state);
  // For each tag that can be reached a shortest text that leads there, or a short one, as far as
  // they are found with reasonable work; for what has no tags, the number -1. Throws ModelError
  // where none is found.
  std::vector<std::pair<int, std::string>> shortest_by_tag(RegexId state);
  // The same state but for long repetitions, which have no limit: where it stands in a long string.
  RegexId without_limits(RegexId state) { return without_limits(state, 0); }
  // Whether both accept the same of all texts of at most so many bytes, and lead to the same tags,
  // as far as that shows from how they are made; false: they may all the same.
  bool are_alike(RegexId a, RegexId b, int n_bytes) const { return are_alike(a, b, n_bytes, 0); }
  // How deeply a byte has to be followed into the expressions that stand in each other.
  int nesting(RegexId state) const { return node(state).nesting; }
  // Of all that is made with these expressions.
  Effort& effort() noexcept { return effort_; }
  // Of the nodes that there may be, how many there are: a few parts of lists count as one.
  std::size_t n_nodes() const { return std::max(nodes_.size(), n_parts_ / kPartsANode); }

 private:
  static constexpr std::size_t kPartsANode = 4;  // most of them, on average
  enum class Kind : std::uint8_t {
    nothing,
    empty,
    tag,
    bytes,
    concat,
    either,
    both,
    negation,
    repeat,
    table
  };
  // How many texts a node accepts, as far as its parts tell.
  enum class Extent : std::uint8_t { unknown, finite, infinite, cofinite };
  struct Node {
    Kind kind;
    bool nullable = false;
    bool is_live = true;  // known to accept a text
    Extent extent = Extent::unknown;
    std::int16_t nesting = 0;
    std::int32_t a = 0;  // a part; a tag; a set; a table
    std::int32_t b = 0;  // the part after it; the least number of times; a state
    std::int32_t c = 0;  // the largest number of times
    std::span<const RegexId> parts = {};

    bool operator==(const Node& other) const noexcept;
  };
  // Bytes that lead to the same state are of one kind.
  struct ByteKinds {
    std::array<std::uint8_t, 256> of;
    std::vector<std::uint8_t> bytes;  // one of each kind; those that people write come first
  };
  // Where a state leads: next[kinds->of[byte]]. Nothing is known yet where `kinds` is null.
  struct Row {
    const ByteKinds* kinds = nullptr;
    const RegexId* next = nullptr;
  };
  // Keeps lists for as long as the set lives.
  class Lists {
   public:
    std::span<RegexId> keep(std::span<const RegexId> list);

   private:
    std::vector<std::unique_ptr<RegexId[]>> chunks_;
    std::span<RegexId> free_;
  };

  static std::size_t index(RegexId id) { return static_cast<std::size_t>(id); }
  const Node& node(RegexId id) const { return nodes_[index(id)]; }
  RegexId intern(Node node);
  int nesting_of(const Node& node) const;
  void grow_slots();
  static Extent extent_of_chain(Extent first, Extent rest, bool is_live);
  bool all_are(std::span<const RegexId> parts, Extent extent) const;
  bool any_is(std::span<const RegexId> parts, Extent extent) const;
  RegexId compute(RegexId state, std::uint8_t byte);
  RegexId compute_part(RegexId state, std::uint8_t byte);
  RegexId compute_chain(RegexId state, std::uint8_t byte);
  Row row(RegexId state);
  void collect_fronts(RegexId state, std::vector<std::int32_t>& sets);
  const ByteKinds& kinds_after(RegexId state);
  ByteKinds make_kinds(std::span<const std::int32_t> sets) const;
  void flatten(Kind kind, std::vector<RegexId>& parts) const;
  void join_sets(Kind kind, std::vector<RegexId>& parts);
  struct Factoring;
  std::optional<RegexId> simplify_either(std::vector<RegexId>& parts);
  Factoring split_heads(const std::vector<RegexId>& parts) const;
  RegexId join_either(std::vector<RegexId> parts);
  bool finds_accepted(RegexId state);
  std::size_t count_tags(RegexId state) const;
  using Texts = std::vector<std::pair<int, std::string>>;  // by tag
  Texts explore_by_tag(RegexId state, std::size_t& n_left);
  struct Times {
    RegexId of;  // without tags
    std::size_t n;
  };
  Texts short_by_parts(RegexId state, int depth, std::size_t& n_left);
  bool append_short(std::string& to, Times of, int depth, std::size_t& n_left);
  std::int32_t set_id(const ByteSet& set);
  bool is_new(RegexId state);
  bool are_alike(RegexId a, RegexId b, int n_bytes, int depth) const;
  bool have_likes(std::span<const RegexId> parts, std::span<const RegexId> others, int n_bytes,
                  int depth) const;
  RegexId without_limits(RegexId state, int depth);
  RegexId chain_without_limits(RegexId state, int depth);

  Effort effort_;
  std::size_t max_nodes_;
  std::size_t n_parts_ = 0;  // of all nodes
  std::vector<Node> nodes_;
  std::vector<RegexId> slots_;         // nodes by their hash, in a table that is open; -1: free
  std::vector<std::uint64_t> hashes_;  // of the nodes
  std::vector<ByteSet> sets_;
  std::map<ByteSet, std::int32_t> set_ids_;
  struct KnownTable {
    std::shared_ptr<const Table> table;
    std::vector<std::int32_t> sets;  // of its columns
  };
  std::vector<KnownTable> tables_;
  Lists lists_;
  std::map<std::vector<std::int32_t>, ByteKinds> kinds_;  // by the sets that decide
  std::vector<Row> rows_;                                 // of the states
  struct Memo {
    std::uint64_t key = ~std::uint64_t{0};
    RegexId value = 0;
  };
  enum class Liveness : std::uint8_t { unknown, dead, live };
  std::vector<Memo> memo_;  // of parts
  std::unordered_map<RegexId, RegexId> without_limits_;
  std::vector<Liveness> liveness_;
  std::vector<std::uint32_t> seen_;  // the search that saw a state last
  std::uint32_t n_searches_ = 0;
  std::vector<std::uint32_t> fronts_seen_;  // the same for what decides what follows a state
  std::uint32_t n_fronts_ = 0;
};

}  // namespace confab::engine
