/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/core/selection.c: whatever opens and closes is followed over every cut of --time, --step,
 * --range, --during, --thread and --rank. The pairs are those of events.def and scopes.def, so that
 * a new one is tested by being there.
 */
#include "report/core/analysis.h"
#include "report/core/windows.h"
#include "tests/unit/run_fixture.h"

#define SEEN_MAX 32
#define WANTED "wanted"
#define STEP_NS 1024u /* between events; what the file writes in units of time keeps it */

/*
 * What one analysis was given of all events that have a role, and of the mark that stands for all
 * others.
 */
struct seen {
	uint8_t id[SEEN_MAX];
	uint64_t time_ns[SEEN_MAX];
	bool counts[SEEN_MAX];
	size_t count;
};

static bool has_role(unsigned int id)
{
	const struct evt_role *role = &evt_roles[id];

	return role->opens || role->closes || role->details || role->is_deferred ||
	       role->is_timeless;
}

/* --- a recording --- */

static unsigned int field_of(unsigned int id, const char *name)
{
	unsigned int at = 0;

	while (at < evt_descriptors[id].field_count &&
	       strcmp(evt_descriptors[id].field[at].name, name) != 0)
		at++;
	return at;
}

/* All fields 0, but for its name, and the scope that makes a label of what begins. */
static void put(unsigned int id, uint64_t time_ns, const char *name)
{
	uint64_t words[EVT_WORDS_MAX + EVT_FIELDS_MAX] = { 0 };

	words[field_of(id, "scope")] = EVT_SCOPE_USER;
	words[evt_descriptors[id].field_count] = 0; /* it has no such field */
	if (field_of(id, "name") < evt_descriptors[id].field_count && name)
		words[field_of(id, "name")] = cuda_recording_name(&c, name);
	assert_int_equal(frame_put(c.r.fw, id, time_ns, words), 0);
}

static void end_recording(void)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 100000);
}

/* One inside of the other, and one after them; returns how many events. */
static size_t put_pairs(unsigned int opens, unsigned int closes)
{
	const unsigned int order[] = { opens, opens, closes, closes, opens, closes };
	size_t count = sizeof(order) / sizeof(order[0]);

	for (size_t i = 0; i < count; i++)
		put(order[i], (i + 1) * STEP_NS, NULL);
	return count;
}

/* --- a run of it --- */

static void take(void *state, const struct source_event *event, bool counts)
{
	struct seen *seen = state;

	assert_true(seen->count < SEEN_MAX);
	seen->id[seen->count] = event->event.id;
	seen->time_ns[seen->count] = event->event.time_ns;
	seen->counts[seen->count++] = counts;
}

static void start(void *state, struct run *of, const void *options)
{
	(void)options;
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		if (has_role(id))
			run_reads(of, (enum evt_id)id, 0, take, state);
	run_reads(of, EVT_nvtx_mark, 0, take, state);
}

static const struct analysis_kind kind = {
	.name = "seen",
	.state_bytes = sizeof(struct seen),
	.start = start,
};

static const struct seen *read_with(const struct filter_settings *filter)
{
	const struct seen *seen;

	source = recording_source(&c.r);
	run = run_new(source, filter);
	seen = run_want(run, &kind, NULL);
	run_read(run, false);
	return seen;
}

static void close_run(void)
{
	run_free(run);
	source_close(source);
}

/*
 * Each event was given, once and in order; those within [from, to) count. A step counts with the
 * moment before its end.
 */
static void expect_all(const struct filter_settings *filter, size_t count, uint64_t from_ns,
		       uint64_t to_ns)
{
	const struct seen *seen = read_with(filter);

	assert_int_equal(seen->count, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t time_ns = (i + 1) * STEP_NS;
		uint64_t judged_ns = time_ns - (filter->windows && seen->id[i] == EVT_step ? 1 : 0);

		assert_int_equal(seen->time_ns[i], time_ns);
		assert_int_equal(seen->counts[i], judged_ns >= from_ns && judged_ns < to_ns);
	}
	close_run();
}

static void cut_by_time(size_t count, uint64_t at_ns)
{
	struct filter_settings before = recording_whole, after = recording_whole,
			       thread = recording_whole, rank = recording_whole;
	const struct seen *seen;

	before.to_ns = at_ns;
	expect_all(&before, count, 0, at_ns);
	after.from_ns = at_ns;
	expect_all(&after, count, at_ns, UINT64_MAX);
	thread.tid = 200; /* the other one */
	thread.to_ns = at_ns;
	expect_all(&thread, count, 0, 0);
	rank.has_rank = true;
	rank.rank_from = rank.rank_to = 1;
	rank.to_ns = at_ns;
	seen = read_with(&rank);
	assert_int_equal(seen->count, 0); /* of no rank: nothing of it is followed */
	close_run();
}

static void cut_by_window(size_t count, uint64_t from_ns, uint64_t to_ns)
{
	struct window window = { .process = 1, .pid = 100, .from_ns = from_ns, .to_ns = to_ns };
	struct windows windows = { .window = &window, .count = 1 };
	struct filter_settings step = recording_whole;

	step.by_step = true;
	step.windows = &windows;
	expect_all(&step, count, from_ns, to_ns);
	step.from_ns = from_ns; /* as --step makes it */
	step.to_ns = to_ns;
	expect_all(&step, count, from_ns, to_ns);
}

/* Calls the function for each pair of the list. */
static void for_each_pair(void (*test)(unsigned int opens, unsigned int closes))
{
	for (unsigned int opens = 0; opens < EVT_ID_LIMIT; opens++)
		for (unsigned int closes = 0; closes < EVT_ID_LIMIT; closes++)
			if (evt_roles[opens].opens &&
			    evt_roles[opens].opens == evt_roles[closes].closes)
				test(opens, closes);
}

static void cut_pair_by_time(unsigned int opens, unsigned int closes)
{
	size_t count;

	recording_begin(1);
	count = put_pairs(opens, closes);
	end_recording();
	for (uint64_t at = 0; at <= count + 1; at++) {
		cut_by_time(count, at * STEP_NS);
		cut_by_time(count, at * STEP_NS + 1);
		for (uint64_t to = at + 1; to <= count + 1; to++)
			cut_by_window(count, at * STEP_NS, to * STEP_NS);
	}
	cuda_recording_release(&c);
}

TEST(pairs_are_followed_over_every_cut_in_time)
{
	for_each_pair(cut_pair_by_time);
}

/*
 * What only says more of a scope, or tells of something before, is followed as well; and all other
 * events are not.
 */
TEST(what_belongs_to_before_the_cut_is_followed)
{
	struct filter_settings before = recording_whole;

	before.to_ns = STEP_NS;
	for (unsigned int id = 1; id < EVT_ID_LIMIT; id++) {
		if (!evt_descriptors[id].name || evt_descriptors[id].family == EVT_FAMILY_system ||
		    !(has_role(id) || id == EVT_nvtx_mark))
			continue;
		recording_begin(1);
		put(id, STEP_NS, NULL);
		end_recording();
		if (has_role(id)) {
			expect_all(&before, 1, 0, STEP_NS);
		} else {
			assert_int_equal(read_with(&before)->count, 0);
			close_run();
		}
		cuda_recording_release(&c);
	}
}

/* --- ranges --- */

/*
 * The pairs lie before, in and after a range of another kind: that range is laid over each part of
 * them.
 */
static void cut_pair_by_range(unsigned int opens, unsigned int closes)
{
	struct filter_settings filter = recording_whole;

	if (opens == EVT_capture_start)
		return; /* recording begins or stops there, which ends all ranges */
	filter.range = WANTED;
	for (uint64_t at = 0; at < 6; at++)
		for (uint64_t to = at; to <= 6; to++) {
			const unsigned int order[] = {
				opens, opens, closes, closes, opens, closes
			};
			const struct seen *seen;

			recording_begin(1);
			for (uint64_t i = 0; i <= 6; i++) {
				if (i == at)
					FRAME_PUT(c.r.fw, i * STEP_NS + 1, nvtx_start, .range = 77,
						  .name = cuda_recording_name(&c, WANTED));
				if (i == to)
					FRAME_PUT(c.r.fw, i * STEP_NS + 2, nvtx_end, .range = 77);
				if (i < 6)
					put(order[i], (i + 1) * STEP_NS, NULL);
			}
			end_recording();
			filter.during = (at + to) % 2;
			seen = read_with(&filter);
			assert_int_equal(seen->count, 8);
			for (size_t i = 0; i < seen->count; i++)
				assert_int_equal(seen->counts[i],
						 seen->time_ns[i] > at * STEP_NS &&
							 seen->time_ns[i] <= to * STEP_NS + 2);
			close_run();
			cuda_recording_release(&c);
		}
}

TEST(pairs_are_followed_over_every_cut_of_a_range)
{
	for_each_pair(cut_pair_by_range);
}

static uint64_t marks_counted(const struct seen *seen)
{
	uint64_t marks = 0;

	for (size_t i = 0; i < seen->count; i++)
		if (seen->id[i] == EVT_nvtx_mark && seen->counts[i])
			marks += seen->time_ns[i];
	return marks;
}

/* Kinds that --range can ask for: what lies between the two events counts, and nothing else. */
static void ask_for_range(unsigned int opens, unsigned int closes)
{
	bool is_range = evt_roles[opens].title != 0;
	struct filter_settings filter = recording_whole;

	recording_begin(1);
	put(EVT_nvtx_mark, 1, NULL);
	put(opens, 2, WANTED);
	put(EVT_nvtx_mark, 4, NULL);
	put(closes, 5, WANTED);
	put(EVT_nvtx_mark, 8, NULL);
	end_recording();
	filter.range = WANTED;
	for (int during = 0; during <= 1; during++) {
		filter.during = during;
		assert_int_equal(marks_counted(read_with(&filter)), is_range ? 4 : 0);
		close_run();
	}
	cuda_recording_release(&c);
}

TEST(every_kind_of_range_can_be_asked_for)
{
	for_each_pair(ask_for_range);
}

/* --- the list itself --- */

/*
 * By its name it is one half of a pair; the system's events have no thread, and a teardown has no
 * end.
 */
static bool sounds_like_a_pair(unsigned int id)
{
	static const char *const parts[] = { "_begin", "_end", "_enter", "_return",
					     "_push",  "_pop", "_start", "_stop" };
	const char *name = evt_descriptors[id].name;
	bool sounds = false;

	if (!name || evt_descriptors[id].family == EVT_FAMILY_system || id == EVT_teardown_begin)
		return false;
	/* windows of detail are no scopes: report/core/detail.h follows them */
	if (id == EVT_detail_start || id == EVT_detail_stop)
		return false;
	/* edges of a step's phases: report/steps/step_phases.c bears a pass that only ends */
	if (id == EVT_autograd_begin || id == EVT_autograd_end)
		return false;
	/* by connection and number, on whatever thread: report/requests matches them itself */
	if (evt_descriptors[id].family == EVT_FAMILY_requests)
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sounds |= strstr(name, parts[i]) != NULL;
	return sounds;
}

TEST(no_pair_is_forgotten)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		if (sounds_like_a_pair(id) && !evt_roles[id].opens && !evt_roles[id].closes)
			fail_msg("event %s opens and closes nothing", evt_descriptors[id].name);
}

TEST(every_kind_of_scope_has_both_ends)
{
	for (unsigned int scope = 1; scope < EVT_SCOPE_KIND_LIMIT; scope++) {
		bool opens = false, closes = false;

		for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
			opens |= evt_roles[id].opens == scope;
			closes |= evt_roles[id].closes == scope;
		}
		if (!opens || !closes)
			fail_msg("scope %s is never %s", evt_scopes[scope].name,
				 opens ? "closed" : "opened");
	}
}

/* A range has a title; and an end by key names a field of the same codec as what begins it. */
TEST(every_kind_of_range_can_be_found_again)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		const struct evt_role *opens = &evt_roles[id];

		if (!evt_scopes[opens->opens].is_range || !opens->title)
			continue;
		if (evt_descriptors[id].field[opens->title - 1].codec != EVT_CODEC_name)
			fail_msg("the title of %s is no name", evt_descriptors[id].name);
		for (unsigned int end = 0; end < EVT_ID_LIMIT; end++) {
			const struct evt_role *closes = &evt_roles[end];

			if (closes->closes != opens->opens || !closes->key)
				continue;
			if (!opens->key ||
			    evt_descriptors[id].field[opens->key - 1].codec !=
				    evt_descriptors[end].field[closes->key - 1].codec)
				fail_msg("%s and %s have other keys", evt_descriptors[id].name,
					 evt_descriptors[end].name);
		}
	}
	for (unsigned int scope = 1; scope < EVT_SCOPE_KIND_LIMIT; scope++) {
		bool has_title = false;

		for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
			has_title |= evt_roles[id].opens == scope && evt_roles[id].title;
		assert_int_equal(has_title, evt_scopes[scope].is_range);
	}
}
