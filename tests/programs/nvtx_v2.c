/* SPDX-License-Identifier: MIT */
/* races: none, needs its library */
/* build: -lpthread -ldl */
/*
 * A program that uses libnvToolsExt.so.1; which library has the functions is what the search order
 * says.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "preload/nvtx/nvtx_api.h"

#define DECLARE_libc(returns, name, parameters)
#define DECLARE_alias(returns, name, parameters)
#define DECLARE_allocator(returns, name, parameters)
#define DECLARE_nvtoolsext(returns, name, parameters) static returns(*name) parameters;
#define HOOK(library, returns, name, parameters, arguments) \
	DECLARE_##library(returns, name, parameters)
#include "preload/families.def"

#define FIND_libc(name)
#define FIND_alias(name)
#define FIND_allocator(name)
#define FIND_nvtoolsext(name)                                 \
	*(void **)(void *)&name = dlsym(RTLD_DEFAULT, #name); \
	if (!name) {                                          \
		fprintf(stderr, "nobody has '%s'\n", #name);  \
		exit(3);                                      \
	}

__attribute__((constructor)) static void find_functions(void)
{
#define HOOK(library, returns, name, parameters, arguments) FIND_##library(name)
#include "preload/families.def"
}

#include "tests/programs/nvtx_calls.h"
