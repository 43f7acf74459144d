/* SPDX-License-Identifier: MIT */
/*
 * Which files have one clock, where each begins on the session's clock, and corrections of times
 * (source.h). A correction is applied to a frame when it is read: to its events, its heap records
 * and its watermark. What a correction adds at time 0 of a file is part of the file's offset, so
 * that no time of a file becomes negative.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "report/session/source_state.h"

/* CLOCK_REALTIME may be set during a run; after another boot the difference is larger */
#define SAME_CLOCK_NS 60000000000ull
#define OFFSET_NS_MAX (1ll << 59) /* 18 years: what is further away is no valid clock */
#define ADD_NS_MAX (1ll << 60)
#define SECOND_NS 1e9

static const struct file_header *file_header(const struct file_row *file)
{
	return file->reader && reader_facts(file->reader)->header_known
		       ? &reader_facts(file->reader)->header
		       : NULL;
}

static bool file_is_corrected(const struct file_row *file)
{
	return file->source->clock_count && file->source->clock[file->file.clock].knots;
}

/* --- which files have one clock --- */

static bool clock_is_of(const struct source *source, const struct clock_row *clock,
			const struct file_header *own)
{
	const struct file_header *first = file_header(source->file[clock->first]);
	int64_t by_mono = (int64_t)(own->base_mono - first->base_mono);
	int64_t by_real = (int64_t)(own->base_real - first->base_real);
	uint64_t apart = by_mono > by_real ? (uint64_t)by_mono - (uint64_t)by_real
					   : (uint64_t)by_real - (uint64_t)by_mono;

	return strcmp(own->host, first->host) == 0 && apart < SAME_CLOCK_NS;
}

static int clock_of_file(struct source *source, struct file_row *file)
{
	const struct file_header *own = file_header(file);
	size_t at = 0;

	while (at < source->clock_count && !clock_is_of(source, &source->clock[at], own))
		at++;
	if (at == source->clock_count) {
		if (array_reserve(&source->clock, source->clock_count, &source->clock_room,
				  sizeof(*source->clock)))
			return EVT_NO_MEMORY;
		source->clock[source->clock_count++] = (struct clock_row){
			.clock = { .host = file->file.host,
				   .doubt_ns = at ? CLOCK_DOUBT_UNKNOWN : 0 },
			.first = file->file.index,
		};
	}
	file->file.clock = (uint32_t)at;
	source->clock[at].clock.files++;
	return EVT_OK;
}

/* --- where files begin --- */

/*
 * ns from the start of the session's first file to that of `file`: by the clock that it shares with
 * another one, and from that one by real-time clocks.
 */
static int64_t file_distance(const struct source *source, const struct file_row *file)
{
	const struct file_header *own = file_header(file);
	const struct file_header *of_clock = file_header(
		source->file[source->clock[file->file.clock].first]);
	const struct file_header *of_all = file_header(source->file[source->clock[0].first]);

	return (int64_t)(own->base_mono - of_clock->base_mono + of_clock->base_real -
			 of_all->base_real);
}

static void clocks_place_files(struct source *source)
{
	for (size_t i = 0; i < source->file_count; i++) {
		struct file_row *file = source->file[i];
		int64_t distance;

		if (!file_header(file))
			continue;
		distance = file_distance(source, file);
		if (distance > OFFSET_NS_MAX || distance < -OFFSET_NS_MAX) {
			fault_add(file, 0, EVT_CORRUPT,
				  "its clock is years away: placed at the start");
			distance = 0;
		}
		file->uncorrected_ns = distance;
	}
}

static int64_t clock_add_ns(const struct clock_row *clock, int64_t time_ns);
static uint64_t clock_correct(const struct file_row *file, uint64_t time_ns);

/* With their corrections; the earliest file begins at 0. */
static void clocks_settle_files(struct source *source)
{
	int64_t earliest = 0;

	for (size_t i = 0; i < source->file_count; i++) {
		struct file_row *file = source->file[i];

		file->file.offset_ns = file->uncorrected_ns;
		if (file_is_corrected(file))
			file->file.offset_ns += clock_add_ns(&source->clock[file->file.clock],
							     file->uncorrected_ns);
	}

	for (size_t i = 0; i < source->file_count; i++)
		if (source->file[i]->file.offset_ns < earliest)
			earliest = source->file[i]->file.offset_ns;
	source->moved_ns = -earliest;
	for (size_t i = 0; i < source->file_count; i++) {
		struct file_row *file = source->file[i];

		file->file.offset_ns -= earliest;
		if (file->file.gave_back)
			file->file.kept_from_ns = file_time(
				file,
				clock_correct(file, reader_facts(file->reader)->before.from_ns));
	}
}

int clocks_find(struct source *source)
{
	int error = EVT_OK;

	for (size_t i = 0; i < source->file_count && !error; i++)
		if (file_header(source->file[i]))
			error = clock_of_file(source, source->file[i]);
	if (error || !source->clock_count)
		return error;
	clocks_place_files(source);
	clocks_settle_files(source);
	source->moved_ns = 0;
	for (size_t i = 0; i < source->file_count; i++)
		source->file[i]->uncorrected_ns = source->file[i]->file.offset_ns;
	return EVT_OK;
}

size_t source_clocks(const struct source *source)
{
	return source->clock_count;
}

const struct source_clock *source_clock(const struct source *source, size_t clock)
{
	return &source->clock[clock].clock;
}

uint64_t source_clocks_doubt_ns(const struct source *source, const struct source_file *one,
				const struct source_file *other)
{
	if (one->clock == other->clock)
		return 0;
	return add_capped(source->clock[one->clock].clock.doubt_ns,
			  source->clock[other->clock].clock.doubt_ns);
}

/* --- corrections --- */

/* What is added at a time between two knots, or beside them. */
static int64_t knots_between(const struct clock_knot *from, const struct clock_knot *to,
			     int64_t time_ns)
{
	double part = ((double)time_ns - (double)from->time_ns) /
		      ((double)to->time_ns - (double)from->time_ns);
	double more = part * (double)(to->add_ns - from->add_ns);

	more = more > (double)ADD_NS_MAX ? (double)ADD_NS_MAX : more;
	more = more < (double)-ADD_NS_MAX ? (double)-ADD_NS_MAX : more;
	return from->add_ns + (int64_t)more;
}

/* Times are those of the session without corrections. */
static int64_t clock_add_ns(const struct clock_row *clock, int64_t time_ns)
{
	size_t low = 0, high = clock->knots - 1;

	if (clock->knots == 1)
		return clock->knot[0].add_ns;
	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		if (clock->knot[middle].time_ns <= time_ns)
			low = middle;
		else
			high = middle;
	}
	return knots_between(&clock->knot[low], &clock->knot[low + 1], time_ns);
}

/* A file's own time, corrected: without what is added at its time 0. */
static uint64_t clock_correct(const struct file_row *file, uint64_t time_ns)
{
	const struct clock_row *clock = &file->source->clock[file->file.clock];
	int64_t start_ns = file->uncorrected_ns;
	int64_t own_ns = time_ns < (uint64_t)ADD_NS_MAX ? (int64_t)time_ns : ADD_NS_MAX;
	int64_t by_ns;

	if (!clock->knots)
		return time_ns;
	by_ns = clock_add_ns(clock, start_ns + own_ns) - clock_add_ns(clock, start_ns);
	return merge_time(time_ns, (uint64_t)by_ns);
}

/* The events belong to the decoder of this file's reader, which decodes the next frame anew. */
static void clocks_correct_block(const struct file_row *file, struct event_block *block)
{
	struct event *event = (struct event *)block->event;
	struct heap_record *heap = (struct heap_record *)block->heap;

	for (uint32_t i = 0; i < block->count; i++)
		event[i].time_ns = clock_correct(file, event[i].time_ns);
	for (uint32_t i = 0; i < block->heap_count; i++)
		heap[i].time_ns = clock_correct(file, heap[i].time_ns);
	block->first_ns = clock_correct(file, block->first_ns);
	block->last_ns = clock_correct(file, block->last_ns);
}

void clocks_correct_frame(const struct file_row *file, struct reader_frame *frame)
{
	if (!file_is_corrected(file))
		return;
	for (size_t i = 0; i < frame->block_count; i++)
		clocks_correct_block(file, (struct event_block *)&frame->block[i]);
	frame->info.watermark_ns = clock_correct(file, frame->info.watermark_ns);
}

/* --- pieces --- */

static bool piece_is_good(const struct clock_piece *piece)
{
	double by_ns = piece->drift * (double)(piece->to_ns - piece->from_ns) / SECOND_NS;

	return piece->from_ns >= -ADD_NS_MAX && piece->to_ns <= ADD_NS_MAX &&
	       piece->from_ns <= piece->to_ns && piece->add_ns >= -ADD_NS_MAX &&
	       piece->add_ns <= ADD_NS_MAX && piece->drift > -SECOND_NS &&
	       piece->drift < SECOND_NS && by_ns > (double)-ADD_NS_MAX &&
	       by_ns < (double)ADD_NS_MAX && piece->doubt_ns >= 0 &&
	       piece->doubt_ns < (double)ADD_NS_MAX;
}

static int64_t piece_add_ns_at_end(const struct clock_piece *piece)
{
	return piece->add_ns +
	       (int64_t)(piece->drift * (double)(piece->to_ns - piece->from_ns) / SECOND_NS);
}

/* Pieces that follow each other in time, in which and between which time does not go back. */
static bool pieces_are_good(const struct clock_piece *piece, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!piece_is_good(&piece[i]))
			return false;
		if (i && (piece[i].from_ns <= piece[i - 1].to_ns ||
			  piece_add_ns_at_end(&piece[i - 1]) - piece[i].add_ns >
				  piece[i].from_ns - piece[i - 1].to_ns))
			return false;
	}
	return count > 0;
}

/* Within the pieces, and where what is added changes from one to the next. */
static uint64_t pieces_doubt_ns(const struct clock_piece *piece, size_t count)
{
	double doubt_ns = 0;

	for (size_t i = 0; i < count; i++) {
		double own_ns = piece[i].doubt_ns, jump_ns = 0;

		if (i)
			jump_ns = (double)(piece[i].add_ns - piece_add_ns_at_end(&piece[i - 1]));
		own_ns += jump_ns < 0 ? -jump_ns : jump_ns;
		doubt_ns = own_ns > doubt_ns ? own_ns : doubt_ns;
	}
	return (uint64_t)doubt_ns + 1;
}

static void clock_find_knots(struct clock_row *row)
{
	row->knots = 0;
	for (size_t i = 0; i < row->clock.pieces; i++) {
		const struct clock_piece *piece = &row->piece[i];

		row->knot[row->knots++] = (struct clock_knot){ piece->from_ns, piece->add_ns };
		if (piece->to_ns > piece->from_ns)
			row->knot[row->knots++] = (struct clock_knot){ piece->to_ns,
								       piece_add_ns_at_end(piece) };
	}
}

int source_correct_clock(struct source *source, size_t clock, const struct clock_piece *piece,
			 size_t count)
{
	struct clock_row *row = &source->clock[clock];

	if (source->begun || row->piece || !pieces_are_good(piece, count))
		return EVT_OK;
	row->piece = calloc(count, sizeof(*row->piece));
	row->knot = calloc(count, 2 * sizeof(*row->knot));
	if (!row->piece || !row->knot)
		return EVT_NO_MEMORY;
	memcpy(row->piece, piece, count * sizeof(*piece));
	row->clock.piece = row->piece;
	row->clock.pieces = count;
	row->clock.doubt_ns = pieces_doubt_ns(piece, count);
	clock_find_knots(row);
	clocks_settle_files(source);
	return EVT_OK;
}

uint64_t source_corrected_ns(const struct source *source, size_t clock, int64_t time_ns)
{
	const struct clock_row *row = &source->clock[clock];
	int64_t moved_ns = time_ns + source->moved_ns;

	if (row->knots)
		moved_ns += clock_add_ns(row, time_ns);
	return moved_ns < 0 ? 0 : (uint64_t)moved_ns;
}

int source_share_clocks(struct source *to, const struct source *from)
{
	int error = EVT_OK;

	if (to->clock_count != from->clock_count || to->file_count != from->file_count)
		return EVT_OK;
	for (size_t i = 0; i < from->clock_count && !error; i++)
		if (from->clock[i].knots)
			error = source_correct_clock(to, i, from->clock[i].piece,
						     from->clock[i].clock.pieces);
	return error;
}

void clocks_release(struct source *source)
{
	for (size_t i = 0; i < source->clock_count; i++) {
		free(source->clock[i].piece);
		free(source->clock[i].knot);
	}
	free(source->clock);
}
