/* SPDX-License-Identifier: MIT */
/* links: preload:hook/origin.c,base/symbols.c */
/*
 * The walk finds what dlsym(RTLD_NEXT) finds, without it: versions, indirect functions, both hash
 * tables.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "preload/hook/origin.h"
#include "preload/base/symbols.h"

/* Its dlsym() is a function of its own, and finds other things. */
static void skip_under_sanitizer(void)
{
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
}

TEST(finds_what_dlsym_finds)
{
	static const char *const names[] = {
		"malloc",
		"calloc",
		"realloc",
		"free",
		"posix_memalign",
		"aligned_alloc",
		"memalign",
		"valloc",
		"pvalloc",
		"malloc_usable_size",
		"_exit",
		"_Exit",
		/* of several versions, the default one is not the first */
		"pthread_cond_wait",
		"realpath",
		"fclose",
		"fopen",
		"regexec",
		"sched_setaffinity",
		"posix_spawn",
		"glob",
		"nftw",
		"memcpy",
		"quick_exit",
		/* indirect */
		"strlen",
		"strchr",
		"memset",
		"time",
		"gettimeofday",
		/* data, and libraries behind libc */
		"environ",
		"stdout",
		"ZSTD_versionNumber",
		"_cmocka_run_group_tests",
	};

	skip_under_sanitizer();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *wanted = dlsym(RTLD_NEXT, names[i]);

		if (origin_next(names[i]) != wanted)
			fail_msg("%s: %p, dlsym() says %p", names[i], origin_next(names[i]),
				 wanted);
	}
}

TEST(finds_nothing_where_there_is_nothing)
{
	skip_under_sanitizer();
	assert_null(origin_next("no_such_function_of_this_name"));
	assert_null(origin_next(""));
	/* hidden versions that only old programs are bound to */
	assert_null(dlsym(RTLD_NEXT, "cfree"));
	assert_null(origin_next("cfree"));
}

TEST(reads_the_table_of_the_gabi)
{
	char path[4096] = "";
	void *library;

	/* beside the tests: build/unit/test_origin, build/programs */
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 64) > 0);
	*strrchr(path, '/') = 0;
	strcat(path, "/../programs/libplain_hash.so");
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_msg("%s", dlerror());
	for (int i = 0; i < 8; i++) {
		char name[] = "plain_hash_0";

		name[sizeof(name) - 2] = (char)('0' + i);
		assert_ptr_equal(origin_next(name), dlsym(library, name));
	}
	assert_null(origin_next("plain_hash_8"));
	dlclose(library);
}
