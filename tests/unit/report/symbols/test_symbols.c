/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/symbols/symbols.c: the frames of an address, of a library that is made for it. */
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "collector/format/frame_flags.h"
#include "report/symbols/object.h"
#include "report/symbols/symbols.h"

#define START 0x700000000000ull

/* A process that has one file mapped. */
struct mapped {
	struct source_name path, build_id;
	struct source_module module, *modules[1];
	struct source_process process;
};

static void mapped_init(struct mapped *mapped, const char *path, const char *build_id)
{
	*mapped = (struct mapped){
		.path = { .text = path, .length = strlen(path) },
		.build_id = { .text = build_id, .length = strlen(build_id) },
		.module = { .start = START, .bytes = 0x100000, .bias = START, .to_ns = UINT64_MAX },
	};
	mapped->module.path = &mapped->path;
	mapped->module.build_id = &mapped->build_id;
	mapped->modules[0] = &mapped->module;
	mapped->process.module = mapped->modules;
	mapped->process.module_count = 1;
}

/*
 * outer() has middle() inlined, and that has inner(): `first` is outer()'s first address, of its
 * own line 5.
 */
static void make_library(char path[64])
{
	char command[512];

	snprintf(path, 64, "./symbols-%d.so", (int)getpid());
	snprintf(command, sizeof(command),
		 "printf '%%s\\n' 'int hole;'"
		 " 'static inline __attribute__((always_inline)) void inner(void) { hole = 7; }'"
		 " 'static inline __attribute__((always_inline)) void middle(void)'"
		 " '{ inner(); }'"
		 " 'void outer(void) { __asm__ volatile(\"nop\"); middle(); __asm__ "
		 "volatile(\"nop\"); }' |"
		 " ${CC:-cc} -g -O1 -shared -fPIC -nostdlib -Wl,--build-id=none -x c - -o %s",
		 path);
	assert_int_equal(system(command), 0);
}

/* The first address behind `from` that has so many frames; 0: none. */
static uint64_t address_with(struct symbols *symbols, const struct mapped *mapped, size_t frames,
			     uint64_t from)
{
	struct symbol symbol[OBJECT_INLINED_MAX];

	for (uint64_t at = from; at < START + 0x10000; at++)
		if (symbols_frames_of(symbols, &mapped->process, at, FRAME_IS_EXACT, 1, symbol,
				      OBJECT_INLINED_MAX) == frames &&
		    symbol[0].function)
			return at;
	return 0;
}

TEST(functions_that_are_inlined)
{
	static const char *const names[] = { "inner", "middle", "outer" };
	static const uint32_t lines[] = { 2, 4, 5 };
	struct symbol symbol[OBJECT_INLINED_MAX];
	struct symbols symbols;
	struct mapped mapped;
	char path[64];
	uint64_t address;

	make_library(path);
	mapped_init(&mapped, path, "");
	symbols_init(&symbols, NULL, SYMBOLS_FULL);
	address = address_with(&symbols, &mapped, 3, START);
	assert_true(address);
	/* the first byte of what is inlined: a call that comes back to it was outer()'s own */
	assert_int_equal(symbols_frames_of(&symbols, &mapped.process, address, 0, 1, symbol,
					   OBJECT_INLINED_MAX),
			 1);
	assert_string_equal(symbol[0].function, "outer");
	assert_int_equal(symbol[0].line, 5);
	assert_false(symbol[0].is_inlined);
	assert_int_equal(symbol[0].address, address - START);
	assert_string_equal(symbol[0].path, path);
	assert_string_equal(symbol[0].module, path + 2);

	for (int again = 0; again < 2; again++) {
		assert_int_equal(symbols_frames_of(&symbols, &mapped.process, address,
						   FRAME_IS_EXACT, 1, symbol, OBJECT_INLINED_MAX),
				 3);
		for (int i = 0; i < 3; i++) {
			assert_string_equal(symbol[i].function, names[i]);
			assert_int_equal(symbol[i].line, lines[i]);
			assert_int_equal(symbol[i].is_inlined, i < 2);
			assert_int_equal(symbol[i].address, address - START);
		}
		assert_true(symbol[0].offset == UINT64_MAX);
		assert_true(symbol[2].offset > 0 && symbol[2].offset < 32);
	}
	assert_int_equal(
		symbols_frames_of(&symbols, &mapped.process, address, FRAME_IS_EXACT, 1, symbol, 2),
		2);
	assert_string_equal(symbol[1].function, "middle");
	assert_int_equal(
		symbols_frames_of(&symbols, &mapped.process, address, FRAME_IS_EXACT, 1, symbol, 0),
		0);
	/* the same offset, as a call comes back to it and as it is */
	assert_int_equal(symbols_of_call(&symbols, &mapped.process, address, 1)->offset,
			 address - START - address_with(&symbols, &mapped, 1, START) + START);
	symbols_release(&symbols);
	unlink(path);
}

TEST(addresses_of_nothing)
{
	struct symbol symbol[2];
	struct symbols symbols;
	struct mapped mapped;

	mapped_init(&mapped, "/no/such/library.so", "00ff");
	symbols_init(&symbols, NULL, SYMBOLS_FULL);
	assert_int_equal(
		symbols_frames_of(&symbols, &mapped.process, START + 0x1234, 0, 1, symbol, 2), 1);
	assert_null(symbol[0].function);
	assert_string_equal(symbol[0].module, "library.so");
	assert_int_equal(symbol[0].address, 0x1234);
	assert_int_equal(symbols_frames_of(&symbols, &mapped.process, 0x1234, 0, 1, symbol, 2), 1);
	assert_null(symbol[0].module);
	assert_int_equal(symbol[0].address, 0x1234);
	assert_int_equal(symbols_frames_of(&symbols, &mapped.process, 0, 0, 1, symbol, 2), 1);
	assert_null(symbol[0].module);
	assert_null(symbols_of_call(&symbols, NULL, START, 1)->module);
	symbols_release(&symbols);
}

/*
 * Libraries are large: those who ask about one recording open each once. What one has not asked it
 * does not say it lacks.
 */
/*
 * Why there are addresses only is said of a process without any module, and not of one whose parent
 * has some.
 */
TEST(processes_without_modules)
{
	struct source_process bare = { .pid = 4711 }, other = { .pid = 4712 },
			      child = { .pid = 4713 };
	struct symbols_missing missing;
	struct symbols symbols;
	struct mapped mapped;

	mapped_init(&mapped, "/nowhere/library.so", "");
	child.parent = &mapped.process;
	symbols_init(&symbols, NULL, SYMBOLS_FULL);
	assert_string_equal(symbols_bare(&symbols, &missing), "");
	symbols_of_call(&symbols, &child, 0x1000, 1);
	symbols_of_call(&symbols, &mapped.process, 0x1000, 1);
	assert_string_equal(symbols_bare(&symbols, &missing), "");
	symbols_of_call(&symbols, &bare, 0x1000, 1);
	symbols_of_call(&symbols, &bare, 0x2000, 1);
	assert_non_null(strstr(symbols_bare(&symbols, &missing), "in process 4711: "));
	symbols_of_call(&symbols, &other, 0x1000, 1);
	assert_non_null(strstr(symbols_bare(&symbols, &missing), "in process 4711 and 1 more: "));
	symbols_release(&symbols);
}

TEST(one_recording_is_looked_up_once)
{
	const struct source *source = (const void *)"one", *other = (const void *)"two";
	struct symbols first, second, elsewhere;
	struct symbols_missing missing;
	struct symbol symbol[2];
	struct mapped mapped, gone;
	char path[64];

	make_library(path);
	mapped_init(&mapped, path, "");
	mapped_init(&gone, "/no/such/library.so", "00ff");
	symbols_init(&first, source, SYMBOLS_FULL);
	symbols_init(&second, source, SYMBOLS_FULL);
	symbols_init(&elsewhere, other, SYMBOLS_FULL);
	assert_ptr_equal(first.found, second.found);
	assert_ptr_not_equal(first.found, elsewhere.found);
	assert_true(address_with(&first, &mapped, 3, START));
	assert_int_equal(first.found->objects_count, 1);
	assert_true(address_with(&second, &mapped, 3, START));
	assert_int_equal(first.found->objects_count, 1);
	assert_int_equal(elsewhere.found->objects_count, 0);

	symbols_frames_of(&first, &gone.process, START + 0x1234, 0, 1, symbol, 2);
	assert_string_equal(symbols_missing(&first, &missing), "library.so is not there");
	assert_string_equal(symbols_missing(&second, &missing), "");
	symbols_frames_of(&second, &gone.process, START + 0x4321, 0, 1, symbol, 2);
	symbols_frames_of(&second, &gone.process, START + 0x5321, 0, 1, symbol, 2);
	assert_string_equal(symbols_missing(&second, &missing), "library.so is not there");

	symbols_release(&first);
	assert_true(address_with(&second, &mapped, 3, START));
	symbols_release(&second);
	symbols_init(&first, source, SYMBOLS_FULL);
	assert_int_equal(first.found->objects_count, 0);
	symbols_release(&first);
	symbols_release(&elsewhere);
	unlink(path);
}
