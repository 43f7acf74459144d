/* SPDX-License-Identifier: MIT */
/* How a device's time went: see gpu_time.h. */
#include "report/gpu/gpu_time.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/scope.h"

#define FLUSH_NS 500000000u /* of time at once */

/* One thing more, or less, of a class. */
struct edge {
	uint64_t time_ns;
	uint32_t lane;
	uint8_t class;
	bool begins;
};

/* A piece of work of a stream. */
struct piece {
	uint64_t start_ns, end_ns, call_ns; /* call_ns: 0 when the call is not known */
	uint32_t stream;
};

struct gpu_time_state {
	struct gpu_time time; /* first: it is what others see */
	struct run *run;
	struct map lanes, streams;
	struct edge *edge;
	size_t edge_count, edge_room;
	struct piece *piece;
	size_t piece_count, piece_room;
	uint64_t done_ns;
};

/* --- work as it is told --- */

static uint32_t lane_of(struct gpu_time_state *mine, const struct late_work *work)
{
	struct gpu_time *time = &mine->time;
	bool added;
	struct map_entry *entry = map_put(
		&mine->lanes, ((uint64_t)work->process << 32 | work->device) + 1, &added);

	if (!added)
		return (uint32_t)entry->value;
	time->lane = memory_room(time->lane, time->lane_count, &time->lane_room,
				 sizeof(*time->lane));
	time->lane[time->lane_count] = (struct gpu_lane){ .process = work->process,
							  .device = work->device };
	entry->value = time->lane_count++;
	return (uint32_t)entry->value;
}

static uint32_t stream_of(struct gpu_time_state *mine, uint32_t lane, uint32_t stream)
{
	struct gpu_time *time = &mine->time;
	bool added;
	struct map_entry *entry = map_put(&mine->streams, ((uint64_t)lane << 32 | stream) + 1,
					  &added);

	if (!added)
		return (uint32_t)entry->value;
	time->stream = memory_room(time->stream, time->stream_count, &time->stream_room,
				   sizeof(*time->stream));
	time->stream[time->stream_count] = (struct gpu_stream_time){ .lane = lane,
								     .stream = stream };
	entry->value = time->stream_count++;
	return (uint32_t)entry->value;
}

static void edge_put(struct gpu_time_state *mine, uint32_t lane, enum gpu_class class,
		     uint64_t time_ns, bool begins)
{
	mine->edge = memory_room(mine->edge, mine->edge_count, &mine->edge_room,
				 sizeof(*mine->edge));
	mine->edge[mine->edge_count++] = (struct edge){ time_ns, lane, (uint8_t) class, begins };
}

static enum gpu_class class_of(const struct late_work *work)
{
	if (work->kind != LATE_KERNEL)
		return GPU_COPIES_DATA;
	return work->is_communication ? GPU_COMMUNICATES : GPU_COMPUTES;
}

static void take_work(void *state, uint64_t place, const struct late_work *work)
{
	struct gpu_time_state *mine = state;
	uint64_t end_ns = late_end_ns(work);
	struct scope_text text;
	uint32_t lane;

	(void)place;
	if (!late_is_on_device(work) || end_ns < work->start_ns ||
	    (!work->has_call && (run_filters(mine->run)->any || scope_recorded(mine->run, &text))))
		return;
	mine->time.late += work->start_ns < mine->done_ns;
	lane = lane_of(mine, work);
	edge_put(mine, lane, class_of(work), work->start_ns, true);
	edge_put(mine, lane, class_of(work), end_ns, false);
	if (work->has_call) {
		edge_put(mine, lane, GPU_IS_ASKED, work->call_start_ns, true);
		edge_put(mine, lane, GPU_IS_ASKED, work->start_ns, false);
	}
	mine->piece = memory_room(mine->piece, mine->piece_count, &mine->piece_room,
				  sizeof(*mine->piece));
	mine->piece[mine->piece_count++] = (struct piece){ work->start_ns, end_ns,
							   work->has_call ? work->call_start_ns : 0,
							   stream_of(mine, lane, work->stream) };
}

/* --- in order of time --- */

static void lane_charge(struct gpu_lane *lane, uint64_t time_ns)
{
	uint64_t passed = time_ns > lane->swept_ns ? time_ns - lane->swept_ns : 0;
	bool is_busy = false;

	for (int i = 0; i < GPU_IS_ASKED; i++) {
		lane->class_ns[i] += lane->active[i] ? passed : 0;
		is_busy |= lane->active[i] > 0;
	}
	lane->busy_ns += is_busy ? passed : 0;
	if (lane->active[GPU_COMPUTES] && lane->active[GPU_COMMUNICATES])
		lane->overlap_ns += passed;
	if (lane->has_begun)
		lane->queue_ns += (double)lane->active[GPU_IS_ASKED] * (double)passed;
	lane->swept_ns += passed;
}

static void edge_apply(struct gpu_time *time, const struct edge *edge)
{
	struct gpu_lane *lane = &time->lane[edge->lane];
	uint32_t *active = &lane->active[edge->class];

	lane_charge(lane, edge->time_ns);
	if (edge->begins)
		++*active;
	else if (*active)
		--*active;
	if (edge->class == GPU_IS_ASKED) {
		lane->queue_max = *active > lane->queue_max ? *active : lane->queue_max;
		return;
	}
	if (!lane->has_begun)
		lane->first_ns = edge->time_ns;
	lane->has_begun = true;
	if (edge->time_ns > lane->last_ns)
		lane->last_ns = edge->time_ns;
}

static void piece_apply(struct gpu_time *time, const struct piece *piece)
{
	struct gpu_stream_time *stream = &time->stream[piece->stream];
	uint64_t gap_ns = piece->start_ns > stream->last_ns ? piece->start_ns - stream->last_ns : 0;
	enum gpu_gap kind = GPU_GAP_OTHER;

	if (piece->call_ns > stream->last_ns)
		kind = GPU_GAP_HOST;
	else if (gap_ns < KERNEL_DELAY_NS)
		kind = GPU_GAP_KERNEL;
	if (stream->has_work && gap_ns) {
		stream->gap_count[kind]++;
		stream->gap_ns[kind] += gap_ns;
		if (gap_ns > stream->gap_max_ns[kind])
			stream->gap_max_ns[kind] = gap_ns;
	}
	stream->has_work = true;
	if (piece->end_ns > stream->last_ns)
		stream->last_ns = piece->end_ns;
}

/* What begins goes before what ends: one thing that follows another at once leaves no gap. */
static int edge_compare(const void *a, const void *b)
{
	const struct edge *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return (int)right->begins - (int)left->begins;
}

static int piece_compare(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;

	return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

static void flush(struct gpu_time_state *mine, uint64_t upto_ns)
{
	size_t edge = 0, piece = 0;

	if (mine->edge_count)
		qsort(mine->edge, mine->edge_count, sizeof(*mine->edge), edge_compare);
	if (mine->piece_count)
		qsort(mine->piece, mine->piece_count, sizeof(*mine->piece), piece_compare);
	while (edge < mine->edge_count && mine->edge[edge].time_ns <= upto_ns)
		edge_apply(&mine->time, &mine->edge[edge++]);
	while (piece < mine->piece_count && mine->piece[piece].start_ns <= upto_ns)
		piece_apply(&mine->time, &mine->piece[piece++]);
	mine->edge_count -= edge;
	mine->piece_count -= piece;
	if (edge)
		memmove(mine->edge, &mine->edge[edge], mine->edge_count * sizeof(*mine->edge));
	if (piece)
		memmove(mine->piece, &mine->piece[piece], mine->piece_count * sizeof(*mine->piece));
	mine->done_ns = upto_ns;
}

/* --- the analysis --- */

static void start(void *state, struct run *run, const void *options)
{
	static const struct late_listener listener = { .take = take_work, .takes_homeless = true };
	struct gpu_time_state *mine = state;

	(void)options;
	mine->run = run;
	map_init(&mine->lanes);
	map_init(&mine->streams);
	mine->time.told = late_want(run);
	late_listen(mine->time.told, &listener, mine);
}

static void settle(void *state, uint64_t upto_ns)
{
	struct gpu_time_state *mine = state;

	if (upto_ns != UINT64_MAX && upto_ns > mine->done_ns + FLUSH_NS + LATE_WAIT_NS)
		flush(mine, upto_ns - LATE_WAIT_NS);
}

static void finish(void *state)
{
	flush(state, UINT64_MAX);
}

static void release(void *state)
{
	struct gpu_time_state *mine = state;

	map_release(&mine->lanes);
	map_release(&mine->streams);
	free(mine->edge);
	free(mine->piece);
	free(mine->time.lane);
	free(mine->time.stream);
}

const struct analysis_kind analysis_gpu_time = {
	.name = "gpu time",
	.state_bytes = sizeof(struct gpu_time_state),
	.options_bytes = sizeof(struct gpu_time_options),
	.start = start,
	.settle = settle,
	.finish = finish,
	.release = release,
};
