/* SPDX-License-Identifier: MIT */
/*
 * What NVTX does in every program that contains it, in small: at the first call load the library
 * that NVTX_INJECTION64_PATH names and let it fill tables of function pointers; without one every
 * function does nothing. CLIENT(returns, name, parameters) says how a function is declared: static
 * for a header-only client, exported for a library.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#include "preload/nvtx/nvtx_api.h"

#define SLOT_libc(returns, name, parameters)
#define SLOT_alias(returns, name, parameters)
#define SLOT_allocator(returns, name, parameters)
#define SLOT_nvtoolsext(returns, name, parameters) static returns(*slot_##name) parameters;
#define HOOK(library, returns, name, parameters, arguments) \
	SLOT_##library(returns, name, parameters)
#include "preload/families.def"

#define ENTRY_AT(module, name) [NVTX_##module##_##name] = (nvtx_function *)(void *)&slot_nvtx##name
static nvtx_function *client_core[] = {
	ENTRY_AT(CORE, MarkEx),        ENTRY_AT(CORE, MarkA),
	ENTRY_AT(CORE, MarkW),         ENTRY_AT(CORE, RangeStartEx),
	ENTRY_AT(CORE, RangeStartA),   ENTRY_AT(CORE, RangeStartW),
	ENTRY_AT(CORE, RangeEnd),      ENTRY_AT(CORE, RangePushEx),
	ENTRY_AT(CORE, RangePushA),    ENTRY_AT(CORE, RangePushW),
	ENTRY_AT(CORE, RangePop),      ENTRY_AT(CORE, NameCategoryA),
	ENTRY_AT(CORE, NameCategoryW), ENTRY_AT(CORE, NameOsThreadA),
	ENTRY_AT(CORE, NameOsThreadW), NULL,
};
static nvtx_function *client_core2[] = {
	ENTRY_AT(CORE2, DomainMarkEx),
	ENTRY_AT(CORE2, DomainRangeStartEx),
	ENTRY_AT(CORE2, DomainRangeEnd),
	ENTRY_AT(CORE2, DomainRangePushEx),
	ENTRY_AT(CORE2, DomainRangePop),
	ENTRY_AT(CORE2, DomainResourceCreate),
	ENTRY_AT(CORE2, DomainResourceDestroy),
	ENTRY_AT(CORE2, DomainNameCategoryA),
	ENTRY_AT(CORE2, DomainNameCategoryW),
	ENTRY_AT(CORE2, DomainRegisterStringA),
	ENTRY_AT(CORE2, DomainRegisterStringW),
	ENTRY_AT(CORE2, DomainCreateA),
	ENTRY_AT(CORE2, DomainCreateW),
	ENTRY_AT(CORE2, DomainDestroy),
	ENTRY_AT(CORE2, Initialize),
	NULL,
};

static int client_module(unsigned int module, nvtx_function ***ret_table, unsigned int *ret_size)
{
	if (module == NVTX_MODULE_CORE) {
		*ret_table = client_core;
		*ret_size = sizeof(client_core) / sizeof(client_core[0]) - 1;
		return 1;
	}
	if (module == NVTX_MODULE_CORE2) {
		*ret_table = client_core2;
		*ret_size = sizeof(client_core2) / sizeof(client_core2[0]) - 1;
		return 1;
	}
	return 0;
}

static const void *client_table(uint32_t id)
{
	static const struct nvtx_table_callbacks callbacks = { sizeof(callbacks), client_module };

	return id == NVTX_TABLE_CALLBACKS ? &callbacks : NULL;
}

static void client_load(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*inject)(nvtx_get_table) = library ? (int (*)(nvtx_get_table))dlsym(
							  library, "InitializeInjectionNvtx2")
						: NULL;

	if (inject)
		inject(client_table);
}

static unsigned long client_calls;

static void client_enter(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	__atomic_fetch_add(&client_calls, 1, __ATOMIC_RELAXED);
	pthread_once(&once, client_load);
}

#define FUNCTION_libc(returns, name, parameters, arguments)
#define FUNCTION_alias(returns, name, parameters, arguments)
#define FUNCTION_allocator(returns, name, parameters, arguments)
#define FUNCTION_nvtoolsext(returns, name, parameters, arguments)        \
	CLIENT(returns, name, parameters)                                \
	{                                                                \
		client_enter();                                          \
		return slot_##name ? slot_##name arguments : (returns)0; \
	}
#define HOOK(library, returns, name, parameters, arguments) \
	FUNCTION_##library(returns, name, parameters, arguments)
#include "preload/families.def"
