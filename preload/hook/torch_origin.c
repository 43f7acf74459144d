/* SPDX-License-Identifier: MIT */
/*
 * One pass over the objects loaded after ours compares their paths with the caller's path. Results
 * are kept in a small array of atomics, by the caller's address.
 */
#include "preload/hook/torch_origin.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/hook/interposer.h"
#include "preload/base/symbols.h"

struct search {
	const struct torch_origin *origin;
	const char *near; /* path of the caller, or NULL */
	uintptr_t caller;
	void *found;
	size_t common; /* length of the common start of `near` and the path of the object found */
	bool keeps;
	/* objects before us in load order call us, so an original must be behind us */
	bool is_behind;
};

static size_t path_common(const char *a, const char *b)
{
	size_t length = 0;

	while (a && b && a[length] && a[length] == b[length])
		length++;
	return length;
}

static bool soname_is_torch(const struct symbols *s)
{
	static const char *const libraries[] = { "libc10.so", "libtorch_cpu.so" };
	const char *soname = symbols_string(s, DT_SONAME, 0);

	for (size_t i = 0; soname && i < sizeof(libraries) / sizeof(*libraries); i++)
		if (strncmp(soname, libraries[i], strlen(libraries[i])) == 0)
			return true;
	return false;
}

static int search_module(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct search *search = context;
	uintptr_t ours = (uintptr_t)search->origin; /* the candidate is in this library itself */
	struct symbols s;
	size_t common;
	void *found;
	bool is_caller;

	(void)bytes;
	if (!symbols_of_module(module, &s))
		return 0;
	if (ours >= s.low && ours < s.high) {
		search->is_behind = true;
		return 0;
	}
	if (!search->is_behind)
		return 0;
	found = symbols_address(&s, search->origin->name);
	if (!found)
		return 0;
	is_caller = search->caller >= s.low && search->caller < s.high;
	common = path_common(module->dlpi_name, search->near);
	if (!search->found || is_caller || common > search->common) {
		search->found = found;
		search->common = common;
		search->keeps = soname_is_torch(&s);
	}
	return is_caller;
}

void *torch_origin_search(struct torch_origin *origin, const void *caller)
{
	struct search search = { .origin = origin, .caller = (uintptr_t)caller };
	int saved = errno;
	Dl_info info;

	search.found = interposer_find(origin->name);
	search.keeps = search.found != NULL;
	if (!search.found) {
		search.near = dladdr(caller, &info) ? info.dli_fname : NULL;
		(void)dl_iterate_phdr(search_module, &search);
		if (search.keeps)
			interposer_pin(search.found);
	}
	if (search.found && search.keeps && caller)
		known_origin_keep(origin->known, TORCH_ORIGINS, caller, search.found);
	errno = saved;
	return search.found;
}
