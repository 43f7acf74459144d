/* SPDX-License-Identifier: MIT */
/* All names of a module are in one set, so that they are forgotten without a search. */
#include "preload/modules/module_names.h"

#include <stddef.h>
#include <sys/mman.h>

#include "preload/python/python_string.h"

#define SETS 4096u /* a power of two */
#define WAYS 4u

static struct module_name (*sets)[WAYS];

static struct module_name *module_names_set(uint64_t module)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;

	return sets[(module >> 4) * odd >> 32 & (SETS - 1)];
}

bool module_names_begin(void)
{
	void *mapped = sets;

	if (!sets) {
		mapped = mmap(NULL, SETS * sizeof(*sets), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		sets = mapped == MAP_FAILED ? NULL : mapped;
	}
	return sets != NULL;
}

const struct module_name *module_names_find(const void *module, uint64_t tree)
{
	const struct module_name *at = module_names_set((uintptr_t)module);

	for (unsigned int i = 0; i < WAYS; i++)
		if (at[i].module == (uintptr_t)module && at[i].tree == tree)
			return &at[i];
	return NULL;
}

static void module_names_drop(struct module_name *entry)
{
	void *text = entry->text;

	*entry = (struct module_name){ 0 };
	if (text)
		python_api.Py_DecRef(text);
}

void module_names_put(const void *module, uint64_t tree, uint64_t named_in, void *text)
{
	struct module_name *at = module_names_set((uintptr_t)module);
	static unsigned int next;
	unsigned int way = 0;
	size_t length;

	if (!python_utf8(text, &length))
		return;
	while (way < WAYS && at[way].module)
		way++;
	if (way == WAYS)
		way = next++ % WAYS;
	module_names_drop(&at[way]);
	python_api.Py_IncRef(text);
	at[way] = (struct module_name){ (uintptr_t)module, tree, named_in, text,
					python_string(text) };
}

void module_names_forget(uint64_t module)
{
	struct module_name *at = module_names_set(module);

	for (unsigned int i = 0; i < WAYS; i++)
		if (at[i].module == module)
			module_names_drop(&at[i]);
}
