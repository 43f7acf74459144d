/* SPDX-License-Identifier: MIT */
/*
 * Two contexts are entered, one within the other. The word of the thread's state that holds first
 * the outer and then the inner context is the current context. In the inner context, the word that
 * holds the outer one is the previous context. The only byte that is 1 while it runs, and 0 before
 * and afterwards, is the flag that it is entered.
 */
#include "preload/python/tasks.h"

#include <stdbool.h>
#include <string.h>

#include "collector/region/python_layout.h"
#include "preload/base/own_memory.h"
#include "preload/base/symbols.h"
#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/python/thread_state.h"
#include "preload/record/limitation.h"
#include "preload/record/task.h"
#include "preload/settings/settings.h"

#define STATE_WORDS 256u  /* words of a thread's state that are examined */
#define BLOCK_WORDS 8u    /* words that are read at once */
#define CONTEXT_WORDS 12u /* words of a context that are examined */

static struct {
	void *(*make)(void); /* PyContext_New() */
	int (*enter)(void *context), (*leave)(void *context);
	void *(*thread)(void);
} api;

/*
 * The state with the outer context entered and with both; the inner context before, during and
 * after.
 */
struct look {
	uint64_t outer_state[STATE_WORDS], inner_state[STATE_WORDS];
	uint64_t before[CONTEXT_WORDS], inside[CONTEXT_WORDS], after[CONTEXT_WORDS];
};

static bool tasks_api_find(void)
{
	api.make = (void *(*)(void))symbols_find_loaded("PyContext_New");
	api.enter = (int (*)(void *))symbols_find_loaded("PyContext_Enter");
	api.leave = (int (*)(void *))symbols_find_loaded("PyContext_Exit");
	api.thread = (void *(*)(void))symbols_find_loaded("PyGILState_GetThisThreadState");
	return api.make && api.enter && api.leave && api.thread;
}

/* Reads as far as memory is mapped. */
static void read_state(uint64_t *word)
{
	uint64_t thread = (uint64_t)(uintptr_t)api.thread();

	memset(word, 0, STATE_WORDS * sizeof(*word));
	for (unsigned int i = 0; i < STATE_WORDS; i += BLOCK_WORDS)
		if (!own_memory_read(thread + i * sizeof(*word), &word[i],
				     BLOCK_WORDS * sizeof(*word)))
			break;
}

static bool read_context(const void *context, uint64_t *word)
{
	return own_memory_read((uint64_t)(uintptr_t)context, word, CONTEXT_WORDS * sizeof(*word));
}

/* No code of the program runs between the two entries and exits. */
static bool look_around(void *outer, void *inner, struct look *look)
{
	bool is_whole = read_context(inner, look->before) && api.enter(outer) == 0;

	if (!is_whole)
		return false;
	read_state(look->outer_state);
	is_whole = api.enter(inner) == 0;
	if (is_whole) {
		read_state(look->inner_state);
		is_whole = read_context(inner, look->inside);
		is_whole &= api.leave(inner) == 0;
	}
	is_whole &= api.leave(outer) == 0;
	return is_whole && read_context(inner, look->after);
}

/* Returns the only place where the word occurs, in bytes; 0: there is none, or more than one. */
static uint16_t tasks_place_of(const uint64_t *word, unsigned int count, const void *value)
{
	uint16_t found = 0;

	for (unsigned int i = 1; i < count; i++) {
		if (word[i] != (uint64_t)(uintptr_t)value)
			continue;
		if (found)
			return 0;
		found = (uint16_t)(i * sizeof(*word));
	}
	return found;
}

static uint16_t place_of_flag(const struct look *look, unsigned int outer)
{
	const uint8_t *before = (const uint8_t *)look->before,
		      *inside = (const uint8_t *)look->inside,
		      *after = (const uint8_t *)look->after;
	uint16_t found = 0;

	for (unsigned int i = 16; i < sizeof(look->before); i++) {
		bool is_flag = !before[i] && inside[i] == 1 && !after[i];

		if (!is_flag || (i >= outer && i < outer + 8))
			continue;
		if (found)
			return 0;
		found = (uint16_t)i;
	}
	return found;
}

static void find_stacks(struct task_layout *layout)
{
	unsigned int minor = python_minor();
	const struct python_layout *known = python_layout_of(minor);

	layout->chunk = (uint16_t)python_chunk_at(minor);
	if (layout->chunk || !known || known->has_cframe)
		return;
	layout->frame = known->thread_frame;
	layout->back = known->frame_back;
}

/*
 * By CPython's headers, for each minor version: offsets in a thread's state, in an exception state,
 * in a generator. In free-threaded builds, objects have a longer head.
 */
static const struct exception_place {
	uint8_t exception, own_exception_words, outer, generator;
} exception_places[] = {
	[8] = { 144, 112 / 8, 24, 64 },  [9] = { 144, 112 / 8, 24, 64 },
	[10] = { 144, 112 / 8, 24, 56 }, [11] = { 120, 320 / 8, 8, 48 },
	[12] = { 104, 256 / 8, 8, 40 },  [13] = { 120, 256 / 8, 8, 40 },
	[14] = { 120, 256 / 8, 8, 40 },
};

/*
 * No generator runs: the current exception state has to be the thread's own, with none around it.
 */
static void find_generators(const uint64_t *word, struct task_layout *layout)
{
	unsigned int minor = python_minor();
	const struct exception_place *place = &exception_places[minor];
	uint64_t own;

	if (minor >= sizeof(exception_places) / sizeof(*exception_places) || !place->exception)
		return;
	own = place->own_exception_words * sizeof(*word);
	layout->exception = place->exception;
	layout->own_exception = (uint16_t)own;
	layout->exception_outer = place->outer;
	layout->type = (uint16_t)(python_type_word() * sizeof(*word));
	/* two words of its own lie between the object's head and the exception state */
	layout->cython_generator = (uint16_t)(layout->type + 3 * sizeof(*word));
	layout->generator_type[0] = (uint64_t)(uintptr_t)symbols_find_loaded("PyGen_Type");
	layout->generator_type[1] = (uint64_t)(uintptr_t)symbols_find_loaded("PyAsyncGen_Type");
	layout->coroutine_type = (uint64_t)(uintptr_t)symbols_find_loaded("PyCoro_Type");
	if (layout->type && layout->generator_type[0] && layout->generator_type[1] &&
	    word[place->exception / sizeof(*word)] == (uint64_t)(uintptr_t)api.thread() + own &&
	    !word[(own + place->outer) / sizeof(*word)])
		layout->generator = (uint16_t)(place->generator + layout->type - sizeof(*word));
}

static bool tasks_layout_find(void *outer, void *inner, struct task_layout *ret_layout)
{
	static struct look look; /* once, with the GIL */
	struct task_layout layout = { 0 };

	if (!outer || !inner || !look_around(outer, inner, &look))
		return false;
	layout.context = tasks_place_of(look.outer_state, STATE_WORDS, outer);
	if (!layout.context ||
	    tasks_place_of(look.inner_state, STATE_WORDS, inner) != layout.context)
		return false;
	layout.outer = tasks_place_of(look.inside, CONTEXT_WORDS, outer);
	layout.entered = layout.outer ? place_of_flag(&look, layout.outer) : 0;
	find_stacks(&layout);
	find_generators(look.outer_state, &layout);
	*ret_layout = layout;
	return layout.entered != 0;
}

bool tasks_are_wanted(void)
{
	return settings.trace & (1u << SETTINGS_FAMILY_nvtx | 1u << SETTINGS_FAMILY_torch);
}

void tasks_find(void)
{
	void *outer = NULL, *inner = NULL;
	bool found = false;

	if (!tasks_are_wanted() || atomic_load(&task_thread))
		return;
	if (own_memory_is_readable() && tasks_api_find()) {
		outer = api.make();
		inner = api.make();
		found = tasks_layout_find(outer, inner, &task_layout);
		if (outer)
			python_api.Py_DecRef(outer);
		if (inner)
			python_api.Py_DecRef(inner);
		python_api.PyErr_Clear();
	}
	if (found)
		atomic_store(&task_thread, api.thread);
	else
		limitation_note(LIMITATION_tasks_unknown, NULL);
}

/* `import` event: before the module is searched for. */
bool tasks_see_import(void *arguments)
{
	const char *name = NULL;
	ssize_t length;

	if (atomic_load_explicit(&task_greenlets, memory_order_relaxed))
		return true;
	if (python_api.PyTuple_Size(arguments) > 0)
		name = python_api.PyUnicode_AsUTF8AndSize(python_api.PyTuple_GetItem(arguments, 0),
							  &length);
	if (!name)
		python_api.PyErr_Clear();
	else if (strcmp(name, "greenlet") == 0)
		atomic_store(&task_greenlets, true);
	return true;
}
