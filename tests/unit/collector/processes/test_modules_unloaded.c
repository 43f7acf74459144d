/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * Libraries that are loaded and unloaded at one address, with looks at the maps at any moment among
 * that: each call has the name of the library that lay there, in all short sequences.
 */
#include "tests/unit/unit.h"
#include "collector/processes/modules.h"

#define LOADS_MAX 4u
#define GAPS_MAX (2 * LOADS_MAX + 1)
#define LIBRARIES 3u
#define START 0x10000u
#define BYTES 0x4000u
#define TOLD_MAX 64u
#define FRAMES_MAX (GAPS_MAX + 1)

/*
 * Load i happens at the time of action 2i, its unloading at that of action 2i + 1. Gap g lies
 * before action g.
 */
static uint64_t action_ns(unsigned int action)
{
	return 1000 + 100 * (uint64_t)action;
}

static uint64_t gap_ns(unsigned int gap)
{
	return action_ns(gap) - 50;
}

struct scenario {
	unsigned int loads;
	unsigned int
		library[LOADS_MAX]; /* of each load, from 1; of library 3 there is no build-id */
	bool stays;                 /* the last one is not unloaded */
	bool hurried;               /* frames are closed at looks only, else in every gap */
	bool gone;                  /* before a last look */
	bool full;                  /* the frame of a look ends before it */
	unsigned int looks;
	struct {
		unsigned int from, seen, to; /* gaps */
	} look[2];
};

/* What a reader of the file makes of it: report/session/source_modules.c. */
struct told {
	uint64_t path, from_ns, to_ns;
};

struct world {
	struct common common;
	struct modules modules;
	struct modules_reading reading;
	struct told told[TOLD_MAX];
	unsigned int count;
};

static unsigned int library_at(const struct scenario *s, unsigned int gap)
{
	if (gap > 2 * s->loads || (gap == 2 * s->loads && !s->stays))
		return 0;
	if (gap == 2 * s->loads)
		return s->library[s->loads - 1];
	return gap % 2 ? s->library[gap / 2] : 0;
}

static uint64_t path_of(unsigned int library)
{
	return 10 + library;
}

static uint64_t build_id_of(unsigned int library)
{
	return library == 3 ? 0 : 20 + library;
}

static void world_init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	journal_init(&w->common.journal);
	assert_int_equal(names_init(&w->common.names, &w->common.journal), 0);
	w->reading = (struct modules_reading){ .common = &w->common, .process = 1, .from_ns = 1 };
}

static void world_release(struct world *w)
{
	modules_release(&w->modules);
	names_release(&w->common.names);
	journal_release(&w->common.journal);
}

static int event_compare(const void *a, const void *b)
{
	const struct journal_event *one = a, *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return one->order < other->order ? -1 : one->order > other->order;
}

static void read_end(struct world *w, uint64_t time_ns)
{
	for (unsigned int i = 0; i < w->count; i++) {
		if (w->told[i].to_ns != UINT64_MAX)
			continue;
		w->told[i].to_ns = time_ns;
		return;
	}
}

static void read_frame(struct world *w)
{
	struct journal *journal = &w->common.journal;

	qsort(journal->event, journal->count, sizeof(*journal->event), event_compare);
	for (size_t i = 0; i < journal->count; i++) {
		const struct journal_event *event = &journal->event[i];

		if (event->id == EVT_module &&
		    ((const struct evt_module *)event->value)->start == START) {
			assert_in_range(w->count, 0, TOLD_MAX - 1);
			w->told[w->count++] = (struct told){
				((const struct evt_module *)event->value)->path, event->time_ns,
				UINT64_MAX
			};
		} else if (event->id == EVT_module_end &&
			   ((const struct evt_module_end *)event->value)->start == START) {
			read_end(w, event->time_ns);
		}
	}
	journal->count = 0;
}

static uint64_t named(const struct world *w, uint64_t time_ns)
{
	uint64_t later = 0;

	for (unsigned int i = w->count; i > 0; i--) {
		const struct told *told = &w->told[i - 1];

		if (told->from_ns <= time_ns && time_ns <= told->to_ns)
			return told->path;
		if (told->from_ns > time_ns)
			later = told->path;
	}
	return later;
}

/* A look that has found the library, 0: none, beside something else. */
static void world_find(struct world *w, unsigned int library, uint64_t from_ns, uint64_t to_ns)
{
	struct modules_look *look = &w->modules.look;

	free(look->module);
	*look = (struct modules_look){ .from_ns = from_ns, .to_ns = to_ns };
	look->module = calloc(2, sizeof(*look->module));
	look->module[look->count++] = (struct module){ .start = 4096,
						       .end = 8192,
						       .inode = 99,
						       .path = 99,
						       .build_id = 98,
						       .seen_ns = look->from_ns,
						       .file = true };
	if (library)
		look->module[look->count++] = (struct module){ .start = START,
							       .end = START + BYTES,
							       .inode = library,
							       .path = path_of(library),
							       .build_id = build_id_of(library),
							       .seen_ns = look->from_ns,
							       .file = true };
	w->modules.read_ns = 1;
}

static void world_look(struct world *w, const struct scenario *s, unsigned int from,
		       unsigned int seen, unsigned int to)
{
	world_find(w, library_at(s, seen), gap_ns(from), gap_ns(to));
}

/* All that was unloaded up to the gap and has not been drained yet. */
static void world_drain(struct world *w, const struct scenario *s, unsigned int gap,
			unsigned int *drained)
{
	for (; *drained < s->loads && 2 * *drained + 1 < gap; (*drained)++) {
		const struct module_end end = {
			.time_ns = action_ns(2 * *drained + 1),
			.seen_ns = action_ns(2 * *drained + 1) - 20,
			.start = START,
			.end = START + BYTES,
			.path = path_of(s->library[*drained]),
			.build_id = build_id_of(s->library[*drained]),
		};

		if (*drained + 1 == s->loads && s->stays)
			return;
		modules_note_end(&w->modules, &end);
	}
}

static void world_settle(struct world *w, const struct scenario *s, unsigned int gap,
			 unsigned int *drained)
{
	world_drain(w, s, gap, drained);
	w->reading.time_ns = gap_ns(gap);
	modules_settle(&w->modules, &w->reading);
	read_frame(w);
}

static void world_run(struct world *w, const struct scenario *s)
{
	unsigned int last = 2 * s->loads + 1, drained = 0;

	for (unsigned int gap = 0; gap < last; gap++) {
		unsigned int begun = gap;
		bool ends = false, looks = false;

		for (unsigned int i = 0; i < s->looks; i++) {
			if (s->look[i].to == gap)
				world_look(w, s, s->look[i].from, s->look[i].seen, gap);
			ends |= s->look[i].to == gap;
			if (s->full && s->look[i].to == gap)
				begun = s->look[i].from;
			looks |= s->look[i].from <= gap && gap < s->look[i].to;
		}
		if (ends || (!s->hurried && !looks))
			world_settle(w, s, begun, &drained);
	}
	if (!s->gone)
		world_look(w, s, last - 1, last - 1, last - 1);
	w->reading.is_last = true;
	world_settle(w, s, last, &drained);
}

static void scenario_fail(const struct scenario *s, unsigned int load, uint64_t got)
{
	for (unsigned int i = 0; i < s->loads; i++)
		print_error("load %u: library %u\n", i, s->library[i]);
	for (unsigned int i = 0; i < s->looks; i++)
		print_error("look from gap %u to %u, as of %u\n", s->look[i].from, s->look[i].to,
			    s->look[i].seen);
	fail_msg("stays %d hurried %d gone %d full %d: load %u is named %d", s->stays, s->hurried,
		 s->gone, s->full, load, (int)got);
}

static void scenario_try(const struct scenario *s)
{
	struct world w;

	world_init(&w);
	world_run(&w, s);
	for (unsigned int i = 0; i < s->loads; i++) {
		uint64_t first = named(&w, action_ns(2 * i) + 1);
		uint64_t last = named(&w, action_ns(2 * i + 1) - 1);
		bool unknown = s->gone && s->stays && i + 1 == s->loads;

		if (first != path_of(s->library[i]) && !(unknown && !first))
			scenario_fail(s, i, first);
		if (last != path_of(s->library[i]) && !(unknown && !last))
			scenario_fail(s, i, last);
	}
	world_release(&w);
}

static void try_looks(struct scenario *s, unsigned int looks, unsigned int first)
{
	unsigned int gaps = 2 * s->loads + 1, at = s->looks;

	scenario_try(s);
	if (at == looks)
		return;
	s->looks++;
	for (unsigned int from = first; from < gaps; from++) {
		for (unsigned int to = from; to < gaps && to <= from + 3; to++) {
			for (unsigned int seen = from; seen <= to; seen++) {
				s->look[at].from = from;
				s->look[at].seen = seen;
				s->look[at].to = to;
				try_looks(s, looks, to + 1);
			}
		}
	}
	s->looks--;
}

static void try_all(unsigned int loads, unsigned int looks)
{
	unsigned int sequences = 1;

	for (unsigned int i = 0; i < loads; i++)
		sequences *= LIBRARIES;
	for (unsigned int sequence = 0; sequence < sequences * 16; sequence++) {
		struct scenario s = { .loads = loads,
				      .stays = sequence & 1,
				      .hurried = sequence & 2,
				      .gone = sequence & 4,
				      .full = sequence & 8 };

		for (unsigned int i = 0, rest = sequence / 16; i < loads; i++, rest /= LIBRARIES)
			s.library[i] = 1 + rest % LIBRARIES;
		try_looks(&s, looks, 0);
	}
}

TEST(two_loads_with_two_looks)
{
	try_all(2, 2);
}

TEST(three_loads_with_two_looks)
{
	try_all(3, 2);
}

TEST(four_loads_with_one_look)
{
	try_all(4, 1);
}

/* --- what is not in order --- */

static void settle_until(struct world *w, uint64_t time_ns)
{
	w->reading.time_ns = time_ns;
	modules_settle(&w->modules, &w->reading);
	read_frame(w);
}

static void note_end(struct world *w, unsigned int library, uint64_t seen_ns, uint64_t time_ns)
{
	const struct module_end end = { .time_ns = time_ns,
					.seen_ns = seen_ns,
					.start = START,
					.end = START + BYTES,
					.path = path_of(library),
					.build_id = build_id_of(library) };

	modules_note_end(&w->modules, &end);
}

/*
 * 1 is unloaded between 210 and 260, reported at 400; 2 is loaded by another thread before that,
 * and a look finds it.
 */
TEST(report_that_a_look_overtakes)
{
	for (int known = 0; known < 2; known++) {
		struct world w;

		(void)unit_state;
		world_init(&w);
		world_find(&w, known ? 1 : 0, 100, 101);
		settle_until(&w, 150);
		world_find(&w, 2, 300, 310);
		note_end(&w, 1, 210, 400);
		settle_until(&w, 500);
		assert_int_equal(named(&w, 200), path_of(1));
		for (uint64_t time_ns = 300; time_ns < 600; time_ns += 10)
			assert_int_equal(named(&w, time_ns), path_of(2));
		world_release(&w);
	}
}

/* Drained after a later look was taken: 1 was unloaded at 200 and had been loaded again by then. */
TEST(report_that_comes_late_ends_nothing_new)
{
	struct world w;

	world_init(&w);
	world_find(&w, 1, 100, 101);
	settle_until(&w, 150);
	world_find(&w, 1, 300, 310);
	settle_until(&w, 350);
	note_end(&w, 1, 190, 200);
	settle_until(&w, 400);
	assert_int_equal(named(&w, 390), path_of(1));
	assert_int_equal(w.modules.count, 2);
	world_release(&w);
}

/* Closed by two threads: the one that was unloaded first is reported last. */
TEST(reports_of_two_threads_in_the_wrong_order)
{
	struct world w;

	world_init(&w);
	world_find(&w, 0, 100, 101);
	settle_until(&w, 150);
	note_end(&w, 1, 210, 400);
	note_end(&w, 2, 280, 300);
	settle_until(&w, 500);
	assert_int_equal(named(&w, 290), path_of(2));
	assert_true(named(&w, 350) != path_of(1));
	world_release(&w);
}

/* By munmap(). Ranges that are no module, and parts of one, are nothing to note. */
TEST(range_that_is_unmapped_has_nothing)
{
	struct world w;

	world_init(&w);
	world_find(&w, 1, 100, 101);
	settle_until(&w, 150);
	modules_note_unmapped(&w.modules, 160, START + BYTES, BYTES);
	modules_note_unmapped(&w.modules, 161, START, BYTES - 4096);
	modules_note_unmapped(&w.modules, 162, START + 4096, UINT64_MAX);
	modules_note_unmapped(&w.modules, 163, START, 0);
	assert_int_equal(w.modules.ends.count, 0);
	modules_note_unmapped(&w.modules, 200, START, BYTES);
	assert_int_equal(w.modules.ends.count, 1);
	settle_until(&w, 250);
	world_find(&w, 2, 300, 301);
	settle_until(&w, 350);
	assert_int_equal(named(&w, 190), path_of(1));
	assert_int_equal(named(&w, 201), path_of(2));
	assert_int_equal(named(&w, 340), path_of(2));
	world_release(&w);
}

TEST(missing_without_a_report_is_believed_the_second_time)
{
	struct world w;

	world_init(&w);
	world_find(&w, 1, 100, 101);
	settle_until(&w, 150);
	world_find(&w, 0, 200, 201);
	settle_until(&w, 250);
	assert_int_equal(named(&w, 220), path_of(1));
	assert_true(w.modules.missed);
	world_find(&w, 2, 300, 301);
	settle_until(&w, 350);
	assert_int_equal(named(&w, 190), path_of(1));
	assert_int_equal(named(&w, 340), path_of(2));
	assert_int_equal(named(&w, 240), path_of(2));
	world_release(&w);
}

/*
 * libc unloads modules of iconv() itself: nobody reports it. ld.so allocates when it loads what
 * comes there next.
 */
TEST(what_comes_unreported_is_there_from_its_load_on)
{
	struct world w;

	world_init(&w);
	assert_true(
		modules_note_allocation(&w.modules, 1, 90)); /* nobody knows yet where ld.so is */
	world_find(&w, 1, 100, 101);
	settle_until(&w, 150);
	w.modules.loader_start = 0x9000;
	w.modules.loader_end = 0xa000;
	assert_false(modules_note_allocation(&w.modules, 0xa000, 160));
	assert_true(modules_note_allocation(&w.modules, 0x9fff, 230));
	assert_true(
		modules_note_allocation(&w.modules, 0x9000, 200)); /* of another thread's ring */
	assert_true(w.modules.missed);
	world_find(&w, 2, 300, 301);
	assert_true(modules_note_allocation(&w.modules, 0x9000, 310)); /* after the look */
	settle_until(&w, 350);
	world_find(&w, 2, 400, 401);
	settle_until(&w, 450);
	assert_int_equal(named(&w, 199), path_of(1));
	assert_true(named(&w, 215) != path_of(1) && named(&w, 215) != path_of(2));
	assert_int_equal(named(&w, 231), path_of(2));
	assert_int_equal(named(&w, 440), path_of(2));
	world_release(&w);
}

/* Nothing is known of loads: in between it may have been either. */
TEST(what_comes_unreported_is_nobodys_between_two_looks)
{
	struct world w;

	world_init(&w);
	world_find(&w, 1, 100, 101);
	settle_until(&w, 150);
	world_find(&w, 2, 300, 301);
	settle_until(&w, 350);
	world_find(&w, 2, 400, 401);
	settle_until(&w, 450);
	assert_true(named(&w, 200) != path_of(1) && named(&w, 200) != path_of(2));
	assert_int_equal(named(&w, 310), path_of(2));
	world_release(&w);
}
