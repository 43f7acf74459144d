/* SPDX-License-Identifier: MIT */
/* Reads the files once by themselves, without waiting for more data. */
#include "report/core/clocks.h"

#include "report/core/analysis.h"

static const struct clock_kind *const clocks_kinds[] = {
#define CLOCK_KIND(name) &clock_kind_##name,
#include "report/families.def"
};

#define CLOCKS_KINDS (sizeof(clocks_kinds) / sizeof(clocks_kinds[0]))

void clocks_correct(struct source *source)
{
	static const struct filter_settings all = { .pid = FILTER_NO_ID,
						    .tid = FILTER_NO_ID,
						    .to_ns = UINT64_MAX };
	const void *state[CLOCKS_KINDS];
	struct source *ahead;
	struct run *run;

	if (source_clocks(source) < 2 || source_open_again(&ahead, source))
		return;
	run = run_new(ahead, &all);
	for (size_t i = 0; i < CLOCKS_KINDS; i++)
		state[i] = clocks_kinds[i]->start(run);
	run_read(run, true);
	for (size_t i = 0; i < CLOCKS_KINDS && source_clocks(ahead) == source_clocks(source); i++)
		clocks_kinds[i]->correct(state[i], run, source);
	run_free(run);
	source_close(ahead);
}
