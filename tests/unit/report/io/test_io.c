/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/io/io.c: which file a descriptor means, and what is counted of it. */
#include "tests/unit/unit.h"
#include "report/io/io.h"

#define FD 3u
enum { FILE_A, FILE_B, FILE_C };

static struct io io;

/* A call that took 10 ns, until `now_ns`. */
static struct io_place at(uint64_t now_ns)
{
	return (struct io_place){ .begin_ns = now_ns - 10, .duration_ns = 10, .counts = true };
}

static void open_as(uint64_t now_ns, uint64_t fd, uint64_t file)
{
	struct io_place place = at(now_ns);

	io_open(&io, &place,
		&(struct io_opened){
			.fd = fd, .file = file, .kind = IO_KIND_FILE, .is_call = true });
}

static void is_found_to_be(uint64_t fd, uint64_t file, enum io_kind kind)
{
	struct io_place place = { .begin_ns = 1, .counts = true };

	io_open(&io, &place, &(struct io_opened){ .fd = fd, .file = file, .kind = kind });
}

static void read_bytes(uint64_t begin_ns, uint64_t now_ns, uint64_t fd, uint64_t bytes)
{
	struct io_place place = { .begin_ns = begin_ns,
				  .duration_ns = now_ns - begin_ns,
				  .counts = true };

	io_transfer(&io, &place,
		    &(struct io_bytes){ .direction = IO_READ, .fd = fd, .bytes = bytes });
}

static void close_fd(uint64_t begin_ns, uint64_t now_ns, uint64_t fd)
{
	struct io_place place = { .begin_ns = begin_ns,
				  .duration_ns = now_ns - begin_ns,
				  .counts = true };

	io_close(&io, &place, fd, false);
}

static const struct io_row *row(uint64_t key)
{
	for (size_t i = 0; i < io.row_count; i++)
		if (io.row[i].key == key)
			return &io.row[i];
	fail_msg("no row");
	return NULL;
}

TEST(calls_and_bytes_are_of_the_file)
{
	io_init(&io, IO_BY_FILE);
	open_as(100, FD, FILE_A);
	read_bytes(110, 120, FD, 1000);
	read_bytes(130, 150, FD, 0);
	close_fd(160, 170, FD);
	assert_int_equal(row(FILE_A)->calls, 4);
	assert_int_equal(row(FILE_A)->opens, 1);
	assert_int_equal(row(FILE_A)->reads, 2);
	assert_int_equal(row(FILE_A)->bytes_read, 1000);
	assert_int_equal(row(FILE_A)->total_ns, 10 + 10 + 20 + 10);
	assert_int_equal(row(FILE_A)->max_ns, 20);
	assert_int_equal(histogram_percentile(&row(FILE_A)->sizes, 50) / 10, 100);
	read_bytes(200, 210, FD, 5); /* of no file that is known */
	assert_int_equal(row(IO_UNKNOWN_FILE)->bytes_read, 5);
	assert_int_equal(io_total(&io).calls, 5);
	io_release(&io);
}

/* Closed by one thread, opened again by another one, recorded by the first only then. */
TEST(a_call_is_of_the_file_that_was_there_when_it_began)
{
	io_init(&io, IO_BY_FILE);
	open_as(100, FD, FILE_A);
	open_as(200, FD, FILE_B);
	read_bytes(150, 210, FD, 7);
	close_fd(160, 220, FD);
	read_bytes(230, 240, FD, 9);
	assert_int_equal(row(FILE_A)->bytes_read, 7);
	assert_int_equal(row(FILE_A)->calls, 3);
	assert_int_equal(row(FILE_B)->bytes_read, 9);
	assert_int_equal(row(FILE_B)->calls, 2);
	io_release(&io);
}

TEST(what_a_descriptor_is_found_to_be_holds_from_there_on)
{
	io_init(&io, IO_BY_FILE);
	open_as(100, FD, FILE_A);
	is_found_to_be(FD, FILE_B, IO_KIND_PIPE);
	read_bytes(50, 110, FD, 3); /* was under way when it was looked at */
	assert_int_equal(row(FILE_B)->bytes_read, 3);
	assert_int_equal(row(FILE_B)->kind, IO_KIND_PIPE);
	assert_int_equal(row(FILE_B)->opens, 0);
	assert_int_equal(row(FILE_A)->calls, 1);
	io_release(&io);
}

TEST(nothing_is_known_where_events_were_lost)
{
	io_init(&io, IO_BY_FILE);
	open_as(100, FD, FILE_A);
	io_forget(&io, 0);
	read_bytes(110, 120, FD, 1);
	assert_int_equal(row(IO_UNKNOWN_FILE)->bytes_read, 1);
	open_as(200, FD, FILE_A);
	read_bytes(210, 220, FD, 2);
	assert_int_equal(row(FILE_A)->bytes_read, 2);
	io_release(&io);
}

TEST(processes_have_descriptors_of_their_own)
{
	struct io_place child = at(300);

	io_init(&io, IO_BY_FILE);
	open_as(100, FD, FILE_A);
	child.process = 1;
	io_call(&io, &child, FD, true);
	assert_int_equal(row(IO_UNKNOWN_FILE)->errors, 1);
	assert_int_equal(row(FILE_A)->errors, 0);
	io_release(&io);
}

TEST(accesses_that_jump)
{
	struct io_place place = at(500);
	struct io_bytes bytes = { .fd = FD, .bytes = 100, .has_offset = true, .offset = 700 };

	io_init(&io, IO_BY_FILE);
	open_as(100, FD, FILE_A);
	read_bytes(110, 120, FD, 100);
	read_bytes(120, 130, FD, 100);
	io_seek(&io, &place, FD, 200); /* it stands there */
	read_bytes(130, 140, FD, 100);
	io_seek(&io, &place, FD, 0);
	read_bytes(140, 150, FD, 100);    /* a jump */
	io_transfer(&io, &place, &bytes); /* a jump */
	bytes.offset = 800;
	io_transfer(&io, &place, &bytes);
	assert_int_equal(row(FILE_A)->accesses, 6);
	assert_int_equal(row(FILE_A)->jumps, 2);
	io_release(&io);
}

TEST(a_copy_is_one_call)
{
	struct io_place place = at(500);

	io_init(&io, IO_BY_FILE);
	open_as(100, FD, FILE_A);
	open_as(110, FD + 1, FILE_B);
	io_move(&io, &place, FD, FD + 1, 4096);
	assert_int_equal(row(FILE_A)->bytes_read, 4096);
	assert_int_equal(row(FILE_A)->calls, 2);
	assert_int_equal(row(FILE_B)->bytes_written, 4096);
	assert_int_equal(row(FILE_B)->calls, 1);
	io_release(&io);
}

TEST(mappings_are_found_by_their_address)
{
	struct io_place place = at(500);

	io_init(&io, IO_BY_FILE);
	open_as(100, FD, FILE_A);
	io_map(&io, &place, FD, 0x7f0000001000, 8192);
	close_fd(510, 520, FD);
	io_unmap(&io, &place, 0x7f0000009000, true); /* no file's */
	io_unmap(&io, &place, 0x7f0000001000, false);
	io_unmap(&io, &place, 0x7f0000001000, true);
	io_unmap(&io, &place, 0x7f0000001000, true); /* not mapped any more */
	assert_int_equal(row(FILE_A)->calls, 5);
	assert_int_equal(row(FILE_A)->bytes_mapped, 8192);
	assert_int_equal(io.row_count, 1);
	io_release(&io);
}

/* Addresses of 52 and 57 bits: LVA, LA57. */
TEST(mappings_are_found_by_all_of_their_address)
{
	static const uint64_t address[] = { 0x1000, 0x1000000001000, 0x8000000001000,
					    0x100000000001000 };
	struct io_place place = at(500);

	io_init(&io, IO_BY_FILE);
	for (size_t i = 0; i < 4; i++) {
		open_as(100, FD, FILE_A + i);
		io_map(&io, &place, FD, address[i], 4096 << i);
		close_fd(510, 520, FD);
	}
	for (size_t i = 0; i < 4; i++)
		io_unmap(&io, &place, address[i], true);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(row(FILE_A + i)->calls, 4);
		assert_int_equal(row(FILE_A + i)->bytes_mapped, 4096 << i);
	}
	io_release(&io);
}

TEST(kinds_are_rows_of_their_own)
{
	struct io_place place = at(500);

	io_init(&io, IO_BY_KIND);
	open_as(100, FD, FILE_A);
	is_found_to_be(FD + 1, FILE_B, IO_KIND_SOCKET);
	io_call(&io, &place, FD + 1, false);
	io_wait(&io, &place, true);
	place.counts = false;
	io_wait(&io, &place, true); /* outside of what is asked for */
	assert_int_equal(io.row_count, 3);
	assert_int_equal(io_total(&io).calls, 3);
	assert_int_equal(io_total(&io).errors, 1);
	io_release(&io);
}

/* One that could not be opened is what it is elsewhere. */
TEST(failures_are_of_the_file_that_was_named)
{
	struct io_place place = at(500);
	struct io_opened missing = { .file = FILE_C, .failed = true, .is_call = true };

	io_init(&io, IO_BY_FILE);
	io_open(&io, &place, &missing);
	open_as(600, FD, FILE_C);
	assert_int_equal(io.row_count, 1);
	assert_int_equal(row(FILE_C)->calls, 2);
	assert_int_equal(row(FILE_C)->opens, 1);
	assert_int_equal(row(FILE_C)->errors, 1);
	assert_int_equal(row(FILE_C)->kind, IO_KIND_FILE);
	io_release(&io);
}
