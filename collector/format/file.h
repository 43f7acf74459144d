/* SPDX-License-Identifier: MIT */
/*
 * The file around the frames: header, end marker, seek table. Bytes only; no I/O, no compression.
 *
 *   header          skippable zstd frame FILE_MAGIC_HEADER
 *   schema          zstd frame whose content begins with FRAME_TAG_SCHEMA
 *   symbols ...     skippable zstd frames FILE_MAGIC_SYMBOLS, seldom
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
#define FILE_MAGIC_SYMBOLS \
	0x184D2A52u /* what addresses belong to; put in later, by prof-report symbolize */
#define FILE_TAG_SYMBOLS 0x424d5953u /* "SYMB" */
#define FILE_SYMBOLS_BYTES_MAX (16u << 20)
#define FILE_MAGIC_SEEK 0x184D2A5Eu
#define FILE_SIGNATURE \
	0x0a1a0a0d54564589ull /* "\x89EVT\r\n\x1a\n" little-endian: shows text-mode damage */
#define FILE_VERSION 6u       /* readers refuse a greater one; 6: numbers of events above 127 */
#define FILE_SESSION_BYTES 64u
#define FILE_HEADER_BYTES_MAX 4096u
/* A writer holds a write lock (open file description lock) on that many bytes from the start, beyond any file's end.
 * Of the byte behind them the other writers of its session hold a read lock on the session's first file. */
#define FILE_LOCK_WRITER_BYTES (1ull << 62)
/* Of the one behind that a read lock asks the writer of the first file to leave the name to another session. */
#define FILE_LOCK_GUARD FILE_LOCK_WRITER_BYTES
#define FILE_LOCK_ASK (FILE_LOCK_GUARD + 1)
#define FILE_SKIPPABLE_HEAD 8u /* magic and length in front of every skippable frame */

/* file_header.flags */
#define FILE_OF_INTEREST 1u /* its program uses Python, CUDA or NVTX */
#define FILE_OF_FIRST 2u    /* its program is the first of the session */
#define FILE_CROWDED_OUT 4u /* it is beside because another session has the name */

struct file_header {
	uint32_t version;
	uint32_t clock;                   /* enum region_clock: what the program's clock was */
	uint64_t base_mono;               /* CLOCK_MONOTONIC of time 0, ns */
	uint64_t base_real;               /* CLOCK_REALTIME of time 0, ns */
	uint64_t tsc_hz;                  /* measured rate of the TSC, 0 when unknown */
	uint32_t pid;                     /* of the process that the file was opened for */
	char session[FILE_SESSION_BYTES]; /* shared by all files of a run, terminated */
	char host[FILE_SESSION_BYTES];
	/* Files of before have none of what follows, and no flags. */
	uint32_t flags;
	char program[FILE_SESSION_BYTES]; /* name of its file, without the folder; "" unknown */
	uint64_t name;                    /* file_name_hash() of the name it was given last */
};

struct file_end {
	uint64_t frames;  /* data frames */
	uint64_t records; /* in them */
	uint64_t lost;    /* records, all reasons */
	uint64_t end_ns;  /* time of the last watermark */
};

/* Of a file's name, whatever folder it is in; a number behind it (run.evt.3) is no part of it. Never 0. */
uint64_t file_name_hash(const char *path);

/* Whole skippable frame with its own XXH64; returns its length, at most FILE_HEADER_BYTES_MAX. */
size_t file_header_write(uint8_t *bytes, const struct file_header *header);
/* `length` bytes from the start of the file; ret_length: of the header. EVT_TRUNCATED asks for more bytes. */
int file_header_read(const uint8_t *bytes, size_t length, struct file_header *ret_header,
		     size_t *ret_length);

#define FILE_END_BYTES (FILE_SKIPPABLE_HEAD + 5 * 8)
size_t file_end_write(uint8_t *bytes, const struct file_end *end);
/* `bytes` begin at the skippable frame. */
int file_end_read(const uint8_t *bytes, size_t length, struct file_end *ret_end);

/* The seek table: one entry a zstd frame, in order, skippable ones left out as the format says. */
struct seek_entry {
	uint32_t compressed;
	uint32_t uncompressed;
};
size_t file_seek_length(size_t count);
size_t file_seek_write(uint8_t *bytes, const struct seek_entry *entry, size_t count);

#endif
