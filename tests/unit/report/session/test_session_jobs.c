/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Which sessions are one job: report/session/session_jobs.h over recordings in files, with facts as
 * ranks tell them and as nobody would.
 */
#include <stdio.h>
#include <unistd.h>

#define UNIT_HAS_MAIN
#include "tests/unit/unit.h"
#include "report/session/job.h"
#include "report/session/session_jobs.h"
#include "tests/unit/recording.h"

#define HOUR_NS 3600000000000ull
#define RANKS_MAX 6u

/* A session of one rank. */
struct rank {
	const char *host, *rank, *world;
	const char *fact[2 * 3]; /* keys and values */
	uint64_t from_ns, for_ns;
};

static char folder[] = "/tmp/session_jobs.XXXXXX";
static char path[RANKS_MAX][64];

static void put_text(struct recording *r, uint64_t id, const char *text)
{
	FRAME_PUT(r->fw, 0, string, .id = id, .text = { (uintptr_t)text, strlen(text) });
}

static void put_meta(struct recording *r, uint64_t id, const char *key, const char *value)
{
	if (!value)
		return;
	put_text(r, id, key);
	put_text(r, id + 1, value);
	FRAME_PUT(r->fw, 0, meta, .process = 1, .key = id, .value = id + 1);
}

static void put_facts(struct recording *r, const struct rank *rank)
{
	frame_begin_block(r->fw, 1);
	for (uint64_t i = 0; i < 6 && rank->fact[i]; i += 2)
		FRAME_PUT(r->fw, 10, fact, .key = 20 + i, .value = 21 + i);
	frame_end_block(r->fw);
}

static void write_rank(unsigned int number, const struct rank *rank)
{
	struct file_header header = { .version = FILE_VERSION,
				      .clock = 1,
				      .base_mono = 5000 + rank->from_ns,
				      .base_real = 100 * HOUR_NS + rank->from_ns,
				      .tsc_hz = 1000000000,
				      .pid = 100 };
	struct recording r;
	FILE *out;

	snprintf(header.session, sizeof(header.session), "session%u", number);
	snprintf(header.host, sizeof(header.host), "%s", rank->host);
	snprintf(path[number], sizeof(path[number]), "%s/%u.evt", folder, number);
	recording_start(&r, &header);
	frame_begin_block(r.fw, 0);
	put_text(&r, 1, "program");
	FRAME_PUT(r.fw, 0, process, .process = 1, .pid = 100, .command = 1, .executable = 1);
	FRAME_PUT(r.fw, 0, thread, .stream = 1, .process = 1, .tid = 11);
	put_meta(&r, 2, "rank", rank->rank);
	put_meta(&r, 4, "world_size", rank->world);
	put_meta(&r, 6, "rank_variable", rank->rank ? "RANK" : NULL);
	for (uint64_t i = 0; i < 6 && rank->fact[i]; i++)
		put_text(&r, 20 + i, rank->fact[i]);
	frame_end_block(r.fw);
	put_facts(&r, rank);
	recording_close_frame(&r, rank->for_ns);
	recording_finish(&r, rank->for_ns);
	out = fopen(path[number], "we");
	assert_non_null(out);
	assert_int_equal(fwrite(r.bytes, 1, r.length, out), r.length);
	fclose(out);
	recording_release(&r);
}

/*
 * The runs of these sessions: "001" is two of one job and another one. `why`: a part of the first
 * line, NULL: there is none.
 */
static void expect_runs(const struct rank *rank, unsigned int count, const char *runs,
			const char *why)
{
	struct session_group group[RANKS_MAX];
	char *file[RANKS_MAX], found[RANKS_MAX + 1] = "";
	struct session_jobs jobs;

	for (unsigned int i = 0; i < count; i++) {
		write_rank(i, &rank[i]);
		file[i] = path[i];
		group[i] = (struct session_group){ &file[i], 1 };
	}
	session_jobs_find(&jobs, group, count);
	for (unsigned int i = 0; i < count; i++)
		found[i] = (char)('0' + jobs.run[i]);
	assert_string_equal(found, runs);
	assert_true(!why == !jobs.why_count);
	if (why && !strstr(jobs.why[0], why))
		fail_msg("'%s' has no '%s'", jobs.why[0], why);
	for (size_t i = 0; i < jobs.why_count; i++)
		free(jobs.why[i]);
	free(jobs.why);
	free(jobs.run);
	for (unsigned int i = 0; i < count; i++)
		unlink(path[i]);
}

TEST(ranks_are_one_job)
{
	static const struct rank old[] = { { "a", "0", "2", { 0 }, 0, 50 },
					   { "b", "1", "2", { 0 }, 20, 50 } };
	static const struct rank named[] = {
		{ "a", "0", NULL, { "store", "127.0.0.1:7" }, 0, 50 },
		{ "a", "1", NULL, { "store", "127.0.0.1:7" }, 20, 50 },
	};

	expect_runs(old, 2, "00", NULL);
	expect_runs(named, 2, "00", NULL);
}

TEST(one_may_end_before_another_begins)
{
	static const struct rank rank[] = { { "a", "0", "3", { 0 }, 0, 100 },
					    { "a", "1", "3", { 0 }, 0, 20 },
					    { "a", "2", "3", { 0 }, 50, 20 } };

	expect_runs(rank, 3, "000", NULL);
}

TEST(what_contradicts_keeps_apart)
{
	static const struct {
		struct rank rank[2];
		const char *why;
	} apart[] = {
		{ { { "a", "0", "2", { 0 }, 0, 9 }, { "a", "0", "2", { 0 }, 0, 9 } },
		  "both are rank 0" },
		{ { { "a", "0", "2", { 0 }, 0, 9 }, { "a", "1", "4", { 0 }, 0, 9 } },
		  "its job has 4 ranks, the other 2" },
		{ { { "a", "0", "2", { 0 }, 0, 9 }, { "a", "1", "2", { 0 }, 10, 9 } },
		  "did not run at the same time" },
		{ { { "a", "0", NULL, { 0 }, 0, 9 }, { "a", "1", NULL, { 0 }, 0, 9 } },
		  "how many ranks" },
		{ { { "a", "0", "2", { "MASTER_ADDR", "x" }, 0, 9 },
		    { "a", "1", "2", { "MASTER_ADDR", "y" }, 0, 9 } },
		  "its MASTER_ADDR is 'y', the other's 'x'" },
		{ { { "a", "0", "2", { "store", "localhost:1" }, 0, 9 },
		    { "b", "1", "2", { "store", "127.0.0.1:1" }, 0, 9 } },
		  "its store is '127.0.0.1:1'" },
		{ { { "a", "0", "2", { "TORCHELASTIC_RUN_ID", "none", "SLURM_JOB_ID", "1" }, 0, 9 },
		    { "a",
		      "1",
		      "2",
		      { "TORCHELASTIC_RUN_ID", "none", "SLURM_JOB_ID", "2" },
		      0,
		      9 } },
		  "SLURM_JOB_ID" },
	};

	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
		expect_runs(apart[i].rank, 2, "01", apart[i].why);
}

/*
 * The variables are not what the ranks have used; a name and the host's own address may be the same
 * host.
 */
TEST(what_does_not_contradict)
{
	static const struct rank used[] = {
		{ "a", "0", "2", { "store", "n:5", "MASTER_PORT", "1" }, 0, 9 },
		{ "b", "1", "2", { "store", "n:5", "MASTER_PORT", "2" }, 0, 9 },
	};
	static const struct rank own[] = { { "a", "0", "2", { "MASTER_ADDR", "localhost" }, 0, 9 },
					   { "b", "1", "2", { "MASTER_ADDR", "a" }, 0, 9 } };
	static const struct rank redacted[] = { { "a", "0", "2", { "store", ":5" }, 0, 9 },
						{ "b", "1", "2", { "store", "n:5" }, 0, 9 } };

	expect_runs(used, 2, "00", NULL);
	expect_runs(own, 2, "00", NULL);
	expect_runs(redacted, 2, "00", NULL);
}

TEST(two_jobs_stay_apart)
{
	static const struct rank known[] = { { "a", "0", "2", { "store", "n:1" }, 0, 9 },
					     { "a", "1", "2", { "store", "n:2" }, 0, 9 },
					     { "a", "1", "2", { "store", "n:1" }, 0, 9 },
					     { "a", "0", "2", { "store", "n:2" }, 0, 9 } };
	static const struct rank unknown[] = { { "a", "0", "2", { 0 }, 0, 9 },
					       { "a", "1", "2", { 0 }, 0, 9 },
					       { "a", "1", "2", { 0 }, 0, 9 } };

	expect_runs(known, 4, "0101", "store");
	expect_runs(unknown, 3, "012", "both fit, but both are rank 1; name the files of one job");
}

TEST(without_a_rank_it_is_no_job)
{
	static const struct rank rank[] = { { "a", NULL, NULL, { "store", "n:1" }, 0, 9 },
					    { "a", "1", "2", { "store", "n:1" }, 0, 9 } };

	expect_runs(rank, 2, "01", NULL);
}

TEST(hostile_facts_are_only_texts)
{
	static char long_text[3000];
	const struct rank rank[] = {
		{ "a", "0", "2", { "store", long_text, "MASTER_ADDR", ":::::" }, 0, 9 },
		{ "a", "99999999999999999999", "2", { "store", ":", "store", "" }, 0, 9 },
		{ "a", "1", "2", { "MASTER_ADDR", "\n\033[31m", "store", long_text }, 0, 9 },
		{ "a", "2", "18446744073709551615", { "\t", "x" }, UINT64_MAX / 2, UINT64_MAX },
	};

	memset(long_text, '%', sizeof(long_text) - 1);
	expect_runs(rank, 4, "0102", "did not run at the same time");
}

TEST(what_cannot_be_read_is_no_job)
{
	char missing[] = "/nowhere/at/all.evt";
	char *file[] = { missing };
	struct job job;

	job_read(&job, file, 1);
	assert_int_equal(job.ranks, 0);
	job_release(&job);
}

int main(void)
{
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = unit_run();
	rmdir(folder);
	return failed;
}
