/* SPDX-License-Identifier: MIT */
/*
 * The engine is called through the list of symbols, by Python's bindings and by a table of virtual
 * functions, so both come here. What it returns, a std::vector, is moved as the words that it is.
 *
 * An exception may leave the engine. It passes our frame without running code there, for the
 * library has no unwinder; but whoever unwinds the stack asks a frame's personality routine, and
 * ours takes that for the end of the pass (the Itanium C++ ABI, level I: exception handling).
 */
#include "preload/torch/torch_passes.h"

#include <string.h>

#include "preload/hook/hook.h"
#include "preload/hook/torch_origin.h"
#include "preload/record/event.h"
#include "preload/settings/settings.h"
#include "preload/steps/steps.h"

bool torch_passes_on;
static int64_t (*nodes_recorded)(void);

bool torch_passes_wants(const char *name)
{
	static const char optimizer[] = "Optimizer.", data[] = "enumerate(DataLoader)#";

	return strncmp(name, optimizer, strlen(optimizer)) == 0 ||
	       strncmp(name, data, strlen(data)) == 0;
}

void torch_passes_edge(struct recorder_lane *lane, uint64_t ticks)
{
	uint64_t nodes = (uint64_t)nodes_recorded();

	(void)recorder_put_in_block(lane, recorder_number_in_block(EVT_autograd_nodes), ticks,
				    &nodes, 1);
}

static void before_step(void)
{
	const struct recorder_field nodes = { .number = (uint64_t)nodes_recorded() };

	(void)recorder_record(EVT_FAMILY_torch, EVT_autograd_nodes, &nodes, 1);
}

static void pass_begins(void)
{
	const struct recorder_field nodes = { .number = (uint64_t)nodes_recorded() };

	(void)recorder_record(EVT_FAMILY_torch, EVT_autograd_begin, &nodes, 1);
}

static void pass_ends(void)
{
	(void)recorder_record(EVT_FAMILY_torch, EVT_autograd_end, NULL, 0);
}

/* --- what is interposed --- */

struct variables {
	void *word[3];
};

#define EDGES_AND_MORE                                                                       \
	(void *self, const void *roots, const void *inputs, bool keeps_graph, bool is_graph, \
	 bool accumulates, const void *outputs)
typedef struct variables engine_execute EDGES_AND_MORE;

#define UNWIND_CLEANUP 2     /* the second phase: frames are left */
#define UNWIND_CONTINUE 8    /* _URC_CONTINUE_UNWIND */
#define POINTER_TO_IT "0x1b" /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */

/* Called by the unwinder for the frame of a hook below. */
__attribute__((used)) PRELOAD_HIDDEN int torch_pass_left(int version, int actions,
							 uint64_t exception_class, void *exception,
							 void *context);

int torch_pass_left(int version, int actions, uint64_t exception_class, void *exception,
		    void *context)
{
	(void)version;
	(void)exception_class;
	(void)exception;
	(void)context;
	if ((actions & UNWIND_CLEANUP) && torch_passes_on)
		pass_ends();
	return UNWIND_CONTINUE;
}

/* The frame is a function of its own, which holds the call of the original and nothing else. */
static __attribute__((noinline)) struct variables pass_run(engine_execute *original, void *self,
							   const void *const vectors[3],
							   const bool flags[3])
{
	__asm__ volatile(".cfi_personality " POINTER_TO_IT ", torch_pass_left");
	return original(self, vectors[0], vectors[1], flags[0], flags[1], flags[2], vectors[2]);
}

#define AUTOGRAD(name) engine_execute name;
#include "preload/torch/hooks.def"

#define AUTOGRAD(name_)                                                                          \
	static struct torch_origin origin_##name_ = { .name = #name_ };                          \
                                                                                                 \
	HOOK_EXPORT struct variables name_ EDGES_AND_MORE {                                      \
		engine_execute *original = (engine_execute *)torch_origin_find(                  \
			&origin_##name_, __builtin_return_address(0));                           \
		const void *const vectors[] = { roots, inputs, outputs };                        \
		const bool flags[] = { keeps_graph, is_graph, accumulates };                     \
		struct variables result = { { NULL, NULL, NULL } };                              \
                                                                                                 \
		if (__builtin_expect(!original, 0))                                              \
			return result;                                                           \
		if (!torch_passes_on)                                                            \
			return original(self, roots, inputs, keeps_graph, is_graph, accumulates, \
					outputs);                                                \
		pass_begins();                                                                   \
		result = pass_run(original, self, vectors, flags);                               \
		pass_ends();                                                                     \
		return result;                                                                   \
	}
#include "preload/torch/hooks.def"

static bool engine_is_found(void)
{
#define AUTOGRAD(name_) torch_origin_search(&origin_##name_, NULL) ||
	return
#include "preload/torch/hooks.def"
		false;
}

void torch_passes_run(int64_t (*nodes)(void))
{
	if (settings.operators <= 1 || !nodes || !engine_is_found())
		return;
	nodes_recorded = nodes;
	steps_before_mark = before_step;
	torch_passes_on = true;
}
