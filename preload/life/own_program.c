/* SPDX-License-Identifier: MIT */
/* Looks for the ELF note that report/app/main.c and collector/turn/main.c contain. */
#include "preload/life/own_program.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#define NOTE_NAME "intercept"
#define NOTE_NEVER_RECORDED 1u

static size_t padded(size_t length)
{
	return (length + 3) / 4 * 4;
}

/* Notes follow each other: three numbers, name, contents. */
static bool notes_have_ours(const char *notes, size_t bytes)
{
	Elf64_Nhdr note;

	while (bytes >= sizeof(note)) {
		size_t whole;

		memcpy(&note, notes, sizeof(note));
		whole = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (whole > bytes)
			break;
		if (note.n_type == NOTE_NEVER_RECORDED && note.n_namesz == sizeof(NOTE_NAME) &&
		    !memcmp(notes + sizeof(note), NOTE_NAME, sizeof(NOTE_NAME)))
			return true;
		notes += whole;
		bytes -= whole;
	}
	return false;
}

/* The program is the first object. */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *ret_ours)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE &&
		    notes_have_ours((const char *)(info->dlpi_addr + segment->p_vaddr),
				    segment->p_memsz))
			*(bool *)ret_ours = true;
	}
	return 1;
}

bool own_program(void)
{
	bool ours = false;

	(void)dl_iterate_phdr(look_at_program, &ours);
	return ours;
}
