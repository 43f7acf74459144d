/* SPDX-License-Identifier: MIT */
/*
 * One pass of dl_iterate_phdr(). Of the objects that define the function, it takes the first in the
 * caller's DT_NEEDED. If DT_NEEDED does not decide, it prefers a CUDA library to any other object.
 */
#include "preload/cuda/cuda_search.h"

#include <stdlib.h>
#include <string.h>

#include "preload/base/object_span.h"

#define NOT_NEEDED UINT32_MAX

static const char *const kind_prefix[CUDA_KINDS] = {
	[CUDA_KIND_cudart] = "libcudart",
	[CUDA_KIND_cuda] = "libcuda",
};

bool cuda_soname_is_of(const char *soname, enum cuda_kind kind)
{
	size_t length = strlen(kind_prefix[kind]);
	const char *rest;

	if (!soname || strncmp(soname, kind_prefix[kind], length) != 0)
		return false;
	rest = strstr(soname + length, ".so");
	return rest && (rest == soname + length || soname[length] == '-') &&
	       (rest[3] == 0 || rest[3] == '.');
}

static uint32_t soname_major(const char *soname)
{
	const char *number = soname ? strstr(soname, ".so.") : NULL;

	return number ? (uint32_t)strtoul(number + 4, NULL, 10) : 0;
}

bool cuda_search_open(const struct object *object, struct symbols *s)
{
	struct object_span span = object_span(object);

	*s = (struct symbols){ .low = span.low,
			       .high = span.high,
			       .load = object->map->l_addr,
			       .dynamic = object->map->l_ld };
	return symbols_open(s);
}

static bool symbols_are_ours(const struct symbols *s)
{
	uintptr_t here = (uintptr_t)kind_prefix;

	return here >= s->low && here < s->high;
}

static const char *name_of_path(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/*
 * Position of the module in the caller's DT_NEEDED. A module without a soname is compared by its
 * file's name.
 */
static uint32_t module_rank(const struct symbols *caller, const char *soname, const char *path)
{
	const char *name = soname ? soname : name_of_path(path), *needed;

	for (unsigned int i = 0; name && (needed = symbols_string(caller, DT_NEEDED, i)); i++)
		if (strcmp(name, soname ? needed : name_of_path(needed)) == 0)
			return i;
	return NOT_NEEDED;
}

struct needed_search {
	const struct symbols *caller;
	const char *function;
	uint32_t rank;
	struct cuda_definition found;
};

static int search_needed(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct needed_search *search = context;
	const char *soname;
	struct symbols s;
	uint32_t rank;
	void *address;

	(void)bytes;
	if (!symbols_of_module(module, &s) || symbols_are_ours(&s))
		return 0;
	soname = symbols_string(&s, DT_SONAME, 0);
	rank = module_rank(search->caller, soname, module->dlpi_name);
	if (rank >= search->rank || !(address = symbols_address(&s, search->function)))
		return 0;
	search->rank = rank;
	search->found = (struct cuda_definition){ address, soname_major(soname) };
	return rank == 0;
}

struct cuda_definition cuda_search_needed(const struct symbols *caller, const char *function)
{
	struct needed_search search = { .caller = caller,
					.function = function,
					.rank = NOT_NEEDED };

	(void)dl_iterate_phdr(search_needed, &search);
	return search.found;
}

struct loaded_search {
	enum cuda_kind kind;
	const char *function;
	struct cuda_definition found;
};

static int cuda_search_search_loaded(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct loaded_search *search = context;
	const char *soname;
	struct symbols s;
	void *address;
	bool is_of_kind;

	(void)bytes;
	if (!symbols_of_module(module, &s) || symbols_are_ours(&s))
		return 0;
	soname = symbols_string(&s, DT_SONAME, 0);
	is_of_kind = cuda_soname_is_of(soname, search->kind);
	if ((search->found.address && !is_of_kind) ||
	    !(address = symbols_address(&s, search->function)))
		return 0;
	search->found = (struct cuda_definition){ address, soname_major(soname) };
	return is_of_kind;
}

struct cuda_definition cuda_search_loaded(enum cuda_kind kind, const char *function)
{
	struct loaded_search search = { .kind = kind, .function = function };

	(void)dl_iterate_phdr(cuda_search_search_loaded, &search);
	return search.found;
}
