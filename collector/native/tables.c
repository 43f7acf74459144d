/* SPDX-License-Identifier: MIT */
/*
 * Address space is reserved for the segment that contains the tables. A page is read into it when
 * cfi_find_row() first asks for it. Results are kept in a direct-mapped cache, also the result that
 * there is no row.
 */
#include "collector/native/tables.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/arch/arch.h"
#include "collector/processes/proc.h"

#define PAGE ((uint64_t)CFI_PAGE)
#define HEADERS_MAX 64u
#define PATH_ROOM 4200u
#define SEGMENT_BYTES_MAX (4ull << 30)

int tables_init(struct tables *tables)
{
	memset(tables, 0, sizeof(*tables));
	tables->row = calloc(TABLES_ROWS, sizeof(*tables->row));
	return tables->row ? 0 : -1;
}

static bool is_vdso(const struct table_file *file)
{
	return !file->inode;
}

static void file_shut(struct table_file *file, enum table_state state)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->pages && !is_vdso(file))
		munmap(file->pages, file->page_bytes);
	free(file->is_there);
	file->fd = -1;
	file->pages = NULL;
	file->is_there = NULL;
	file->segments = 0;
	file->header = 0;
	file->state = state;
}

void tables_release(struct tables *tables)
{
	for (uint32_t i = 1; i <= tables->files; i++) {
		file_shut(tables->file[i], TABLE_CLOSED);
		free(tables->file[i]->path);
		free(tables->file[i]);
	}
	free(tables->row);
	memset(tables, 0, sizeof(*tables));
}

static void tables_forget_pages(struct tables *tables)
{
	for (uint32_t i = 1; i <= tables->files; i++) {
		struct table_file *file = tables->file[i];

		if (!file->is_there)
			continue;
		(void)madvise(file->pages, file->page_bytes, MADV_DONTNEED);
		memset(file->is_there, 0, file->page_bytes / PAGE);
	}
	tables->pages = 0;
}

/* --- pages --- */

/* Reads what the file has of the page; the rest stays 0. */
static bool page_read(const struct table_file *file, uint64_t page)
{
	uint64_t address = file->low + page * PAGE;
	bool any = false;

	for (uint32_t i = 0; i < file->segments; i++) {
		const struct table_segment *s = &file->segment[i];
		uint64_t from = s->address > address ? s->address : address;
		uint64_t to = s->address + s->bytes;

		if (to > address + PAGE)
			to = address + PAGE;
		if (from >= to)
			continue;
		if (pread(file->fd, file->pages + (from - file->low), to - from,
			  (off_t)(s->offset + (from - s->address))) != (ssize_t)(to - from))
			return false;
		any = true;
	}
	return any;
}

/* Reads the page unless it has been read. */
bool cfi_page_is_readable(void *context, uintptr_t at)
{
	struct table_file *file = context;
	uint64_t page = (at - (uintptr_t)file->pages) / PAGE;

	if (!file->is_there || file->is_there[page])
		return true;
	if (!page_read(file, page))
		return false;
	file->is_there[page] = 1;
	file->tables->pages++;
	return true;
}

/* --- opening --- */

static bool tables_read_at(int fd, void *bytes, size_t length, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, bytes, length, (off_t)offset) == (ssize_t)length;
}

static bool segment_take(struct table_file *file, const Elf64_Phdr *header)
{
	if (header->p_type == PT_GNU_EH_FRAME)
		file->header = header->p_vaddr;
	if (header->p_type != PT_LOAD)
		return true;
	if (file->segments == TABLES_SEGMENTS || header->p_filesz > SEGMENT_BYTES_MAX ||
	    header->p_vaddr > INT64_MAX || header->p_offset > INT64_MAX)
		return false;
	file->segment[file->segments++] = (struct table_segment){ header->p_offset,
								  header->p_filesz,
								  header->p_vaddr };
	return true;
}

static bool head_is_right(const Elf64_Ehdr *head)
{
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_machine == ARCH_ELF_MACHINE && head->e_phentsize == sizeof(Elf64_Phdr) &&
	       head->e_phnum <= HEADERS_MAX;
}

/* Allocates the pages of the segment that contains the tables. */
static bool file_reserve(struct table_file *file)
{
	for (uint32_t i = 0; i < file->segments && file->header; i++) {
		const struct table_segment *s = &file->segment[i];
		uint64_t end = (s->address + s->bytes + PAGE - 1) & ~(PAGE - 1);
		void *pages;

		if (file->header < s->address || file->header - s->address >= s->bytes)
			continue;
		file->low = s->address & ~(PAGE - 1);
		file->page_bytes = end - file->low;
		pages = mmap(NULL, file->page_bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (pages == MAP_FAILED)
			return false;
		file->pages = pages;
		file->is_there = calloc(1, file->page_bytes / PAGE);
		return file->is_there != NULL;
	}
	return true; /* it has no table: nothing is known of its code */
}

static bool file_take(struct table_file *file)
{
	Elf64_Phdr header[HEADERS_MAX];
	Elf64_Ehdr head;

	if (!tables_read_at(file->fd, &head, sizeof(head), 0) || !head_is_right(&head) ||
	    !tables_read_at(file->fd, header, head.e_phnum * sizeof(*header), head.e_phoff))
		return false;
	for (unsigned int i = 0; i < head.e_phnum; i++)
		if (!segment_take(file, &header[i]))
			return false;
	return file_reserve(file);
}

/* It is the same in each process, so ours is used. */
static bool vdso_take(struct table_file *file)
{
	uint8_t *bytes = (uint8_t *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Phdr *header;
	Elf64_Ehdr head;

	if (!bytes)
		return false;
	memcpy(&head, bytes, sizeof(head));
	header = (const Elf64_Phdr *)(const void *)(bytes + head.e_phoff);
	for (unsigned int i = 0; i < head.e_phnum && head_is_right(&head); i++)
		if (!segment_take(file, &header[i]))
			return false;
	if (file->segments != 1)
		return false;
	file->low = file->segment[0].address;
	file->pages = bytes;
	file->page_bytes = file->segment[0].bytes;
	return true;
}

static bool tables_is_that_file(struct table_file *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_ino != file->inode)
		return false;
	file->changed_s = st.st_mtim.tv_sec;
	file->changed_ns = st.st_mtim.tv_nsec;
	file->size = st.st_size;
	return true;
}

static int open_path(struct table_file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && !tables_is_that_file(file, fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Opens the mapped file itself, if that is allowed; else the file with its name and its inode. */
static int open_file(struct table_file *file, const struct table_mapping *mapping)
{
	char path[PATH_ROOM];
	int fd = -1;

	if (proc_is_ours()) {
		snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", mapping->pid,
			 (unsigned long long)mapping->start, (unsigned long long)mapping->end);
		fd = open_path(file, path);
	}
	if (fd < 0 && proc_is_ours()) {
		snprintf(path, sizeof(path), "/proc/%u/root%s", mapping->pid, file->path);
		fd = open_path(file, path);
	}
	return fd < 0 ? open_path(file, file->path) : fd;
}

static void file_open(struct tables *tables, struct table_file *file,
		      const struct table_mapping *mapping)
{
	bool taken;

	file->serial = ++tables->serials;
	if (!is_vdso(file))
		file->fd = open_file(file, mapping);
	taken = is_vdso(file) ? vdso_take(file) : file->fd >= 0 && file_take(file);
	if (taken)
		file->state = TABLE_OPEN;
	else
		file_shut(file, TABLE_CLOSED);
}

/* --- files --- */

/*
 * The file was mapped once more: what failed is tried again, and what may have been overwritten
 * meanwhile is read again.
 */
static void file_look_again(struct table_file *file, const char *path)
{
	struct stat st;
	char *copy;

	if (file->state == TABLE_OPEN && file->fd >= 0 &&
	    (fstat(file->fd, &st) || st.st_size != file->size ||
	     st.st_mtim.tv_sec != file->changed_s || st.st_mtim.tv_nsec != file->changed_ns))
		file_shut(file, TABLE_UNKNOWN);
	if (file->state == TABLE_CLOSED)
		file->state = TABLE_UNKNOWN;
	if (file->state == TABLE_OPEN || !strcmp(file->path, path))
		return;
	copy = strdup(path);
	if (!copy)
		return;
	free(file->path);
	file->path = copy;
}

static struct table_file *file_new(struct tables *tables, uint64_t device, uint64_t inode,
				   const char *path)
{
	struct table_file *file = calloc(1, sizeof(*file));
	char *copy = strdup(path);

	if (!file || !copy) {
		free(file);
		free(copy);
		return NULL;
	}
	*file = (struct table_file){
		.device = device, .inode = inode, .path = copy, .fd = -1, .tables = tables
	};
	return file;
}

uint32_t tables_file(struct tables *tables, uint64_t device, uint64_t inode, const char *path)
{
	struct table_file *file;

	if (inode ? path[0] != '/' : strcmp(path, TABLES_VDSO) != 0)
		return 0;
	for (uint32_t i = 1; i <= tables->files; i++) {
		if (tables->file[i]->inode != inode || tables->file[i]->device != device)
			continue;
		file_look_again(tables->file[i], path);
		return i;
	}
	file = tables->files < TABLES_FILES ? file_new(tables, device, inode, path) : NULL;
	if (!file)
		return 0;
	tables->file[++tables->files] = file;
	return tables->files;
}

/* --- rows --- */

/*
 * Returns the address according to the file's linking. False: nothing is loaded from that offset.
 */
static bool tables_address_of(const struct table_file *file, uint64_t offset, uint64_t *ret_address)
{
	for (uint32_t i = 0; i < file->segments; i++) {
		const struct table_segment *s = &file->segment[i];

		if (offset < s->offset || offset - s->offset >= s->bytes)
			continue;
		*ret_address = s->address + (offset - s->offset);
		return true;
	}
	return false;
}

static enum table_result row_work_out(struct table_file *file, uint64_t address,
				      struct cfi_row *ret_row)
{
	uintptr_t base = (uintptr_t)file->pages;
	struct cfi_span span = { base, base + file->page_bytes, true, file };

	if (!file->pages)
		return TABLE_NONE;
	if (file->tables->pages >= TABLES_PAGES)
		tables_forget_pages(file->tables);
	/*
	 * all addresses that are passed and found are at the same distance from the pages as in the
	 * program
	 */
	return cfi_find_row(span, base + (uintptr_t)(file->header - file->low),
			    base + (uintptr_t)(address - file->low), ret_row)
		       ? TABLE_ROW
		       : TABLE_NONE;
}

enum table_result tables_find(struct tables *tables, uint32_t number,
			      const struct table_mapping *mapping, uint64_t offset,
			      struct cfi_row *ret_row)
{
	struct table_file *file;
	struct table_row *row;
	uint64_t address;

	if (!number || number > tables->files)
		return TABLE_NO_FILE;
	file = tables->file[number];
	if (file->state == TABLE_UNKNOWN)
		file_open(tables, file, mapping);
	if (file->state != TABLE_OPEN)
		return TABLE_NO_FILE;
	if (!tables_address_of(file, offset, &address))
		return TABLE_NONE;
	row = &tables->row[((address * 0x9e3779b97f4a7c15u) ^ file->serial * 0xd6e8feb8u) >> 20 &
			   (TABLES_ROWS - 1)];
	if (row->serial != file->serial || row->address != address) {
		*row = (struct table_row){ .address = address, .serial = file->serial };
		row->result = row_work_out(file, address, &row->row);
	}
	if (row->result == TABLE_ROW)
		*ret_row = row->row;
	return (enum table_result)row->result;
}
