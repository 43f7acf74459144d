/* SPDX-License-Identifier: MIT */
/*
 * The heap by runs of records. A block whose death is in the same run is a pair: while no other thread of the
 * process does something with its address in that frame of the file, its death is known without a look
 * among the live blocks. What a pair adds to its caller's live bytes is gone again at its end, so that the row hears of it
 * only when the heap's peak comes between the two. All other records go the way of heap.c.
 */
#include "report/heap/heap.h"

#include <stdlib.h>
#include <string.h>

#include "report/heap/heap_state.h"
#include "report/session/merge.h"

#define LOOK_AHEAD 32u /* records; as many misses of the cache are waited for at once */

/* The records that are being taken. */
struct taking {
	struct heap *heap;
	struct heap_process *process;
	const struct source_heap *given;
	bool pairs;    /* partners are what they seem */
	uint32_t peak; /* of the run: 1 + place of the last rise above all before, 0: none */
	bool is_pair[LOOK_AHEAD];      /* of those that come next, see records_look() */
	uint64_t paired, paired_bytes; /* of the run so far */
};

/* What an allocation there is by. */
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

/* Sites are numbered anew in every frame. */
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

/* Both of them are in the run. */
static inline bool record_is_pair(const struct taking *t, uint32_t at)
{
	const struct heap_record *record = &t->given->record[at];
	uint32_t partner = record->partner;

	return t->pairs && partner != at && partner >= t->given->from && partner < t->given->to &&
	       (!t->given->shared ||
		!heap_is_shared(t->given->shared, t->given->process->index, record->address));
}

/* The block that is live at the address of a new one is gone. */
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

/* What is rare: the block was freed by the next event, or realloc() may keep it after all. */
static void pair_mark(struct taking *t, uint32_t at, uint64_t time_ns)
{
	const struct heap_record *record = &t->given->record[at];
	uint32_t row = site_row(t, t->given->record[record->partner].site, time_ns);
	bool temporary = record->partner + 1u == at;

	t->heap->row[row].temporary_allocations += temporary;
	t->heap->totals.temporary_allocations += temporary;
	if (t->given->site[record->site].kind == HEAP_RECORD_REALLOC)
		heap_thread_at(t->heap, t->given->thread->index)->undo = (struct heap_undo){
			record->address, record->size, row, true, true, temporary
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

/* What heap_apply() keeps of the thread's last event. */
static void thread_follow(struct taking *t, uint32_t at)
{
	const struct heap_record *record = &t->given->record[at];
	bool is_born = t->given->site[record->site].kind == HEAP_RECORD_BORN;
	struct heap_thread *thread = heap_thread_at(t->heap, t->given->thread->index);

	thread->last_allocated = is_born ? record->address : 0;
}

static void record_take(struct taking *t, uint32_t at, uint64_t time_ns)
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
		return; /* no block is there: only a damaged file says so */
	if (op.kind == HEAP_ALLOCATION)
		row = 1 + site_row(t, record->site, time_ns);
	if (at > t->given->from && record_is_pair(t, at - 1))
		thread_follow(t, at - 1);
	heap_apply(t->heap, &op, row);
	if (t->heap->peak_number != peaks)
		t->peak = at + 1;
}

/* In a table that stays in the cache, see heap.h. */
static inline bool record_is_brief(const struct taking *t, const struct heap_record *record,
				   uint32_t at)
{
	const struct heap_record *partner = &t->given->record[record->partner];

	return record->partner != at && (record->partner > at ? record : partner)->is_renewed;
}

/* Is it a pair? If live blocks will be looked at for it, they are on their way from here on. */
static inline bool record_look(const struct taking *t, uint32_t at)
{
	const struct heap_record *record = &t->given->record[at];
	bool is_pair = record_is_pair(t, at);

	if (is_pair ? !record->is_renewed && record->partner > at : !record_is_brief(t, record, at))
		map_touch(&t->process->blocks, record->address);
	return is_pair;
}

/* Of the next records, all at once: so many misses of the cache are waited for together. */
static void records_look(struct taking *t, uint32_t from, uint32_t to)
{
	for (uint32_t at = from; at < to; at++)
		t->is_pair[at - from] = record_look(t, at);
}

/* Both sides of each pair are in the run. */
static void pairs_settle(struct taking *t)
{
	struct heap_totals *totals = &t->heap->totals;

	totals->allocations += t->paired;
	totals->frees += t->paired;
	totals->bytes_allocated += t->paired_bytes;
	totals->bytes_freed += t->paired_bytes;
}

/* Rows of what was live at the peak, and is gone by now. */
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

/* Rows have what of pairs is live before record `at`, and have not again: by the sign. */
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
		record_take(t, at, time_ns);
	else if (record->partner > at)
		pair_begin(t, at, time_ns);
	else
		pair_end(t, at, time_ns);
}

void heap_take_records(struct heap *heap, const struct source_heap *given)
{
	struct taking t = { .heap = heap, .given = given };

	heap_drain(heap);
	t.process = heap_process_at(heap, given->process->index);
	/* a row of samples has to hear of each block, and its first one may come within the run */
	t.pairs = given->leads && !t.process->distrusts &&
		  !(heap->may_estimate && given->process->stacks_every);
	sites_begin(t.process, given);
	for (uint32_t at = given->from; at < given->to;) {
		uint32_t chunk = given->to - at < LOOK_AHEAD ? given->to : at + LOOK_AHEAD;

		records_look(&t, at, chunk);
		for (uint32_t i = 0; at < chunk; at++, i++)
			record_pass(&t, at, t.is_pair[i]);
	}
	pairs_settle(&t);
	if (record_is_pair(&t, given->to - 1))
		thread_follow(&t, given->to - 1);
	if (t.peak)
		records_settle_peak(&t);
}
