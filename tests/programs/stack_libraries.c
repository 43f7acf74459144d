/* SPDX-License-Identifier: MIT */
/*
 * usage: stack_libraries ONE TWO
 * Notes its stacks (stack_note.h) below the two libraries of dlclose_stacks.c by turns, each
 * unloaded before the next, so that one lies where the other lay. Then without tables: it unmaps
 * those of ONE, whose frame is known by then, allocates 5001 bytes below it, unmaps those of TWO,
 * of which none is known, and allocates 5002. Prints "same 1" when all libraries lay at one place.
 */
/* build: -ldl -O1 */
#include "tests/programs/stack_note.h"

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static size_t bytes = 5000;
static const char *place;

static void note_place(void)
{
	note(place);
	__asm__ volatile("" ::: "memory");
}

static void allocate(void)
{
	note_block = malloc(++bytes);
	free(note_block);
}

typedef void visit_function(void (*)(void));

static visit_function *library_open(const char *path, void **ret_library)
{
	visit_function *visit = NULL;

	*ret_library = dlopen(path, RTLD_NOW);
	if (*ret_library)
		*(void **)&visit = dlsym(*ret_library, "visit");
	if (!visit)
		exit(1);
	return visit;
}

/*
 * Its tables lie in a segment that has nothing else; where they do not, the program ends with 77.
 */
static int tables_unmap(struct dl_phdr_info *info, size_t size, void *visit)
{
	uintptr_t tables = 0, code = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			tables = info->dlpi_phdr[i].p_vaddr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && (uintptr_t)visit - at < p->p_memsz)
			code = 1;
	}
	if (!code || !tables)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = (info->dlpi_addr + p->p_vaddr) & ~(uintptr_t)4095;
		uintptr_t end = (info->dlpi_addr + p->p_vaddr + p->p_memsz + 4095) &
				~(uintptr_t)4095;

		if (p->p_type != PT_LOAD || tables - p->p_vaddr >= p->p_memsz)
			continue;
		if (p->p_flags != PF_R || !p->p_offset)
			exit(77);
		return munmap((void *)at, end - at) ? 0 : 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const places[] = { "one", "two", "one-again", "two-again" };
	uintptr_t first = 0, same = 1;
	visit_function *visit;
	void *library;

	if (argc < 3 || !note_open())
		return 1;
	for (int i = 0; i < 4; i++) {
		visit = library_open(argv[1 + i % 2], &library);
		first = first ? first : (uintptr_t)visit;
		same &= (uintptr_t)visit == first;
		place = places[i];
		visit(note_place);
		dlclose(library);
	}
	visit = library_open(argv[1], &library);
	visit(allocate);
	bytes--;
	for (int i = 1; i <= 2; i++) {
		if (i == 2)
			visit = library_open(argv[2], &library);
		if (!dl_iterate_phdr(tables_unmap, (void *)visit))
			return 1;
		visit(allocate);
	}
	printf("same %d\n", (int)same);
	return 0;
}
