/* SPDX-License-Identifier: MIT */
/* build: collector/cfi/cfi.c collector/cfi/cfi_expression.c */
/*
 * usage: frame_rows FILE <ADDRESSES
 * For each link address of an ELF file, in hexadecimal: how our reader of unwinding tables leaves
 * its frame, in the form of `readelf --debug-dump=frames-interp`. "ADDRESS CFA FP RETURN", or
 * "ADDRESS -" if it knows no row. The CFA is sp+N, fp+N or exp; a register u (not saved, or
 * undefined), c-N (at CFA - N) or exp.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/cfi/cfi.h"

static struct cfi_span span;
static uintptr_t header;

bool cfi_page_is_readable(void *context, uintptr_t page)
{
	(void)context;
	(void)page;
	return true;
}

/* All segments, where they lie to each other as in a process. */
static bool load(int fd)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part[64];
	size_t bytes = 0;
	char *base;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.e_phnum > 64 ||
	    pread(fd, part, head.e_phnum * sizeof(part[0]), (off_t)head.e_phoff) < 0)
		return false;
	for (unsigned int i = 0; i < head.e_phnum; i++)
		if (part[i].p_type == PT_LOAD && part[i].p_vaddr + part[i].p_memsz > bytes)
			bytes = part[i].p_vaddr + part[i].p_memsz;
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return false;
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		if (part[i].p_type == PT_LOAD && pread(fd, base + part[i].p_vaddr, part[i].p_filesz,
						       (off_t)part[i].p_offset) < 0)
			return false;
		if (part[i].p_type == PT_GNU_EH_FRAME)
			header = (uintptr_t)base + part[i].p_vaddr;
	}
	span = (struct cfi_span){ (uintptr_t)base, (uintptr_t)base + bytes, false, NULL };
	return header != 0;
}

static void put_saved(struct cfi_saved_at saved)
{
	if (saved.how == CFI_SAVED_BY_CFA)
		printf(" c%+" PRId64, saved.offset);
	else
		printf(saved.how == CFI_SAVED_SAME || saved.how == CFI_SAVED_LOST ? " u" : " exp");
}

static void put_row(uint64_t address)
{
	struct cfi_row row;

	printf("%" PRIx64, address);
	if (!cfi_find_row(span, header, span.low + address, &row)) {
		puts(" -");
		return;
	}
	if (row.cfa == CFI_CFA_RSP || row.cfa == CFI_CFA_RBP)
		printf(" %s%+" PRId64, row.cfa == CFI_CFA_RSP ? "sp" : "fp", row.offset);
	else
		printf(" exp");
	put_saved(row.rbp);
	put_saved(row.ret);
	putchar('\n');
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	uint64_t address;

	if (fd < 0 || !load(fd)) {
		fprintf(stderr, "usage: frame_rows FILE, an ELF file with .eh_frame_hdr\n");
		return 2;
	}
	while (scanf("%" SCNx64, &address) == 1)
		put_row(address);
	return 0;
}
