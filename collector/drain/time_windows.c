/* SPDX-License-Identifier: MIT */
/*
 * The time is written before the word, so that what the process records lies in the window, but for
 * the few records after a window's end that report/core/detail.c leaves out.
 */
#include "collector/drain/time_windows.h"

#include "collector/core/source.h"
#include "collector/gpu/gpu_sums.h"
#include "collector/processes/process_steps.h"

#define NS_PER_MS 1000000ull
#define MILLION 1e6
#define WHOLE ((double)(1ull << 32))
#define SHARE_MIN (1u << 20)                  /* one block in 4,096 */
#define SHARE_MAX (UINT32_MAX / 64u * 63u)    /* some must be without */
#define REMEMBERED_NS (30 * 1000 * NS_PER_MS) /* time with detail that the reckoning is about */

/* The finalizer of splitmix64: neighbouring numbers have unrelated results. */
bool time_window_is_drawn(uint64_t block, uint32_t share)
{
	block += 0x9e3779b97f4a7c15ull;
	block = (block ^ block >> 30) * 0xbf58476d1ce4e5b9ull;
	block = (block ^ block >> 27) * 0x94d049bb133111ebull;
	return (uint32_t)((block ^ block >> 31) >> 32) < share;
}

/* The share of the time that costs what may be paid. */
static uint32_t window_share_of(const struct process_window *window, uint32_t parts_per_million)
{
	double budget = parts_per_million / MILLION;
	double cost_ns = (double)window->words * WINDOW_NS_OF_WORD, share;

	if (cost_ns <= 0)
		return SHARE_MAX;
	share = budget * (double)window->on_ns / cost_ns * WHOLE;
	if (share >= (double)SHARE_MAX)
		return SHARE_MAX;
	return share < (double)SHARE_MIN ? SHARE_MIN : (uint32_t)share;
}

static void window_reckon(struct process *process, uint64_t now_ns)
{
	struct process_window *window = &process->window;

	if (!window->is_off && window->looked_ns && now_ns > window->looked_ns)
		window->on_ns += now_ns - window->looked_ns;
	window->looked_ns = now_ns;
	window->words += process->words - window->words_seen;
	window->words_seen = process->words;
	if (window->on_ns > REMEMBERED_NS) {
		window->on_ns /= 2;
		window->words /= 2;
	}
}

static void window_switch(struct process *process, struct common *common, uint64_t now_ns,
			  uint32_t share)
{
	const struct gpu_sums_place place = { .process = process->number };
	struct region_process *shared = &common->view.process[process->entry];
	struct process_window *window = &process->window;

	window->is_off = !window->is_off;
	JOURNAL_ADD(&common->journal, now_ns, detail_asked, .process = process->number,
		    .on = !window->is_off, .share = share);
	if (common->gpu_sums)
		gpu_sums_take_scope(common->gpu_sums, &place,
				    window->is_off ? EVT_detail_stop : EVT_detail_start, now_ns,
				    NULL);
	atomic_store_explicit(&shared->detail_asked, ++window->asked, memory_order_release);
}

/* Returns how long nothing will change. */
static uint64_t time_window_take(struct process *process, struct common *common, uint64_t now_ns)
{
	uint64_t word = view_family_word(&common->view, EVT_FAMILY_steps);
	uint64_t age_ns = now_ns > process->start_ns ? now_ns - process->start_ns : 0;
	uint64_t block = age_ns / WINDOW_NS;
	struct process_window *window = &process->window;
	uint32_t share;

	if (block + 1 != window->looked_block) {
		window->looked_block = block + 1;
		window_reckon(process, now_ns);
		share = word & BUDGET_WORD_SHARE ? (uint32_t)word
						 : window_share_of(window, (uint32_t)word);
		if (window->is_off ==
		    (age_ns < budget_word_first_ns(word) || time_window_is_drawn(block, share)))
			window_switch(process, common, now_ns, share);
	}
	return (block + 1) * WINDOW_NS - age_ns;
}

uint64_t time_windows_take(struct processes *processes, struct common *common, uint64_t now_ns)
{
	uint64_t pause_ns = WINDOW_NS;

	for (uint32_t i = 0; i < processes->limit; i++) {
		struct process *process = &processes->slot[i];
		uint64_t left_ns;

		if (!process->number || process->gone || process->exiting || process->has_steps)
			continue;
		left_ns = time_window_take(process, common, now_ns);
		pause_ns = left_ns < pause_ns ? left_ns : pause_ns;
	}
	return pause_ns;
}

/* --- the source --- */

struct windows_source {
	struct source_context context;
	bool is_on;
	uint64_t due_ns;
};

static void windows_source_init(void *state, const struct source_context *context)
{
	uint64_t word = view_family_word(&context->common->view, EVT_FAMILY_steps);
	struct windows_source *source = state;

	source->context = *context;
	source->is_on = (uint32_t)word && !(word & BUDGET_WORD_FIRST);
}

static void windows_source_look(void *state, uint64_t steady_ns)
{
	struct windows_source *source = state;
	struct common *common = source->context.common;

	if (!source->is_on)
		return;
	source->due_ns = steady_ns + time_windows_take(source->context.processes, common,
						       clockmap_ns(&common->clock,
								   clockmap_now(&common->clock)));
}

static uint64_t windows_source_due_ns(const void *state)
{
	return ((const struct windows_source *)state)->due_ns;
}

const struct collector_source source_time_windows = {
	.state_bytes = sizeof(struct windows_source),
	.init = windows_source_init,
	.look = windows_source_look,
	.due_ns = windows_source_due_ns,
};
