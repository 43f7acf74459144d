/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/processes/linked_allocator.h: files with and without an allocator in them, and files
 * that lie about themselves.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "collector/processes/linked_allocator.h"

/* This program has both: jemalloc's words, and sbrk(). */
const char words[] = "string pointed to by the global variable malloc_conf";

#define SEGMENTS 64

struct file {
	int fd;
	Elf64_Phdr segment[SEGMENTS];
	unsigned int count;
};

static struct file file_open(const char *path)
{
	struct file file = { .fd = open(path, O_RDONLY) };
	Elf64_Ehdr head;

	assert_true(file.fd >= 0);
	assert_int_equal(pread(file.fd, &head, sizeof(head), 0), sizeof(head));
	assert_true(head.e_phnum <= SEGMENTS);
	file.count = head.e_phnum;
	assert_int_equal(
		pread(file.fd, file.segment, file.count * sizeof(Elf64_Phdr), (off_t)head.e_phoff),
		file.count * sizeof(Elf64_Phdr));
	return file;
}

TEST(words_and_sbrk)
{
	struct file file = file_open("/proc/self/exe");

	assert_true(sbrk(0) && words[0]);
	assert_int_equal(linked_allocator_find(file.fd, file.segment, file.count),
			 LINKED_ALLOCATOR_IS_IN);
	close(file.fd);
}

TEST(other_files)
{
	struct file file = file_open("/bin/ls");

	assert_int_equal(linked_allocator_find(file.fd, file.segment, file.count),
			 LINKED_ALLOCATOR_NONE);
	close(file.fd);
}

/* Each number of each header at its extremes: an answer, in bounded time. */
TEST(files_that_lie)
{
	static const uint64_t extremes[] = { 0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
	struct file file = file_open("/proc/self/exe");

	for (unsigned int i = 0; i < file.count; i++) {
		for (size_t at = 0; at < sizeof(extremes) / sizeof(*extremes); at++) {
			struct file lie = file;

			lie.segment[i].p_offset = extremes[at];
			(void)linked_allocator_find(lie.fd, lie.segment, lie.count);
			lie.segment[i].p_filesz = extremes[at];
			(void)linked_allocator_find(lie.fd, lie.segment, lie.count);
			lie.segment[i].p_vaddr = extremes[at];
			(void)linked_allocator_find(lie.fd, lie.segment, lie.count);
		}
	}
	assert_int_equal(linked_allocator_find(file.fd, file.segment, 0), LINKED_ALLOCATOR_NONE);
	close(file.fd);
	/* cannot be read */
	assert_int_equal(linked_allocator_find(file.fd, file.segment, file.count),
			 LINKED_ALLOCATOR_NONE);
}

TEST(libraries_of_allocators)
{
	assert_true(linked_allocator_is_library("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"));
	assert_true(linked_allocator_is_library("libtcmalloc_minimal.so.4"));
	assert_true(linked_allocator_is_library("/usr/lib/x86_64-linux-gnu/libmimalloc.so.2.0"));
	assert_false(linked_allocator_is_library("/opt/libjemalloc/bin/ruff"));
}
