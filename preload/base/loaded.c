/* SPDX-License-Identifier: MIT */
/*
 * Reads program headers and the notes that are mapped. The kernel resolves the path, through a
 * descriptor and /proc/self/fd. Where that fails, ld.so's name is used.
 */
#include "preload/base/loaded.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/arch/pages.h"

/* Notes outside of every loaded segment are ignored, because they are not in memory. */
static bool segment_is_mapped(const struct dl_phdr_info *object, const Elf64_Phdr *notes)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R &&
		    notes->p_vaddr >= segment->p_vaddr && notes->p_filesz <= segment->p_filesz &&
		    notes->p_vaddr - segment->p_vaddr <= segment->p_filesz - notes->p_filesz)
			return true;
	}
	return false;
}

/* Returns NULL if these notes have no build-id. */
static const char *notes_find_build_id(const char *notes, size_t length, uint32_t *ret_bytes)
{
	Elf64_Nhdr note;

	for (size_t at = 0; length - at >= sizeof(note);) {
		size_t desc;

		memcpy(&note, notes + at, sizeof(note));
		desc = at + sizeof(note) + ((note.n_namesz + 3ull) & ~3ull);
		if (desc > length || note.n_descsz > length - desc)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(notes + at + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    note.n_descsz <= LOADED_BUILD_ID_MAX) {
			*ret_bytes = note.n_descsz;
			return notes + desc;
		}
		at = desc + ((note.n_descsz + 3ull) & ~3ull);
		if (at > length)
			break;
	}
	return NULL;
}

const char *loaded_build_id(const struct dl_phdr_info *object, uint32_t *ret_bytes)
{
	const char *found = NULL;

	*ret_bytes = 0;
	for (int i = 0; i < object->dlpi_phnum && !found; i++) {
		const Elf64_Phdr *notes = &object->dlpi_phdr[i];

		if (notes->p_type == PT_NOTE && segment_is_mapped(object, notes))
			found = notes_find_build_id(
				(const char *)(uintptr_t)(object->dlpi_addr + notes->p_vaddr),
				notes->p_filesz, ret_bytes);
	}
	return found;
}

bool loaded_span(const struct dl_phdr_info *object, struct loaded_span *ret_span)
{
	uint64_t low = UINT64_MAX, high = 0;
	bool code = false;

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &object->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD)
			continue;
		code |= (segment->p_flags & PF_X) != 0;
		if (segment->p_vaddr < low)
			low = segment->p_vaddr;
		if (segment->p_vaddr + segment->p_filesz > high)
			high = segment->p_vaddr + segment->p_filesz;
	}
	ret_span->bias = object->dlpi_addr;
	ret_span->start = arch_page_down(object->dlpi_addr + low);
	ret_span->end = arch_page_up(object->dlpi_addr + high);
	return code && ret_span->start < ret_span->end;
}

/* /proc/self/fd/N */
static void descriptor_path(char text[32], unsigned int fd)
{
	char digits[12], *at = digits + sizeof(digits);

	*--at = 0;
	do
		*--at = (char)('0' + fd % 10);
	while (fd /= 10);
	strcpy(text, "/proc/self/fd/");
	strcat(text, at);
}

size_t loaded_path(const char *name, char *text, size_t room)
{
	size_t length = strlen(name);
	char link[32];
	long fd, n;

	if (strchr(name, '/')) {
		fd = syscall(SYS_openat, AT_FDCWD, name, O_PATH | O_CLOEXEC);
		if (fd >= 0) {
			descriptor_path(link, (unsigned int)fd);
			n = syscall(SYS_readlinkat, AT_FDCWD, link, text, room);
			(void)syscall(SYS_close, fd);
			if (n > 0 && (size_t)n < room && text[0] == '/')
				return (size_t)n;
		}
	}
	if (length > room)
		return 0;
	memcpy(text, name, length);
	return length;
}
