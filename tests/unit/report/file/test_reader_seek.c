/* SPDX-License-Identifier: MIT */
/*
 * Segments that are passed over: their digests keep the tables and steps, the state of the next one
 * has the scopes that are open, and nothing else of them is read. What cannot be trusted is told,
 * and the file is read as a whole.
 */
/* links: report format */

#include "collector/format/error.h"
#include "tests/unit/segmented.h"
#include "tests/unit/recording_source.h"

static int seek_setup(void **state)
{
	seek_make();
	seek_put_index(entry);
	recording_finish(&recording, (SEGMENTS + 1) * S);
	return 0;
}

static int seek_teardown(void **state)
{
	recording_release(&recording);
	return 0;
}

struct seek_seen {
	unsigned int steps, pushes, pops, faults;
	uint64_t first_push_ns, frames, records;
	bool complete;
};

static struct seek_seen seek_read_part(const struct source_plan *plan)
{
	const struct source_fault *fault;
	struct source_file *const *files;
	struct seek_seen seen = { 0 };
	struct source_event event;
	struct source *source;

	source = recording_source(&recording);
	if (plan)
		source_seek(source, plan);
	while (!source_next(source, &event)) {
		seen.steps += event.event.id == EVT_step;
		seen.pops += event.event.id == EVT_nvtx_pop;
		if (event.event.id != EVT_nvtx_push)
			continue;
		assert_int_equal(event.process->pid, 77);
		if (!seen.pushes++)
			seen.first_push_ns = event.event.time_ns;
	}
	source_files(source, &files);
	seen.faults = (unsigned int)source_faults(source, &fault);
	seen.frames = files[0]->frames;
	seen.records = files[0]->records;
	seen.complete = files[0]->complete;
	source_close(source);
	return seen;
}

/* Of the third segment, from 3 s to 4 s. */
static const struct source_plan third = { .from_ns = 3 * S + S / 4, .to_ns = 3 * S + S / 2 };

static void expect_third(const struct seek_seen *seen)
{
	assert_int_equal(seen->steps, SEGMENTS);
	assert_int_equal(seen->pushes, 2); /* the one that is open since the second segment */
	assert_int_equal(seen->first_push_ns, 2 * S + S / 2);
	assert_int_equal(seen->pops, 1);
	assert_int_equal(seen->frames, SEGMENTS);
	assert_int_equal(seen->records, recording.records);
}

static void expect_whole(const struct seek_seen *seen)
{
	assert_int_equal(seen->steps, SEGMENTS);
	assert_int_equal(seen->pushes, SEGMENTS + 1);
	assert_int_equal(seen->pops, SEGMENTS + 1);
	assert_int_equal(seen->frames, SEGMENTS);
	assert_int_equal(seen->records, recording.records);
}

TEST_BOTH(only_the_wanted_segment_is_read, seek_setup, seek_teardown)
{
	struct seek_seen seen = seek_read_part(&third);

	expect_third(&seen);
	assert_int_equal(seen.faults, 0);
	assert_true(seen.complete);
	seen = seek_read_part(NULL);
	expect_whole(&seen);
	assert_int_equal(seen.faults, 0);
}

/* So they are certainly not read. */
TEST_BOTH(damage_of_other_segments_is_not_met, seek_setup, seek_teardown)
{
	struct seek_seen seen;

	for (unsigned int number = 1; number <= SEGMENTS; number++)
		if (number != 3)
			memset(recording.bytes + recording.frame_offset[number] + 12, 0x55, 20);
	seen = seek_read_part(&third);
	expect_third(&seen);
	assert_int_equal(seen.faults, 0);
	seen = seek_read_part(NULL);
	assert_true(seen.faults > 0);
}

/* A scope that began in the selected time is read up to its end. */
TEST_BOTH(open_scopes_are_followed, seek_setup, seek_teardown)
{
	const struct source_plan second = { .from_ns = 2 * S + S / 4, .to_ns = 3 * S - S / 4 };
	struct seek_seen seen = seek_read_part(&second);

	assert_int_equal(seen.steps, SEGMENTS);
	assert_int_equal(seen.pops, SEGMENTS); /* of all but the first */
	assert_int_equal(seen.faults, 0);
}

TEST_BOTH(families_are_read_before_and_after, seek_setup, seek_teardown)
{
	struct source_plan plan = third;
	struct seek_seen seen;

	plan.before = 1ull << EVT_FAMILY_nvtx;
	seen = seek_read_part(&plan);
	assert_int_equal(seen.pops, 3);
	plan.after = plan.before;
	seen = seek_read_part(&plan);
	expect_whole(&seen);
	plan.before = plan.after = 1ull << EVT_FAMILY_gpu;
	seen = seek_read_part(&plan);
	expect_third(&seen);
}

/* The step that is under way where the selected time begins: from its begin on. */
TEST_BOTH(the_step_before_is_read, seek_setup, seek_teardown)
{
	struct source_plan plan = { .from_ns = 4 * S + S / 4,
				    .to_ns = 5 * S,
				    .leads = 1ull << EVT_FAMILY_nvtx };
	struct seek_seen seen = seek_read_part(&plan);

	assert_int_equal(seen.pops, 3); /* of the third segment, and two of the fourth */
	plan.from_ns = 3 * S + S / 4;
	seen = seek_read_part(&plan);
	assert_int_equal(seen.pops, SEGMENTS + 1); /* the second has no begin of a step */
	plan.leads = 1ull << EVT_FAMILY_gpu;
	seen = seek_read_part(&plan);
	assert_int_equal(seen.pops, 3);
}

TEST_BOTH(digests_suffice_for_steps, seek_setup, seek_teardown)
{
	struct seek_seen seen = seek_read_part(&(struct source_plan){ .only_digests = true });

	assert_int_equal(seen.steps, SEGMENTS);
	assert_int_equal(seen.pushes, 0);
	assert_int_equal(seen.faults, 0);
}

/* A writer that was killed leaves heads. Frames say what families the first segment has. */
TEST_BOTH(heads_lead_on_without_an_index, seek_setup, seek_teardown)
{
	struct source_plan plan = third;
	struct seek_seen seen;

	recording.length = index_at;
	seen = seek_read_part(&third);
	expect_third(&seen);
	assert_false(seen.complete);
	seen = seek_read_part(&(struct source_plan){ .only_digests = true });
	assert_int_equal(seen.steps, SEGMENTS);
	assert_int_equal(seen.pops, 0);
	plan.before = plan.after = 1ull << EVT_FAMILY_nvtx;
	seen = seek_read_part(&plan);
	expect_whole(&seen);
}

/* The fourth segment has no end: it is read, and says whether what precedes it is needed. */
TEST_BOTH(the_last_segment_of_a_killed_writer_is_known, seek_setup, seek_teardown)
{
	struct source_plan plan = { .from_ns = S, .to_ns = 2 * S - S / 2 };
	struct segment_head open = entry[3].head;
	struct seek_seen seen;

	recording.length = digest_at[4];
	open.bytes = open.end_ns = open.own_frames = open.own_records = open.families = 0;
	segment_head_write(recording.bytes + segment_at[4], &open);
	seen = seek_read_part(&plan);
	assert_int_equal(seen.steps, SEGMENTS);
	assert_int_equal(seen.pops, 3);   /* not those of the second and the third */
	assert_int_equal(seen.faults, 1); /* there is no end */
	plan.after = 1ull << EVT_FAMILY_nvtx;
	seen = seek_read_part(&plan);
	assert_int_equal(seen.pops, SEGMENTS + 1);
	recording.length -= 3; /* the last frame is cut off */
	seen = seek_read_part(&plan);
	assert_int_equal(seen.pops, 3);
	/* a copy that was cut: the head says that more follows */
	segment_head_write(recording.bytes + segment_at[4], &entry[3].head);
	seen = seek_read_part(&plan);
	assert_int_equal(seen.pops, 3);
}

/* Of a frame in the first segment that cannot be read, nobody knows what is in it. */
TEST_BOTH(a_first_segment_that_is_damaged_is_read, seek_setup, seek_teardown)
{
	struct seek_seen seen;

	recording.length = index_at;
	memset(recording.bytes + recording.frame_offset[1] + 12, 0x55, 20);
	seen = seek_read_part(&third);
	assert_int_equal(seen.pops, 2);
	assert_int_equal(seen.faults, 2); /* and there is no end */
}

TEST_BOTH(a_damaged_index_is_told, seek_setup, seek_teardown)
{
	struct seek_seen seen;

	recording.bytes[index_at + 40] ^= 1;
	seen = seek_read_part(&third);
	assert_int_equal(seen.steps, SEGMENTS);
	assert_int_equal(seen.pops, 1); /* as without an index */
	assert_int_equal(seen.faults, 1);
}

TEST_BOTH(a_damaged_digest_is_told, seek_setup, seek_teardown)
{
	struct seek_seen seen;

	recording.bytes[digest_at[1] + SEGMENT_DIGEST_HEAD + 12] ^= 0xff;
	seen = seek_read_part(&third);
	expect_whole(&seen);
	assert_int_equal(seen.faults, 1);
}

/* Offsets behind the file, in a circle, overlapping; times that go back; numbers that repeat. */
TEST(a_false_index_is_not_believed)
{
	for (unsigned int lie = 0; lie < 7; lie++) {
		struct segment_entry wrong[SEGMENTS];
		struct seek_seen seen;

		seek_make();
		memcpy(wrong, entry, sizeof(wrong));
		if (lie == 0)
			wrong[3].head.bytes = 1ull << 40;
		if (lie == 1)
			wrong[2].back = wrong[0].back;
		if (lie == 2)
			wrong[1].head.bytes += 10;
		if (lie == 3)
			wrong[2].head.begin_ns = 0;
		if (lie == 4)
			wrong[2].head.number = 2;
		if (lie == 5)
			wrong[0].back = 0;
		if (lie == 6)
			wrong[1].head.end_ns = 0;
		seek_put_index(wrong);
		recording_finish(&recording, (SEGMENTS + 1) * S);
		seen = seek_read_part(&third);
		assert_int_equal(seen.steps, SEGMENTS);
		assert_int_equal(seen.pops, 1);
		assert_int_equal(seen.faults, 1);
		recording_release(&recording);
	}
}

/* Each byte behind the frames changed, and each length: no crash, and steps are never doubled. */
TEST_BOTH(any_damage_reads, seek_setup, seek_teardown)
{
	size_t whole = recording.length;

	for (size_t at = recording.frame_offset[2]; at < whole; at++) {
		struct seek_seen seen;

		recording.bytes[at] ^= 0x41;
		seen = seek_read_part(&third);
		assert_true(seen.steps <= SEGMENTS);
		recording.bytes[at] ^= 0x41;
		recording.length = at;
		seen = seek_read_part(&third);
		assert_true(seen.steps <= SEGMENTS);
		recording.length = whole;
	}
}
