/* SPDX-License-Identifier: MIT */
/*
 * The turn: examine processes and rings, drain the rings that fill up, and close the frame when it
 * is time. All waiting is in collector_sleep().
 */
#include "collector/turn/collector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/arch/arch.h"
#include "collector/turn/epoch.h"
#include "collector/output/output_name.h"
#include "collector/output/rotation.h"
#include "collector/processes/proc.h"
#include "collector/processes/living.h"
#include "collector/processes/redact.h"
#include "collector/processes/start_map.h"
#include "collector/turn/self.h"

#define MS 1000000ull
/* a frame is closed at least this often while there is something to write */
#define FRAME_NS (900 * MS)
/* more often at the start, because short programs load most of their modules there */
#define FRAME_FIRST_NS (50 * MS)
#define REST_PROCESSES 64u /* with more, it is asked less often why nothing happens */
#define SLEEP_NS (50 * MS)
#define SHORT_SLEEP_NS (1 * MS)
/* if the program that started us has not appeared by then, it is gone */
#define FIRST_PROCESS_NS (5000 * MS)
#define GATHER_WORDS (128u << 10) /* half a large ring: long blocks compress better */
#define STEER_EARLY_NS (1000 * MS)

static void collector_fail(struct region_header *header, const char *why)
{
	view_say(header, why);
	atomic_store(&header->collector_state, REGION_COLLECTOR_FAILED);
	view_futex_wake(&header->collector_state);
	view_futex_wake(&header->flushed);
}

/* Copies a text of the region and terminates it. */
static void collector_text_copy(char *to, size_t room, const char *text)
{
	size_t length = strnlen(text, room - 1);

	memcpy(to, text, length);
	to[length] = 0;
}

static void host_name(char *host, size_t room)
{
	if (gethostname(host, room))
		*host = 0;
	host[room - 1] = 0;
	for (char *at = host; *at; at++) {
		if (*at == '/')
			*at = '_';
	}
	if (!*host)
		snprintf(host, room, "localhost");
}

static uint32_t first_pid(const struct view *view)
{
	uint32_t pid = view_load32(&view->process[0].pid);

	return pid ? pid : (uint32_t)getpid();
}

/*
 * "cannot create '/x/run.evt': Permission denied; set ...", with only the end of a path that is too
 * long
 */
static void say_cannot_create(char *text, size_t room, const char *path, const char *why, int error)
{
	size_t length = strlen(path);
	const size_t most = room / 3;

	snprintf(text, room, "cannot create '%s%.*s': %s%s", length > most ? "..." : "", (int)most,
		 length > most ? path + length - most : path, why ? why : strerror(error),
		 why ? "" : "; set INTERCEPT_OUTPUT to a writable path");
}

/*
 * The name of the first process's program, without its directory. The process may run another
 * program by now.
 */
static void program_name(const struct view *view, uint32_t pid, char *name, size_t room)
{
	char path[REGION_PATH_BYTES];
	size_t length = start_map_executable(view, path, sizeof(path) - 1);
	const char *slash;

	if (!length)
		length = proc_executable(pid, path, sizeof(path) - 1);
	path[length] = 0;
	slash = strrchr(path, '/');
	snprintf(name, room, "%.*s", (int)room - 1, slash && slash[1] ? slash + 1 : "?");
}

static int collector_open_output(struct collector *c, const char *host, char *ret_error)
{
	const struct view *view = &c->common.view;
	const uint32_t place = view->header->place;
	char output[REGION_PATH_BYTES], session[REGION_TEXT_BYTES], path[PATH_MAX];
	int guard_fd = -1;
	struct file_header header = { .version = FILE_VERSION,
				      .clock = view->clock,
				      .base_mono = view->base_mono,
				      .base_real = view->base_real,
				      .tsc_hz = clockmap_hz(&c->common.clock),
				      .pid = first_pid(view) };
	struct output_name_request request = { .output = output,
					       .session = header.session,
					       .host = host,
					       .pid = header.pid,
					       .start_s = view->base_real / (1000 * MS),
					       .keep = view->header->keep,
					       .beside = !(place & 1u << REGION_PLACE_OUTPUT),
					       .lives = living_has,
					       .program = header.program,
					       .plain = place & 1u << REGION_PLACE_PLAIN,
					       .ret_guard = &guard_fd,
					       .ret_output = c->naming.output };
	const char *why;
	int fd;

	collector_text_copy(output, sizeof(output), view->header->output);
	collector_text_copy(session, sizeof(session), view->header->session);
	snprintf(header.session, sizeof(header.session), "%.*s", (int)sizeof(header.session) - 1,
		 session);
	snprintf(header.host, sizeof(header.host), "%.*s", (int)sizeof(header.host) - 1, host);
	program_name(view, header.pid, header.program, sizeof(header.program));
	header.flags = (request.plain ? 0 : FILE_OF_INTEREST) |
		       (place & 1u << REGION_PLACE_FIRST ? FILE_OF_FIRST : 0);
	fd = output_name_open(&request, path, &why);
	header.name = file_name_hash(path);
	if (fd < 0 || output_init(&c->output, fd, view->header->max_file_bytes, &header) ||
	    segmenting_begin(c)) {
		say_cannot_create(ret_error, VIEW_ERROR_BYTES, path, why, errno);
		return -1;
	}
	snprintf(c->output.path, sizeof(c->output.path), "%s", path);
	snprintf(view->header->file, sizeof(view->header->file), "%s", path);
	c->output.guard_fd = guard_fd;
	naming_begin(&c->naming, &c->output, view->header);
	segmenting_say(c);
	return 0;
}

static int collector_take_memory(struct collector *c, const struct collector_start *start)
{
	const struct source_context context = { &c->common, &c->processes, &c->streams,
						&c->streams.numbers };

	journal_init(&c->common.journal);
	processes_init(&c->processes, start->inspect);
	c->processes.first_fd = start->first_fd;
	c->output.fd = -1;
	c->output.guard_fd = -1;
	c->naming.ask_fd = -1;
	c->fw = frame_writer_new();
	if (!c->fw || names_init(&c->common.names, &c->common.journal) ||
	    streams_init(&c->streams, &c->common))
		return -1;
	drain_init(&c->drain, &c->common, c->fw);
	renewal_init(&c->renewal, c->fw, start->bytes);
	return sources_init(&c->sources, &context);
}

static void collector_start_clock(struct collector *c)
{
	const struct view *view = &c->common.view;
	struct clockmap_sync base = { view->base_tsc, view->base_mono, view->base_real };
	struct clockmap_sync now;

	c->common.clock.clock = view->clock;
	clockmap_sample(&c->common.clock, &now);
	clockmap_init(&c->common.clock, view->clock, &base, &now, arch_ticks_hz());
	c->started_ns = self_steady_ns();
	c->steered_ns = c->started_ns;
}

int collector_init(struct collector *c, const struct collector_start *start)
{
	char error[VIEW_ERROR_BYTES] =
		"out of memory for the collector; set INTERCEPT_BUFFER lower";
	struct region_header *header = start->base;
	char host[FILE_SESSION_BYTES];

	memset(c, 0, sizeof(*c));
	if (view_init(&c->common.view, start->base, start->bytes, error)) {
		if (start->bytes >= sizeof(*header) && header->magic == REGION_MAGIC)
			collector_fail(header, error);
		return -1;
	}
	collector_start_clock(c);
	host_name(host, sizeof(host));
	redact_host(c->common.view.redact, host, sizeof(host), header->session);
	snprintf(c->common.host, sizeof(c->common.host), "%s", host);
	if (collector_take_memory(c, start) || collector_open_output(c, host, error)) {
		collector_fail(header, error);
		collector_release(c);
		return -1;
	}
	self_tell_session(&c->common, host);
	atomic_store(&header->collector_pid, (uint32_t)getpid());
	atomic_store(&header->collector_state, REGION_COLLECTOR_RUNNING);
	view_futex_wake(&header->collector_state);
	if (start->inspect && !start->outside) /* now, because nobody waits for it */
		c->processes.region = namesake_region_of(start->base);
	return 0;
}

void collector_release(struct collector *c)
{
	processes_release(&c->processes);
	sources_release(&c->sources);
	segmenting_release(&c->segmenting);
	drain_release(&c->drain);
	streams_release(&c->streams, &c->common);
	names_release(&c->common.names);
	digest_release(&c->common.digest);
	journal_release(&c->common.journal);
	frame_writer_free(c->fw);
	output_release(&c->output);
	naming_release(&c->naming);
}

/* Drains rings that are a quarter full; closes frames that get full. */
static void collector_gather(struct collector *c, uint64_t now)
{
	for (uint32_t i = 0; i < c->streams.active_count; i++) {
		struct stream *stream = &c->streams.slot[c->streams.active[i]];
		uint64_t waiting = stream_backlog(stream, &c->common.view.ring[stream->index]);
		enum drain_result result;

		if (waiting < stream->word_count / 4)
			continue;
		result = drain_stream(&c->drain, stream, now, GATHER_WORDS);
		c->busy |= result == DRAIN_MORE || result == DRAIN_FULL;
		if (result == DRAIN_FULL || frame_bytes(c->fw) >= FRAME_BYTES_FULL) {
			epoch_close(c, EPOCH_FULL);
			processes_set_flushed(&c->processes, &c->common);
		}
	}
}

/* In the first second, the clock rate is measured over increasing times: 2, 4, 8 ms and so on. */
static void collector_steer_early(struct collector *c, uint64_t steady_ns)
{
	struct clockmap_sync sync;

	if (steady_ns - c->started_ns > STEER_EARLY_NS ||
	    steady_ns - c->steered_ns < c->steered_ns - c->started_ns + MS)
		return;
	c->steered_ns = steady_ns;
	clockmap_sample(&c->common.clock, &sync);
	clockmap_steer(&c->common.clock, &sync);
}

/* Frees rings of processes whose end was recorded before they were gone. */
static void collector_tidy(struct collector *c, uint64_t now)
{
	bool any = false;

	for (uint32_t i = 0; i < c->processes.limit && !any; i++)
		any = process_is_done(&c->processes.slot[i]);
	streams_reap(&c->streams, &c->common, clockmap_ns(&c->common.clock, now), false);
	if (any)
		epoch_free_entries(c);
}

/* Nothing is recorded: has a process been stopped since, or do threads wait for each other? */
static bool collector_has_come_to_rest(struct collector *c, uint64_t steady_ns)
{
	if (steady_ns - c->rest_ns < FRAME_NS * (1 + c->processes.limit / REST_PROCESSES))
		return false;
	c->rest_ns = steady_ns;
	/* although it has used CPU time since process_cpu: that may have been before it stopped */
	c->common.stop_is_new |= processes_have_stopped(
		&c->processes, clockmap_ns(&c->common.clock, clockmap_now(&c->common.clock)));
	return c->common.stop_is_new || streams_have_waits(&c->streams, &c->common);
}

static bool collector_is_due(struct collector *c, uint64_t steady_ns)
{
	uint64_t pause = (steady_ns - c->started_ns) / 2;

	if (pause < FRAME_FIRST_NS)
		pause = FRAME_FIRST_NS;
	if (pause > FRAME_NS)
		pause = FRAME_NS;
	if (c->common.stop_is_new) /* soon, since process_cpu says when; a tracer stops often */
		return steady_ns - c->closed_ns >= pause / 4;
	return steady_ns - c->closed_ns >= pause &&
	       (epoch_is_pending(c) || collector_has_come_to_rest(c, steady_ns));
}

void collector_turn(struct collector *c)
{
	struct region_header *header = c->common.view.header;
	uint64_t steady_ns = self_steady_ns();
	uint64_t now = clockmap_now(&c->common.clock);

	c->bell = atomic_load(&header->doorbell);
	c->busy = false;
	atomic_fetch_add(&header->heartbeat, 1);
	processes_scan(&c->processes, &c->common, steady_ns);
	streams_scan(&c->streams, &c->common, &c->processes);
	collector_steer_early(c, steady_ns);
	collector_gather(c, now);
	sources_look(&c->sources, steady_ns);
	/* checks again before the end, because a child may have appeared after the first check */
	if (!c->processes.alive && !c->processes.waiting && c->processes.numbers)
		processes_scan(&c->processes, &c->common, steady_ns);
	if (!c->processes.alive && !c->processes.waiting) {
		if (c->processes.numbers || steady_ns - c->started_ns > FIRST_PROCESS_NS) {
			collector_finish(c);
			return;
		}
	} else if (c->processes.leaving || collector_is_due(c, steady_ns)) {
		epoch_close(c, EPOCH_NOW); /* this also ends processes that left since the check */
		processes_scan(&c->processes, &c->common, steady_ns);
		/*
		 * the last process waits until the file has its name, because it prints what became
		 * of the file
		 */
		if (c->processes.alive || c->processes.waiting)
			processes_set_flushed(&c->processes, &c->common);
		else
			c->busy = true; /* do not sleep before the turn that finishes */
	}
	keeping_turn(c);
	collector_tidy(c, now);
	naming_turn(&c->naming, &c->output, c->drain.records, steady_ns);
}

static uint64_t doze_ns(const struct collector *c, uint64_t now_ns, uint64_t until_ns)
{
	uint64_t due_ns = sources_due_ns(&c->sources);

	if (!due_ns || due_ns >= until_ns)
		return until_ns - now_ns;
	return due_ns > now_ns ? due_ns - now_ns : 0;
}

/*
 * Sleeps until the doorbell rings or the time has passed. Sources may look meanwhile without a
 * turn. Waking up costs more than a turn, so if the next look is due later than the turn, the turn
 * is done now.
 */
static void collector_doze(struct collector *c, uint64_t timeout_ns)
{
	struct region_header *header = c->common.view.header;
	uint64_t now_ns = self_steady_ns(), until_ns = now_ns + timeout_ns;

	while (now_ns < until_ns && atomic_load(&header->doorbell) == c->bell) {
		view_futex_wait(&header->doorbell, c->bell, doze_ns(c, now_ns, until_ns));
		now_ns = self_steady_ns();
		if (doze_ns(c, now_ns, now_ns + 1))
			continue;
		if (processes_have_new(&c->processes, &c->common))
			/* it may be gone before the next regular turn, so that turn is done now */
			return;
		sources_look_due(&c->sources, now_ns);
		now_ns = self_steady_ns(); /* else the next pause would be longer by this look */
		if (sources_due_ns(&c->sources) > until_ns)
			return;
	}
}

void collector_sleep(struct collector *c)
{
	struct region_header *header = c->common.view.header;
	uint64_t timeout = SLEEP_NS;

	if (c->busy)
		return;
	/*
	 * the last processes are leaving while a fork() may be under way, or rings are scarce: come
	 * back soon
	 */
	if (!c->processes.alive || c->streams.active_count > c->common.view.shape.ring_count / 2)
		timeout = SHORT_SLEEP_NS;
	atomic_store(&header->asleep, 1);
	collector_doze(c, sources_pause_ns(&c->sources, timeout));
	atomic_store(&header->asleep, 0);
}

void collector_finish(struct collector *c)
{
	struct region_header *header = c->common.view.header;
	unsigned int files = naming_count_session(&c->naming, &c->output);
	struct output_digest digest;
	struct segment_head last;
	struct file_end end = { 0 };
	char text[16];

	snprintf(text, sizeof(text), "%u", files);
	if (files > 1)
		self_tell_meta(&c->common, c->watermark_ns, "session_files", text);
	keeping_finish(c);
	epoch_close(c, EPOCH_LAST);
	end.lost = c->lost + c->lost_disk + c->lost_limit + c->drain.refused +
		   c->common.journal.dropped;
	end.end_ns = c->watermark_ns;
	last = segmenting_end(c);
	digest = segmenting_last_digest(c);
	output_finish(&c->output, end, &last, &digest);
	free(digest.bytes);
	sources_finish(&c->sources);
	naming_finish(&c->naming, &c->output, c->drain.records);
	rotation_unlock(
		/* before the program continues, because the next one may want its name */
		c->output.fd);
	c->finished = true;
	atomic_store(&header->collector_state, REGION_COLLECTOR_FINISHED);
	processes_set_flushed(&c->processes, &c->common);
	atomic_fetch_add(&header->flushed, 1);
	view_futex_wake(&header->flushed);
	view_futex_wake(&header->collector_state);
	naming_tidy(&c->naming, &c->output); /* nobody waits for it */
}
