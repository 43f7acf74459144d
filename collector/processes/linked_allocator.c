/* SPDX-License-Identifier: MIT */
/*
 * Searches for texts of the allocators that no build leaves out, and for names of their functions
 * among the dynamic symbols.
 */
#include "collector/processes/linked_allocator.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES (64u << 10)
#define TEXT_BYTES_MAX 64u /* longest text that is searched for: pieces overlap by this */
/* limit for a file's dynamic strings; undefined symbols come first */
#define NAMES_BYTES_MAX (1u << 20)
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

#define NAME(name) TEXT("\0" #name "\0")
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Allocators get memory from the system by one of these functions, as few other files do. */
static const struct text system_names[] = { NAME(sbrk), NAME(madvise) };
static const struct text signatures[] = {
	TEXT("string pointed to by the global variable malloc_conf"), /* jemalloc's messages */
	TEXT("TCMALLOC_LARGE_ALLOC_REPORT_THRESHOLD"),
	TEXT("mimalloc: error: "),
};

/* CPython contains a mimalloc since 3.13. Only builds without a GIL use it by default. */
static const struct text python_names[] = { NAME(PyMem_Malloc) };
static const struct text python_without_gil[] = { TEXT("free-threading build") };

/*
 * If a program needs one of these libraries and has one of these functions, it calls the allocator
 * directly, besides malloc().
 */
static const struct text library_names[] = { TEXT("libjemalloc"), TEXT("libtcmalloc"),
					     TEXT("libmimalloc") };
static const struct text function_names[] = {
	NAME(mi_malloc),         NAME(mi_calloc),
	NAME(mi_zalloc),         NAME(mi_mallocn),
	NAME(mi_malloc_small),   NAME(mi_zalloc_small),
	NAME(mi_realloc),        NAME(mi_malloc_aligned),
	NAME(mi_zalloc_aligned), NAME(mi_calloc_aligned),
	NAME(mi_strdup),         NAME(mi_new),
	NAME(mi_new_nothrow),    NAME(mi_new_aligned),
	NAME(mi_new_n),          NAME(mi_heap_malloc),
	NAME(mi_heap_zalloc),    NAME(mi_heap_calloc),
	NAME(mi_heap_realloc),   NAME(mi_heap_malloc_aligned),
	NAME(mi_heap_new),       NAME(tc_malloc),
	NAME(tc_calloc),         NAME(tc_realloc),
	NAME(tc_memalign),       NAME(tc_posix_memalign),
	NAME(tc_valloc),         NAME(tc_new),
	NAME(tc_new_nothrow),    NAME(tc_newarray),
	NAME(tc_new_aligned),    NAME(je_malloc),
	NAME(je_calloc),         NAME(je_realloc),
	NAME(je_mallocx),        NAME(je_rallocx),
	NAME(je_aligned_alloc),  NAME(je_posix_memalign),
	NAME(je_memalign),
};

/* True if one of the texts is in [offset, offset + length) of the file. */
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

/* Converts an address of the object to an offset in its file. */
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

/* Returns false if it has no names, or none that we can read. */
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

/* Searches the constants of the file, up to a limit. */
static bool constants_have(int fd, const Elf64_Phdr *segment, unsigned int count,
			   const struct text *text, unsigned int texts)
{
	uint64_t left = CONSTANTS_BYTES_MAX;

	for (unsigned int i = 0; i < count && left; i++) {
		uint64_t length;

		if (segment[i].p_type != PT_LOAD || (segment[i].p_flags & PF_W))
			continue;
		length = segment[i].p_filesz < left ? segment[i].p_filesz : left;
		left -= length;
		if (file_has(fd, segment[i].p_offset, length, text, texts))
			return true;
	}
	return false;
}

enum linked_allocator linked_allocator_find(int fd, const Elf64_Phdr *segment, unsigned int count)
{
	uint64_t offset, length;

	if (!find_names(fd, segment, count, &offset, &length))
		return LINKED_ALLOCATOR_NONE;
	if (file_has(fd, offset, length, system_names, COUNT(system_names)) &&
	    constants_have(fd, segment, count, signatures, COUNT(signatures)) &&
	    (!file_has(fd, offset, length, python_names, COUNT(python_names)) ||
	     constants_have(fd, segment, count, python_without_gil, COUNT(python_without_gil))))
		return LINKED_ALLOCATOR_IS_IN;
	return file_has(fd, offset, length, library_names, COUNT(library_names)) &&
			       file_has(fd, offset, length, function_names, COUNT(function_names))
		       ? LINKED_ALLOCATOR_IS_CALLED
		       : LINKED_ALLOCATOR_NONE;
}

bool linked_allocator_is_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < COUNT(library_names); i++)
		if (!strncmp(slash ? slash + 1 : path, library_names[i].bytes,
			     library_names[i].length))
			return true;
	return false;
}
