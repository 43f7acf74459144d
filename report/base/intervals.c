/* SPDX-License-Identifier: MIT */
/* Ranges in sorted arrays of limited length, the chunks. A full chunk is split into two. */
#include "report/base/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define CHUNK_RANGES 256u

struct interval_chunk {
	size_t count;
	struct interval at[CHUNK_RANGES];
};

/* The position of a range. A position without chunk is after all ranges. */
struct place {
	size_t chunk, at;
};

void intervals_release(struct intervals *intervals)
{
	for (size_t i = 0; i < intervals->chunks; i++)
		free(intervals->chunk[i]);
	free(intervals->chunk);
	*intervals = (struct intervals){ 0 };
}

static bool place_is_end(const struct intervals *intervals, struct place place)
{
	return place.chunk >= intervals->chunks;
}

static struct interval *place_range(const struct intervals *intervals, struct place place)
{
	return &intervals->chunk[place.chunk]->at[place.at];
}

static struct place intervals_place_next(const struct intervals *intervals, struct place place)
{
	if (++place.at >= intervals->chunk[place.chunk]->count)
		place = (struct place){ place.chunk + 1, 0 };
	return place;
}

/* Finds the first range that ends after the number. */
static struct place intervals_find(const struct intervals *intervals, uint64_t number)
{
	size_t low = 0, high = intervals->chunks;
	const struct interval_chunk *chunk;
	struct place place;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		chunk = intervals->chunk[middle];
		if (chunk->at[chunk->count - 1].end > number)
			high = middle;
		else
			low = middle + 1;
	}
	place = (struct place){ low, 0 };
	if (place_is_end(intervals, place))
		return place;
	chunk = intervals->chunk[low];
	for (low = 0, high = chunk->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (chunk->at[middle].end > number)
			high = middle;
		else
			low = middle + 1;
	}
	place.at = low;
	return place;
}

static void chunk_add(struct intervals *intervals, size_t place)
{
	struct interval_chunk *fresh = memory_zero(1, sizeof(*fresh));

	intervals->chunk = memory_room(intervals->chunk, intervals->chunks, &intervals->room,
				       sizeof(struct interval_chunk *));
	memmove(&intervals->chunk[place + 1], &intervals->chunk[place],
		(intervals->chunks - place) * sizeof(struct interval_chunk *));
	intervals->chunk[place] = fresh;
	intervals->chunks++;
}

/* Splits a full chunk into two. */
static void chunk_split(struct intervals *intervals, size_t place)
{
	struct interval_chunk *full, *half;

	chunk_add(intervals, place + 1);
	full = intervals->chunk[place];
	half = intervals->chunk[place + 1];
	half->count = full->count / 2;
	full->count -= half->count;
	memcpy(half->at, &full->at[full->count], half->count * sizeof(*half->at));
}

static void intervals_insert(struct intervals *intervals, const struct interval *range)
{
	struct place place = intervals_find(intervals, range->start);
	struct interval_chunk *chunk;

	if (!intervals->chunks)
		chunk_add(intervals, 0);
	if (place_is_end(intervals, place)) { /* after the last range */
		place.chunk = intervals->chunks - 1;
		place.at = intervals->chunk[place.chunk]->count;
	}
	if (intervals->chunk[place.chunk]->count == CHUNK_RANGES) {
		chunk_split(intervals, place.chunk);
		chunk = intervals->chunk[place.chunk];
		if (place.at > chunk->count) {
			place.at -= chunk->count;
			place.chunk++;
		}
	}
	chunk = intervals->chunk[place.chunk];
	memmove(&chunk->at[place.at + 1], &chunk->at[place.at],
		(chunk->count - place.at) * sizeof(*chunk->at));
	chunk->at[place.at] = *range;
	chunk->count++;
	intervals->count++;
}

static void intervals_remove(struct intervals *intervals, struct place place)
{
	struct interval_chunk *chunk = intervals->chunk[place.chunk];

	chunk->count--;
	intervals->count--;
	memmove(&chunk->at[place.at], &chunk->at[place.at + 1],
		(chunk->count - place.at) * sizeof(*chunk->at));
	if (chunk->count)
		return;
	free(chunk);
	intervals->chunks--;
	memmove(&intervals->chunk[place.chunk], &intervals->chunk[place.chunk + 1],
		(intervals->chunks - place.chunk) * sizeof(struct interval_chunk *));
}

static struct interval piece_of(const struct interval *range, uint64_t from, uint64_t to)
{
	return (struct interval){ range->start > from ? range->start : from,
				  range->end < to ? range->end : to, range->tag };
}

void intervals_each(const struct intervals *intervals, uint64_t from, uint64_t to,
		    intervals_visit *visit, void *context)
{
	struct place place = intervals_find(intervals, from);

	for (; !place_is_end(intervals, place); place = intervals_place_next(intervals, place)) {
		const struct interval *range = place_range(intervals, place);
		struct interval piece = piece_of(range, from, to);

		if (range->start >= to)
			return;
		visit(context, &piece);
	}
}

/* Removes the piece from its range, the one at the position. */
static void intervals_cut(struct intervals *intervals, struct place place,
			  const struct interval *piece, intervals_visit *gone, void *context)
{
	struct interval *range = place_range(intervals, place);
	struct interval behind = { piece->end, range->end, range->tag };

	if (range->start < piece->start) {
		range->end = piece->start;
		if (behind.start < behind.end && !intervals_put(intervals, &behind))
			gone(context, &behind);
	} else if (range->end > piece->end) {
		range->start = piece->end;
	} else {
		intervals_remove(intervals, place);
	}
}

void intervals_erase(struct intervals *intervals, uint64_t from, uint64_t to, intervals_visit *gone,
		     void *context)
{
	for (;;) {
		struct place place = intervals_find(intervals, from);
		struct interval piece;

		if (place_is_end(intervals, place) || place_range(intervals, place)->start >= to)
			return;
		piece = piece_of(place_range(intervals, place), from, to);
		intervals_cut(intervals, place, &piece, gone, context);
		gone(context, &piece);
	}
}

bool intervals_put(struct intervals *intervals, const struct interval *range)
{
	if (range->start >= range->end || intervals->count >= INTERVALS_MAX)
		return false;
	intervals_insert(intervals, range);
	return true;
}
