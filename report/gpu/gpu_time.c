/* SPDX-License-Identifier: MIT */
/* How a device's time went: see gpu_time.h. */
#include "report/gpu/gpu_time.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/time_order.h"
#include "report/base/vast.h"
#include "report/core/scope.h"

#define FLUSH_NS 500000000u /* of time at once */

/* One thing more, or less, of a class. By their time, see time_order.h. */
struct edge {
	uint64_t time_ns;
	uint32_t lane;
	uint8_t class;
};

struct edges {
	struct edge *edge;
	size_t count, room, at; /* `at`: of the next that is taken */
};

/* A piece of work of a stream, by its start: one thing of its class more, and one call less that waits. */
struct piece {
	uint64_t start_ns, end_ns, call_ns; /* call_ns: 0 when the call is not known */
	uint32_t stream;
	uint32_t thread : 28, class : 3, has_call : 1; /* thread: of the call */
};

struct gpu_time_state {
	struct gpu_time time; /* first: it is what others see */
	struct run *run;
	struct map lanes, streams;
	struct edges calls, ends; /* calls begin to wait, pieces end */
	struct piece *piece;
	size_t piece_count, piece_room;
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

static void edges_put(struct edges *edges, uint32_t lane, enum gpu_class class, uint64_t time_ns)
{
	edges->edge = vast_room(edges->edge, edges->count, &edges->room, sizeof(*edges->edge));
	edges->edge[edges->count++] = (struct edge){ time_ns, lane, (uint8_t) class };
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
	mine->time.late += work->start_ns < mine->time.done_ns;
	lane = lane_of(mine, work);
	edges_put(&mine->ends, lane, class_of(work), end_ns);
	if (work->has_call)
		edges_put(&mine->calls, lane, GPU_IS_ASKED, work->call_start_ns);
	mine->piece = vast_room(mine->piece, mine->piece_count, &mine->piece_room,
				sizeof(*mine->piece));
	mine->piece[mine->piece_count++] = (struct piece){
		.start_ns = work->start_ns,
		.end_ns = end_ns,
		.call_ns = work->has_call ? work->call_start_ns : 0,
		.stream = stream_of(mine, lane, work->stream),
		.thread = work->has_call ? work->thread & 0xfffffffu : 0,
		.class = class_of(work) & 7u,
		.has_call = work->has_call
	};
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

static bool is_idle(const struct gpu_lane *lane)
{
	for (int i = 0; i < GPU_IS_ASKED; i++)
		if (lane->active[i])
			return false;
	return true;
}

static void note_gap(struct gpu_time *time, uint32_t lane, uint64_t start_ns, uint64_t end_ns)
{
	if (end_ns < start_ns + GPU_GAP_LONG_NS)
		return;
	time->gap = memory_room(time->gap, time->gap_count, &time->gap_room, sizeof(*time->gap));
	time->gap[time->gap_count++] = (struct gpu_long_gap){ lane, start_ns, end_ns - start_ns };
}

static void edge_apply(struct gpu_time *time, const struct edge *edge, bool begins)
{
	struct gpu_lane *lane = &time->lane[edge->lane];
	uint32_t *active = &lane->active[edge->class];

	lane_charge(lane, edge->time_ns);
	if (edge->class != GPU_IS_ASKED && begins && lane->has_begun && is_idle(lane))
		note_gap(time, edge->lane, lane->last_ns, edge->time_ns);
	if (begins)
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

static void gap_add(struct gpu_time *time, const struct gpu_gap_found *gap)
{
	struct gpu_stream_time *stream = &time->stream[gap->stream];
	uint64_t gap_ns = gap->to_ns - gap->from_ns;

	stream->gap_count[gap->kind]++;
	stream->gap_ns[gap->kind] += gap_ns;
	if (gap_ns > stream->gap_max_ns[gap->kind])
		stream->gap_max_ns[gap->kind] = gap_ns;
	if (time->take_gap)
		time->take_gap(time->taker, gap);
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
	if (stream->has_work && gap_ns)
		gap_add(time, &(struct gpu_gap_found){ .stream = piece->stream,
						       .kind = kind,
						       .from_ns = stream->last_ns,
						       .to_ns = piece->start_ns,
						       .has_call = piece->has_call,
						       .thread = piece->thread });
	stream->has_work = true;
	if (piece->end_ns > stream->last_ns)
		stream->last_ns = piece->end_ns;
}

static void edges_apply_next(struct gpu_time *time, struct edges *edges, bool begins)
{
	edge_apply(time, &edges->edge[edges->at++], begins);
}

static void piece_apply_edge(struct gpu_time *time, const struct piece *piece, bool begins)
{
	const struct edge edge = { piece->start_ns, time->stream[piece->stream].lane,
				   begins ? (uint8_t)piece->class : (uint8_t)GPU_IS_ASKED };

	if (begins || piece->has_call)
		edge_apply(time, &edge, begins);
}

/* Of the next, UINT64_MAX when there is none up to that time. */
static uint64_t edges_next_ns(const struct edges *edges, uint64_t upto_ns)
{
	uint64_t time_ns = edges->at < edges->count ? edges->edge[edges->at].time_ns : UINT64_MAX;

	return time_ns <= upto_ns ? time_ns : UINT64_MAX;
}

static uint64_t piece_next_ns(const struct gpu_time_state *mine, size_t at, uint64_t upto_ns)
{
	uint64_t time_ns = at < mine->piece_count ? mine->piece[at].start_ns : UINT64_MAX;

	return time_ns <= upto_ns ? time_ns : UINT64_MAX;
}

/*
 * All edges up to that time, in order. What begins goes before what ends: one thing that follows another at once
 * leaves no gap. Returns how many pieces have begun.
 */
static size_t edges_apply(struct gpu_time_state *mine, uint64_t upto_ns)
{
	size_t begun = 0, given = 0; /* pieces that have begun, and whose call waits no longer */

	for (;;) {
		uint64_t call_ns = edges_next_ns(&mine->calls, upto_ns);
		uint64_t end_ns = edges_next_ns(&mine->ends, upto_ns);
		uint64_t begin_ns = piece_next_ns(mine, begun, upto_ns);
		uint64_t give_ns = piece_next_ns(mine, given, upto_ns);

		if (mine->calls.at < mine->calls.count && call_ns <= upto_ns &&
		    call_ns <= begin_ns && call_ns <= end_ns && call_ns <= give_ns)
			edges_apply_next(&mine->time, &mine->calls, true);
		else if (begun < mine->piece_count && begin_ns <= upto_ns && begin_ns <= end_ns &&
			 begin_ns <= give_ns)
			piece_apply_edge(&mine->time, &mine->piece[begun++], true);
		else if (given < begun && give_ns <= end_ns)
			piece_apply_edge(&mine->time, &mine->piece[given++], false);
		else if (mine->ends.at < mine->ends.count && end_ns <= upto_ns)
			edges_apply_next(&mine->time, &mine->ends, false);
		else
			return begun;
	}
}

static void edges_forget_applied(struct edges *edges)
{
	if (edges->at)
		memmove(edges->edge, &edges->edge[edges->at],
			(edges->count - edges->at) * sizeof(*edges->edge));
	edges->count -= edges->at;
	edges->at = 0;
}

static void flush(struct gpu_time_state *mine, uint64_t upto_ns)
{
	size_t pieces;

	time_order_sort(mine->calls.edge, mine->calls.count, sizeof(struct edge));
	time_order_sort(mine->ends.edge, mine->ends.count, sizeof(struct edge));
	time_order_sort(mine->piece, mine->piece_count, sizeof(struct piece));
	pieces = edges_apply(mine, upto_ns);
	for (size_t i = 0; i < pieces; i++)
		piece_apply(&mine->time, &mine->piece[i]);
	edges_forget_applied(&mine->calls);
	edges_forget_applied(&mine->ends);
	mine->piece_count -= pieces;
	if (pieces)
		memmove(mine->piece, &mine->piece[pieces],
			mine->piece_count * sizeof(*mine->piece));
	mine->time.done_ns = upto_ns;
}

/* --- the analysis --- */

void gpu_time_listen(struct gpu_time *time, gpu_gap_take *take, void *state)
{
	time->take_gap = take;
	time->taker = state;
}

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

	if (upto_ns != UINT64_MAX && upto_ns > mine->time.done_ns + FLUSH_NS + LATE_WAIT_NS)
		flush(mine, upto_ns - LATE_WAIT_NS);
}

static void finish(void *state)
{
	flush(state, UINT64_MAX);
}

static void edges_release(struct edges *edges)
{
	vast_release(edges->edge, edges->room, sizeof(*edges->edge));
}

static void release(void *state)
{
	struct gpu_time_state *mine = state;

	map_release(&mine->lanes);
	map_release(&mine->streams);
	edges_release(&mine->calls);
	edges_release(&mine->ends);
	vast_release(mine->piece, mine->piece_room, sizeof(*mine->piece));
	free(mine->time.lane);
	free(mine->time.stream);
	free(mine->time.gap);
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
