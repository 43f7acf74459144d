/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/clocks/clocks.c and report/session/source_clocks.c: which files have one clock, how
 * collectives put the clocks of hosts on one time, and when they do not.
 */
#include "tests/unit/unit.h"
#include "report/clocks/clocks.h"
#include "report/core/clocks.h"
#include "report/core/analysis.h"
#include "report/session/source_open.h"
#include "tests/unit/recording.h"

#include <math.h>

#define RANKS 4u
#define CALLS 300u
#define MS 1000000ull
#define SECOND (1000 * MS)
#define LABEL 1u

/* A rank, and what its host's clock shows at a time: so much more, and so much more a second. */
struct rank {
	const char *host;
	int64_t ahead_ns;
	double drift;
	uint64_t starts_ns; /* its file; by the true clock */
};

static struct recording file[RANKS];
static struct source *source;
static struct rank const *rank_of;

/* The true time as the file of a rank has it. */
static uint64_t told(const struct rank *rank, uint64_t true_ns)
{
	double own_ns = (double)(true_ns - rank->starts_ns);

	return (uint64_t)(own_ns + own_ns * rank->drift / 1e9);
}

/* When a rank enters a call, in a group of ranks that may differ from the other one. */
static uint64_t enters_ns(unsigned int rank, unsigned int call, unsigned int group)
{
	uint64_t late_us = (call * 7919 + rank * 104729) % 900;

	return 10 * SECOND + call * 20 * MS + group * 3 * MS + late_us * 1000;
}

static uint64_t leaves_ns(unsigned int call, unsigned int group, const unsigned int *group_of)
{
	uint64_t last_ns = 0;

	for (unsigned int i = 0; i < RANKS; i++)
		if (group_of[i] == group && enters_ns(i, call, group) > last_ns)
			last_ns = enters_ns(i, call, group);
	return last_ns;
}

static void write_rank(unsigned int at, const struct rank *rank, const char *label,
		       const unsigned int *group_of, unsigned int calls)
{
	struct file_header header = {
		.version = FILE_VERSION,
		.base_mono = 77 * SECOND * (uint64_t)strlen(rank->host) + rank->starts_ns,
		.base_real = 1000000 * SECOND + rank->starts_ns + (uint64_t)rank->ahead_ns,
		.pid = 100 + at,
		.session = "s",
	};
	struct recording *r = &file[at];

	snprintf(header.host, sizeof(header.host), "%s", rank->host);
	recording_start(r, &header);
	frame_begin_block(r->fw, 0);
	FRAME_PUT(r->fw, 0, string, .id = LABEL, .text = { (uintptr_t)label, strlen(label) });
	FRAME_PUT(r->fw, 0, process, .process = 1, .pid = 100 + at);
	FRAME_PUT(r->fw, 0, thread, .stream = 1, .process = 1, .tid = 100 + at);
	frame_end_block(r->fw);
	frame_begin_block(r->fw, 1);
	for (unsigned int i = 0; i < calls; i++) {
		unsigned int group = group_of[at];
		uint64_t left_ns = leaves_ns(i, group, group_of) + 1000;

		left_ns += (i * 31 + at * 17) % 90 * 1000;
		FRAME_PUT(r->fw, told(rank, enters_ns(at, i, group)), torch_async_begin,
			  .name = LABEL, .function = 64 + i);
		FRAME_PUT(r->fw, told(rank, left_ns), torch_async_end, .function = 64 + i);
	}
	frame_end_block(r->fw);
	recording_close_frame(r, told(rank, 30 * SECOND));
	recording_finish(r, told(rank, 30 * SECOND));
}

static struct source *opened(void)
{
	static char path[RANKS][8] = { "0.evt", "1.evt", "2.evt", "3.evt" };
	struct session_file files[RANKS];
	struct source *opened;
	char message[256];

	for (unsigned int i = 0; i < RANKS; i++)
		files[i] = (struct session_file){
			.path = path[i], .bytes = bytes_of(file[i].bytes, file[i].length)
		};
	assert_int_equal(source_open_files(&opened, files, RANKS, message, sizeof(message)), 0);
	return opened;
}

/* As clocks_correct() does, with files in memory. */
static void correct(void)
{
	static const struct filter_settings plain = { .pid = FILTER_NO_ID,
						      .tid = FILTER_NO_ID,
						      .to_ns = UINT64_MAX };
	struct source *ahead = opened();
	struct run *run = run_new(ahead, &plain);
	const void *state = clock_kind_collectives.start(run);

	run_read(run, false);
	source = opened();
	clock_kind_collectives.correct(state, run, source);
	run_free(run);
	source_close(ahead);
}

static void write_all(const struct rank *rank, const char *label, const unsigned int *group_of,
		      const unsigned int *calls)
{
	rank_of = rank;
	for (unsigned int i = 0; i < RANKS; i++)
		write_rank(i, &rank[i], label, group_of, calls[i]);
	correct();
}

static void close_all(void)
{
	source_close(source);
	for (unsigned int i = 0; i < RANKS; i++)
		recording_release(&file[i]);
}

static const unsigned int one_group[RANKS] = { 0 };
static const unsigned int all_calls[RANKS] = { CALLS, CALLS, CALLS, CALLS };
static const struct rank two_hosts[RANKS] = {
	{ "here", 0, 0, 2 * SECOND },
	{ "there", -7 * (int64_t)SECOND, 55e3, 3 * SECOND },
	{ "here", 0, 0, 5 * SECOND },
	{ "there", -7 * (int64_t)SECOND, 55e3, 3 * SECOND },
};

/* The largest difference of a call's time from the true one, from the first file's start on. */
static double farthest_ns(void)
{
	unsigned int seen[RANKS] = { 0 };
	const struct source_event *event;
	struct source_file *const *files;
	double farthest = 0;
	int64_t zero_ns;

	source_files(source, &files);
	zero_ns = (int64_t)rank_of[0].starts_ns - files[0]->offset_ns;
	while ((event = source_step(source))) {
		double true_ns;

		if (event->event.id != EVT_torch_async_begin)
			continue;
		true_ns = (double)enters_ns(event->file->index, seen[event->file->index]++, 0);
		farthest = fmax(farthest,
				fabs((double)((int64_t)event->event.time_ns + zero_ns) - true_ns));
	}
	return farthest;
}

TEST(hosts_are_put_on_one_time)
{
	const struct source_clock *clock;

	write_all(two_hosts, "gloo:all_reduce", one_group, all_calls);
	assert_int_equal(source_clocks(source), 2);
	assert_int_equal(source_clock(source, 0)->files, 2);
	assert_int_equal(source_clock(source, 0)->doubt_ns, 0);
	clock = source_clock(source, 1);
	assert_string_equal(clock->host, "there");
	assert_int_equal(clock->pieces, 1);
	assert_int_equal(clock->piece[0].bounds, 2 * CALLS);
	assert_true(clock->doubt_ns > 0 && clock->doubt_ns < MS);
	assert_true(fabs(clock->piece[0].drift + 55e3) <= clock->piece[0].drift_doubt + 4);
	assert_true(farthest_ns() <= (double)clock->doubt_ns);
	close_all();
}

/* A step of the other host's real-time clock between two files of it changes nothing. */
TEST(files_of_another_host_keep_their_distance)
{
	static const struct rank stepped[RANKS] = {
		{ "here", 0, 0, 2 * SECOND },
		{ "there", SECOND, 0, 3 * SECOND },
		{ "there", 4 * (int64_t)SECOND, 0, 5 * SECOND },
		{ "there", SECOND, 0, 5 * SECOND },
	};
	struct source_file *const *files;

	write_all(stepped, "gloo:broadcast", one_group, all_calls);
	source_files(source, &files);
	assert_int_equal(source_clocks(source), 2);
	assert_int_equal(files[2]->offset_ns - files[1]->offset_ns, 2 * (int64_t)SECOND);
	assert_int_equal(files[3]->offset_ns, files[2]->offset_ns);
	/* and a broadcast says nothing: who has the data need not wait */
	assert_int_equal(source_clock(source, 1)->pieces, 0);
	assert_true(source_clock(source, 1)->doubt_ns == CLOCK_DOUBT_UNKNOWN);
	assert_true(source_clocks_doubt_ns(source, files[0], files[1]) == CLOCK_DOUBT_UNKNOWN);
	assert_int_equal(source_clocks_doubt_ns(source, files[1], files[2]), 0);
	close_all();
}

/* Ranks of one host are in two groups, by the clock that they share: it is not one collective. */
TEST(groups_of_ranks_say_nothing)
{
	static const unsigned int two_groups[RANKS] = { 0, 0, 1, 1 };

	write_all(two_hosts, "gloo:all_reduce", two_groups, all_calls);
	assert_int_equal(source_clock(source, 1)->pieces, 0);
	close_all();
}

TEST(nothing_is_known_of_unequal_calls)
{
	static const unsigned int calls[RANKS] = { CALLS, CALLS, CALLS, CALLS - 10 };

	write_all(two_hosts, "gloo:all_reduce", one_group, calls);
	assert_int_equal(source_clock(source, 1)->pieces, 0);
	close_all();
}

/* The call returns when the work is enqueued. */
TEST(calls_of_nccl_say_nothing)
{
	write_all(two_hosts, "nccl:all_reduce", one_group, all_calls);
	assert_int_equal(source_clock(source, 1)->pieces, 0);
	close_all();
}

TEST(one_host_is_not_corrected)
{
	static const struct rank one[RANKS] = { { "here", 0, 0, 2 * SECOND },
						{ "here", 0, 0, 3 * SECOND },
						{ "here", 0, 0, 5 * SECOND },
						{ "here", 0, 0, 2 * SECOND } };

	write_all(one, "gloo:all_reduce", one_group, all_calls);
	assert_int_equal(source_clocks(source), 1);
	assert_true(farthest_ns() < 1);
	close_all();
}

/* Corrections that no clock has are ignored, and time does not go back by others. */
TEST(odd_corrections)
{
	static const struct clock_piece odd[][2] = {
		{ { .from_ns = 5, .to_ns = 4 } },
		{ { .from_ns = INT64_MIN } },
		{ { .to_ns = 9, .drift = -2e9 } },
		{ { .to_ns = 9, .add_ns = INT64_MAX } },
		{ { .to_ns = 9, .drift = NAN } },
		{ { .to_ns = 9, .doubt_ns = -1 } },
		{ { .to_ns = 9, .add_ns = 100 }, { .from_ns = 20, .to_ns = 30 } },
		{ { .to_ns = 9 }, { .from_ns = 9, .to_ns = 30 } },
	};
	static const struct clock_piece slow = { .add_ns = -60 * (int64_t)SECOND,
						 .to_ns = 20 * (int64_t)SECOND,
						 .drift = -999e6 };
	const struct source_event *event;
	uint64_t last_ns = 0;

	write_all(two_hosts, "gloo:broadcast", one_group, all_calls);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		assert_int_equal(source_correct_clock(source, 1, odd[i], i < 6 ? 1 : 2), 0);
		assert_int_equal(source_clock(source, 1)->pieces, 0);
	}
	/* beyond the beginning of the session, and a drift by which time nearly stands still */
	assert_int_equal(source_correct_clock(source, 1, &slow, 1), 0);
	assert_int_equal(source_clock(source, 1)->pieces, 1);
	while ((event = source_step(source))) {
		if (event->file->index != 1 || event->event.id != EVT_torch_async_begin)
			continue;
		assert_true(event->event.time_ns >= last_ns);
		last_ns = event->event.time_ns;
	}
	close_all();
}
