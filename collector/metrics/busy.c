/* SPDX-License-Identifier: MIT */
/* Pieces of one stream are in order, so most arrays are sorted already when they are settled. */
#include "collector/metrics/busy.h"

#include <stdlib.h>
#include <string.h>

#define BUSY_ROOM_FIRST 64u

void busy_release(struct busy *busy)
{
	free(busy->piece);
	*busy = (struct busy){ 0 };
}

static int busy_by_start(const void *one, const void *other)
{
	const struct busy_piece *a = one, *b = other;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void busy_take(struct busy *busy, const struct busy_piece *piece)
{
	uint64_t from = piece->start_ns > busy->until_ns ? piece->start_ns : busy->until_ns;

	if (piece->end_ns <= from)
		return;
	busy->busy_ns += piece->end_ns - from;
	busy->until_ns = piece->end_ns;
}

static size_t busy_sort(struct busy *busy, uint64_t upto_ns)
{
	size_t count = 0;

	if (busy->unsorted)
		qsort(busy->piece, busy->count, sizeof(*busy->piece), busy_by_start);
	busy->unsorted = false;
	while (count < busy->count && busy->piece[count].start_ns < upto_ns)
		count++;
	return count;
}

void busy_settle(struct busy *busy, uint64_t upto_ns)
{
	size_t count = busy_sort(busy, upto_ns);

	for (size_t i = 0; i < count; i++)
		busy_take(busy, &busy->piece[i]);
	busy->count -= count;
	if (count && busy->count)
		memmove(busy->piece, busy->piece + count, busy->count * sizeof(*busy->piece));
	if (upto_ns > busy->settled_ns)
		busy->settled_ns = upto_ns;
}

static bool busy_reserve(struct busy *busy)
{
	size_t room = busy->room ? busy->room * 2 : BUSY_ROOM_FIRST;
	struct busy_piece *moved;

	if (busy->count < busy->room)
		return true;
	if (busy->room < BUSY_PIECES_MAX) {
		moved = realloc(busy->piece, room * sizeof(*moved));
		if (moved) {
			busy->piece = moved;
			busy->room = room;
			return true;
		}
	}
	if (!busy->room)
		return false;
	(void)busy_sort(busy, 0);
	busy_settle(busy, busy->piece[busy->count / 2].start_ns + 1);
	return true;
}

void busy_add(struct busy *busy, uint64_t start_ns, uint64_t end_ns)
{
	const struct busy_piece piece = { start_ns, end_ns };

	if (end_ns < start_ns)
		return;
	busy->late += start_ns < busy->settled_ns;
	if (!busy_reserve(busy)) {
		busy_take(busy, &piece);
		return;
	}
	busy->unsorted |= busy->count && busy->piece[busy->count - 1].start_ns > start_ns;
	busy->piece[busy->count++] = piece;
}
