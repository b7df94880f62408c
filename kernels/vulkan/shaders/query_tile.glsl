// SPDX-License-Identifier: MIT
// A workgroup's tile of 64 queries, and the positions of a range that they see, 64 at a time. The
// queries are sorted by row; each row has one for each head that shares its keys and values.
// Include it after attended.glsl and ranges.glsl. Workgroups along x handle ranges, along y the
// tiles of all heads of keys. The program that includes this first defines kInvocations, the size
// of a workgroup.
const uint kQueries = 64, kChunk = 64;
const uint kQuartersV = kDimV / 4;
shared float highest[kQueries], total[kQueries];  // highest score, sum of weights
shared uint position[kQueries], table[kQueries];  // of the queries' rows

uint head_kv, query0, n_queries;
uint row_of_query(uint q) { return min(query0 + q, n_queries - 1) / kShared; }
uint head_of_query(uint q) { return head_kv * kShared + min(query0 + q, n_queries - 1) % kShared; }
uint64_t row_head_of(uint q) { return uint64_t(row_of_query(q)) * kHeads + head_of_query(q); }

// Tiles that see most positions come first, in descending order; the other half follows in
// ascending order. A device deals the first workgroups out to its processors, then the others to
// the same processors.
void take_tile() {
  uint n = gl_NumWorkGroups.y, n_first = (n + 1) / 2, y = gl_WorkGroupID.y;
  uint rank = y < n_first ? y : n + n_first - 1 - y;
  head_kv = rank % kHeadsKv;
  query0 = (n / kHeadsKv - 1 - rank / kHeadsKv) * kQueries;
  n_queries = a.n_rows * kShared;
  uint q = gl_LocalInvocationIndex;
  if (q < kQueries) {
    Row row = row_of(row_of_query(q));
    position[q] = row.pos;
    table[q] = row.table;
    highest[q] = -1.0 / 0.0;
    total[q] = 0;
  }
  barrier();
}

// Quarter i of a query.
vec4 query_quarter(uint q, uint i) {
  return F32x4(of_device(a.q) + 4 * row_head_of(q) * kDimK).v[i];
}

// Queries [first, end) of the tile, which belong to one sequence, and the positions of the range
// that they see.
struct Run {
  uint first, end;
  uint seen_from, seen_to;
};
Run run_from(uint first) {
  Run run;
  run.first = first;
  run.end = kQueries;
  if (table[kQueries - 1] != table[first])
    for (run.end = first + 1; table[run.end] == table[first];) ++run.end;
  uint pos = position[first];
  uint begin = gl_WorkGroupID.x * a.n_range;
  run.seen_from = max(begin, kWindow > 0 && pos + 1 > kWindow ? pos + 1 - kWindow : 0);
  run.seen_to = min(begin + a.n_range, position[run.end - 1] + 1);
  return run;
}

// The page that holds a run's chunk.
uint64_t page_of(Run run, uint first) { return page_of(Row(0, 0, table[run.first]), first); }

// find_weights() turns the scores of a chunk into weights relative to the highest score so far.
// Neighbouring invocations share a query, and also store the factor by which its sums shrink. The
// program that includes this defines where these are stored, for query q and four positions of the
// chunk.
vec4 score_quarter(uint q, uint i);
void put_weights(uint q, uint i, vec4 weights);
void put_shrink(uint q, uint neighbour, float shrink);

const uint kNeighbours = kInvocations / kQueries, kQuartersOfScores = kChunk / 4 / kNeighbours;
float across_query(float x, bool is_sum) {
  [[unroll]] for (uint m = 1; m < kNeighbours; m *= 2) {
    float y = subgroupShuffleXor(x, m);
    x = is_sum ? x + y : max(x, y);
  }
  return x;
}
vec4 finished(vec4 scores) {
  scores *= kScale;
  return kSoftcap > 0 ? kSoftcap * tanh(scores / kSoftcap) : scores;
}
void find_weights(Run run, uint first) {
  uint q = gl_LocalInvocationIndex / kNeighbours, own = gl_LocalInvocationIndex % kNeighbours;
  // The part of the chunk that the query sees.
  uint end = q >= run.first && q < run.end && position[q] >= first ? position[q] - first + 1 : 0;
  uint begin = kWindow > 0 && position[q] + 1 > kWindow + first ? position[q] + 1 - kWindow - first : 0;
  float most = highest[q], before = most, sum = 0;
  vec4 s[8];
  [[unroll]] for (uint j = 0; j < 8; ++j) {
    if (j >= kQuartersOfScores) break;
    uint at = 4 * (own + j * kNeighbours);
    s[j] = finished(score_quarter(q, at / 4));
    [[unroll]] for (uint p = 0; p < 4; ++p) {
      if (at + p < begin || at + p >= end) s[j][p] = -1.0 / 0.0;
      most = max(most, s[j][p]);
    }
  }
  most = across_query(most, false);
  float from = most == -1.0 / 0.0 ? 0 : most;  // weights of 0 where nothing is seen
  meet();
  [[unroll]] for (uint j = 0; j < 8; ++j) {
    if (j >= kQuartersOfScores) break;
    vec4 weights = exp(s[j] - from);
    put_weights(q, own + j * kNeighbours, weights);
    sum += weights.x + weights.y + weights.z + weights.w;
  }
  sum = across_query(sum, true);
  float shrink = exp(before - from);
  put_shrink(q, own, shrink);
  if (own != 0) return;
  total[q] = total[q] * shrink + sum;
  highest[q] = most;
}

// Stores a quarter of a query's sums over the range. If heads_are_near(), neighbouring invocations
// have the quarters of a query, one each. Otherwise sums go through memory, even if there is only
// one range.
bool heads_are_near() { return gl_NumWorkGroups.x == 1 && turns_near(); }
void give_quarter(uint q, uint d, vec4 sum) {
  if (query0 + q >= n_queries) return;
  uint64_t row_head = row_head_of(q);
  if (heads_are_near()) pack_turned(row_head, d, share_of(head_of_query(q), highest[q], total[q]) * sum);
  else range_sums(place_of(row_head, gl_WorkGroupID.x)).v[d] = sum;
}

// The factors on the ranges' sums.
const uint kMostRanges = 8;
shared float factors[kQueries * kMostRanges];
void find_factors() {
  uint q = gl_LocalInvocationIndex / kNeighbours, own = gl_LocalInvocationIndex % kNeighbours;
  float sink = sink_of(head_of_query(q)), most = sink, sum = 0;
  for (uint r = own; r < gl_NumWorkGroups.x; r += kNeighbours)
    most = max(most, range_weights(place_of(row_head_of(q), r)).v[0].x);
  most = across_query(most, false);
  for (uint r = own; r < gl_NumWorkGroups.x; r += kNeighbours) {
    vec2 of_range = range_weights(place_of(row_head_of(q), r)).v[0];
    float weight = weight_to(of_range, most);
    factors[q * kMostRanges + r] = weight;
    sum += of_range.y * weight;
  }
  sum = across_query(sum, true) + (a.sinks != 0 ? exp(sink - most) : 0);
  if (own == 0) total[q] = sum;
}
vec4 joined_quarter(uint q, uint d) {
  vec4 sum = vec4(0);
  for (uint r = 0; r < gl_NumWorkGroups.x; ++r) {
    float factor = factors[q * kMostRanges + r];
    if (factor > 0) sum += factor * range_sums(place_of(row_head_of(q), r)).v[d];
  }
  return sum / total[q];
}

// Computes what queries attend to over all ranges. All quarters have been stored before this.
const uint kTurned = kHeadValues / kDimV;  // queries that are transformed in memory at once
void join() {
  if (gl_LocalInvocationIndex < kQueries && query0 + gl_LocalInvocationIndex < n_queries) {
    uint q = gl_LocalInvocationIndex;
    range_weights(place_of(row_head_of(q), gl_WorkGroupID.x)).v[0] = vec2(highest[q], total[q]);
  }
  if (!is_last(gl_NumWorkGroups.x)) return;
  find_factors();
  barrier();
  uint n = turns_near() ? kQueries : kTurned;
  for (uint first = 0; first < min(kQueries, n_queries - query0); first += n) {
    for (uint at = gl_LocalInvocationIndex; at < n * kQuartersV; at += kInvocations) {
      uint q = first + at / kQuartersV, d = at % kQuartersV;
      if (query0 + q >= n_queries) continue;
      if (turns_near()) pack_turned(row_head_of(q), d, joined_quarter(q, d));
      else put_head_quarter(at, joined_quarter(q, d));
    }
    if (turns_near()) return;
    barrier();
    for (uint g = gl_SubgroupID; g < n; g += gl_NumSubgroups) turn(g * kDimV, kDimV, kTurnV);
    barrier();
    for (uint at = gl_LocalInvocationIndex; at < n * kQuartersV; at += kInvocations) {
      uint q = first + at / kQuartersV;
      if (query0 + q < n_queries) pack(row_head_of(q), at % kQuartersV, head_quarter(at));
    }
    barrier();
  }
}
