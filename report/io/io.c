/* SPDX-License-Identifier: MIT */
/*
 * A hash of key and kind finds a row. A descriptor keeps its file and the file before. A loss of
 * events raises the epoch of its process, which makes all of its descriptors unknown.
 */
#include "report/io/io.h"

#include <stdlib.h>

#include "report/base/memory.h"

const char *io_kind_name(enum io_kind kind)
{
	static const char *const names[IO_KIND_LIMIT] = { "other", "file", "socket", "pipe",
							  "other" };

	return names[kind];
}

void io_init(struct io *io, enum io_by by)
{
	*io = (struct io){ .by = by };
	map_init(&io->rows);
	map_init(&io->descriptors);
	map_init(&io->mappings);
	map_init(&io->kinds);
}

void io_release(struct io *io)
{
	for (size_t i = 0; i < io->row_count; i++)
		histogram_release(&io->row[i].sizes);
	map_release(&io->rows);
	map_release(&io->descriptors);
	map_release(&io->mappings);
	map_release(&io->kinds);
	free(io->row);
	free(io->descriptor);
	free(io->epoch);
	free(io->file_ns);
}

/* --- rows --- */

/* What a call is about. */
struct subject {
	uint64_t file;
	enum io_kind kind;
};

/* A file that could not be opened gets the kind that it has elsewhere. */
static enum io_kind kind_of_file(struct io *io, struct subject subject)
{
	struct map_entry *known;
	bool added;

	if (subject.file >= IO_UNKNOWN_FILE)
		return subject.kind;
	known = map_put(&io->kinds, subject.file + 1, &added);
	if (subject.kind != IO_KIND_UNKNOWN)
		known->value = subject.kind;
	return (enum io_kind)known->value;
}

static bool row_is_by_file(const struct io *io)
{
	return io->by == IO_BY_FILE;
}

static struct io_row *io_row_of(struct io *io, const struct io_place *place, struct subject subject)
{
	enum io_kind kind = kind_of_file(io, subject);
	uint64_t words[2] = { 0, kind };
	struct map_entry *entry;
	bool added;

	if (row_is_by_file(io)) {
		words[0] = subject.file;
		words[1] = 0;
	} else if (io->by != IO_BY_KIND) {
		words[0] = place->key;
	}
	if (kind == IO_KIND_UNKNOWN && !row_is_by_file(io))
		words[1] = IO_KIND_OTHER;
	entry = map_put(&io->rows, map_hash_bytes(words, sizeof(words), 0), &added);
	if (added) {
		io->row = memory_room(io->row, io->row_count, &io->row_room, sizeof(*io->row));
		entry->value = io->row_count++;
		io->row[entry->value] = (struct io_row){ .key = words[0] };
	}
	if (added || kind != IO_KIND_UNKNOWN)
		io->row[entry->value].kind = kind;
	return &io->row[entry->value];
}

static void note_file_time(struct io *io, const struct io_place *place, struct subject subject)
{
	if (subject.kind != IO_KIND_FILE)
		return;
	io->file_ns = memory_room(io->file_ns, place->process, &io->file_ns_room,
				  sizeof(*io->file_ns));
	io->file_ns[place->process] += place->duration_ns;
}

/* Counts one call; returns NULL if it does not count. */
static struct io_row *io_count_call(struct io *io, const struct io_place *place,
				    struct subject subject, bool failed)
{
	struct io_row *row;

	note_file_time(io, place, subject);
	if (!place->counts)
		return NULL;
	row = io_row_of(io, place, subject);
	row->calls++;
	row->errors += failed;
	row->total_ns += place->duration_ns;
	if (place->duration_ns > row->max_ns)
		row->max_ns = place->duration_ns;
	return row;
}

static void io_count_bytes(struct io_row *row, enum io_transfer direction, uint64_t bytes)
{
	if (direction == IO_READ) {
		row->reads++;
		row->bytes_read += bytes;
	} else {
		row->writes++;
		row->bytes_written += bytes;
	}
	if (bytes)
		histogram_add(&row->sizes, bytes, 1);
}

/* --- descriptors --- */

static uint64_t io_epoch_of(const struct io *io, uint32_t process)
{
	return process < io->epoch_room ? io->epoch[process] : 0;
}

void io_forget(struct io *io, uint32_t process)
{
	io->epoch = memory_room(io->epoch, process, &io->epoch_room, sizeof(*io->epoch));
	io->epoch[process]++;
}

static uint64_t descriptor_key(uint32_t process, uint64_t fd)
{
	return ((uint64_t)process << 32 | (uint32_t)fd) + 1;
}

/* NULL: the descriptor is not known. */
static struct io_descriptor *descriptor_find(struct io *io, const struct io_place *place,
					     uint64_t fd)
{
	struct map_entry *entry = map_find(&io->descriptors, descriptor_key(place->process, fd));
	struct io_descriptor *found = entry ? &io->descriptor[entry->value] : NULL;

	return found && found->epoch == io_epoch_of(io, place->process) ? found : NULL;
}

static bool is_of_before(const struct io_descriptor *d, const struct io_place *place)
{
	return d->opened_ns > place->begin_ns;
}

static struct subject subject_of(struct io *io, const struct io_place *place, uint64_t fd,
				 struct io_descriptor **ret_descriptor)
{
	struct io_descriptor *d = descriptor_find(io, place, fd);

	*ret_descriptor = NULL;
	if (!d)
		return (struct subject){ IO_UNKNOWN_FILE, IO_KIND_UNKNOWN };
	if (is_of_before(d, place))
		return (struct subject){ d->file_before, d->kind_before };
	*ret_descriptor = d;
	return (struct subject){ d->file, d->kind };
}

static struct io_descriptor *descriptor_make(struct io *io, const struct io_place *place,
					     uint64_t fd)
{
	struct map_entry *entry;
	bool added;

	entry = map_put(&io->descriptors, descriptor_key(place->process, fd), &added);
	if (added) {
		io->descriptor = memory_room(io->descriptor, io->descriptor_count,
					     &io->descriptor_room, sizeof(*io->descriptor));
		entry->value = io->descriptor_count++;
		io->descriptor[entry->value] = (struct io_descriptor){ .file = IO_UNKNOWN_FILE };
	}
	return &io->descriptor[entry->value];
}

static void descriptor_begin(struct io *io, const struct io_place *place,
			     const struct io_opened *opened)
{
	struct io_descriptor *d = descriptor_make(io, place, opened->fd), before = *d;

	*d = (struct io_descriptor){
		.file = opened->file,
		.kind = opened->kind,
		.file_before = before.file,
		.kind_before = before.kind,
		.opened_ns = opened->is_call ? place->begin_ns + place->duration_ns : 0,
		.epoch = io_epoch_of(io, place->process),
		.at_is_known = opened->is_call,
	};
}

void io_open(struct io *io, const struct io_place *place, const struct io_opened *opened)
{
	struct io_row *row;

	if (!opened->failed)
		descriptor_begin(io, place, opened);
	if (!opened->is_call) {
		(void)kind_of_file(io, (struct subject){ opened->file, opened->kind });
		return;
	}
	row = io_count_call(io, place, (struct subject){ opened->file, opened->kind },
			    opened->failed);
	if (row)
		row->opens += !opened->failed;
}

void io_close(struct io *io, const struct io_place *place, uint64_t fd, bool failed)
{
	struct io_descriptor *d;
	struct subject subject = subject_of(io, place, fd, &d);

	(void)io_count_call(io, place, subject, failed);
	if (!d)
		return;
	d->file = IO_UNKNOWN_FILE;
	d->kind = IO_KIND_UNKNOWN;
}

/* --- calls --- */

static void follow_place(struct io_descriptor *d, struct io_row *row, const struct io_bytes *bytes)
{
	uint64_t from = bytes->has_offset ? bytes->offset : d->at;

	if (row) {
		row->accesses++;
		row->jumps += d->accessed && from != d->last_end;
	}
	d->accessed = true;
	d->last_end = from + bytes->bytes;
	if (!bytes->has_offset)
		d->at = d->last_end;
}

void io_transfer(struct io *io, const struct io_place *place, const struct io_bytes *bytes)
{
	struct io_descriptor *d;
	struct subject subject = subject_of(io, place, bytes->fd, &d);
	struct io_row *row = io_count_call(io, place, subject, false);

	if (row) {
		io_count_bytes(row, bytes->direction, bytes->bytes);
		row->transfer_ns += place->duration_ns;
	}
	if (d && d->kind == IO_KIND_FILE)
		follow_place(d, row, bytes);
}

void io_move(struct io *io, const struct io_place *place, uint64_t from, uint64_t to,
	     uint64_t bytes)
{
	struct io_descriptor *d;
	struct subject subject = subject_of(io, place, from, &d);
	struct io_row *row = io_count_call(io, place, subject, false);

	if (row) {
		io_count_bytes(row, IO_READ, bytes);
		row->transfer_ns += place->duration_ns;
	}
	if (d)
		d->at += bytes;
	subject = subject_of(io, place, to, &d);
	if (place->counts)
		io_count_bytes(io_row_of(io, place, subject), IO_WRITE, bytes);
	if (d)
		d->at += bytes;
}

void io_seek(struct io *io, const struct io_place *place, uint64_t fd, uint64_t offset)
{
	struct io_descriptor *d;
	struct subject subject = subject_of(io, place, fd, &d);

	(void)io_count_call(io, place, subject, false);
	if (!d)
		return;
	/* its position was not known, so the previous one is of no use */
	if (!d->at_is_known)
		d->accessed = false;
	d->at = offset;
	d->at_is_known = true;
}

void io_call(struct io *io, const struct io_place *place, uint64_t fd, bool failed)
{
	struct io_descriptor *d;

	(void)io_count_call(io, place, subject_of(io, place, fd, &d), failed);
}

void io_wait(struct io *io, const struct io_place *place, bool failed)
{
	(void)io_count_call(io, place, (struct subject){ IO_NO_FILE, IO_KIND_OTHER }, failed);
}

/* --- mappings --- */

void io_map(struct io *io, const struct io_place *place, uint64_t fd, uint64_t address,
	    uint64_t bytes)
{
	struct io_descriptor *d;
	struct subject subject = subject_of(io, place, fd, &d);
	struct io_row *row = io_count_call(io, place, subject, false);
	bool added;

	if (row)
		row->bytes_mapped += bytes;
	map_put(&io->mappings, map_key_of(&io->mappings, place->process, address), &added)
		->value = subject.file;
}

void io_unmap(struct io *io, const struct io_place *place, uint64_t address, bool unmaps)
{
	struct map_entry *known = map_find(&io->mappings,
					   map_key_of(&io->mappings, place->process, address));

	if (!known)
		return;
	(void)io_count_call(io, place, (struct subject){ known->value, IO_KIND_UNKNOWN }, false);
	if (unmaps)
		map_remove(&io->mappings, known);
}

/* --- sums --- */

struct io_row io_total(const struct io *io)
{
	struct io_row total = { 0 };

	for (size_t i = 0; i < io->row_count; i++) {
		const struct io_row *row = &io->row[i];

		total.calls += row->calls;
		total.opens += row->opens;
		total.reads += row->reads;
		total.writes += row->writes;
		total.errors += row->errors;
		total.bytes_read += row->bytes_read;
		total.bytes_written += row->bytes_written;
		total.bytes_mapped += row->bytes_mapped;
		total.total_ns += row->total_ns;
		total.transfer_ns += row->transfer_ns;
		total.accesses += row->accesses;
		total.jumps += row->jumps;
	}
	return total;
}
