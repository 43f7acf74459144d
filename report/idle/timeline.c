/* SPDX-License-Identifier: MIT */
/*
 * A line is an array of adjacent pieces, each with its end and key. A call that has returned is
 * laid over the pieces since its begin that belong to the open scope; the first of them is split.
 */
#include "report/idle/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/sorted.h"

static struct timeline *line_at(struct timelines *lines, uint32_t thread, uint64_t time_ns)
{
	struct timeline *line;

	lines->thread = memory_room(lines->thread, thread, &lines->room, sizeof(*lines->thread));
	line = &lines->thread[thread];
	if (!line->has_begun)
		line->begin_ns = line->end_ns = time_ns;
	line->has_begun = true;
	return line;
}

void timelines_release(struct timelines *lines)
{
	for (size_t i = 0; i < lines->room; i++)
		free(lines->thread[i].piece);
	free(lines->thread);
}

/* --- adding --- */

static bool is_alike(const struct timeline_piece *one, const struct timeline_piece *other)
{
	return one->key == other->key && one->is_call == other->is_call &&
	       one->is_look == other->is_look;
}

/* It has ended, and begins at the present end of the line. */
static void line_append(struct timelines *lines, struct timeline *line,
			const struct timeline_piece *piece)
{
	if (piece->end_ns <= line->end_ns)
		return;
	line->end_ns = piece->end_ns;
	if (line->count && !piece->is_look && is_alike(&line->piece[line->count - 1], piece)) {
		line->piece[line->count - 1].end_ns = piece->end_ns;
		return;
	}
	line->piece = memory_room(line->piece, line->count, &line->room, sizeof(*line->piece));
	line->piece[line->count++] = *piece;
	lines->pieces++;
}

static void line_advance(struct timelines *lines, struct timeline *line, uint64_t time_ns)
{
	line_append(lines, line, &(struct timeline_piece){ .end_ns = time_ns, .key = line->now });
}

void timelines_put_scope(struct timelines *lines, uint32_t thread, uint64_t time_ns, uint32_t key)
{
	struct timeline *line = line_at(lines, thread, time_ns);

	line_advance(lines, line, time_ns);
	line->now = key;
}

/* Index of the first piece that ends after that time. */
static size_t line_find(const struct timeline *line, uint64_t time_ns)
{
	return sorted_count_up_to(line->piece, line->count, sizeof(*line->piece), time_ns);
}

static uint64_t piece_begin_ns(const struct timeline *line, size_t at)
{
	return at ? line->piece[at - 1].end_ns : line->begin_ns;
}

/* Splits the piece: the first part ends at that time, which is inside of it. */
static void timeline_line_split(struct timelines *lines, struct timeline *line, size_t at,
				uint64_t time_ns)
{
	line->piece = memory_room(line->piece, line->count, &line->room, sizeof(*line->piece));
	memmove(&line->piece[at + 1], &line->piece[at], (line->count - at) * sizeof(*line->piece));
	line->piece[at].end_ns = time_ns;
	line->count++;
	lines->pieces++;
}

/* The first known piece of the thread may begin within the call. */
static void line_reach_back(struct timelines *lines, struct timeline *line, uint64_t from_ns)
{
	if (!line->count || from_ns >= line->begin_ns || line->has_forgotten)
		return;
	timeline_line_split(lines, line, 0, line->begin_ns);
	line->piece[0] = (struct timeline_piece){ .end_ns = line->begin_ns, .key = line->now };
	line->begin_ns = from_ns;
}

void timelines_put_call(struct timelines *lines, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
			uint32_t key)
{
	struct timeline *line = line_at(lines, thread, from_ns);
	size_t at;

	line_advance(lines, line, to_ns);
	line_reach_back(lines, line, from_ns);
	at = line_find(line, from_ns);
	if (at < line->count && piece_begin_ns(line, at) < from_ns && !line->piece[at].is_call)
		timeline_line_split(lines, line, at++, from_ns);
	for (; at < line->count; at++) {
		struct timeline_piece *piece = &line->piece[at];

		if (piece->is_call || piece->key != line->now)
			continue; /* a call or a scope within this one */
		piece->key = key;
		piece->is_call = true;
	}
}

void timelines_put_look(struct timelines *lines, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
			uint32_t key)
{
	struct timeline *line = line_at(lines, thread, from_ns);

	line_advance(lines, line, from_ns);
	line_append(lines, line,
		    &(struct timeline_piece){ .end_ns = to_ns, .key = key, .is_look = true });
}

/* --- asking --- */

struct giving {
	timeline_take *take;
	void *state;
	uint64_t from_ns, to_ns; /* what has not been returned yet; empty: nothing */
	uint32_t key;
};

static void timeline_give(struct giving *giving, uint32_t key, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns >= to_ns)
		return;
	if (giving->from_ns < giving->to_ns && giving->key == key) {
		giving->to_ns = to_ns;
		return;
	}
	if (giving->from_ns < giving->to_ns)
		giving->take(giving->state, giving->key, giving->from_ns, giving->to_ns);
	giving->key = key;
	giving->from_ns = from_ns;
	giving->to_ns = to_ns;
}

static uint64_t later_of(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static uint64_t earlier_of(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/*
 * A look made after to_ns says what was true then. If the previous look saw the same, it was true
 * in between.
 */
static uint32_t piece_key(const struct timeline *line, size_t at, uint64_t to_ns)
{
	const struct timeline_piece *piece = &line->piece[at];

	if (!piece->is_look || piece->end_ns <= to_ns)
		return piece->key;
	return at && is_alike(&piece[-1], piece) ? piece->key : TIMELINE_NOT_KNOWN;
}

static void line_give(const struct timeline *line, uint64_t from_ns, uint64_t to_ns,
		      struct giving *giving)
{
	uint64_t done_ns = earlier_of(to_ns, later_of(from_ns, line->begin_ns));

	timeline_give(giving, TIMELINE_NOT_KNOWN, from_ns, done_ns);
	for (size_t at = line_find(line, done_ns); at < line->count && done_ns < to_ns; at++) {
		uint64_t end_ns = earlier_of(line->piece[at].end_ns, to_ns);

		timeline_give(giving, piece_key(line, at, to_ns), done_ns, end_ns);
		done_ns = end_ns;
	}
	timeline_give(giving, line->now, done_ns, to_ns);
}

void timelines_each(const struct timelines *lines, uint32_t thread, uint64_t from_ns,
		    uint64_t to_ns, timeline_take *take, void *state)
{
	struct giving giving = { .take = take, .state = state };

	if (thread < lines->room && lines->thread[thread].has_begun)
		line_give(&lines->thread[thread], from_ns, to_ns, &giving);
	else
		timeline_give(&giving, TIMELINE_NOT_KNOWN, from_ns, to_ns);
	if (giving.from_ns < giving.to_ns)
		take(state, giving.key, giving.from_ns, giving.to_ns);
}

void timelines_forget(struct timelines *lines, uint64_t before_ns)
{
	for (size_t i = 0; i < lines->room; i++) {
		struct timeline *line = &lines->thread[i];
		size_t gone;

		if (!line->has_begun || line->begin_ns >= before_ns)
			continue;
		gone = line_find(line, before_ns);
		line->has_forgotten = true;
		line->begin_ns = before_ns;
		line->end_ns = later_of(line->end_ns, before_ns);
		line->count -= gone;
		lines->pieces -= gone;
		if (gone && line->count)
			memmove(line->piece, &line->piece[gone],
				line->count * sizeof(*line->piece));
	}
}
