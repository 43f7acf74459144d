/* SPDX-License-Identifier: MIT */
/*
 * The heap by runs of records. A block whose death is in the same run is a pair: while no other
 * thread of the process does something with its address in that frame of the file, its death is
 * known without a look among the live blocks. What a pair adds to its caller's live bytes is gone
 * again at its end, so that the row hears of it only when the heap's peak comes between the two.
 * All other records go the way of heap.c.
 *
 * Records come in chunks. In most of them nothing can rise: with all that is born in the chunk, and
 * nothing that dies, the heap would not be larger than it was in the curve's present interval. Then
 * what pairs do to live bytes is added up, and nobody looks at the time.
 */
#include "report/heap/heap.h"

#include <stdlib.h>
#include <string.h>

#include "report/heap/heap_state.h"
#include "report/heap/live_blocks.h"
#include "report/session/merge.h"

#define LOOK_AHEAD 32u /* records; so many cache misses overlap */

/* The run of records that is being read. */
struct taking {
	struct heap *heap;
	struct heap_process *process;
	const struct source_heap *given;
	uint32_t
		/*
		 * records from given->from on that may form pairs; 0 if the records cannot be
		 * trusted
		 */
		pair_span;
	uint32_t peak; /* 1 + index in the run of the last rise above the peak, 0: none */
	/* the record before the chunk's first one, in the run, belongs to a pair */
	bool after_pair;
	uint64_t paired, paired_bytes; /* sums over the run so far */
};

/*
 * The next records. Sums of births are upper bounds; a death has a size only if its partner came
 * earlier.
 */
struct chunk {
	uint32_t from, to;
	bool is_pair[LOOK_AHEAD];
	uint64_t
		/* bytes of the births: an upper bound, and modulo 2^64 unless `sizes` is small */
		born;
	uint64_t sizes;  /* the sizes of the births, or'ed */
	uint64_t latest; /* latest time, in the file's units */
	bool restores;   /* a failed realloc() may have kept a block */
};

#define SIZES_SMALL_BITS 48u /* the sum of a chunk's sizes stays below 2^64 */

/* Returns the key of allocations at the site. */
static uint64_t site_key(const struct taking *t, uint16_t site)
{
	const struct heap_site *known = &t->given->site[site];

	return t->heap->by == HEAP_BY_STACK
		       ? source_stack_or_caller(t->heap->source, known->stack, known->caller)
		       : known->caller;
}

static uint32_t site_add_row(struct taking *t, uint16_t site, uint64_t time_ns)
{
	const struct heap_op op = { .time_ns = time_ns,
				    .caller = site_key(t, site),
				    .process = t->given->process->index };
	uint32_t row = heap_row_of(t->heap, t->process, &op);

	t->process->site_row[site] = row + 1;
	return row;
}

static inline uint32_t site_row(struct taking *t, uint16_t site, uint64_t time_ns)
{
	uint32_t row = t->process->site_row[site];

	return __builtin_expect(row != 0, 1) ? row - 1 : site_add_row(t, site, time_ns);
}

/* Sites have new numbers in each frame of the file. */
static void sites_begin(struct heap_process *process, const struct source_heap *given)
{
	if (process->site_frame == given->frame)
		return;
	process->site_frame = given->frame;
	if (given->sites > process->site_room) {
		free(process->site_row);
		process->site_row = memory_zero(given->sites, sizeof(*process->site_row));
		process->site_room = given->sites;
		return;
	}
	memset(process->site_row, 0, given->sites * sizeof(*process->site_row));
}

/* Returns whether the record and its partner are among the first `span` records of the run. */
static inline bool is_pair_of(const struct source_heap *given, uint32_t span, uint32_t at)
{
	const struct heap_record *record = &given->record[at];
	uint32_t partner = record->partner;

	return partner != at && partner - given->from < span &&
	       (!given->shared ||
		!heap_is_shared(given->shared, given->process->index, record->address));
}

static inline bool record_is_pair(const struct taking *t, uint32_t at)
{
	return is_pair_of(t->given, t->pair_span, at);
}

/* Displaces the live block at the address of a new one. */
static void pair_displace(struct taking *t, const struct heap_record *record, uint64_t time_ns)
{
	struct map_entry *block = heap_find_block(t->process, record->address);
	const struct heap_op op = { .time_ns = time_ns, .thread = t->given->thread->index };

	if (__builtin_expect(!block, 1))
		return;
	heap_displace(t->heap, t->process, block, &op);
	map_remove(&t->process->blocks, block);
}

static inline void pair_begin(struct taking *t, uint32_t at, uint64_t time_ns)
{
	const struct heap_record *record = &t->given->record[at];
	struct heap *heap = t->heap;
	uint32_t row = site_row(t, record->site, time_ns);

	if (!record->is_renewed)
		pair_displace(t, record, time_ns);
	heap_count_row(heap, row, record->size, time_ns);
	t->paired++;
	t->paired_bytes += record->size;
	heap->totals.live_allocations++;
	heap->totals.live_bytes += record->size;
	if (__builtin_expect(heap_note_peak(heap, time_ns), 0))
		t->peak = at + 1;
	curve_put(&heap->curve, time_ns, heap->totals.live_bytes);
}

/* The rare cases: the block was freed by the next event, or realloc() may have kept it. */
static void pair_mark(struct taking *t, uint32_t at, uint64_t time_ns)
{
	const struct heap_record *record = &t->given->record[at];
	uint32_t row = site_row(t, t->given->record[record->partner].site, time_ns);
	bool temporary = record->partner + 1u == at;

	t->heap->row[row].temporary_allocations += temporary;
	t->heap->totals.temporary_allocations += temporary;
	if (t->given->site[record->site].kind == HEAP_RECORD_REALLOC)
		heap_thread_at(t->heap, t->given->thread->index)->undo = (struct heap_undo){
			record->address, record->size, row, true, true, temporary, 0
		};
}

static inline void pair_end(struct taking *t, uint32_t at, uint64_t time_ns)
{
	const struct heap_record *record = &t->given->record[at];
	struct heap_totals *totals = &t->heap->totals;

	if (record->partner + 1u == at || t->given->site[record->site].kind == HEAP_RECORD_REALLOC)
		pair_mark(t, at, time_ns);
	totals->live_allocations--;
	totals->live_bytes -= record->size;
	curve_put(&t->heap->curve, time_ns, totals->live_bytes);
}

/* Keeps the thread's last event, as heap_apply() does. */
static void thread_follow(struct taking *t, uint32_t at)
{
	const struct heap_record *record = &t->given->record[at];
	bool is_born = t->given->site[record->site].kind == HEAP_RECORD_BORN;
	struct heap_thread *thread = heap_thread_at(t->heap, t->given->thread->index);

	thread->last_allocated = is_born ? record->address : 0;
}

static void heap_records_record_take(struct taking *t, uint32_t at, uint64_t time_ns)
{
	static const enum heap_kind kinds[] = {
		[HEAP_RECORD_BORN] = HEAP_ALLOCATION,
		[HEAP_RECORD_DIES] = HEAP_FREE,
		[HEAP_RECORD_REALLOC] = HEAP_REALLOC_FREE,
		[HEAP_RECORD_FAILED] = HEAP_REALLOC_FAILED,
	};
	const struct heap_record *record = &t->given->record[at];
	const struct heap_site *site = &t->given->site[record->site];
	uint64_t peaks = t->heap->peak_number;
	uint32_t row = 0;
	const struct heap_op op = { .time_ns = time_ns,
				    .address = record->address,
				    .size = record->size,
				    .caller = site->caller,
				    .process = t->given->process->index,
				    .thread = t->given->thread->index,
				    .kind = kinds[site->kind],
				    .counts = true,
				    .brief = record->is_renewed && record->partner != at };

	if (!record->address)
		return; /* no block has that address; only damaged files get here */
	if (op.kind == HEAP_ALLOCATION)
		row = 1 + site_row(t, record->site, time_ns);
	if (at > t->given->from && record_is_pair(t, at - 1))
		thread_follow(t, at - 1);
	heap_apply(t->heap, &op, row);
	if (t->heap->peak_number != peaks)
		t->peak = at + 1;
}

/* Such blocks are in a table that stays in the cache, see heap.h. */
static inline bool is_brief(const struct source_heap *given, const struct heap_record *record,
			    uint32_t at)
{
	const struct heap_record *partner = &given->record[record->partner];

	return record->partner != at && (record->partner > at ? record : partner)->is_renewed;
}

/*
 * Examines the next records together: which belong to pairs, and where live blocks will be looked
 * up. Those places are prefetched, so that many cache misses overlap.
 */
static struct chunk records_look(const struct taking *t, uint32_t from)
{
	const struct source_heap given =
		*t->given; /* not changed by anything that is written here */
	const struct map blocks = t->process->blocks;
	struct chunk chunk = { .from = from };
	uint32_t span = t->pair_span;
	uint64_t born = 0, sizes = 0, latest = 0;

	chunk.to = given.to - from < LOOK_AHEAD ? given.to : from + LOOK_AHEAD;
	for (uint32_t at = from; at < chunk.to; at++) {
		const struct heap_record *record = &given.record[at];
		bool is_pair = is_pair_of(&given, span, at), begins = record->partner >= at;

		chunk.is_pair[at - from] = is_pair;
		born += begins ? record->size : 0;
		sizes |= record->size;
		latest = record->time_ns > latest ? record->time_ns : latest;
		if (!is_pair)
			chunk.restores |= given.site[record->site].kind == HEAP_RECORD_FAILED;
		if (is_pair ? !record->is_renewed && begins : !is_brief(&given, record, at))
			map_touch(&blocks, record->address);
	}
	chunk.born = born;
	chunk.sizes = sizes;
	chunk.latest = latest;
	return chunk;
}

/* Returns whether neither the peak nor the curve can rise in the chunk and no look is due. */
static bool chunk_is_quiet(const struct taking *t, const struct chunk *chunk)
{
	const struct heap *heap = t->heap;
	uint64_t latest_ns = merge_time(chunk->latest, t->given->offset_ns), most;

	return !chunk->restores && !(chunk->sizes >> SIZES_SMALL_BITS) &&
	       latest_ns < heap->curve.end_ns && latest_ns < heap->layers_due_ns &&
	       !__builtin_add_overflow(heap->totals.live_bytes, chunk->born, &most) &&
	       most <= heap->curve.highest[heap->curve.at];
}

/* Adds the pairs that lie in the run as a whole to their rows. */
static void pairs_settle(struct taking *t)
{
	struct heap_totals *totals = &t->heap->totals;

	totals->allocations += t->paired;
	totals->frees += t->paired;
	totals->bytes_allocated += t->paired_bytes;
	totals->bytes_freed += t->paired_bytes;
}

/* Updates the rows of blocks that were live at the peak and are gone by now. */
static void records_settle_peak(struct taking *t)
{
	const struct source_heap *given = t->given;
	struct heap *heap = t->heap;

	for (uint32_t at = given->from; at < t->peak; at++) {
		const struct heap_record *record = &given->record[at];
		struct heap_row *row;

		if (!record_is_pair(t, at) || record->partner < t->peak)
			continue;
		row = &heap->row[t->process->site_row[record->site] - 1];
		heap_row_keep_peak(heap, row);
		row->peak_bytes += record->size;
		row->peak_allocations++;
	}
}

/* Adds to the rows what pairs have live before record `at`, or takes it away again, by the sign. */
static void pairs_live(struct taking *t, uint32_t at, uint64_t sign)
{
	for (uint32_t before = t->given->from; before < at; before++) {
		const struct heap_record *record = &t->given->record[before];

		if (record->partner >= at && record_is_pair(t, before))
			t->heap->row[t->process->site_row[record->site] - 1]
				.live_bytes += sign * record->size;
	}
}

static void records_look_layers(struct taking *t, uint32_t at, uint64_t time_ns)
{
	pairs_live(t, at, 1);
	heap_look_layers(t->heap, time_ns);
	pairs_live(t, at, UINT64_MAX);
}

static inline void record_pass(struct taking *t, uint32_t at, bool is_pair)
{
	const struct heap_record *record = &t->given->record[at];
	uint64_t time_ns = merge_time(record->time_ns, t->given->offset_ns);

	if (__builtin_expect(time_ns >= t->heap->layers_due_ns, 0))
		records_look_layers(t, at, time_ns);
	if (!is_pair)
		heap_records_record_take(t, at, time_ns);
	else if (record->partner > at)
		pair_begin(t, at, time_ns);
	else
		pair_end(t, at, time_ns);
}

/* Keeps the previous record as heap_apply() would have done. */
static inline void record_follow(struct taking *t, const struct chunk *chunk, uint32_t at)
{
	if (at > chunk->from ? chunk->is_pair[at - chunk->from - 1] : t->after_pair)
		thread_follow(t, at - 1);
}

/*
 * Does with an allocation what heap_apply() does. Returns false and changes nothing unless the case
 * is the common, simple one.
 */
static inline bool quiet_born(struct taking *t, const struct chunk *chunk, uint32_t at,
			      uint64_t time_ns)
{
	const struct heap_record *record = &t->given->record[at];
	struct heap_process *process = t->process;
	struct heap *heap = t->heap;
	uint32_t row;

	if (heap->estimate || process->frees.count || process->sampled.count ||
	    young_find(process, record->address))
		return false;
	record_follow(t, chunk, at);
	row = site_row(t, record->site, time_ns);
	heap_count_row(heap, row, record->size, time_ns);
	if (!record->is_renewed || record->partner == at ||
	    !young_put(process, record->address, record->size, row)) {
		bool added;
		struct map_entry *block = map_put(&process->blocks, record->address, &added);

		if (__builtin_expect(!added, 0))
			heap_displace(heap, process, block,
				      &(struct heap_op){ .time_ns = time_ns,
							 .thread = t->given->thread->index });
		block_set(process, block, row, record->size);
	}
	heap->totals.allocations++;
	heap->totals.bytes_allocated += record->size;
	heap_thread_at(heap, t->given->thread->index)->last_allocated = record->address;
	heap_live_add_to_row(heap, process, row, record->size);
	heap->totals.live_allocations++;
	heap->totals.live_bytes += record->size;
	return true;
}

/* The same for a free. */
static inline bool quiet_dies(struct taking *t, const struct chunk *chunk, uint32_t at,
			      enum heap_record_kind kind)
{
	const struct heap_record *record = &t->given->record[at];
	struct heap_process *process = t->process;
	struct heap *heap = t->heap;
	struct heap_thread *thread;
	bool temporary;
	uint32_t row;
	uint64_t size;

	if (heap->estimate || process->displaced.count || process->sampled.count ||
	    !heap_take_block(process, record->address, &row, &size))
		return false;
	record_follow(t, chunk, at);
	thread = heap_thread_at(heap, t->given->thread->index);
	temporary = thread->last_allocated == record->address;
	thread->last_allocated = 0;
	if (kind == HEAP_RECORD_REALLOC)
		thread->undo = (struct heap_undo){ record->address, size, row, true, true,
						   temporary,       0 };
	heap_count_free(heap, row, size, 0);
	if (row == ROW_OUTSIDE)
		return true;
	heap->row[row].temporary_allocations += temporary;
	heap->totals.temporary_allocations += temporary;
	heap_live_drop_from_row(heap, process, row, size);
	heap->totals.live_allocations--;
	heap->totals.live_bytes -= size;
	return true;
}

/* For a record outside of pairs. */
static inline void record_take_quietly(struct taking *t, const struct chunk *chunk, uint32_t at,
				       uint64_t time_ns)
{
	const struct heap_record *record = &t->given->record[at];
	enum heap_record_kind kind = (enum heap_record_kind)t->given->site[record->site].kind;
	bool is_done = record->address &&
		       (kind == HEAP_RECORD_BORN ? quiet_born(t, chunk, at, time_ns)
						 : quiet_dies(t, chunk, at, kind));

	if (__builtin_expect(!is_done, 0))
		heap_records_record_take(t, at, time_ns);
}

/* Sums over the pairs of a quiet chunk. */
struct quiet {
	uint64_t begun, begun_bytes, ended, ended_bytes;
};

static inline void quiet_begin(struct taking *t, uint32_t at, uint64_t time_ns, struct quiet *sums)
{
	const struct heap_record *record = &t->given->record[at];
	uint32_t row = site_row(t, record->site, time_ns);

	if (!record->is_renewed)
		pair_displace(t, record, time_ns);
	heap_count_row(t->heap, row, record->size, time_ns);
	sums->begun++;
	sums->begun_bytes += record->size;
}

static inline void quiet_end(struct taking *t, uint32_t at, uint64_t time_ns, struct quiet *sums)
{
	const struct heap_record *record = &t->given->record[at];

	if (record->partner + 1u == at || t->given->site[record->site].kind == HEAP_RECORD_REALLOC)
		pair_mark(t, at, time_ns);
	sums->ended++;
	sums->ended_bytes += record->size;
}

/*
 * Until the chunk is done, the heap's live bytes lack its pairs. Without the pairs' frees they are
 * too high, but not above the bound that chunk_is_quiet() checked. Without the pairs' allocations
 * they still contain everything that others free.
 */
static void chunk_pass_quietly(struct taking *t, const struct chunk *chunk)
{
	struct heap_totals *totals = &t->heap->totals;
	uint64_t offset_ns = t->given->offset_ns;
	struct quiet sums = { 0 };

	for (uint32_t at = chunk->from; at < chunk->to; at++) {
		const struct heap_record *record = &t->given->record[at];
		uint64_t time_ns = merge_time(record->time_ns, offset_ns);

		if (!chunk->is_pair[at - chunk->from])
			record_take_quietly(t, chunk, at, time_ns);
		else if (record->partner > at)
			quiet_begin(t, at, time_ns, &sums);
		else
			quiet_end(t, at, time_ns, &sums);
	}
	t->paired += sums.begun;
	t->paired_bytes += sums.begun_bytes;
	totals->live_allocations += sums.begun - sums.ended;
	totals->live_bytes += sums.begun_bytes - sums.ended_bytes;
	t->heap->curve.last = totals->live_bytes;
}

/* Of a process that was left there are no pairs: which blocks live does not matter. */
static void take_part_left(struct taking *t)
{
	const struct source_heap *given = t->given;

	sites_begin(t->process, given);
	for (uint32_t at = given->from; at < given->to; at++)
		heap_records_record_take(t, at,
					 merge_time(given->record[at].time_ns, given->offset_ns));
}

static void take_part(struct heap *heap, const struct source_heap *given)
{
	struct taking t = { .heap = heap, .given = given };

	heap_drain(heap);
	t.process = heap_process_at(heap, given->process->index);
	if (t.process->left) {
		take_part_left(&t);
		return;
	}
	/* a row of samples must see each block, and its first sample may come within the run */
	if (given->leads && !t.process->distrusts && !t.process->sampled.count &&
	    !(heap->may_estimate && given->process->stacks_every))
		t.pair_span = given->to - given->from;
	sites_begin(t.process, given);
	for (uint32_t at = given->from; at < given->to;) {
		struct chunk chunk = records_look(&t, at);

		if (chunk_is_quiet(&t, &chunk))
			chunk_pass_quietly(&t, &chunk);
		else
			for (; at < chunk.to; at++)
				record_pass(&t, at, chunk.is_pair[at - chunk.from]);
		t.after_pair = chunk.is_pair[chunk.to - 1 - chunk.from];
		at = chunk.to;
	}
	pairs_settle(&t);
	if (record_is_pair(&t, given->to - 1))
		thread_follow(&t, given->to - 1);
	if (t.peak)
		records_settle_peak(&t);
}

/* Takes the records in parts that have no more allocations than remain until the next look. */
void heap_take_records(struct heap *heap, const struct source_heap *given)
{
	struct source_heap part = *given;

	for (; part.from < given->to; part.from = part.to) {
		uint64_t room = heap->look_due - heap->totals.allocations;

		part.to = given->to - part.from < room ? given->to : part.from + (uint32_t)room;
		take_part(heap, &part);
		heap_pass_look(heap,
			       merge_time(given->record[part.to - 1].time_ns, given->offset_ns));
	}
}
