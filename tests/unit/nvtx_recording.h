/* SPDX-License-Identifier: MIT */
/*
 * A client of NVTX 3 with the tables that the real headers have, and what came of its calls in this
 * thread's ring, which nobody drains. Static inline: a test includes it and is one program.
 */
#ifndef TESTS_UNIT_NVTX_RECORDING_H
#define TESTS_UNIT_NVTX_RECORDING_H

#include "tests/unit/unit.h"
#include "preload/nvtx/nvtx.h"
#include "preload/nvtx/nvtx_exports.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"
#include "preload/requests/marks.h"

/* --- beside: requests that are ranges, which are only noted --- */

bool marks_of_labels;
_Atomic uint32_t marks_open;
static uint64_t mark_begun, mark_ended;

void marks_begin_label(uint64_t key, const struct string *name)
{
	(void)name;
	mark_begun = key;
}

void marks_end(uint64_t key, bool failed)
{
	(void)failed;
	mark_ended = key;
}

/* --- a client --- */

#define CORE_SIZE 16
#define CORE2_SIZE 16

static nvtx_function core[CORE_SIZE], core2[CORE2_SIZE];
static nvtx_function *core_table[CORE_SIZE + 1], *core2_table[CORE2_SIZE + 1];
static unsigned int core_size = CORE_SIZE;

static inline int get_module(unsigned int module, nvtx_function ***ret_table,
			     unsigned int *ret_size)
{
	if (module != NVTX_MODULE_CORE && module != NVTX_MODULE_CORE2)
		return 0;
	*ret_table = module == NVTX_MODULE_CORE ? core_table : core2_table;
	*ret_size = module == NVTX_MODULE_CORE ? core_size : CORE2_SIZE;
	return 1;
}

static inline const void *get_table(uint32_t id)
{
	static const struct nvtx_table_callbacks callbacks = { sizeof(callbacks), get_module };

	return id == NVTX_TABLE_CALLBACKS ? &callbacks : NULL;
}

static inline void client_init(void)
{
	memset(core, 0, sizeof(core));
	memset(core2, 0, sizeof(core2));
	for (unsigned int i = 1; i < CORE_SIZE; i++)
		core_table[i] = &core[i];
	for (unsigned int i = 1; i < CORE2_SIZE; i++)
		core2_table[i] = &core2[i];
	assert_int_equal(InitializeInjectionNvtx2(get_table), 1);
}

static inline int push(const char *text)
{
	return ((int (*)(const char *))core[NVTX_CORE_RangePushA])(text);
}

static inline int pop(void)
{
	return ((int (*)(void))core[NVTX_CORE_RangePop])();
}

static inline int push_in(const void *domain, const char *text)
{
	const struct nvtx_attributes a = {
		.version = 3, .size = sizeof(a), .message_type = NVTX_MESSAGE_TEXT, .message = text
	};

	return ((int (*)(const void *, const struct nvtx_attributes *))
			core2[NVTX_CORE2_DomainRangePushEx])(domain, &a);
}

static inline int pop_in(const void *domain)
{
	return ((int (*)(const void *))core2[NVTX_CORE2_DomainRangePop])(domain);
}

static inline const void *domain_create(const char *text)
{
	return ((const void *(*)(const char *))core2[NVTX_CORE2_DomainCreateA])(text);
}

static inline const void *string_register(const char *text)
{
	return ((const void *(*)(const void *,
				 const char *))core2[NVTX_CORE2_DomainRegisterStringA])(NULL, text);
}

static inline uint64_t start(const char *text)
{
	return ((uint64_t(*)(const char *))core[NVTX_CORE_RangeStartA])(text);
}

static inline void end(uint64_t range)
{
	((void (*)(uint64_t))core[NVTX_CORE_RangeEnd])(range);
}

/* --- the ring --- */

static inline unsigned int words_of(uint64_t word)
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

/* Of no event: texts, and readings of the thread's clock, which come when time has passed. */
static inline bool is_beside(uint64_t word)
{
	return record_type(word) == RECORD_TEXT || record_type(word) == RECORD_PAD ||
	       record_type(word) == EVT_thread_clock;
}

/* The next record of an event, as words after the first; fails when it is not of that type. */
static inline const uint64_t *next_record(uint32_t type)
{
	const uint64_t *words = recorder_self.lane[0].words;
	uint64_t head = recorder_self.lane[0].head;

	while (read_at < head) {
		const uint64_t *record = words + read_at;

		read_at += words_of(*record);
		if (is_beside(*record))
			continue;
		assert_int_equal(record_type(*record), type);
		return record + 1;
	}
	fail_msg("no more records, wanted type %u", type);
	return NULL;
}

static inline void no_more_records(void)
{
	const uint64_t *words = recorder_self.lane[0].words;

	while (read_at < recorder_self.lane[0].head && is_beside(words[read_at]))
		read_at += words_of(words[read_at]);
	assert_true(read_at == recorder_self.lane[0].head);
}

static inline uint64_t hash(const char *text)
{
	return string_hash(text, strlen(text));
}

/* --- tests --- */

#endif
