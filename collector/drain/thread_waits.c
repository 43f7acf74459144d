/* SPDX-License-Identifier: MIT */
/*
 * Sums in the region only grow while a ring is claimed, so the growth since the last look is new. A
 * thread that still runs may write while its call is read; so `start` is read before and after.
 */
#include "collector/drain/thread_waits.h"

#include <stdlib.h>
#include <string.h>

#include "collector/drain/streams.h"

static const char *const names_of_calls[] = {
#define WAIT_CALL(name) #name,
#include "collector/region/wait_calls.def"
};

void thread_waits_release(struct thread_waits *waits)
{
	free(waits->wait);
	*waits = (struct thread_waits){ 0 };
}

void stream_waits_release(struct stream_waits *told)
{
	free(told->sum);
	*told = (struct stream_waits){ 0 };
}

static struct thread_wait *wait_add(struct thread_waits *waits, const struct stream *stream,
				    uint32_t event, uint64_t time_ns)
{
	struct thread_wait *wait;

	if (waits->count == waits->room) {
		uint32_t room = waits->room ? 2 * waits->room : 64;
		void *more = room > THREAD_WAITS_MAX
				     ? NULL
				     : realloc(waits->wait, room * sizeof(*waits->wait));

		if (!more)
			return NULL;
		waits->wait = more;
		waits->room = room;
	}
	wait = &waits->wait[waits->count++];
	*wait = (struct thread_wait){ stream->number, event, time_ns, { 0 } };
	return wait;
}

static uint64_t call_name_id(struct common *common, uint32_t call)
{
	return names_id_text(&common->names, names_of_calls[call], strlen(names_of_calls[call]));
}

/* --- short calls --- */

static uint64_t ticks_ns(struct common *common, uint64_t ticks, uint64_t now_ns)
{
	uint64_t now = clockmap_now(&common->clock), then;

	if (ticks > now)
		return now_ns;
	then = clockmap_ns(&common->clock, now - ticks);
	now = clockmap_ns(&common->clock, now);
	return now > then ? now - then : 0;
}

static void sum_take(struct thread_waits *waits, struct stream *stream, struct common *common,
		     const struct region_waits *seen, uint32_t call, uint64_t now_ns)
{
	uint64_t calls = view_load64(&seen->sum[call].calls);
	uint64_t ticks = view_load64(&seen->sum[call].ticks);
	struct thread_wait *wait;

	if (calls <= stream->waits.sum[call].calls)
		return;
	wait = wait_add(waits, stream, EVT_osrt_short, now_ns);
	if (wait) {
		wait->value[0] = call_name_id(common, call);
		wait->value[1] = calls - stream->waits.sum[call].calls;
		if (ticks > stream->waits.sum[call].ticks)
			wait->value[2] = ticks_ns(common, ticks - stream->waits.sum[call].ticks,
						  now_ns);
	} else {
		waits->refused++;
	}
	stream->waits.sum[call].calls = calls;
	stream->waits.sum[call].ticks = ticks;
}

static void sums_take(struct thread_waits *waits, struct stream *stream, struct common *common,
		      const struct region_waits *seen, uint64_t now_ns)
{
	if (!stream->waits.sum)
		stream->waits.sum = calloc(REGION_WAIT_LIMIT, sizeof(*stream->waits.sum));
	if (!stream->waits.sum)
		return;
	for (uint32_t call = 0; call < REGION_WAIT_LIMIT; call++)
		sum_take(waits, stream, common, seen, call, now_ns);
}

void thread_waits_take_io(struct thread_waits *waits, struct stream *stream, struct common *common,
			  uint64_t now_ns)
{
	uint64_t word = view_family_word(&common->view, EVT_FAMILY_io), calls;
	const struct region_waits *seen;
	struct thread_wait *wait;

	if (word < 2 || stream->closed || stream->waits.io_taken)
		return;
	stream->waits.io_taken = true;
	seen = region_waits_of(common->view.header, &common->view.shape, stream->index);
	calls = seen ? view_load64(&seen->io_calls) : 0;
	wait = calls ? wait_add(waits, stream, EVT_io_short, now_ns) : NULL;
	if (wait) {
		wait->value[0] = calls;
		wait->value[1] = word - 1;
		wait->value[2] = ticks_ns(common, view_load64(&seen->io_ticks), now_ns);
	} else if (calls) {
		waits->refused++;
	}
}

/* --- calls that have not returned --- */

struct wait_seen {
	uint64_t start, object, owner, caller;
	uint32_t call, kind;
};

/*
 * Returns false if the thread is in no wait. One that left it by longjmp() has recorded something
 * since, or will.
 */
static bool thread_wait_read(const struct region_waits *waits, const struct region_ring *ring,
			     struct wait_seen *ret_seen)
{
	uint64_t start = view_load64(&waits->start), head;
	struct wait_seen seen;

	if (!start)
		return false;
	atomic_thread_fence(memory_order_acquire);
	seen = (struct wait_seen){ start,
				   view_load64(&waits->object),
				   view_load64(&waits->owner),
				   view_load64(&waits->caller),
				   view_load32(&waits->call),
				   view_load32(&waits->kind) };
	head = view_load64(&waits->head);
	atomic_thread_fence(memory_order_acquire);
	if (view_load64(&waits->start) != start || head != view_load64(&ring->head) ||
	    seen.call >= REGION_WAIT_LIMIT)
		return false;
	*ret_seen = seen;
	return true;
}

static void open_take(struct thread_waits *waits, const struct stream *stream,
		      struct common *common, const struct wait_seen *seen, uint32_t event,
		      uint64_t now_ns)
{
	uint64_t start_ns = clockmap_ns(&common->clock, seen->start);
	struct thread_wait *wait = wait_add(waits, stream, event, now_ns);

	if (!wait) {
		waits->refused++;
		return;
	}
	wait->value[0] = call_name_id(common, seen->call);
	wait->value[1] = seen->kind;
	wait->value[2] = seen->object;
	wait->value[3] = seen->owner;
	wait->value[4] = now_ns > start_ns ? now_ns - start_ns : 0;
	wait->value[5] = seen->caller;
}

static const struct region_waits *waits_of_stream(const struct stream *stream,
						  const struct common *common)
{
	if (stream->closed || !view_family_word(&common->view, EVT_FAMILY_osrt))
		return NULL;
	return region_waits_of(common->view.header, &common->view.shape, stream->index);
}

/* How long a call has to last until it is said to go on, or said again. */
static uint64_t thread_wait_least_ns(const struct stream_waits *told, uint64_t start)
{
	if (start != told->waiting)
		return THREAD_WAITS_LONG_NS;
	return told->waited_ns +
	       (told->waited_ns < THREAD_WAITS_AGAIN_NS ? told->waited_ns : THREAD_WAITS_AGAIN_NS);
}

/* A call that is long at that time, and so much longer than when it was told of last. */
static bool thread_wait_is_due(const struct stream *stream, struct common *common,
			       const struct region_waits *seen, uint64_t now_ns,
			       struct wait_seen *ret_open)
{
	return thread_wait_read(seen, &common->view.ring[stream->index], ret_open) &&
	       clockmap_ns(&common->clock, ret_open->start) +
			       thread_wait_least_ns(&stream->waits, ret_open->start) <=
		       now_ns;
}

bool thread_waits_are_due(const struct stream *stream, struct common *common)
{
	const struct region_waits *seen = waits_of_stream(stream, common);
	struct wait_seen open;

	return seen &&
	       thread_wait_is_due(stream, common, seen,
				  clockmap_ns(&common->clock, clockmap_now(&common->clock)), &open);
}

void thread_waits_take(struct thread_waits *waits, struct stream *stream, struct common *common,
		       uint64_t now_ns)
{
	const struct region_waits *seen = waits_of_stream(stream, common);
	struct wait_seen open;

	if (!seen)
		return;
	sums_take(waits, stream, common, seen, now_ns);
	if (!thread_wait_is_due(stream, common, seen, now_ns, &open))
		return;
	stream->waits.waiting = open.start;
	stream->waits.waited_ns = now_ns - clockmap_ns(&common->clock, open.start);
	open_take(waits, stream, common, &open, EVT_osrt_waiting, now_ns);
}

void thread_waits_take_last(struct thread_waits *waits, struct stream *stream,
			    struct common *common, uint64_t now_ns)
{
	const struct region_waits *seen = waits_of_stream(stream, common);
	struct wait_seen open;
	uint64_t end_ns;

	if (!seen || !thread_wait_read(seen, &common->view.ring[stream->index], &open) ||
	    open.start > clockmap_now(&common->clock))
		return;
	/* the process was alive when the call began, so it cannot have ended before that */
	if (open.start > stream->process->newest_ticks)
		stream->process->newest_ticks = open.start;
	end_ns = process_end_ns(common, stream->process, now_ns);
	/* one that began in the last moment may seem to begin after the end: its time is 0 */
	open_take(waits, stream, common, &open, EVT_osrt_unfinished, end_ns);
}

/* --- into the frame --- */

static int wait_put(const struct thread_wait *wait, struct frame_writer *fw)
{
	const uint64_t *v = wait->value;

	if (wait->event == EVT_io_short)
		return FRAME_PUT(fw, wait->time_ns, io_short, .calls = v[0], .least_ns = v[1],
				 .total = v[2]);
	if (wait->event == EVT_osrt_short)
		return FRAME_PUT(fw, wait->time_ns, osrt_short, .function = v[0], .calls = v[1],
				 .total_ns = v[2]);
	if (wait->event == EVT_osrt_waiting)
		return FRAME_PUT(fw, wait->time_ns, osrt_waiting, .function = v[0], .kind = v[1],
				 .object = v[2], .owner = v[3], .duration_ns = v[4],
				 .caller = v[5]);
	return FRAME_PUT(fw, wait->time_ns, osrt_unfinished, .function = v[0], .kind = v[1],
			 .object = v[2], .owner = v[3], .duration_ns = v[4], .caller = v[5]);
}

/* Blocks of one stream belong together: entries come stream by stream. */
uint32_t thread_waits_write(struct thread_waits *waits, struct frame_writer *fw)
{
	uint32_t written = 0;

	for (uint32_t i = 0; i < waits->count; i++) {
		frame_begin_block(fw, waits->wait[i].stream);
		if (frame_block_room(fw) && !wait_put(&waits->wait[i], fw))
			written++;
		else
			waits->refused++;
		frame_end_block(fw);
	}
	waits->count = 0;
	return written;
}
