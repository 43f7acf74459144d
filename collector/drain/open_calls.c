/* SPDX-License-Identifier: MIT */
/* A thread that is still running may write while we read, so `start` is read before and after. */
#include "collector/drain/open_calls.h"

#include <stdlib.h>

#include "collector/drain/streams.h"

static const uint16_t events[REGION_OPEN_LIMIT] = {
	[REGION_OPEN_io] = EVT_io_unfinished,
	[REGION_OPEN_cuda] = EVT_cuda_unfinished,
};

void open_calls_release(struct open_calls *calls)
{
	free(calls->call);
	*calls = (struct open_calls){ 0 };
}

static struct open_call *call_add(struct open_calls *calls)
{
	if (calls->count == calls->room) {
		uint32_t room = calls->room ? 2 * calls->room : 64;
		void *more = room > OPEN_CALLS_MAX
				     ? NULL
				     : realloc(calls->call, room * sizeof(*calls->call));

		if (!more) {
			calls->refused++;
			return NULL;
		}
		calls->call = more;
		calls->room = room;
	}
	return &calls->call[calls->count++];
}

/* Reads what the region says. Returns false if the thread is in no such call. */
static bool call_read(const struct region_ring *ring, enum region_open kind,
		      struct region_open_call *ret_call)
{
	const struct region_open_call *open = &ring->open[kind];
	uint64_t start = view_load64(&open->start), function, head;
	int64_t fd;

	if (!start)
		return false;
	atomic_thread_fence(memory_order_acquire);
	function = view_load64(&open->function);
	fd = (int64_t)view_load64(&open->fd);
	head = view_load64(&open->head);
	atomic_thread_fence(memory_order_acquire);
	if (view_load64(&open->start) != start)
		return false;
	*ret_call = (struct region_open_call){ start, function, fd, head };
	return true;
}

/* The process was alive when the call began, so it cannot have ended before that. */
static void call_keep(struct open_calls *calls, const struct stream *stream, struct common *common,
		      const struct region_open_call *open, uint32_t event, uint64_t now_ns)
{
	uint64_t start_ns = clockmap_ns(&common->clock, open->start), end_ns;
	struct open_call *call;

	if (open->start > stream->process->newest_ticks)
		stream->process->newest_ticks = open->start;
	end_ns = process_end_ns(common, stream->process, now_ns);
	call = start_ns < end_ns ? call_add(calls) : NULL;
	if (call)
		*call = (struct open_call){
			stream->number,
			event,
			end_ns,
			start_ns,
			names_id(&common->names, open->function),
			open->fd,
		};
}

void open_calls_take(struct open_calls *calls, struct stream *stream, struct common *common,
		     uint64_t now_ns)
{
	struct region_ring *ring = &common->view.ring[stream->index];

	if (stream->closed || stream->open_calls_taken)
		return;
	stream->open_calls_taken = true;
	for (unsigned int kind = 0; kind < REGION_OPEN_LIMIT; kind++) {
		struct region_open_call open;

		if (!call_read(ring, (enum region_open)kind, &open) ||
		    (kind == REGION_OPEN_io && open.head != view_load64(&ring->head)) ||
		    open.start > clockmap_now(&common->clock))
			continue;
		call_keep(calls, stream, common, &open, events[kind], now_ns);
	}
}

static int call_put(const struct open_call *call, struct frame_writer *fw)
{
	uint64_t duration_ns = call->end_ns - call->start_ns;

	if (call->event == EVT_io_unfinished)
		return FRAME_PUT(fw, call->end_ns, io_unfinished, .function = call->function,
				 .fd = (uint64_t)call->fd, .duration = duration_ns);
	return FRAME_PUT(fw, call->end_ns, cuda_unfinished, .function = call->function,
			 .duration_ns = duration_ns);
}

uint32_t open_calls_write(struct open_calls *calls, struct frame_writer *fw)
{
	uint32_t written = 0;

	for (uint32_t i = 0; i < calls->count; i++) {
		frame_begin_block(fw, calls->call[i].stream);
		if (frame_block_room(fw) && !call_put(&calls->call[i], fw))
			written++;
		else
			calls->refused++;
		frame_end_block(fw);
	}
	calls->count = 0;
	return written;
}
