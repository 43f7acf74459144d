/* SPDX-License-Identifier: MIT */
/*
 * Every ring is drained up to one time, the watermark, so that an effect is never in an earlier
 * frame than its cause. A frame that would grow beyond EPOCH_BYTES is written with the old
 * watermark, and draining continues in the next frame.
 */
#include "collector/turn/epoch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/turn/self.h"

#define MS 1000000ull
#define EPOCH_BYTES (FRAME_BYTES_MAX / 8) /* leaves room for the journal */
/* words of one ring that are drained before the frame's size is checked */
#define STEP_WORDS (128u << 10)
#define STEER_NS (100 * MS)
#define PROC_NS (500 * MS)       /* a killed process gets the CPU time of the last look */
#define PROC_MANY_NS (2000 * MS) /* with many processes; a look costs 20 us per process */
#define PROC_MANY 64u
#define RETRY_NS (1000 * MS)
#define LOOKS_MAX 4              /* limit for looks at the maps while processes appear and end */
#define LAST_MARGIN (1ull << 32) /* in ticks, because the clocks of cores may differ slightly */

struct cut {
	enum epoch_kind kind;
	struct clockmap_sync sync;
	uint64_t limit; /* watermark in ticks */
	uint64_t now_ns;
	uint64_t steady_ns;
	bool complete; /* everything up to the limit is in the frame */
};

bool epoch_is_pending(const struct collector *c)
{
	if (c->drain.in_frame || c->common.journal.count || c->streams.open_calls.count ||
	    c->streams.waits.count || sources_are_pending(&c->sources))
		return true;
	for (uint32_t i = 0; i < c->streams.active_count; i++) {
		const struct stream *stream = &c->streams.slot[c->streams.active[i]];

		if (stream_backlog(stream, &c->common.view.ring[stream->index]))
			return true;
	}
	return false;
}

static struct cut cut_take(const struct collector *c, enum epoch_kind kind)
{
	struct cut cut = { .kind = kind, .steady_ns = self_steady_ns() };

	clockmap_sample(&c->common.clock, &cut.sync);
	cut.limit = cut.sync.tsc > c->common.view.base_tsc ? cut.sync.tsc - c->common.view.base_tsc
							   : 0;
	if (kind == EPOCH_FULL && c->drain.newest < cut.limit)
		cut.limit = c->drain.newest;
	cut.now_ns = clockmap_ns(&c->common.clock, cut.limit);
	return cut;
}

/* Drains one ring up to the limit. Returns false if the frame must be written first. */
static bool cut_drain(struct collector *c, const struct cut *cut, struct stream *stream)
{
	uint64_t limit = cut->kind == EPOCH_LAST ? cut->limit + LAST_MARGIN : cut->limit;
	enum drain_result result = DRAIN_MORE;

	while (result == DRAIN_MORE && frame_bytes(c->fw) < EPOCH_BYTES)
		result = drain_stream(&c->drain, stream, limit, STEP_WORDS);
	return result == DRAIN_DONE || result == DRAIN_SHUT;
}

static void cut_drain_all(struct collector *c, struct cut *cut)
{
	cut->complete = true;
	for (uint32_t i = 0; i < c->streams.active_count && cut->complete; i++)
		cut->complete = cut_drain(c, cut, &c->streams.slot[c->streams.active[i]]);
}

/*
 * True if nobody has anything more to record. A child that is being made has claimed its place
 * before its parent can end.
 */
static bool cut_is_last(const struct collector *c, const struct cut *cut)
{
	const struct processes *processes = &c->processes;

	if (cut->kind == EPOCH_LAST)
		return true;
	return cut->kind == EPOCH_NOW && processes->numbers && !processes->alive &&
	       !processes->waiting;
}

/*
 * The file ends when the last process ended, not when the collector noticed it. So the last events
 * of the collector get that time. If a process had announced its end and was still alive when it
 * was examined (its memory, its scheduler), that look is later, and the file ends with it. The same
 * holds for a frame that is closed after all processes have ended and before the collector
 * finishes: a collector that was kept from running between two looks writes one.
 */
static void cut_end_with_programs(const struct collector *c, struct cut *cut)
{
	const uint64_t times_ns[] = { processes_end_ns(&c->processes, &c->common, cut->now_ns),
				      journal_newest_ns(&c->common.journal) };

	cut->now_ns = c->watermark_ns;
	for (size_t i = 0; i < sizeof(times_ns) / sizeof(times_ns[0]); i++) {
		if (times_ns[i] > cut->now_ns)
			cut->now_ns = times_ns[i];
	}
}

/* Records what belongs to a complete cut, with its time. */
static void cut_tell(struct collector *c, const struct cut *cut)
{
	uint64_t pause_ns = c->processes.limit > PROC_MANY ? PROC_MANY_NS : PROC_NS;
	bool due = cut->steady_ns - c->proc_ns >= pause_ns || cut->kind == EPOCH_LAST;
	struct common_cost cost = { .records = c->drain.records, .file_bytes = c->output.bytes };

	if (due) {
		c->proc_ns = cut->steady_ns;
		processes_tell_cpu(&c->processes, &c->common, cut->now_ns);
	}
	for (uint32_t i = 0; i < c->processes.limit && c->processes.leaving; i++) {
		struct process *process = &c->processes.slot[i];

		if (!process->number || process->told || !(process->exiting || process->gone))
			continue;
		streams_take_open_calls(&c->streams, &c->common, process, cut->now_ns);
		if (!process->exiting)
			continue;
		streams_tell_names(&c->streams, &c->common, process, cut->now_ns);
		sources_process_leaves(&c->sources, process, cut->now_ns);
	}
	streams_reap(&c->streams, &c->common, cut->now_ns, due);
	processes_tell_ends(&c->processes, &c->common, cut->now_ns);
	if (!due)
		return;
	cost.waits = processes_waits(&c->processes, &c->common);
	cost.lost = c->lost + c->lost_disk + c->lost_limit + c->drain.refused +
		    c->common.journal.dropped;
	self_tell_cost(&c->common, cut->now_ns, &cost);
}

/*
 * Records the losses of frames that were not written. Not through the journal, which they would
 * fill.
 */
static bool cut_put_unwritten(struct collector *c, const struct cut *cut)
{
	uint64_t refused = c->drain.refused + c->common.journal.dropped +
			   c->streams.open_calls.refused + c->streams.waits.refused;
	bool told = true;

	if (!c->lost_disk && !c->lost_limit && !refused)
		return true;
	frame_begin_block(c->fw, 0);
	if (frame_block_room(c->fw) < 3)
		told = false;
	if (told && c->lost_disk)
		FRAME_PUT(c->fw, cut->now_ns, lost, .count = c->lost_disk, .reason = EVT_LOST_DISK);
	if (told && c->lost_limit)
		FRAME_PUT(c->fw, cut->now_ns, lost, .count = c->lost_limit,
			  .reason = EVT_LOST_LIMIT);
	if (told && refused)
		FRAME_PUT(c->fw, cut->now_ns, lost, .count = refused, .reason = EVT_LOST_REFUSED);
	frame_end_block(c->fw);
	return told;
}

/*
 * A frame may be defined in one ring and named in another, which was drained earlier or only up to
 * a time before the definition. The definition is in its ring, because the thread that named the
 * frame had seen it there.
 */
static void cut_settle_stacks(struct collector *c, const struct cut *cut)
{
	struct frame_stack_losses losses;

	for (uint32_t i = 0; i < c->streams.active_count && frame_has_open_stacks(c->fw); i++)
		drain_look_for_frames(&c->drain, &c->streams.slot[c->streams.active[i]]);
	losses = frame_settle_stacks(c->fw);
	if (losses.cuts)
		JOURNAL_ADD(&c->common.journal, cut->now_ns, lost, .count = losses.cuts,
			    .reason = EVT_LOST_STACK);
	if (losses.clashes)
		JOURNAL_ADD(&c->common.journal, cut->now_ns, lost, .count = losses.clashes,
			    .reason = EVT_LOST_STACK_ID);
}

/* The losses that cut_put_unwritten() recorded. */
static void cut_digest_unwritten(struct collector *c, uint64_t now_ns)
{
	const struct evt_lost losses[] = {
		{ .count = c->lost_disk, .reason = EVT_LOST_DISK },
		{ .count = c->lost_limit, .reason = EVT_LOST_LIMIT },
		{ .count = c->drain.refused + c->common.journal.dropped +
			   c->streams.open_calls.refused + c->streams.waits.refused,
		  .reason = EVT_LOST_REFUSED },
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (losses[i].count)
			digest_add(&c->common.digest, 0, EVT_lost, now_ns,
				   (const uint64_t *)&losses[i]);
}

static void cut_note_success(struct collector *c, uint64_t now_ns, bool told)
{
	if (told) {
		cut_digest_unwritten(c, now_ns);
		c->lost += c->lost_disk + c->lost_limit + c->drain.refused +
			   c->common.journal.dropped + c->streams.open_calls.refused +
			   c->streams.waits.refused;
		c->streams.open_calls.refused = 0;
		c->streams.waits.refused = 0;
		c->drain.refused = 0;
		c->common.journal.dropped = 0;
		c->lost_disk = 0;
		c->lost_limit = 0;
	}
	c->failed_ns = 0;
	c->sequence++;
	journal_clear(&c->common.journal, c->watermark_ns);
}

static void cut_note_failure(struct collector *c)
{
	digest_give_up(&c->common.digest);
	if (c->output.full)
		c->lost_limit += c->drain.in_frame;
	else
		c->lost_disk += c->drain.in_frame;
}

/*
 * Stores the message once, for the program to print at its end, with only the end of a path that is
 * too long.
 */
static void cut_complain(struct collector *c, int error)
{
	const size_t most = REGION_TEXT_BYTES / 2;
	size_t length = strlen(c->output.path);
	char text[REGION_TEXT_BYTES];

	if (c->complained)
		return;
	c->complained = true;
	snprintf(text, sizeof(text), "cannot write '%s%s': %s; events are lost",
		 length > most ? "..." : "", c->output.path + (length > most ? length - most : 0),
		 strerror(error));
	view_say(c->common.view.header, text);
}

/* If the disk is full, writing is tried once a second, and at the end. */
static int cut_output(struct collector *c, const struct cut *cut, const struct frame_image *image,
		      uint64_t records)
{
	int error;

	if (cut->kind != EPOCH_LAST && c->failed_ns && cut->steady_ns - c->failed_ns < RETRY_NS)
		return EVT_IO;
	error = output_write_frame(&c->output, image, records, cut->kind == EPOCH_LAST);
	if (error)
		c->failed_ns = cut->steady_ns;
	if (error == EVT_IO)
		cut_complain(c, errno);
	return error;
}

/* Completes the open frame and writes it. A frame without records is not written. */
static int cut_write(struct collector *c, const struct cut *cut)
{
	struct frame_info info = { .sequence = c->sequence + 1,
				   .sync_tsc = cut->sync.tsc,
				   .sync_mono_ns = cut->sync.mono_ns,
				   .sync_real_ns = cut->sync.real_ns };
	struct frame_image image;
	bool told;
	int error;

	if (cut->complete && cut->now_ns > c->watermark_ns)
		c->watermark_ns = cut->now_ns;
	info.watermark_ns = c->watermark_ns;
	cut_settle_stacks(c, cut);
	/* at the old watermark of a full frame they would follow records that are later */
	if (cut->complete)
		streams_take_waits(&c->streams, &c->common, c->watermark_ns);
	sources_settle(&c->sources, c->watermark_ns);
	journal_write(&c->common.journal, c->fw); /* first, because its events are older */
	c->drain.in_frame += sources_write(&c->sources, c->fw, c->watermark_ns);
	c->drain.in_frame += thread_waits_write(&c->streams.waits, c->fw);
	c->drain.in_frame += open_calls_write(&c->streams.open_calls, c->fw);
	told = cut_put_unwritten(c, cut);
	info.records = frame_records(c->fw);
	naming_see(&c->naming, &c->output, c->fw);
	segmenting_see(c);
	error = frame_close(c->fw, info, &image);
	if (!error && info.records)
		error = cut_output(c, cut, &image, info.records);
	if (error)
		cut_note_failure(c);
	else if (info.records)
		cut_note_success(c, cut->now_ns, told);
	c->drain.in_frame = 0;
	c->drain.newest = 0;
	return error;
}

void epoch_free_entries(struct collector *c)
{
	for (uint32_t i = 0; i < c->processes.limit; i++) {
		struct process *process = &c->processes.slot[i];

		if (!process_is_done(process) || streams_has_process(&c->streams, process))
			continue;
		silent_threads_forget(&c->streams.silent, process->pid);
		processes_free_entry(&c->processes, &c->common, process);
	}
}

/* If the last frame does not fit, it is tried once more without the definitions. */
static void cut_write_last(struct collector *c, const struct cut *cut)
{
	if (!cut_write(c, cut))
		return;
	c->common.journal.written = c->common.journal.count;
	journal_clear(&c->common.journal, c->watermark_ns);
	cut_write(c, cut);
}

/*
 * Finds processes that have ended by now. Their ends go into this frame; otherwise later events of
 * other processes would be read as if these still held their memory.
 */
static void look_for_ends(struct collector *c)
{
	c->processes.looked_ns = 0;
	processes_scan(&c->processes, &c->common, self_steady_ns());
}

/* Everything up to a watermark of now is in the frame. */
static struct cut cut_make(struct collector *c, enum epoch_kind kind)
{
	struct cut cut = cut_take(c, kind);

	/* after the watermark: a thread that began before it has records from before it */
	if (kind != EPOCH_FULL)
		look_for_ends(c);
	streams_scan(&c->streams, &c->common, &c->processes);
	for (cut_drain_all(c, &cut); !cut.complete; cut_drain_all(c, &cut))
		cut_write(c, &(struct cut){ EPOCH_FULL, cut.sync, cut.limit, cut.now_ns,
					    cut.steady_ns, false });
	sources_drain(&c->sources); /* before the maps are read, because it asks for modules */
	return cut;
}

void epoch_close(struct collector *c, enum epoch_kind kind)
{
	struct cut cut;

	look_for_ends(c);
	if (kind == EPOCH_FULL && c->processes.leaving)
		kind = EPOCH_NOW;
	cut = cut_make(c, kind);
	/*
	 * the look must be ordered among the rings' records of the same time; a full frame leaves
	 * it to the next one
	 */
	for (int looks = 0; looks < LOOKS_MAX; looks++) {
		if (!processes_look_at_modules(&c->processes, &c->common, cut.steady_ns) ||
		    kind == EPOCH_FULL)
			break;
		cut = cut_make(c, kind);
	}
	if (cut_is_last(c, &cut))
		cut_end_with_programs(c, &cut);
	c->lost += processes_tell_losses(&c->processes, &c->common, cut.now_ns);
	c->lost += streams_tell_losses(&c->streams, &c->common, cut.now_ns);
	c->lost += c->common.lost;
	c->common.lost = 0;
	if (processes_settle_modules(&c->processes, &c->common, cut.steady_ns, cut.now_ns))
		drain_forget_callers(&c->drain);
	if (kind != EPOCH_FULL)
		cut_tell(c, &cut);
	if (kind == EPOCH_LAST)
		cut_write_last(c, &cut);
	else
		cut_write(c, &cut);
	if (kind == EPOCH_NOW)
		epoch_free_entries(c);
	if (kind != EPOCH_LAST)
		segmenting_turn(c, cut.steady_ns);
	renewal_turn(&c->renewal, c->fw, c->common.view.header, cut.steady_ns);
	if (kind != EPOCH_FULL) /* only these cuts end processes and examine threads */
		c->closed_ns = cut.steady_ns;
	if (cut.steady_ns - c->steered_ns >= STEER_NS) {
		c->steered_ns = cut.steady_ns;
		clockmap_steer(&c->common.clock, &cut.sync);
	}
}
