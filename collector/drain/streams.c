/* SPDX-License-Identifier: MIT */
/*
 * A ring is given back only if its thread cannot write any more: the thread is gone (tgkill() with
 * signal 0 tells) or its process is, and the ring was empty after that.
 */
#include "collector/drain/streams.h"

#include <stdlib.h>
#include <string.h>

#include "collector/drain/thread_life.h"

#define VISITS 64u /* threads examined per turn */

int streams_init(struct streams *streams, const struct common *common)
{
	uint32_t count = common->view.shape.ring_count;

	*streams = (struct streams){ 0 };
	streams->slot = calloc(count, sizeof(*streams->slot));
	streams->active = calloc(count, sizeof(*streams->active));
	return streams->slot && streams->active ? 0 : -1;
}

void streams_release(struct streams *streams, struct common *common)
{
	for (uint32_t i = 0; i < streams->active_count; i++) {
		names_drop_text(&common->names, &streams->slot[streams->active[i]].text);
		stream_waits_release(&streams->slot[streams->active[i]].waits);
	}
	thread_waits_release(&streams->waits);
	open_calls_release(&streams->open_calls);
	free(streams->slot);
	free(streams->active);
	*streams = (struct streams){ 0 };
}

/* A ring whose owner cannot be known was overwritten by the program. */
static void ring_refuse(struct common *common, struct region_ring *ring)
{
	atomic_store(&ring->state, REGION_RING_CLOSED);
	common->lost++;
	JOURNAL_ADD(&common->journal, clockmap_ns(&common->clock, clockmap_now(&common->clock)),
		    lost, .count = 1, .reason = EVT_LOST_SCRIBBLED);
}

static void stream_take_name(struct stream *stream, struct common *common, uint64_t now_ns,
			     const char *name, size_t length)
{
	if (!length || (length == stream->name_length && !memcmp(name, stream->name, length)))
		return;
	memcpy(stream->name, name, length);
	stream->name_length = (uint8_t)length;
	JOURNAL_ADD(&common->journal, now_ns, thread_name, .process = stream->process->number,
		    .tid = stream->tid, .name = names_id_text(&common->names, name, length));
}

static void stream_tell_name(struct stream *stream, struct common *common, uint64_t now_ns)
{
	char name[PROC_NAME_BYTES];

	if (!stream->process->pid || stream->process->gone || stream->process->moved)
		return;
	stream_take_name(stream, common, now_ns, name,
			 proc_thread_name(stream->process->pid, stream->tid, name, sizeof(name)));
}

/* Records the thread's name at its end, or its process's; its ids may be others' by now. */
static void stream_tell_last_name(struct stream *stream, struct common *common, uint64_t now_ns)
{
	const struct region_ring *ring = &common->view.ring[stream->index];
	char name[REGION_NAME_WORDS * sizeof(uint64_t)];

	for (unsigned int i = 0; i < REGION_NAME_WORDS; i++) {
		uint64_t word = view_load64(&ring->name[i]);

		memcpy(name + i * sizeof(word), &word, sizeof(word));
	}
	stream_take_name(stream, common, now_ns, name, strnlen(name, sizeof(name)));
}

/* What the stream's thread did before its first record, at `first_ns`. */
static struct thread_life stream_life(struct streams *streams, const struct stream *stream,
				      const struct common *common, uint64_t first_ns)
{
	const struct region_ring *ring = &common->view.ring[stream->index];
	const struct process *process = stream->process;
	uint64_t before_ns = view_load64(&ring->before_cpu_ns);
	struct thread_facts facts = {
		.process_ns = process->start_ns,
		.first_ns = first_ns,
		.born_ns = THREAD_LIFE_UNKNOWN,
		.cpu_ns = view_load64(&ring->start_cpu_ns),
		.before_cpu_ns = before_ns == REGION_CPU_UNKNOWN ? THREAD_LIFE_UNKNOWN : before_ns,
	};

	if (!process->pid || process->gone || process->moved ||
	    !thread_born_read(common, process->pid, stream->tid, &facts.born_ns, &facts.tick_ns))
		silent_threads_born(&streams->silent, process->pid, stream->tid, &facts.born_ns,
				    &facts.tick_ns);
	return thread_life_of(&facts);
}

void stream_put_sched(struct stream *stream, struct common *common, uint64_t time_ns,
		      const struct thread_sched *sched)
{
	JOURNAL_ADD(&common->journal, time_ns, thread_sched, .stream = stream->number,
		    .cpu_ns = sched->cpu_ns, .runnable_ns = sched->runnable_ns,
		    .voluntary = sched->voluntary, .involuntary = sched->involuntary);
	stream->sched = *sched;
}

/*
 * What was seen of the thread while it was silent: at its begin, and last. It may be gone by now.
 * Numbers that its own clock at its first record rules out are of an earlier thread with its id.
 */
static void stream_tell_sched(struct streams *streams, struct stream *stream, struct common *common,
			      uint64_t first_ns)
{
	uint64_t now_ns = clockmap_ns(&common->clock, clockmap_now(&common->clock));
	uint64_t cpu_ns = view_load64(&common->view.ring[stream->index].start_cpu_ns);
	struct thread_sched seen[2];

	if (stream->is_second ||
	    !silent_threads_take_sched(&streams->silent, stream->process->pid, stream->tid, seen))
		return;
	if (cpu_ns && seen[1].cpu_ns > cpu_ns && seen[1].cpu_ns - cpu_ns > now_ns - first_ns)
		return;
	stream_put_sched(stream, common, first_ns, &seen[0]);
	if (seen[1].looks > seen[0].looks)
		stream_put_sched(stream, common, first_ns, &seen[1]);
}

static void stream_begin(struct streams *streams, struct common *common, uint32_t index,
			 struct process *process)
{
	const struct region_ring *ring = &common->view.ring[index];
	struct stream *stream = &streams->slot[index];
	uint32_t level = view_load32(&ring->level);
	struct thread_life life;
	uint64_t first_ns;

	*stream = (struct stream){
		.number = ++streams->numbers,
		.index = index,
		.serial = view_load32(&ring->serial),
		.tid = view_load32(&ring->tid),
		.process = process,
		.is_second = level != 0,
	};
	stream->words = view_ring_words(&common->view, index, &stream->word_count);
	streams->active[streams->active_count++] = index;
	first_ns = common_ns(common, view_load64(&ring->start_tsc));
	life = stream_life(streams, stream, common, first_ns);
	JOURNAL_ADD(&common->journal, first_ns, thread, .stream = stream->number,
		    .process = process->number, .tid = stream->tid, .level = level ? 1 : 0,
		    .cpu_ns = view_load64(&ring->start_cpu_ns), .lived_ns = life.lived_ns,
		    .used_ns = life.used_ns);
	stream_tell_name(stream, common, first_ns);
	stream_tell_sched(streams, stream, common, first_ns);
}

static void ring_scan(struct streams *streams, struct common *common, struct processes *processes,
		      uint32_t index)
{
	struct region_ring *ring = &common->view.ring[index];
	uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);
	struct process *process;
	uint32_t entry;

	if (streams->slot[index].number ||
	    (state != REGION_RING_LIVE && state != REGION_RING_RETIRED))
		return;
	entry = view_load32(&ring->process);
	if (entry >= REGION_PROCESSES) {
		ring_refuse(common, ring);
		return;
	}
	/* not known yet: the process is LIVE before its rings, so the next scan will know it */
	process = processes_find(processes, entry, view_load32(&ring->process_serial));
	if (process)
		stream_begin(streams, common, index, process);
}

void streams_scan(struct streams *streams, struct common *common, struct processes *processes)
{
	for (unsigned int tier = 0; tier < REGION_CLASSES; tier++) {
		const struct region_class *c = &common->view.shape.class[tier];
		uint32_t limit = atomic_load(&common->view.header->ring_limit[tier]);

		for (uint32_t i = 0; i < c->count && i < limit; i++)
			ring_scan(streams, common, processes, c->first + i);
	}
}

void stream_publish(const struct stream *stream, struct region_ring *ring)
{
	atomic_store_explicit(&ring->tail, stream->tail, memory_order_release);
	/*
	 * orders the tail before the check for waiters; pairs with the producer, which sets waiters
	 * before it reads the tail
	 */
	atomic_fetch_add_explicit(&ring->progress, 1, memory_order_seq_cst);
	if (!atomic_load_explicit(&ring->waiters, memory_order_seq_cst))
		return;
	/*
	 * same condition as room.c's ring_has_room(): waking a thread for every batch would
	 * only waste time
	 */
	if (view_load64(&ring->head) - stream->tail <= stream->word_count - stream->word_count / 4)
		view_futex_wake(&ring->progress);
}

void stream_close(struct stream *stream, struct common *common, uint64_t now_ns)
{
	struct region_ring *ring = &common->view.ring[stream->index];

	stream->closed = true;
	stream->stack = 0;
	atomic_store(&ring->state, REGION_RING_CLOSED);
	view_futex_wake(&ring->progress);
	common->lost++;
	JOURNAL_ADD(&common->journal, now_ns, lost, .process = stream->process->number,
		    .stream = stream->number, .count = 1, .reason = EVT_LOST_SCRIBBLED);
}

static uint64_t stream_tell_losses(struct stream *stream, struct common *common, uint64_t now_ns)
{
	uint64_t dropped = view_load64(&common->view.ring[stream->index].dropped);
	uint64_t growth = dropped > stream->dropped ? dropped - stream->dropped : 0;

	stream->dropped = dropped;
	if (stream->closed || !growth)
		return 0;
	JOURNAL_ADD(&common->journal, now_ns, lost, .process = stream->process->number,
		    .stream = stream->number, .count = growth, .reason = EVT_LOST_FULL);
	return growth;
}

uint64_t streams_tell_losses(struct streams *streams, struct common *common, uint64_t now_ns)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < streams->active_count; i++)
		lost += stream_tell_losses(&streams->slot[streams->active[i]], common, now_ns);
	return lost;
}

/* Its process ends: calls that its thread is in, once. */
static void stream_take_open_calls(struct streams *streams, struct stream *stream,
				   struct common *common, uint64_t now_ns)
{
	if (stream->open_calls_taken)
		return;
	thread_waits_take_last(&streams->waits, stream, common, now_ns);
	thread_waits_take_io(&streams->waits, stream, common,
			     process_end_ns(common, stream->process, now_ns));
	open_calls_take(&streams->open_calls, stream, common, now_ns);
}

static void ring_free(struct region_ring *ring)
{
	atomic_store(&ring->head, 0);
	atomic_store(&ring->tail, 0);
	atomic_store(&ring->dropped, 0);
	atomic_store(&ring->end_tsc, 0);
	atomic_store(&ring->waiters, 0);
	atomic_store_explicit(&ring->state, REGION_RING_FREE, memory_order_release);
}

/* Frees the slot `active[at]`. */
static void stream_end(struct streams *streams, struct common *common, uint32_t at, uint64_t now_ns)
{
	struct stream *stream = &streams->slot[streams->active[at]];
	struct region_ring *ring = &common->view.ring[stream->index];
	uint64_t end_tsc = view_load64(&ring->end_tsc);
	uint64_t end_ns = end_tsc ? common_ns(common, end_tsc) : now_ns;
	uint64_t newest = stream->newest_ticks, waits_ns;

	if (end_ns > now_ns)
		end_ns = now_ns;
	/* a thread may write after it was retired */
	waits_ns = newest ? clockmap_ns(&common->clock, newest) : 0;
	waits_ns = waits_ns > end_ns ? waits_ns : end_ns;
	common->lost += stream_tell_losses(stream, common, now_ns);
	thread_waits_take(&streams->waits, stream, common, waits_ns);
	thread_waits_take_io(&streams->waits, stream, common, waits_ns);
	if (stream->process->gone && !stream->process->told)
		stream_take_open_calls(streams, stream, common, now_ns);
	stream_waits_release(&stream->waits);
	JOURNAL_ADD(&common->journal, end_ns, thread_end, .stream = stream->number,
		    .cpu_ns = end_tsc ? view_load64(&ring->end_cpu_ns) : 0);
	names_drop_text(&common->names, &stream->text);
	ring_free(ring);
	view_ring_is_free(&common->view, stream->index);
	stream->number = 0;
	streams->active[at] = streams->active[--streams->active_count];
}

/* Nobody can write into it any more. If /proc does not show the pid, the thread counts as alive. */
static bool stream_is_abandoned(const struct stream *stream, bool retired, bool ask)
{
	if (stream->process->gone)
		return true;
	return (retired || ask) && stream->process->pid && !stream->process->moved &&
	       !proc_thread_exists(stream->process->pid, stream->tid);
}

void streams_reap(struct streams *streams, struct common *common, uint64_t now_ns, bool names)
{
	uint32_t count = streams->active_count;
	uint32_t from = names && count ? streams->visit % count : 0;

	for (uint32_t i = count; i-- > 0;) {
		struct stream *stream = &streams->slot[streams->active[i]];
		struct region_ring *ring = &common->view.ring[stream->index];
		bool retired = atomic_load(&ring->state) == REGION_RING_RETIRED;
		bool ask = names && (i + count - from) % count < VISITS;

		if (retired || stream->process->gone)
			stream_tell_last_name(stream, common, now_ns);
		else if (ask)
			stream_tell_name(stream, common, now_ns);
		if (stream_is_abandoned(stream, retired, ask) && !stream_backlog(stream, ring))
			stream_end(streams, common, i, now_ns);
	}
	if (names)
		streams->visit = from + VISITS;
}

void streams_take_open_calls(struct streams *streams, struct common *common,
			     const struct process *process, uint64_t now_ns)
{
	for (uint32_t i = 0; i < streams->active_count; i++) {
		struct stream *stream = &streams->slot[streams->active[i]];

		if (stream->process == process)
			stream_take_open_calls(streams, stream, common, now_ns);
	}
}

bool streams_have_waits(const struct streams *streams, struct common *common)
{
	bool any = false;

	for (uint32_t i = 0; i < streams->active_count && !any; i++)
		any = thread_waits_are_due(&streams->slot[streams->active[i]], common);
	return any;
}

void streams_take_waits(struct streams *streams, struct common *common, uint64_t now_ns)
{
	if (!view_family_word(&common->view, EVT_FAMILY_osrt))
		return;
	for (uint32_t i = 0; i < streams->active_count; i++)
		thread_waits_take(&streams->waits, &streams->slot[streams->active[i]], common,
				  now_ns);
}

void streams_tell_names(struct streams *streams, struct common *common,
			const struct process *process, uint64_t now_ns)
{
	for (uint32_t i = 0; i < streams->active_count; i++) {
		struct stream *stream = &streams->slot[streams->active[i]];

		if (stream->process == process)
			stream_tell_name(stream, common, now_ns);
	}
}

bool streams_has_process(const struct streams *streams, const struct process *process)
{
	for (uint32_t i = 0; i < streams->active_count; i++) {
		if (streams->slot[streams->active[i]].process == process)
			return true;
	}
	return false;
}
