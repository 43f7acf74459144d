/* SPDX-License-Identifier: MIT */
/* Between two begins of pieces, the state changes only where the work of a kind ends. */
#include "collector/gpu/cover.h"

#include <stdlib.h>
#include <string.h>

#define COVER_ROOM_FIRST 64u

void cover_release(struct cover *cover)
{
	free(cover->piece);
	*cover = (struct cover){ 0 };
}

uint64_t cover_ns(const uint64_t mask_ns[COVER_MASKS], unsigned int kinds, unsigned int without)
{
	uint64_t ns = 0;

	for (unsigned int mask = 1; mask < COVER_MASKS; mask++) {
		if (mask & kinds && !(mask & without))
			ns += mask_ns[mask];
	}
	return ns;
}

/* To a time up to which no piece begins. */
static void cover_advance(struct cover *cover, uint64_t upto_ns)
{
	while (cover->swept_ns < upto_ns) {
		uint64_t next_ns = upto_ns;
		unsigned int mask = 0;

		for (unsigned int i = 0; i < COVER_KINDS; i++) {
			if (cover->until_ns[i] <= cover->swept_ns)
				continue;
			mask |= 1u << i;
			if (cover->until_ns[i] < next_ns)
				next_ns = cover->until_ns[i];
		}
		cover->mask_ns[mask] += next_ns - cover->swept_ns;
		cover->swept_ns = next_ns;
	}
}

static void cover_begin_piece(struct cover *cover, const struct cover_piece *piece)
{
	cover_advance(cover, piece->start_ns);
	if (piece->end_ns > cover->until_ns[piece->kind])
		cover->until_ns[piece->kind] = piece->end_ns;
}

static int cover_by_start(const void *one, const void *other)
{
	const struct cover_piece *a = one, *b = other;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void cover_sort(struct cover *cover)
{
	if (cover->unsorted)
		qsort(cover->piece, cover->count, sizeof(*cover->piece), cover_by_start);
	cover->unsorted = false;
}

void cover_sweep(struct cover *cover, uint64_t upto_ns)
{
	size_t done = 0;

	cover_sort(cover);
	while (done < cover->count && cover->piece[done].start_ns < upto_ns)
		cover_begin_piece(cover, &cover->piece[done++]);
	cover->count -= done;
	if (done && cover->count)
		memmove(cover->piece, cover->piece + done, cover->count * sizeof(*cover->piece));
	/* all that is known is over: the sweep stays where later pieces may begin */
	if (upto_ns != UINT64_MAX) {
		cover_advance(cover, upto_ns);
		return;
	}
	for (unsigned int i = 0; i < COVER_KINDS; i++)
		cover_advance(cover, cover->until_ns[i]);
}

static bool cover_reserve(struct cover *cover)
{
	size_t room = cover->room ? cover->room * 2 : COVER_ROOM_FIRST;
	struct cover_piece *moved;

	if (cover->count < cover->room)
		return true;
	moved = room <= COVER_PIECES_MAX ? realloc(cover->piece, room * sizeof(*moved)) : NULL;
	if (moved) {
		cover->piece = moved;
		cover->room = room;
		return true;
	}
	if (!cover->room)
		return false;
	cover_sort(cover);
	cover_sweep(cover, cover->piece[cover->count / 2].start_ns + 1);
	return true;
}

uint64_t cover_full_ns(struct cover *cover)
{
	if (cover->count < COVER_PIECES_MAX)
		return 0;
	cover_sort(cover);
	return cover->piece[cover->count / 2].start_ns + 1;
}

void cover_add(struct cover *cover, enum cover_kind kind, uint64_t start_ns, uint64_t end_ns)
{
	struct cover_piece piece = { start_ns, end_ns, kind };

	if (end_ns < start_ns)
		return;
	if (!cover->last_ns || start_ns < cover->first_ns)
		cover->first_ns = start_ns;
	if (end_ns > cover->last_ns)
		cover->last_ns = end_ns;
	cover->late += start_ns < cover->swept_ns;
	if (!cover_reserve(cover)) {
		cover_begin_piece(cover, &piece);
		return;
	}
	cover->unsorted |= cover->count && cover->piece[cover->count - 1].start_ns > start_ns;
	cover->piece[cover->count++] = piece;
}
