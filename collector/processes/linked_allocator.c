/* SPDX-License-Identifier: MIT */
/* See linked_allocator.h. What is looked for are texts of the allocators' own that no build leaves out. */
#include "collector/processes/linked_allocator.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES (64u << 10)
#define TEXT_BYTES_MAX 64u         /* of what is looked for: pieces overlap by that */
#define NAMES_BYTES_MAX (1u << 20) /* of a file's dynamic strings; undefined symbols come first */
#define CONSTANTS_BYTES_MAX (32u << 20)
#define DYNAMIC_MAX 128u

struct text {
	const char *bytes;
	size_t length;
};

#define TEXT(literal)                        \
	{                                    \
		literal, sizeof(literal) - 1 \
	}

static const struct text sbrk_name[] = { TEXT("\0sbrk\0") };
static const struct text signatures[] = {
	TEXT("string pointed to by the global variable malloc_conf"), /* jemalloc's messages */
	TEXT("TCMALLOC_LARGE_ALLOC_REPORT_THRESHOLD"),
};

/* One of the texts lies in [offset, offset + length) of the file. */
static bool file_has(int fd, uint64_t offset, uint64_t length, const struct text *text,
		     unsigned int texts)
{
	char piece[PIECE_BYTES + TEXT_BYTES_MAX];
	size_t kept = 0;

	while (length && offset <= INT64_MAX) {
		size_t want = length < PIECE_BYTES ? (size_t)length : PIECE_BYTES;
		ssize_t got = pread(fd, piece + kept, want, (off_t)offset);

		if (got <= 0)
			return false;
		for (unsigned int i = 0; i < texts; i++)
			if (memmem(piece, kept + (size_t)got, text[i].bytes, text[i].length))
				return true;
		offset += (uint64_t)got;
		length -= (uint64_t)got;
		got += (ssize_t)kept;
		kept = got < (ssize_t)TEXT_BYTES_MAX ? (size_t)got : TEXT_BYTES_MAX;
		memmove(piece, piece + got - kept, kept);
	}
	return false;
}

/* Where an address of the object lies in its file. */
static bool file_offset(const Elf64_Phdr *segment, unsigned int count, uint64_t address,
			uint64_t *ret_offset)
{
	for (unsigned int i = 0; i < count; i++)
		if (segment[i].p_type == PT_LOAD &&
		    address - segment[i].p_vaddr < segment[i].p_filesz) {
			*ret_offset = segment[i].p_offset + (address - segment[i].p_vaddr);
			return true;
		}
	return false;
}

/* False: it has none, or none that we can read. */
static bool find_names(int fd, const Elf64_Phdr *segment, unsigned int count, uint64_t *ret_offset,
		       uint64_t *ret_length)
{
	Elf64_Dyn entry[DYNAMIC_MAX];
	uint64_t address = 0, length = 0;
	ssize_t got = 0;

	for (unsigned int i = 0; i < count; i++)
		if (segment[i].p_type == PT_DYNAMIC && segment[i].p_offset <= INT64_MAX)
			got = pread(fd, entry,
				    segment[i].p_filesz < sizeof(entry) ? segment[i].p_filesz
									: sizeof(entry),
				    (off_t)segment[i].p_offset);
	for (size_t i = 0; got > 0 && i < (size_t)got / sizeof(*entry); i++) {
		if (entry[i].d_tag == DT_STRTAB)
			address = entry[i].d_un.d_ptr;
		else if (entry[i].d_tag == DT_STRSZ)
			length = entry[i].d_un.d_val;
	}
	*ret_length = length < NAMES_BYTES_MAX ? length : NAMES_BYTES_MAX;
	return address && length && file_offset(segment, count, address, ret_offset);
}

bool linked_allocator_is_in(int fd, const Elf64_Phdr *segment, unsigned int count)
{
	uint64_t offset, length, left = CONSTANTS_BYTES_MAX;

	if (!find_names(fd, segment, count, &offset, &length) ||
	    !file_has(fd, offset, length, sbrk_name, 1))
		return false;
	for (unsigned int i = 0; i < count && left; i++) {
		if (segment[i].p_type != PT_LOAD || (segment[i].p_flags & PF_W))
			continue;
		length = segment[i].p_filesz < left ? segment[i].p_filesz : left;
		left -= length;
		if (file_has(fd, segment[i].p_offset, length, signatures,
			     sizeof(signatures) / sizeof(*signatures)))
			return true;
	}
	return false;
}

bool linked_allocator_is_library(const char *path)
{
	static const char *const names[] = { "libjemalloc", "libtcmalloc" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(slash ? slash + 1 : path, names[i], strlen(names[i])))
			return true;
	return false;
}
