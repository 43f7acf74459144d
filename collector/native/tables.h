/* SPDX-License-Identifier: MIT */
/*
 * Unwinding tables of mapped files: finds the row of .eh_frame for an address of the file. A file
 * is opened at the first request, through a process that has it mapped, and stays open. Its pages
 * are read when the reader of rows wants them, with pread(), so that a truncated file does no harm.
 * Rows are kept.
 *
 * Files are numbered from 1; 0 is none. There are at most TABLES_FILES of them, and TABLES_PAGES
 * pages. If there are more, all are forgotten and read again. One thread.
 */
#ifndef COLLECTOR_NATIVE_TABLES_H
#define COLLECTOR_NATIVE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/cfi/cfi.h"

#define TABLES_FILES 1024u
#define TABLES_PAGES 16384u
#define TABLES_SEGMENTS 16u
#define TABLES_ROWS (1u << 14)

#define TABLES_VDSO "[vdso]" /* path of the kernel's library, which has no inode */

enum table_result {
	TABLE_ROW,
	TABLE_NO_FILE, /* it is gone, or is not the mapped file */
	TABLE_NONE,    /* it has no table, or no row for the address that cfi.h supports */
};

enum table_state {
	TABLE_UNKNOWN, /* not requested yet */
	TABLE_OPEN,
	TABLE_CLOSED, /* cannot be opened */
};

struct table_segment {
	uint64_t offset, bytes, address; /* in the file, and its link address */
};

struct table_file {
	uint64_t device, inode;
	char *path; /* owned; as the process names it */
	enum table_state state;
	uint32_t serial; /* changes whenever the file is opened; identifies its rows */
	int fd;          /* -1: none; the kernel's library has none */
	int64_t changed_s, changed_ns, size;
	struct table_segment segment[TABLES_SEGMENTS]; /* the loaded segments */
	uint32_t segments;
	uint64_t header; /* address of .eh_frame_hdr; 0: none */
	uint64_t low;    /* link address of the pages below */
	uint8_t *
		/*
		 * the segment with the tables; unread pages are holes. Owned, except for the vDSO's
		 */
		pages;
	uint64_t page_bytes; /* size of the pages */
	uint8_t *is_there;   /* by page; owned. NULL: all pages are there */
	struct tables *tables;
};

struct tables {
	struct table_file *file[TABLES_FILES + 1];
	uint32_t files;
	uint32_t serials;
	uint32_t pages; /* number of pages read */
	struct table_row {
		uint64_t address; /* of the file */
		uint32_t serial;  /* 0: empty */
		uint32_t result;
		struct cfi_row row;
	} * row; /* TABLES_ROWS, by hash */
};

/* Where a file is mapped: this gives access to it even if it has been deleted. */
struct table_mapping {
	uint32_t pid;
	uint64_t start, end;
};

/* Returns -1 if there is no memory. */
int tables_init(struct tables *tables);
void tables_release(struct tables *tables);

/* Returns the number of a file that was just mapped; 0: there is no room, or it is no file. */
uint32_t tables_file(struct tables *tables, uint64_t device, uint64_t inode, const char *path);

/* Finds the row for an offset of the file's code. Sets `ret_row` only with TABLE_ROW. */
enum table_result tables_find(struct tables *tables, uint32_t file,
			      const struct table_mapping *mapping, uint64_t offset,
			      struct cfi_row *ret_row);

#endif
