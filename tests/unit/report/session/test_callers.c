/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/session/callers.c: callers that were asked for before are what they would be without that.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/session/callers.h"
#include "report/session/source_state.h"

#define MODULES 6u
#define PLACES 8u /* where they lie, so that some share a place, one after the other or at once */
#define MODULE_BYTES 0x1000ull
#define TIMES 100u
#define ASKED 20000u

static struct source_name paths[MODULES], no_build = { .text = "", .length = 0 };
static char path_text[MODULES][16];
static struct source_module module[2][MODULES];
static struct source_module *modules[2][MODULES];
static struct source_process process[2]; /* a parent, and its child */
static struct text_store texts;

static void map_modules(unsigned int *seed)
{
	for (unsigned int i = 0; i < 2 * MODULES; i++) {
		struct source_module *at = &module[i / MODULES][i % MODULES];
		uint64_t from_ns = (uint64_t)rand_r(seed) % TIMES;

		snprintf(path_text[i % MODULES], sizeof(path_text[0]), "/lib/%u.so", i % MODULES);
		paths[i % MODULES] = (struct source_name){
			.text = path_text[i % MODULES], .length = strlen(path_text[i % MODULES])
		};
		*at = (struct source_module){
			.start = MODULE_BYTES * (1 + (uint64_t)rand_r(seed) % PLACES),
			.bytes = MODULE_BYTES,
			.path = &paths[i % MODULES],
			.build_id = &no_build,
			.from_ns = from_ns,
			.to_ns = rand_r(seed) % 3 ? UINT64_MAX
						  : from_ns + (uint64_t)rand_r(seed) % TIMES,
		};
		modules[i / MODULES][i % MODULES] = at;
	}
	process[0] = (struct source_process){ .module = modules[0], .module_count = MODULES };
	process[1] = (struct source_process){ .module = modules[1],
					      .module_count = MODULES,
					      .parent = &process[0],
					      .start_ns = (uint64_t)rand_r(seed) % TIMES };
}

TEST(callers_asked_for_again_are_the_same)
{
	unsigned int seed = 1;
	size_t known = 0;

	for (unsigned int round = 0; round < 20; round++) {
		struct caller_memo memo;

		map_modules(&seed);
		caller_memo_init(&memo);
		for (unsigned int i = 0; i < ASKED / 20; i++) {
			const struct source_process *of = &process[rand_r(&seed) % 2];
			uint64_t address = MODULE_BYTES * ((uint64_t)rand_r(&seed) % (PLACES + 2)) +
					   (uint64_t)rand_r(&seed) % 4;
			uint64_t time_ns = (uint64_t)rand_r(&seed) % (TIMES + TIMES / 2);
			struct caller plain = caller_of(&texts, of, address, time_ns);
			struct caller asked = caller_memo_of(&memo, &texts, of, address, time_ns);

			assert_string_equal(asked.text, plain.text);
			assert_int_equal(asked.identity, plain.identity);
		}
		known += memo.count;
		caller_memo_release(&memo);
	}
	assert_true(known > 200); /* of 20 times 80; some of what there is was kept */
	text_store_release(&texts);
}
