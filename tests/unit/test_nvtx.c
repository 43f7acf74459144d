/* SPDX-License-Identifier: MIT */
/* links: preload:nvtx.c,nvtx_names.c,names.c,pointer_map.c,nvtx_capture.c,capture.c,facts.c,steps.c,schedule.c,parse.c,nvtx_v3.c,strings.c,recorder.c */
/*
 * NVTX from the injection's callbacks to the records in a ring. The client below has the tables that
 * the real headers have; the region is plain memory that nobody drains.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/hook.h"
#include "preload/init.h"
#include "preload/log.h"
#include "preload/nvtx.h"
#include "preload/process.h"
#include "preload/settings.h"
#include "preload/steps.h"

#define REGION_BYTES (4u << 20)

/* --- what the linked files want from the others --- */

struct settings settings;
bool clock_is_tsc = true;

bool init_activate(void)
{
	return true;
}

void log_line(const char *format, ...)
{
	(void)format;
}

uint32_t process_serial(uint32_t entry)
{
	return entry;
}

void process_flee(void)
{
}

void process_adopt(void)
{
}

void process_watch_thread(void)
{
}

void process_count_lost(enum process_lost what)
{
	(void)what;
}

void process_count_wait(void)
{
}

/* --- a client --- */

#define CORE_SIZE 16
#define CORE2_SIZE 16

static nvtx_function core[CORE_SIZE], core2[CORE2_SIZE];
static nvtx_function *core_table[CORE_SIZE + 1], *core2_table[CORE2_SIZE + 1];
static unsigned int core_size = CORE_SIZE;

static int get_module(unsigned int module, nvtx_function ***ret_table, unsigned int *ret_size)
{
	if (module != NVTX_MODULE_CORE && module != NVTX_MODULE_CORE2)
		return 0;
	*ret_table = module == NVTX_MODULE_CORE ? core_table : core2_table;
	*ret_size = module == NVTX_MODULE_CORE ? core_size : CORE2_SIZE;
	return 1;
}

static const void *get_table(uint32_t id)
{
	static const struct nvtx_table_callbacks callbacks = { sizeof(callbacks), get_module };

	return id == NVTX_TABLE_CALLBACKS ? &callbacks : NULL;
}

static void client_init(void)
{
	memset(core, 0, sizeof(core));
	memset(core2, 0, sizeof(core2));
	for (unsigned int i = 1; i < CORE_SIZE; i++)
		core_table[i] = &core[i];
	for (unsigned int i = 1; i < CORE2_SIZE; i++)
		core2_table[i] = &core2[i];
	assert_int_equal(InitializeInjectionNvtx2(get_table), 1);
}

static int push(const char *text)
{
	return ((int (*)(const char *))core[NVTX_CORE_RangePushA])(text);
}

static int pop(void)
{
	return ((int (*)(void))core[NVTX_CORE_RangePop])();
}

static int push_in(const void *domain, const char *text)
{
	const struct nvtx_attributes a = {
		.version = 3, .size = sizeof(a), .message_type = NVTX_MESSAGE_TEXT, .message = text
	};

	return ((int (*)(const void *, const struct nvtx_attributes *))
			core2[NVTX_CORE2_DomainRangePushEx])(domain, &a);
}

static int pop_in(const void *domain)
{
	return ((int (*)(const void *))core2[NVTX_CORE2_DomainRangePop])(domain);
}

static const void *domain_create(const char *text)
{
	return ((const void *(*)(const char *))core2[NVTX_CORE2_DomainCreateA])(text);
}

static const void *string_register(const char *text)
{
	return ((const void *(*)(const void *,
				 const char *))core2[NVTX_CORE2_DomainRegisterStringA])(NULL, text);
}

static uint64_t start(const char *text)
{
	return ((uint64_t(*)(const char *))core[NVTX_CORE_RangeStartA])(text);
}

static void end(uint64_t range)
{
	((void (*)(uint64_t))core[NVTX_CORE_RangeEnd])(range);
}

/* --- the ring --- */

static void *region;
static struct region_shape shape;

static int region_setup(void **state)
{
	struct recorder_region r = { 0 };

	(void)state;
	region = aligned_alloc(4096, REGION_BYTES);
	memset(region, 0, REGION_BYTES);
	assert_int_equal(region_shape_of(REGION_BYTES, &shape), 0);
	r.header = region;
	r.shape = shape;
	strings_forget();
	memset(&nvtx_self, 0, sizeof(nvtx_self));
	recorder_capture(settings.capture == SETTINGS_CAPTURE_ALL);
	assert_int_equal(recorder_open(&r, 0, 1u << RECORDER_NVTX), 0);
	settings.trace = 1u << SETTINGS_FAMILY_nvtx;
	client_init();
	return 0;
}

static int region_teardown(void **state)
{
	(void)state;
	recorder_close();
	free(region);
	return 0;
}

static unsigned int words_of(uint64_t word)
{
	switch (record_type(word)) {
	case RECORD_PAD:
		return (unsigned int)record_ticks(word);
	case RECORD_TEXT:
		return RECORD_PIECE_WORDS;
#define EVENT(id, name, family, doc) \
	case id:                     \
		return 1 + (unsigned int)(sizeof(struct evt_##name) / 8);
#include "collector/format/events.def"
	default:
		fail_msg("record type %u", record_type(word));
		return 1;
	}
}

static uint64_t read_at; /* in the ring of this thread */

/* The next record that is no text, as words after the first; fails when it is not of that type. */
static const uint64_t *next_record(uint32_t type)
{
	const uint64_t *words = region_ring_words(region, &shape, 0, shape.class[0].first);
	const struct region_ring *ring = &region_rings(region, &shape)[shape.class[0].first];
	uint64_t head = atomic_load(&ring->head);

	while (read_at < head) {
		const uint64_t *record = words + read_at;

		read_at += words_of(*record);
		if (record_type(*record) == RECORD_TEXT || record_type(*record) == RECORD_PAD)
			continue;
		assert_int_equal(record_type(*record), type);
		return record + 1;
	}
	fail_msg("no more records, wanted type %u", type);
	return NULL;
}

static void no_more_records(void)
{
	const struct region_ring *ring = &region_rings(region, &shape)[shape.class[0].first];

	assert_true(read_at == atomic_load(&ring->head));
}

static uint64_t hash(const char *text)
{
	return string_hash(text, strlen(text));
}

/* --- tests --- */

static void push_and_pop_nest_by_thread_and_domain(void **state)
{
	const void *domain = domain_create("io");

	(void)state;
	read_at = 0;
	assert_int_equal(push("outer"), 0);
	assert_int_equal(push("inner"), 1);
	assert_int_equal(push_in(domain, "read"), 0);
	assert_int_equal(pop_in(domain), 0);
	assert_int_equal(pop(), 1);
	assert_int_equal(pop(), 0);
	assert_int_equal(pop(), NVTX_LEVEL_ERROR);
	assert_true(next_record(EVT_nvtx_push)[1] == hash("outer"));
	assert_true(next_record(EVT_nvtx_push)[1] == hash("inner"));
	{
		const uint64_t *read = next_record(EVT_nvtx_push);

		assert_true(read[0] == hash("io") && read[1] == hash("read"));
	}
	assert_true(next_record(EVT_nvtx_pop)[0] == hash("io"));
	assert_true(next_record(EVT_nvtx_pop)[0] == 0);
	assert_true(next_record(EVT_nvtx_pop)[0] == 0);
	assert_true(next_record(EVT_nvtx_pop)[0] == 0);
	no_more_records();
}

static void more_domains_than_levels_are_still_recorded(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };

	(void)state;
	read_at = 0;
	for (unsigned int i = 0; i < 6; i++) {
		int level = push_in(domain_create(names[i]), "x");

		assert_int_equal(level, i < NVTX_LEVELS - 1 ? 0 : NVTX_LEVEL_UNTRACKED);
		assert_true(next_record(EVT_nvtx_push)[0] == hash(names[i]));
	}
	for (unsigned int i = 0; i < 6; i++)
		(void)pop_in(domain_create(names[i]));
	assert_int_equal(push_in(domain_create("e"), "x"), 0);
}

static void attributes_are_read_as_far_as_their_size(void **state)
{
	int (*push_ex)(const struct nvtx_attributes *) = (int (*)(
		const struct nvtx_attributes *))core[NVTX_CORE_RangePushEx];
	struct nvtx_attributes a = { .version = 3,
				     .size = sizeof(a),
				     .category = 7,
				     .color_type = 1,
				     .color = 0xff00ff00,
				     .payload_type = NVTX_PAYLOAD_INT32,
				     .payload = 0xdeadbeeffffffffe,
				     .message_type = NVTX_MESSAGE_REGISTERED,
				     .message = string_register("kept") };
	const uint64_t *field;

	(void)state;
	read_at = 0;
	(void)push_ex(&a);
	field = next_record(EVT_nvtx_push_ex);
	assert_true(field[0] == 0 && field[1] == hash("kept") && field[2] == 7 &&
		    field[3] == 0xff00ff00);
	assert_true(field[4] == NVTX_PAYLOAD_INT32 && field[5] == 0xfffffffe);
	a.size = offsetof(struct nvtx_attributes, message_type);
	(void)push_ex(&a);
	assert_true(next_record(EVT_nvtx_push_ex)[1] == 0);
	a.size = 0;
	(void)push_ex(&a);
	assert_true(next_record(EVT_nvtx_push)[1] == 0);
	(void)push_ex(NULL);
	assert_true(next_record(EVT_nvtx_push)[1] == 0);
	a = (struct nvtx_attributes){ .size = sizeof(a),
				      .message_type = NVTX_MESSAGE_REGISTERED,
				      .message = &a };
	(void)push_ex(&a); /* a handle that is none of ours */
	assert_true(next_record(EVT_nvtx_push)[1] == 0);
	no_more_records();
}

static void started_ranges_have_numbers(void **state)
{
	uint64_t first = start("one"), second = start("two");
	const uint64_t *field;

	(void)state;
	read_at = 0;
	assert_true(first != 0 && second != first);
	end(first);
	field = next_record(EVT_nvtx_start);
	assert_true(field[1] == hash("one") && field[2] == first);
	field = next_record(EVT_nvtx_start);
	assert_true(field[1] == hash("two") && field[2] == second);
	field = next_record(EVT_nvtx_end);
	assert_true(field[0] == 0 && field[1] == first);
	no_more_records();
}

static void names_are_recorded(void **state)
{
	const uint64_t *field;

	(void)state;
	read_at = 0;
	((void (*)(uint32_t, const char *))core[NVTX_CORE_NameOsThreadA])(42, "loader");
	((void (*)(uint32_t, const wchar_t *))core[NVTX_CORE_NameCategoryW])(5, L"\u00fcber");
	((void (*)(const char *))core[NVTX_CORE_MarkA])("now");
	field = next_record(EVT_nvtx_thread_name);
	assert_true(field[0] == 42 && field[1] == hash("loader"));
	field = next_record(EVT_nvtx_category);
	assert_true(field[0] == 0 && field[1] == 5 &&
		    field[2] == hash("\xc3\xbc"
				     "ber"));
	assert_true(next_record(EVT_nvtx_mark)[1] == hash("now"));
	no_more_records();
}

static void nothing_is_recorded_inside_an_original(void **state)
{
	(void)state;
	read_at = 0;
	nvtx_self.inside = 1;
	assert_int_equal(push("twice"), NVTX_LEVEL_UNTRACKED);
	assert_true(start("twice") != 0);
	assert_int_equal(pop(), NVTX_LEVEL_UNTRACKED);
	nvtx_self.inside = 0;
	no_more_records();
	assert_int_equal(push("once"), 0);
	assert_true(next_record(EVT_nvtx_push)[1] == hash("once"));
}

static void same_text_is_one_handle(void **state)
{
	(void)state;
	assert_ptr_equal(domain_create("same"), domain_create("same"));
	assert_ptr_equal(string_register("same"), domain_create("same"));
	assert_ptr_not_equal(domain_create("same"), domain_create("other"));
	assert_null(domain_create(""));
	assert_null(nvtx_name_of(&settings));
}

static void a_short_table_is_filled_as_far_as_it_goes(void **state)
{
	(void)state;
	core_size = NVTX_CORE_RangePop;
	client_init();
	core_size = CORE_SIZE;
	assert_non_null(core[NVTX_CORE_RangePushW]);
	assert_null(core[NVTX_CORE_RangePop]);
	assert_int_equal(InitializeInjectionNvtx2(NULL), 1);
}

static void the_payload_extension_is_enabled(void **state)
{
	intptr_t slots[63] = { 0 };
	struct nvtx_extension_segment segment = { 0, 63, slots };
	struct nvtx_extension extension = {
		3, sizeof(extension), NVTX_EXTENSION_PAYLOAD, 0x0104, 1, &segment, NULL, NULL
	};

	(void)state;
	assert_int_equal(InitializeInjectionNvtxExtension(&extension), 1);
	assert_int_equal(((uint8_t(*)(const void *))slots[NVTX_PAYLOAD_SLOT_DomainIsEnabled])(NULL),
			 1);
	assert_int_equal(slots[0], 0);
	extension.module = 4;
	slots[7] = 0;
	assert_int_equal(InitializeInjectionNvtxExtension(&extension), 1);
	assert_int_equal(slots[7], 0);
}

static bool is_recording(void)
{
	return recorder_gates->gate[RECORDER_NVTX] != 0;
}

static void step_is(uint64_t number)
{
	const uint64_t *step = next_record(EVT_step);

	assert_int_equal(step[0], number);
	assert_true(step[1] == hash("iteration*"));
}

/* Steps 1 and 2 of all; ranges inside of such a range, and others, end none. */
static void a_schedule_follows_the_ranges_that_end_steps(void **state)
{
	uint64_t range;

	(void)state;
	strcpy(settings.step_name, "iteration*");
	settings.schedule = (struct schedule){ .skip_first = 1, .active = 2, .repeat = 1 };
	settings.capture = SETTINGS_CAPTURE_STEPS;
	assert_int_equal(region_teardown(NULL), 0);
	assert_int_equal(region_setup(NULL), 0);
	steps_init();
	steps_start();
	read_at = 0;
	assert_false(is_recording());
	push("iteration 0");
	push("iteration 0 again");
	push("other");
	pop();
	pop();
	assert_false(is_recording());
	pop();
	assert_true(is_recording());
	range = start("iteration 1");
	end(range + 1);
	push("other");
	end(range);
	assert_true(is_recording());
	pop();
	push("iteration");
	pop();
	assert_false(is_recording());
	push("iteration 3");
	pop();
	assert_false(is_recording());
	(void)next_record(EVT_capture_start);
	step_is(1);
	assert_true(next_record(EVT_nvtx_start)[1] == hash("iteration 1"));
	(void)next_record(EVT_nvtx_end);
	(void)next_record(EVT_nvtx_push);
	(void)next_record(EVT_nvtx_end);
	step_is(2);
	(void)next_record(EVT_nvtx_pop);
	(void)next_record(EVT_nvtx_push);
	(void)next_record(EVT_nvtx_pop);
	step_is(3);
	(void)next_record(EVT_capture_stop);
	no_more_records();
	settings.step_name[0] = 0;
	settings.schedule.active = 0;
	settings.capture = SETTINGS_CAPTURE_ALL;
	steps_init();
}

static void capture_follows_the_range_of_that_name(void **state)
{
	uint64_t range;

	(void)state;
	settings.capture = SETTINGS_CAPTURE_NVTX;
	strcpy(settings.capture_name, "step");
	assert_int_equal(region_teardown(NULL), 0);
	assert_int_equal(region_setup(NULL), 0);
	read_at = 0;
	push("before");
	assert_int_equal(recorder_gates->gate[RECORDER_NVTX], 0);
	push("step");
	push("step");
	range = start("step");
	pop();
	pop();
	end(range + 1);
	assert_int_not_equal(recorder_gates->gate[RECORDER_NVTX], 0);
	end(range);
	assert_int_equal(recorder_gates->gate[RECORDER_NVTX], 0);
	push("after");
	pop();
	pop();
	assert_true(next_record(EVT_capture_start)[0] == hash("step"));
	assert_true(next_record(EVT_nvtx_push)[1] == hash("step"));
	assert_true(next_record(EVT_nvtx_push)[1] == hash("step"));
	(void)next_record(EVT_nvtx_start);
	(void)next_record(EVT_nvtx_pop);
	(void)next_record(EVT_nvtx_pop);
	(void)next_record(EVT_nvtx_end);
	(void)next_record(EVT_nvtx_end);
	assert_true(next_record(EVT_capture_stop)[0] == hash("step"));
	no_more_records();
}

static void capture_may_name_the_domain(void **state)
{
	const void *train = domain_create("train"), *test = domain_create("test");

	(void)state;
	strcpy(settings.capture_name, "step@train");
	nvtx_capture_init();
	read_at = 0;
	push("step");
	push_in(test, "step");
	assert_int_equal(recorder_gates->gate[RECORDER_NVTX], 0);
	push_in(train, "step");
	assert_int_not_equal(recorder_gates->gate[RECORDER_NVTX], 0);
	pop_in(train);
	assert_int_equal(recorder_gates->gate[RECORDER_NVTX], 0);
	pop_in(test);
	push("step@train");
	assert_int_not_equal(recorder_gates->gate[RECORDER_NVTX], 0);
	pop();
	assert_int_equal(recorder_gates->gate[RECORDER_NVTX], 0);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, region_setup, region_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(push_and_pop_nest_by_thread_and_domain),
		EACH(more_domains_than_levels_are_still_recorded),
		EACH(attributes_are_read_as_far_as_their_size),
		EACH(started_ranges_have_numbers),
		EACH(names_are_recorded),
		EACH(nothing_is_recorded_inside_an_original),
		EACH(same_text_is_one_handle),
		EACH(a_short_table_is_filled_as_far_as_it_goes),
		EACH(the_payload_extension_is_enabled),
		EACH(a_schedule_follows_the_ranges_that_end_steps),
		EACH(capture_follows_the_range_of_that_name), /* capture stays on from here */
		EACH(capture_may_name_the_domain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
