/* SPDX-License-Identifier: MIT */
/*
 * The file around the frames: header, end marker, seek table. Bytes only; no I/O, no compression.
 *
 *   header          skippable zstd frame FILE_MAGIC_HEADER
 *   schema          zstd frame whose content begins with FRAME_TAG_SCHEMA
 *   symbols ...     skippable zstd frames FILE_MAGIC_SYMBOLS, seldom
 *   segments        heads among the data frames: collector/format/segment.h
 *   data ...        zstd frames whose content begins with FRAME_TAG_DATA
 *   end marker      skippable zstd frame FILE_MAGIC_END
 *   seek table      skippable zstd frame FILE_MAGIC_SEEK (zstd's seekable format, version 0.1.0)
 */
#ifndef COLLECTOR_FORMAT_FILE_H
#define COLLECTOR_FORMAT_FILE_H

#include <stddef.h>
#include <stdint.h>

#define FILE_MAGIC_HEADER 0x184D2A50u
#define FILE_MAGIC_END 0x184D2A51u
/* what addresses belong to; added later, by prof-report symbolize */
#define FILE_MAGIC_SYMBOLS 0x184D2A52u
#define FILE_TAG_SYMBOLS 0x424d5953u /* "SYMB" */
#define FILE_SYMBOLS_BYTES_MAX (16u << 20)
#define FILE_MAGIC_SEEK 0x184D2A5Eu
/* "\x89EVT\r\n\x1a\n" little-endian: reveals text-mode damage */
#define FILE_SIGNATURE 0x0a1a0a0d54564589ull
#define FILE_VERSION 6u /* readers refuse a greater version; 6: event numbers above 127 */
/* of a file whose segments may be given back while it is written; the greatest that is read */
#define FILE_VERSION_KEEP_LAST 7u
#define FILE_SESSION_BYTES 64u
#define FILE_HEADER_BYTES_MAX 4096u
/*
 * A writer holds a write lock (open file description lock) on this many bytes from the start,
 * beyond any file's end. The other writers of its session hold a read lock on the byte after them,
 * in the session's first file.
 */
#define FILE_LOCK_WRITER_BYTES (1ull << 62)
/*
 * A read lock on the byte after that asks the writer of the first file to leave the name to another
 * session.
 */
#define FILE_LOCK_GUARD FILE_LOCK_WRITER_BYTES
#define FILE_LOCK_ASK (FILE_LOCK_GUARD + 1)
#define FILE_SKIPPABLE_HEAD 8u /* magic and length at the start of every skippable frame */

/* file_header.flags */
#define FILE_OF_INTEREST 1u /* its program uses Python, CUDA or NVTX */
#define FILE_OF_FIRST 2u    /* its program is the first of the session */
#define FILE_CROWDED_OUT 4u /* it has another name because another session uses the wanted one */

struct file_header {
	uint32_t version;
	uint32_t clock;                   /* enum region_clock: the program's clock */
	uint64_t base_mono;               /* CLOCK_MONOTONIC of time 0, ns */
	uint64_t base_real;               /* CLOCK_REALTIME of time 0, ns */
	uint64_t tsc_hz;                  /* measured rate of the TSC, 0 when unknown */
	uint32_t pid;                     /* pid of the process that the file was opened for */
	char session[FILE_SESSION_BYTES]; /* shared by all files of a run, terminated */
	char host[FILE_SESSION_BYTES];
	/* Older files have no flags and nothing that follows. */
	uint32_t flags;
	/* name of the program's file, without directory; "" unknown */
	char program[FILE_SESSION_BYTES];
	uint64_t name;    /* file_name_hash() of the name it was given last */
	uint64_t segment; /* offset of the first segment head in the file, 0: there is none */
};

struct file_end {
	uint64_t frames;  /* number of data frames */
	uint64_t records; /* number of records in them */
	uint64_t lost;    /* lost records, for all reasons */
	uint64_t end_ns;  /* time of the last watermark */
};

/*
 * Hash of a file's name, without its directory and without a number at its end (run.evt.3). Never
 * 0.
 */
uint64_t file_name_hash(const char *path);

/*
 * Writes a whole skippable frame with its own XXH64; returns its length, at most
 * FILE_HEADER_BYTES_MAX.
 */
size_t file_header_write(uint8_t *bytes, const struct file_header *header);
/*
 * Takes `length` bytes from the start of the file; ret_length is the header's length. EVT_TRUNCATED
 * asks for more bytes.
 */
int file_header_read(const uint8_t *bytes, size_t length, struct file_header *ret_header,
		     size_t *ret_length);

#define FILE_END_BYTES (FILE_SKIPPABLE_HEAD + 5 * 8)
size_t file_end_write(uint8_t *bytes, const struct file_end *end);
/* `bytes` begin at the skippable frame. */
int file_end_read(const uint8_t *bytes, size_t length, struct file_end *ret_end);

/*
 * The seek table: one entry per zstd frame, in order, without skippable ones, as its format says.
 */
struct seek_entry {
	uint32_t compressed;
	uint32_t uncompressed;
};
size_t file_seek_length(size_t count);
size_t file_seek_write(uint8_t *bytes, const struct seek_entry *entry, size_t count);

#endif
