/* SPDX-License-Identifier: MIT */
/* links: preload:nvtx/nvtx.c,nvtx/nvtx_names.c,nvtx/nvtx_tasks.c,nvtx/nvtx_v3.c,base/own_memory.c,base/seccomp.c,record/foreign_generators.c,record/names.c,record/strings.c,record/task.c,record/thread_clock.c */
/*
 * NVTX from the injection's callbacks to the records in a ring. What lies below and beside is this
 * test's: the ring is an array, and what ends steps or opens capture ranges is only noted.
 */
#include "tests/unit/plain_clock.h"
#include "tests/unit/nvtx_recording.h"

#include "preload/base/log.h"
#include "preload/base/pointer_map.h"
#include "preload/record/capture_asked.h"
#include "preload/record/event.h"
#include "preload/record/limitation.h"
#include "preload/record/wake.h"
#include "preload/settings/settings.h"
#include "preload/steps/capture_range.h"
#include "preload/steps/steps.h"
#include "preload/record/trouble.h"

#define RING_WORDS (1u << 16)

/* --- what the linked files want from the others --- */

struct settings settings;

void trouble_watch(struct region_header *header)
{
	(void)header;
}

void trouble_look(void)
{
}

void log_line(const char *format, ...)
{
	(void)format;
}

void limitation_say(enum limitation what, const char *subject)
{
	(void)what;
	(void)subject;
}

static bool is_awake(void)
{
	return true;
}
bool (*wake_program)(void) = is_awake;

/* The maps, of what each of the two has: texts by hash, foreign handles. */
static struct {
	const struct pointer_map *map;
	uint64_t key;
	const void *value;
} entries[256];
static unsigned int entry_count;

const void *pointer_map_find(struct pointer_map *map, uint64_t key)
{
	for (unsigned int i = 0; i < entry_count; i++)
		if (entries[i].map == map && entries[i].key == key)
			return entries[i].value;
	return NULL;
}

bool pointer_map_put(struct pointer_map *map, uint64_t key, const void *value)
{
	assert_true(entry_count < sizeof(entries) / sizeof(entries[0]));
	entries[entry_count].map = map;
	entries[entry_count].key = key;
	entries[entry_count++].value = value;
	return true;
}

/* --- the recorder: a gate that is open, a lane that is bound --- */

static struct region_ring ring;
static uint64_t ring_words[RING_WORDS];

__thread struct recorder_thread recorder_self;
union recorder_page recorder_page;
uint64_t recorder_base;

struct recorder_lane *recorder_enter_slow(enum evt_family family, uintptr_t frame)
{
	(void)family;
	(void)frame;
	return NULL;
}

bool recorder_make_room(struct recorder_lane *lane, unsigned int words)
{
	(void)lane;
	(void)words;
	return false;
}

bool recorder_record(enum evt_family family, uint32_t type, const struct recorder_field *field,
		     unsigned int fields)
{
	struct recorder_lane *lane = recorder_enter(family, RECORDER_IN_RECORD);
	uint64_t value[EVT_FIELDS_MAX];

	assert_non_null(lane);
	for (unsigned int i = 0; i < fields; i++)
		value[i] = field[i].text ? string_id(field[i].text, lane) : field[i].number;
	assert_true(recorder_put(lane, type, recorder_now(), value, fields));
	recorder_leave(lane);
	return true;
}

static int setup(void **state)
{
	memset(&nvtx_self, 0, sizeof(nvtx_self));
	recorder_gates->generation = 1;
	recorder_gates->gate[EVT_FAMILY_nvtx] = 1;
	recorder_gates->self = (uint64_t)((char *)&recorder_self -
					  (char *)__builtin_thread_pointer());
	recorder_self.lane[0] = (struct recorder_lane){ .owner = 2,
							.bound = 2,
							.words = ring_words,
							.limit = RING_WORDS,
							.mask = RING_WORDS - 1,
							.ring = &ring };
	read_at = 0;
	strings_forget();
	capture_range_nvtx = false;
	steps_named = false;
	settings.trace = 1u << SETTINGS_FAMILY_nvtx;
	client_init();
	return 0;
}

/* --- beside: steps and capture ranges --- */

bool capture_range_nvtx, steps_named, steps_scheduled;
_Atomic uint32_t steps_open;

static int captures_open;
static uint64_t recorded_time_range, step_begun, step_ended;

void capture_range_init(void)
{
}

bool nvtx_capture_matches(const struct nvtx_event *event)
{
	return strcmp(event->message, "captured") == 0;
}

bool capture_is_asked;
void capture_asked_follow(void)
{
}

void capture_range_open(void)
{
	captures_open++;
}

void capture_range_close(void)
{
	captures_open--;
}

void capture_range_open_key(uint64_t range)
{
	recorded_time_range = range;
}

void capture_range_close_key(uint64_t range)
{
	if (recorded_time_range == range)
		recorded_time_range = 0;
}

void steps_begin(uint64_t key, const struct string *name)
{
	if (name->hash == hash("iteration"))
		step_begun = key;
}

void steps_end(uint64_t key)
{
	step_ended = key;
}

/* --- tests --- */

TEST_SET_UP(push_and_pop_nest_by_thread_and_domain, setup)
{
	const void *domain = domain_create("io");

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

TEST_SET_UP(more_domains_than_levels_are_still_recorded, setup)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };

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

TEST_SET_UP(attributes_are_read_as_far_as_their_size, setup)
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

TEST_SET_UP(started_ranges_have_numbers, setup)
{
	uint64_t first = start("one"), second = start("two");
	const uint64_t *field;

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

TEST_SET_UP(names_are_recorded, setup)
{
	const uint64_t *field;

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

TEST_SET_UP(nothing_is_recorded_inside_an_original, setup)
{
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

TEST_SET_UP(same_text_is_one_handle, setup)
{
	assert_ptr_equal(domain_create("same"), domain_create("same"));
	assert_ptr_equal(string_register("same"), domain_create("same"));
	assert_ptr_not_equal(domain_create("same"), domain_create("other"));
	assert_null(domain_create(""));
	assert_null(nvtx_name_of(&settings));
}

TEST_SET_UP(a_short_table_is_filled_as_far_as_it_goes, setup)
{
	core_size = NVTX_CORE_RangePop;
	client_init();
	core_size = CORE_SIZE;
	assert_non_null(core[NVTX_CORE_RangePushW]);
	assert_null(core[NVTX_CORE_RangePop]);
	assert_int_equal(InitializeInjectionNvtx2(NULL), 1);
}

TEST_SET_UP(the_payload_extension_is_enabled, setup)
{
	intptr_t slots[63] = { 0 };
	struct nvtx_extension_segment segment = { 0, 63, slots };
	struct nvtx_extension extension = {
		3, sizeof(extension), NVTX_EXTENSION_PAYLOAD, 0x0104, 1, &segment, NULL, NULL
	};

	assert_int_equal(InitializeInjectionNvtxExtension(&extension), 1);
	assert_int_equal(((uint8_t(*)(const void *))slots[NVTX_PAYLOAD_SLOT_DomainIsEnabled])(NULL),
			 1);
	assert_int_equal(slots[0], 0);
	extension.module = 4;
	slots[7] = 0;
	assert_int_equal(InitializeInjectionNvtxExtension(&extension), 1);
	assert_int_equal(slots[7], 0);
}

TEST_SET_UP(a_range_opens_and_closes_what_it_captures, setup)
{
	uint64_t range;

	capture_range_nvtx = true;
	push("other");
	push("captured");
	push("captured");
	assert_int_equal(captures_open, 2);
	pop();
	assert_int_equal(captures_open, 1);
	push("other");
	pop();
	assert_int_equal(captures_open, 1);
	pop();
	pop();
	assert_int_equal(captures_open, 0);
	range = start("captured");
	assert_true(recorded_time_range == range);
	end(range + 1);
	assert_true(recorded_time_range == range);
	end(range);
	assert_true(recorded_time_range == 0);
}

TEST_SET_UP(a_range_that_is_a_request_is_told_by_its_key, setup)
{
	uint64_t outer, range;

	marks_of_labels = true;
	atomic_store(&marks_open, 1);
	push("predict");
	outer = mark_begun;
	push("predict");
	assert_true(outer && mark_begun && mark_begun != outer);
	pop();
	assert_true(mark_ended == mark_begun);
	range = start("predict");
	assert_true(mark_begun != outer);
	end(range);
	assert_true(mark_ended == mark_begun);
	pop();
	assert_true(mark_ended == outer);
	marks_of_labels = false;
	atomic_store(&marks_open, 0);
	mark_begun = mark_ended = 0;
	push("predict");
	pop();
	assert_true(mark_begun == 0 && mark_ended == 0);
}

/* By keys that belong to one open range only. */
TEST_SET_UP(a_range_that_ends_a_step_is_told_by_its_key, setup)
{
	uint64_t outer, range;

	steps_named = true;
	atomic_store(&steps_open, 1);
	push("iteration");
	outer = step_begun;
	push("iteration");
	assert_true(outer && step_begun && step_begun != outer);
	pop();
	assert_true(step_ended == step_begun);
	range = start("iteration");
	assert_true(step_begun != outer);
	end(range);
	assert_true(step_ended == step_begun);
	pop();
	assert_true(step_ended == outer);
	atomic_store(&steps_open, 0);
	step_ended = 0;
	push("iteration");
	pop();
	assert_true(step_ended == 0);
}
