// SPDX-License-Identifier: MIT
// Regular languages of bytes. The automaton of an expression is built state by state, only as far
// as it is walked.
//
// A node is both a language and a state of the automaton that accepts it. derive(node, b) is the
// language of what may follow b (Brzozowski 1964). Equal nodes are the same node, so states merge
// again. There are intersections and complements. Expressions are simplified as they are made: a
// node other than kNothing accepts something, unless it contains an intersection, a complement or a
// table.
//
// Tags show which of several languages was accepted: concat(a, tag(3)) is the language a, and
// tags() of its accepting states contains 3. A tag may stand only at the end of a whole expression.
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
  // The bytes from first to last.
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
  // The lowest byte. The set must not be empty.
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

// The set has reached its maximum number of nodes. A new set may have room for the request.
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
  // The number of states to look at before a language is given up as too complex.
  static constexpr std::size_t kMaxExplored = 50'000;

  // The maximum nesting of expressions: as they are written, and as they are derived. Walking
  // recurses over the nesting.
  static constexpr int kMaxWrittenNesting = 100;
  static constexpr int kMaxNesting = 300;

  // This and the following functions throw FullRegexSet if they need more than max_nodes nodes.
  explicit RegexSet(std::size_t max_nodes = std::size_t{1} << 20U);

  RegexId bytes(const ByteSet& set);  // one byte of the set
  RegexId literal(std::string_view text);
  RegexId tag(int number);  // the empty text
  RegexId concat(RegexId a, RegexId b);
  RegexId concat(std::initializer_list<RegexId> parts);
  RegexId either(std::vector<RegexId> parts);
  RegexId both(std::vector<RegexId> parts);
  RegexId negation(RegexId a);
  RegexId repeat(RegexId a, int min, int max);  // max may be kNoLimit
  RegexId optional(RegexId a) { return repeat(a, 0, 1); }
  // An automaton given as a table. From any state, all bytes of a column lead to the same state. A
  // byte in no column leads nowhere.
  struct Table {
    std::vector<ByteSet> columns;    // disjoint
    std::vector<std::int32_t> next;  // [states, columns]; -1 leads nowhere
    std::vector<bool> accepts;       // [states]

    std::int32_t after(int state, std::uint8_t byte) const noexcept;
  };
  // A state of a table.
  RegexId table(std::shared_ptr<const Table> table, int state);

  // The language of what may follow `byte`, or kNothing. Results are remembered, so walking is
  // cheap.
  RegexId derive(RegexId state, std::uint8_t byte);
  RegexId derive(RegexId state, std::string_view text);
  bool accepts(RegexId state) const { return nodes_[index(state)].nullable; }
  bool matches(RegexId state, std::string_view text) { return accepts(derive(state, text)); }
  // The tags that an accepting state accepts.
  std::vector<int> tags(RegexId state) const;
  // Whether the state accepts no text at all.
  bool is_empty(RegexId state);
  // Whether the state is only a tag, so that nothing may follow.
  bool is_tag(RegexId state) const { return nodes_[index(state)].kind == Kind::tag; }
  // Whether its automaton is known to have at most kMaxExplored states. Then every question about
  // them can be answered.
  bool can_be_explored(RegexId state);
  // For each tag that can be reached, a shortest text that leads there, or at least a short one.
  // Tags that take too much work may be missing. An expression without tags has the number -1.
  // Throws ModelError if no text is found.
  std::vector<std::pair<int, std::string>> shortest_by_tag(RegexId state);
  // The same state without the limits of long repetitions, so that it does not depend on the
  // position in a long string.
  RegexId without_limits(RegexId state) { return without_limits(state, 0); }
  // Whether both accept the same texts of at most n_bytes and lead to the same tags, as far as
  // their structure shows it. They may be alike even if this returns false.
  bool are_alike(RegexId a, RegexId b, int n_bytes) const { return are_alike(a, b, n_bytes, 0); }
  // How deep a derivation recurses into nested expressions.
  int nesting(RegexId state) const { return node(state).nesting; }
  // The effort of everything that is made with these expressions.
  Effort& effort() noexcept { return effort_; }
  // The size that max_nodes limits: the number of nodes, or more if they have many parts.
  std::size_t n_nodes() const { return std::max(nodes_.size(), n_parts_ / kPartsANode); }

 private:
  static constexpr std::size_t kPartsANode = 4;  // parts that a node may have on average
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
  // How many texts a node accepts, as far as its parts show it.
  enum class Extent : std::uint8_t { unknown, finite, infinite, cofinite };
  struct Node {
    Kind kind;
    bool nullable = false;
    bool is_live = true;  // known to accept a text
    Extent extent = Extent::unknown;
    std::int16_t nesting = 0;
    std::int32_t a = 0;  // a part; a tag; a set; a table
    std::int32_t b = 0;  // the part after it; the minimum of a repetition; a state
    std::int32_t c = 0;  // the maximum of a repetition
    std::span<const RegexId> parts = {};

    bool operator==(const Node& other) const noexcept;
  };
  // Bytes that lead to the same state are of one kind.
  struct ByteKinds {
    std::array<std::uint8_t, 256> of;
    std::vector<std::uint8_t> bytes;  // one of each kind; bytes that people write come first
  };
  // The successors of a state: next[kinds->of[byte]]. Nothing is known yet if `kinds` is null.
  struct Row {
    const ByteKinds* kinds = nullptr;
    const RegexId* next = nullptr;
  };
  // Stores lists for the lifetime of the set.
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
    RegexId of;  // has no tags
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
  std::size_t n_parts_ = 0;  // list parts of all nodes
  std::vector<Node> nodes_;
  std::vector<RegexId> slots_;         // nodes by hash, with open addressing; -1 is free
  std::vector<std::uint64_t> hashes_;  // [nodes]
  std::vector<ByteSet> sets_;
  std::map<ByteSet, std::int32_t> set_ids_;
  struct KnownTable {
    std::shared_ptr<const Table> table;
    std::vector<std::int32_t> sets;  // ids of its columns
  };
  std::vector<KnownTable> tables_;
  Lists lists_;
  std::map<std::vector<std::int32_t>, ByteKinds> kinds_;  // by the sets of bytes that decide them
  std::vector<Row> rows_;                                 // [states]
  struct Memo {
    std::uint64_t key = ~std::uint64_t{0};
    RegexId value = 0;
  };
  enum class Liveness : std::uint8_t { unknown, dead, live };
  std::vector<Memo> memo_;  // results of compute_part()
  std::unordered_map<RegexId, RegexId> without_limits_;
  std::vector<Liveness> liveness_;
  std::vector<std::uint32_t> seen_;  // [states] the last search that saw the state
  std::uint32_t n_searches_ = 0;
  std::vector<std::uint32_t> fronts_seen_;  // [states] the same for collect_fronts()
  std::uint32_t n_fronts_ = 0;
};

}  // namespace confab::engine
