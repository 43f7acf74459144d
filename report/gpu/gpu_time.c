/* SPDX-License-Identifier: MIT */
/*
 * Keeps pieces of work until no earlier ones can come, then goes through them in order of time:
 * begins, ends, and calls that begin to wait.
 */
#include "report/gpu/gpu_time.h"
#include "report/gpu/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/time_order.h"
#include "report/base/vast.h"
#include "report/core/coverage.h"

#define FLUSH_NS 500000000u /* work of so much time is added up at once */

/* A piece of work that has begun, by its end. */
struct ending {
	uint64_t end_ns;
	uint32_t lane;
	uint8_t class;
};

/* Pieces that run: a binary heap, which is small, as few run at once. */
struct endings {
	struct ending *ending;
	size_t count, room;
};

/* When a call began to wait; see time_order.h. */
struct asking {
	uint64_t call_ns;
	size_t piece;
};

/*
 * A piece of work of a stream, by its start. From then on one more thing of its class runs, and one
 * call less waits.
 */
struct piece {
	uint64_t start_ns, end_ns, call_ns; /* call_ns: 0 if the call is not known */
	uint32_t stream;
	uint32_t thread : 28, class : 2;     /* thread: of the call */
	uint32_t has_call : 1, is_asked : 1; /* is_asked: the call has begun to wait */
};

struct gpu_time_state {
	struct gpu_time time; /* must be first: others see only this part */
	struct run *run;
	struct map lanes, streams;
	struct latest {
		uint64_t lane_key, stream_key; /* 0: none */
		uint32_t lane, stream;
	} latest; /* lane and stream of the latest piece, to avoid a lookup */
	struct endings endings;
	struct piece *piece; /* pieces from `piece_first` on have not begun */
	size_t piece_first, piece_count, piece_room;
	size_t edges_done;
};

/* --- work in the order of its events --- */

static uint32_t lane_of(struct gpu_time_state *mine, uint32_t process, uint32_t device)
{
	uint64_t key = ((uint64_t)process << 32 | device) + 1;
	struct gpu_time *time = &mine->time;
	struct map_entry *entry;
	bool added;

	if (mine->latest.lane_key == key)
		return mine->latest.lane;
	entry = map_put(&mine->lanes, key, &added);
	mine->latest.lane_key = key;
	mine->latest.lane = added ? (uint32_t)time->lane_count : (uint32_t)entry->value;
	if (!added)
		return (uint32_t)entry->value;
	time->lane = memory_room(time->lane, time->lane_count, &time->lane_room,
				 sizeof(*time->lane));
	time->lane[time->lane_count] = (struct gpu_lane){ .process = process, .device = device };
	entry->value = time->lane_count++;
	return (uint32_t)entry->value;
}

static uint32_t stream_of(struct gpu_time_state *mine, uint32_t lane, uint32_t stream)
{
	uint64_t key = ((uint64_t)lane << 32 | stream) + 1;
	struct gpu_time *time = &mine->time;
	struct map_entry *entry;
	bool added;

	if (mine->latest.stream_key == key)
		return mine->latest.stream;
	entry = map_put(&mine->streams, key, &added);
	mine->latest.stream_key = key;
	mine->latest.stream = added ? (uint32_t)time->stream_count : (uint32_t)entry->value;
	if (!added)
		return (uint32_t)entry->value;
	time->stream = memory_room(time->stream, time->stream_count, &time->stream_room,
				   sizeof(*time->stream));
	time->stream[time->stream_count] = (struct gpu_stream_time){ .lane = lane,
								     .stream = stream };
	entry->value = time->stream_count++;
	return (uint32_t)entry->value;
}

static enum gpu_class class_of(const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);

	if (piece->kind != GPU_WORK_KERNEL)
		return GPU_COPIES_DATA;
	return piece->is_communication ? GPU_COMMUNICATES : GPU_COMPUTES;
}

static void gpu_time_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct gpu_time_state *mine = state;
	uint64_t end_ns = deferred_end_ns(work);
	struct coverage_text text;
	uint32_t lane;

	(void)place;
	if (!work->is_on_device || end_ns < work->start_ns ||
	    (!work->has_call &&
	     (run_filters(mine->run)->any || coverage_recorded(mine->run, &text))))
		return;
	mine->time.late += work->start_ns < mine->time.done_ns;
	lane = lane_of(mine, work->process, piece->device);
	mine->piece = vast_room(mine->piece, mine->piece_count, &mine->piece_room,
				sizeof(*mine->piece));
	mine->piece[mine->piece_count++] = (struct piece){
		.start_ns = work->start_ns,
		.end_ns = end_ns,
		.call_ns = work->has_call ? work->call_start_ns : 0,
		.stream = stream_of(mine, lane, piece->stream),
		.thread = work->has_call ? work->thread & 0xfffffffu : 0,
		.class = class_of(work) & 3u,
		.has_call = work->has_call
	};
}

/* The collector has added up what a device did since the last such event. */
static void gpu_time_take_busy(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_busy *busy = EVENT_AS(gpu_busy, &event->event);
	const struct source_process *process = source_process_of(event->file, busy->process);
	uint64_t now_ns = event->event.time_ns;
	struct gpu_time_state *mine = state;
	struct gpu_lane *lane;
	uint32_t number;

	(void)counts;
	if (!process || run_filters(mine->run)->any || busy->last_ago_ns > busy->first_ago_ns)
		return;
	number = lane_of(mine, process->index, (uint32_t)busy->device);
	lane = &mine->time.lane[number];
	lane->has_sums = true;
	lane->first_ns = now_ns - (uint64_t)busy->first_ago_ns;
	lane->last_ns = now_ns - (uint64_t)busy->last_ago_ns;
	lane->busy_ns += busy->busy_ns;
	lane->class_ns[GPU_COMPUTES] += busy->compute_ns;
	lane->class_ns[GPU_COPIES_DATA] += busy->copy_ns;
	lane->class_ns[GPU_COMMUNICATES] += busy->communication_ns;
	lane->overlap_ns += busy->overlap_ns;
	mine->time.late += busy->late;
	/* a damaged file: no device is busy for longer than it has been there */
	if (lane->busy_ns > lane->last_ns - lane->first_ns)
		lane->busy_ns = lane->last_ns - lane->first_ns;
}

/* --- in order of time --- */

static void lane_charge(struct gpu_lane *lane, uint64_t time_ns)
{
	uint64_t passed = time_ns - lane->swept_ns;
	bool is_busy = false;

	if (time_ns <= lane->swept_ns)
		return;
	if (lane->is_off) {
		lane->swept_ns = time_ns;
		return;
	}
#pragma GCC unroll 4
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

static bool gpu_time_is_idle(const struct gpu_lane *lane)
{
	uint32_t active = 0;

#pragma GCC unroll 4
	for (int i = 0; i < GPU_IS_ASKED; i++)
		active |= lane->active[i];
	return !active;
}

static uint64_t gpu_time_later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static void note_gap(struct gpu_time *time, uint32_t lane, uint64_t start_ns, uint64_t end_ns)
{
	if (end_ns < start_ns + GPU_GAP_LONG_NS)
		return;
	time->gap = memory_room(time->gap, time->gap_count, &time->gap_room, sizeof(*time->gap));
	time->gap[time->gap_count++] = (struct gpu_long_gap){ lane, start_ns, end_ns - start_ns };
}

/* One more thing of the class runs, or one less. */
static void lane_change(struct gpu_time *time, uint32_t number, enum gpu_class class,
			uint64_t time_ns, bool begins)
{
	struct gpu_lane *lane = &time->lane[number];
	uint32_t *active = &lane->active[class];

	lane_charge(lane, time_ns);
	if (class != GPU_IS_ASKED && begins && lane->has_begun && gpu_time_is_idle(lane) &&
	    !lane->is_off)
		note_gap(time, number, gpu_time_later(lane->last_ns, lane->resumed_ns), time_ns);
	if (begins)
		++*active;
	else if (*active)
		--*active;
	if (lane->is_off)
		return;
	if (class == GPU_IS_ASKED) {
		lane->queue_max = *active > lane->queue_max ? *active : lane->queue_max;
		return;
	}
	if (!lane->has_begun)
		lane->first_ns = time_ns;
	lane->has_begun = true;
	if (time_ns > lane->last_ns)
		lane->last_ns = time_ns;
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

/* Reports the gap in the stream before the piece. */
static void piece_end_gap(struct gpu_time *time, const struct piece *piece)
{
	struct gpu_stream_time *stream = &time->stream[piece->stream];
	const struct gpu_lane *lane = &time->lane[stream->lane];
	uint64_t from_ns = gpu_time_later(stream->last_ns, lane->resumed_ns);
	uint64_t gap_ns = piece->start_ns > from_ns ? piece->start_ns - from_ns : 0;
	enum gpu_gap kind = GPU_GAP_OTHER;

	if (piece->call_ns > from_ns)
		kind = GPU_GAP_HOST;
	else if (gap_ns < KERNEL_DELAY_NS)
		kind = GPU_GAP_KERNEL;
	if (stream->has_work && gap_ns && !lane->is_off)
		gap_add(time, &(struct gpu_gap_found){ .stream = piece->stream,
						       .kind = kind,
						       .from_ns = from_ns,
						       .to_ns = piece->start_ns,
						       .has_call = piece->has_call,
						       .thread = piece->thread });
	stream->has_work = true;
	if (piece->end_ns > stream->last_ns)
		stream->last_ns = piece->end_ns;
}

/* --- pieces that run --- */

static void endings_put(struct endings *endings, struct ending ending)
{
	size_t at = endings->count++;

	endings->ending = memory_room(endings->ending, at, &endings->room, sizeof(ending));
	for (; at && endings->ending[(at - 1) / 2].end_ns > ending.end_ns; at = (at - 1) / 2)
		endings->ending[at] = endings->ending[(at - 1) / 2];
	endings->ending[at] = ending;
}

static struct ending endings_take(struct endings *endings)
{
	struct ending first = endings->ending[0], last = endings->ending[--endings->count];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < endings->count; at = child) {
		child += child + 1 < endings->count &&
			 endings->ending[child + 1].end_ns < endings->ending[child].end_ns;
		if (endings->ending[child].end_ns >= last.end_ns)
			break;
		endings->ending[at] = endings->ending[child];
	}
	endings->ending[at] = last;
	return first;
}

/* Ends the pieces that end at `time_ns` or before. */
static void endings_apply(struct gpu_time_state *mine, uint64_t time_ns)
{
	while (mine->endings.count && mine->endings.ending[0].end_ns <= time_ns) {
		struct ending ending = endings_take(&mine->endings);

		lane_change(&mine->time, ending.lane, (enum gpu_class)ending.class, ending.end_ns,
			    false);
	}
}

/* --- calls that wait --- */

/* Pieces whose calls have not begun to wait, in the order of their calls. */
struct askings {
	struct piece *piece;
	struct asking *asking; /* NULL: that is also the order of the pieces */
	size_t at, count, room;
};

static bool piece_asks(const struct piece *piece)
{
	return piece->has_call && !piece->is_asked;
}

static bool pieces_ask_in_order(const struct piece *piece, size_t count)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < count; i++) {
		if (!piece_asks(&piece[i]))
			continue;
		if (piece[i].call_ns < last_ns)
			return false;
		last_ns = piece[i].call_ns;
	}
	return true;
}

static struct askings askings_make(struct piece *piece, size_t pieces)
{
	struct askings askings = { .piece = piece, .count = pieces };

	if (pieces_ask_in_order(piece, pieces))
		return askings;
	askings.count = 0;
	for (size_t i = 0; i < pieces; i++) {
		if (!piece_asks(&piece[i]))
			continue;
		askings.asking = vast_room(askings.asking, askings.count, &askings.room,
					   sizeof(*askings.asking));
		askings.asking[askings.count++] = (struct asking){ piece[i].call_ns, i };
	}
	time_order_sort(askings.asking, askings.count, sizeof(*askings.asking));
	return askings;
}

/* Returns the next one; NULL: there is none. */
static struct piece *askings_first(struct askings *askings)
{
	if (askings->asking)
		return askings->at < askings->count
			       ? &askings->piece[askings->asking[askings->at].piece]
			       : NULL;
	while (askings->at < askings->count && !piece_asks(&askings->piece[askings->at]))
		askings->at++;
	return askings->at < askings->count ? &askings->piece[askings->at] : NULL;
}

/* Begins the waits of calls up to `time_ns`, and applies the ends that precede each of them. */
static void askings_apply(struct gpu_time_state *mine, struct askings *askings, uint64_t time_ns)
{
	struct piece *piece;

	while ((piece = askings_first(askings)) && piece->call_ns <= time_ns) {
		if (piece->call_ns)
			endings_apply(mine, piece->call_ns - 1);
		lane_change(&mine->time, mine->time.stream[piece->stream].lane, GPU_IS_ASKED,
			    piece->call_ns, true);
		piece->is_asked = true;
		askings->at++;
	}
}

/* --- windows --- */

/* What runs over the edge counts up to it, or from it on. */
static void lane_edge(struct gpu_lane *lane, const struct gpu_edge *edge)
{
	lane_charge(lane, edge->time_ns);
	if (!gpu_time_is_idle(lane) && !lane->has_begun) {
		lane->has_begun = edge->is_on;
		lane->first_ns = edge->time_ns;
	}
	if (!gpu_time_is_idle(lane) && edge->time_ns > lane->last_ns)
		lane->last_ns = edge->time_ns;
	lane->is_off = !edge->is_on;
	lane->resumed_ns = edge->is_on ? edge->time_ns : lane->resumed_ns;
}

/* Applies what comes up to that time in order, and the edges of windows among it. */
static void edges_apply(struct gpu_time_state *mine, struct askings *askings, uint64_t time_ns)
{
	struct gpu_time *time = &mine->time;

	for (;
	     mine->edges_done < time->edge_count && time->edge[mine->edges_done].time_ns <= time_ns;
	     mine->edges_done++) {
		const struct gpu_edge *edge = &time->edge[mine->edges_done];

		askings_apply(mine, askings, edge->time_ns);
		endings_apply(mine, edge->time_ns);
		for (size_t i = 0; i < time->lane_count; i++)
			if (time->lane[i].process == edge->process)
				lane_edge(&time->lane[i], edge);
	}
	askings_apply(mine, askings, time_ns);
}

uint64_t gpu_time_span(const struct gpu_time *time, const struct gpu_lane *lane)
{
	uint64_t span_ns = lane->last_ns - lane->first_ns, off_ns = UINT64_MAX;

	for (size_t i = 0; i < time->edge_count; i++) {
		const struct gpu_edge *edge = &time->edge[i];
		uint64_t at_ns = edge->time_ns < lane->first_ns  ? lane->first_ns
				 : edge->time_ns > lane->last_ns ? lane->last_ns
								 : edge->time_ns;

		if (edge->process != lane->process)
			continue;
		if (edge->is_on && off_ns != UINT64_MAX)
			span_ns -= at_ns - off_ns;
		off_ns = edge->is_on ? UINT64_MAX : at_ns;
	}
	return off_ns == UINT64_MAX ? span_ns : span_ns - (lane->last_ns - off_ns);
}

/* Segments repeat the last edge, which changes nothing. */
static void gpu_time_take_window(void *state, const struct source_event *event, bool counts)
{
	bool is_on = EVENT_AS(gpu_window, &event->event)->on != 0, was_on = true;
	uint32_t process = event->process->index;
	struct gpu_time *time = state;

	(void)counts;
	for (size_t i = time->edge_count; i; i--)
		if (time->edge[i - 1].process == process) {
			was_on = time->edge[i - 1].is_on;
			break;
		}
	if (is_on == was_on)
		return;
	time->edge = memory_room(time->edge, time->edge_count, &time->edge_room,
				 sizeof(*time->edge));
	time->edge[time->edge_count++] = (struct gpu_edge){ event->event.time_ns, process, is_on };
}

/* --- all work so far --- */

static void piece_begin(struct gpu_time_state *mine, const struct piece *piece)
{
	uint32_t lane = mine->time.stream[piece->stream].lane;

	lane_change(&mine->time, lane, (enum gpu_class)piece->class, piece->start_ns, true);
	if (piece->has_call)
		lane_change(&mine->time, lane, GPU_IS_ASKED, piece->start_ns, false);
	endings_put(&mine->endings, (struct ending){ piece->end_ns, lane, (uint8_t)piece->class });
	piece_end_gap(&mine->time, piece);
}

/*
 * Applies everything up to that time, in order. At equal times a call's wait begins first, then
 * work begins, then work ends: so there is no gap between two pieces that follow each other
 * directly.
 */
static void gpu_time_flush(struct gpu_time_state *mine, uint64_t upto_ns)
{
	struct piece *piece = mine->piece ? mine->piece + mine->piece_first : NULL;
	size_t count = mine->piece_count - mine->piece_first, begun = 0;
	struct askings askings;

	time_order_sort(piece, count, sizeof(*piece));
	askings = askings_make(piece, count);
	for (; begun < count && piece[begun].start_ns <= upto_ns; begun++) {
		uint64_t start_ns = piece[begun].start_ns;

		edges_apply(mine, &askings, start_ns);
		if (start_ns)
			endings_apply(mine, start_ns - 1);
		piece_begin(mine, &piece[begun]);
	}
	edges_apply(mine, &askings, upto_ns);
	endings_apply(mine, upto_ns);
	vast_release(askings.asking, askings.room, sizeof(*askings.asking));
	mine->piece_first += begun;
	mine->time.done_ns = upto_ns;
}

/* Removes pieces that have begun, once they are half of all. */
static void pieces_compact(struct gpu_time_state *mine)
{
	size_t left = mine->piece_count - mine->piece_first;

	if (mine->piece_first < left)
		return;
	if (left)
		memmove(mine->piece, &mine->piece[mine->piece_first], left * sizeof(*mine->piece));
	mine->piece_count = left;
	mine->piece_first = 0;
}

/* --- the analysis --- */

void gpu_time_listen(struct gpu_time *time, gpu_gap_take *take, void *state)
{
	time->take_gap = take;
	time->taker = state;
}

static void gpu_time_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .take = gpu_time_take_work,
							   .takes_uncorrelated = true };
	struct gpu_time_state *mine = state;

	(void)options;
	mine->run = run;
	map_init(&mine->lanes);
	map_init(&mine->streams);
	mine->time.told = deferred_want(run);
	deferred_listen(mine->time.told, &listener, mine);
	run_reads(run, EVT_gpu_busy, FIELDS_ALL, gpu_time_take_busy, mine);
	run_reads(run, EVT_gpu_window, FIELDS_ALL, gpu_time_take_window, mine);
}

static void gpu_time_settle(void *state, uint64_t upto_ns)
{
	struct gpu_time_state *mine = state;

	if (upto_ns != UINT64_MAX && upto_ns > mine->time.done_ns + FLUSH_NS + DEFERRED_WAIT_NS)
		gpu_time_flush(mine, upto_ns - DEFERRED_WAIT_NS);
	pieces_compact(mine);
}

static void gpu_time_finish(void *state)
{
	gpu_time_flush(state, UINT64_MAX);
}

static void gpu_time_release(void *state)
{
	struct gpu_time_state *mine = state;

	map_release(&mine->lanes);
	map_release(&mine->streams);
	free(mine->endings.ending);
	vast_release(mine->piece, mine->piece_room, sizeof(*mine->piece));
	free(mine->time.lane);
	free(mine->time.stream);
	free(mine->time.gap);
	free(mine->time.edge);
}

const struct analysis_kind analysis_gpu_time = {
	.name = "gpu time",
	.state_bytes = sizeof(struct gpu_time_state),
	.options_bytes = sizeof(struct gpu_time_options),
	.start = gpu_time_start,
	.settle = gpu_time_settle,
	.finish = gpu_time_finish,
	.release = gpu_time_release,
};
