/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/symbols/object.c: symbols of files, of this program itself and of damaged ones. */
#include <stdbool.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "report/base/memory.h"
#include "report/symbols/object.h"

#define DAMAGES 200u

static struct object *opened(const char *path, const char *build_id, enum object_state wanted)
{
	enum object_state state = OBJECT_UNREADABLE;
	struct object *object = object_open(path, build_id, &state);

	assert_int_equal(state, wanted);
	assert_int_equal(object != NULL, wanted == OBJECT_FOUND);
	return object;
}

TEST(what_is_no_file_of_code)
{
	char name[] = "object-XXXXXX";
	int file = mkstemp(name);

	assert_true(file >= 0);
	opened("/no/such/file", "", OBJECT_MISSING);
	opened(name, "", OBJECT_UNREADABLE); /* empty */
	assert_int_equal(write(file, "\177ELF", 4), 4);
	opened(name, "", OBJECT_UNREADABLE);
	assert_int_equal(write(file, "no such thing as an ELF file", 28), 28);
	opened(name, "", OBJECT_UNREADABLE);
	opened("/", "", OBJECT_UNREADABLE);
	opened("/dev/null", "", OBJECT_UNREADABLE);
	opened("/dev/zero", "", OBJECT_UNREADABLE);
	opened("", "", OBJECT_MISSING);
	close(file);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(mkfifo(name, 0600), 0);
	opened(name, "", OBJECT_UNREADABLE); /* nobody writes to it: not waited for */
	unlink(name);
}

/*
 * The head of the file is whole, so that it is opened; what it speaks of is damaged, or is not
 * there.
 */
static void look_everywhere(const char *path)
{
	enum object_state state;
	struct object *object = object_open(path, "", &state);
	struct object_place place;

	if (!object)
		return;
	for (uint64_t address = 0; address < 0x20000; address += 0x777)
		object_find(object, address, &place);
	object_find(object, UINT64_MAX, &place);
	assert_true(place.frames <= OBJECT_INLINED_MAX);
	object_close(object);
}

static uint8_t *read_file(const char *path, size_t *ret_length)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long length;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	length = ftell(file);
	rewind(file);
	if (length > 0) {
		bytes = memory_zero((size_t)length, 1);
		*ret_length = fread(bytes, 1, (size_t)length, file);
	}
	fclose(file);
	return bytes;
}

static void write_file(const char *path, const uint8_t *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

static void make_library(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "echo '__asm__(\".text; .globl label; label: nop; ret\"); "
		 "static inline int "
		 "g(int x) { __asm__ volatile(\"nop\"); return x * 3; } "
		 "int f(int x) { return g(x) + "
		 "g(x + 1); }' |"
		 " ${CC:-cc} -g -O2 -shared -fPIC -nostdlib -Wl,--build-id=none -x c - -o %s",
		 path);
	assert_int_equal(system(command), 0);
}

TEST(files_that_are_damaged)
{
	static const char whole[] = "object-whole.so", damaged[] = "object-damaged.so";
	size_t length = 0;
	uint8_t *bytes;

	make_library(whole);
	bytes = read_file(whole, &length);
	assert_non_null(bytes);
	look_everywhere(whole);
	for (size_t i = 0; i < DAMAGES; i++) { /* cut off */
		write_file(damaged, bytes, length * i / DAMAGES);
		look_everywhere(damaged);
	}
	for (size_t i = 0; i < DAMAGES; i++) { /* a byte in each part */
		size_t at = length * i / DAMAGES;
		uint8_t was = bytes[at];

		bytes[at] = (uint8_t)(was ^ (0xff >> (i % 8)));
		write_file(damaged, bytes, length);
		look_everywhere(damaged);
		bytes[at] = was;
	}
	free(bytes);
	unlink(whole);
	unlink(damaged);
}

TEST(functions_of_a_library)
{
	static const char path[] = "object-library.so";
	struct object *object;
	struct object_place place;
	bool has_inlined = false, has_itself = false, has_label = false;

	make_library(path);
	opened(path, "0123456789abcdef", OBJECT_OTHER_BUILD);
	object = opened(path, "", OBJECT_FOUND);
	for (uint64_t address = 0; address < 0x10000; address++) {
		object_find(object, address, &place);
		if (!place.frames)
			continue;
		if (!strcmp(place.frame[0].function,
			    "label")) { /* of assembler: no type, no size */
			has_label = true;
			continue;
		}
		/*
		 * whatever is inlined where, the outermost one is f(), in the first line of
		 * standard input
		 */
		assert_string_equal(place.frame[place.frames - 1].function, "f");
		assert_int_equal(place.frame[place.frames - 1].line, 1);
		assert_true(place.offset < 64);
		has_itself |= place.frames == 1;
		has_inlined |= place.frames == 2 && !strcmp(place.frame[0].function, "g");
	}
	assert_true(has_itself || has_inlined);
	assert_true(has_inlined);
	assert_true(has_label);
	object_close(object);
	object_close(NULL);
	unlink(path);
}

/* As `_init`, behind whose section comes .plt: what is there is no function of the file. */
TEST(label_ends_with_its_section)
{
	static const char path[] = "object-sections.so";
	static const char command[] =
		"printf '.section first, \"ax\", @progbits\\nalone: nop\\nnop\\n"
		".section second, \"ax\", @progbits\\n.fill 100, 1, 0x90\\n' | "
		"gcc -shared -nostdlib -Wl,--build-id=none -x assembler - -o object-sections.so "
		"2>object-sections.txt";
	struct object_place place;
	struct object *object;
	unsigned int named = 0;

	if (system(command))
		skip();
	object = opened(path, "", OBJECT_FOUND);
	for (uint64_t address = 0; address < 0x10000; address++) {
		object_find(object, address, &place);
		named += place.frames != 0;
	}
	assert_int_equal(named, 2);
	object_close(object);
	unlink(path);
	unlink("object-sections.txt");
}

/* Linked with -flto: what is inlined was described in another unit. */
TEST(inlined_by_the_linker)
{
	static const char path[] = "object-linked.so";
	static const char command[] =
		"echo 'static inline int g(int x) { __asm__ volatile(\"nop\"); return x * 3; } "
		"int f(int x) { return g(x) + g(x + 1); }' | gcc -g -O2 -flto -shared -fPIC "
		"-nostdlib -Wl,--build-id=none -x c - -o object-linked.so 2>object-linked.txt";
	bool has_inlined = false;
	struct object_place place;
	struct object *object;

	if (system(command))
		skip();
	object = opened(path, "", OBJECT_FOUND);
	for (uint64_t address = 0; address < 0x10000; address++) {
		object_find(object, address, &place);
		has_inlined |= place.frames == 2 && !strcmp(place.frame[0].function, "g") &&
			       !strcmp(place.frame[1].function, "f");
	}
	assert_true(has_inlined);
	object_close(object);
	unlink(path);
	unlink("object-linked.txt");
}

/*
 * With -gsplit-dwarf the file has lines only; functions are in a file beside it. Without that one
 * no inlined function is made up.
 */
TEST(split_debug_information)
{
	static const char command[] =
		"echo 'static inline int g(int x) { __asm__ volatile(\"nop\"); return x * 3; }\n"
		"int f(int x) { return g(x) + g(x + 1); }' >object-split.c && "
		"gcc -g -O2 -gsplit-dwarf -shared -fPIC -nostdlib -Wl,--build-id=none "
		"object-split.c -o object-split.so 2>object-split.txt";
	struct object_place place;

	if (system(command))
		skip();
	for (unsigned int turn = 0; turn < 2; turn++) {
		struct object *object = opened("object-split.so", "", OBJECT_FOUND);
		bool has_inlined = false, has_line_of_inlined = false, is_split = false;

		for (uint64_t address = 0; address < 0x10000; address++) {
			object_find(object, address, &place);
			has_inlined |= place.frames == 2 && !strcmp(place.frame[0].function, "g") &&
				       !strcmp(place.frame[1].function, "f") &&
				       place.frame[0].line == 1 && place.frame[1].line == 2 &&
				       strstr(place.frame[1].file, "object-split.c");
			has_line_of_inlined |= place.frames == 1 && place.frame[0].line == 1;
			is_split |= place.is_split;
		}
		assert_int_equal(has_inlined, turn == 0);
		assert_int_equal(is_split, turn == 1);
		assert_int_equal(has_line_of_inlined, false);
		object_close(object);
		assert_int_equal(system("rm -f *.dwo"), 0);
	}
	assert_int_equal(system("rm -f object-split.*"), 0);
}

/* The one of this machine, and of no other kernel. */
TEST(functions_of_the_vdso)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	static const uint8_t name[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	const uint8_t *id = image ? memmem(image, 4096, name, sizeof(name)) : NULL;
	struct object_place place;
	struct object *object;
	char build_id[41] = "";
	bool has_clock = false;

	if (!id)
		skip();
	for (int i = 0; i < 20; i++)
		snprintf(build_id + 2 * i, 3, "%02x", id[sizeof(name) + (size_t)i]);
	object = opened(OBJECT_VDSO, build_id, OBJECT_FOUND);
	for (uint64_t address = 0; address < 0x4000; address++) {
		object_find(object, address, &place);
		has_clock |= place.frames && place.frame[0].function &&
			     !strcmp(place.frame[0].function, "__vdso_clock_gettime");
	}
	assert_true(has_clock);
	object_close(object);
	build_id[0] = (char)(build_id[0] == 'a' ? 'b' : 'a');
	opened(OBJECT_VDSO, build_id, OBJECT_OTHER_BUILD);
}
