/* SPDX-License-Identifier: MIT */
/*
 * CUPTI enters the driver by cuGetExportTable(), which returns a table of functions for a number of
 * 16 bytes. The number that CUPTI 12.8 to 13.2 ask for first is in their constant data. If a
 * libcupti contains it, it will ask for it, so we ask before it does. A libcupti without it is not
 * known to ask, and may go on.
 */
#include "preload/gpu/gpu_driver.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "preload/base/symbols.h"

static const unsigned char asked_for[16] = { 0x7c, 0xb6, 0x3f, 0x9b, 0x9c, 0xa4, 0x8e, 0x42,
					     0xa4, 0x84, 0xbe, 0xb6, 0x6e, 0x6a, 0xed, 0x7f };

/* Finds the first object whose soname begins so. */
static bool is_object(const struct dl_phdr_info *module, const char *beginning)
{
	struct symbols s;
	const char *soname = symbols_of_module(module, &s) ? symbols_string(&s, DT_SONAME, 0)
							   : NULL;

	return soname && strncmp(soname, beginning, strlen(beginning)) == 0;
}

/* Constants are in segments that are neither code nor writable. */
static int cupti_look(struct dl_phdr_info *module, size_t bytes, void *ret_asks)
{
	(void)bytes;
	if (!is_object(module, "libcupti.so"))
		return 0;
	for (size_t i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
		    !(segment->p_flags & PF_W) &&
		    memmem((const char *)module->dlpi_addr + segment->p_vaddr, segment->p_filesz,
			   asked_for, sizeof(asked_for)))
			*(bool *)ret_asks = true;
	}
	return 1;
}

/* A function of the driver, and its address. */
struct driver_function {
	const char *name;
	void *address;
};

static int driver_look(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct driver_function *function = context;
	struct symbols s;

	(void)bytes;
	if (!is_object(module, "libcuda.so") || !symbols_of_module(module, &s))
		return 0;
	function->address = symbols_address(&s, function->name);
	return 1;
}

static void *driver_function(const char *name)
{
	struct driver_function function = { .name = name };

	(void)dl_iterate_phdr(driver_look, &function);
	return function.address;
}

bool gpu_driver_suffices(int *ret_error)
{
	int (*get_table)(const void **table, const void *number) = NULL;
	const void *table = NULL;
	bool asks = false;

	*ret_error = 0;
	(void)dl_iterate_phdr(cupti_look, &asks);
	if (!asks)
		return true;
	*(void **)(void *)&get_table = driver_function("cuGetExportTable");
	if (!get_table)
		return false;
	*ret_error = get_table(&table, asked_for);
	return *ret_error == 0 && table;
}
