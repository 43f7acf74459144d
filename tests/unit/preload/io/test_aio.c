/* SPDX-License-Identifier: MIT */
/* links: preload:io/aio.c,base/clock.c,base/symbols.c */
/*
 * preload/io/aio.c: a request belongs to the program again as soon as it was taken; whoever is told
 * that it is done may free it before the call returns. So it is read before.
 */
#include "tests/unit/unit.h"
#include "preload/io/io.h"

struct hook_originals hook_real;
union recorder_page recorder_page;
uint64_t recorder_base;
__thread bool io_has_vforked __attribute__((tls_model("initial-exec")));

bool hook_resolve(void)
{
	return true;
}

bool recorder_is_open(void)
{
	return true;
}

bool io_is_vforked(void)
{
	return false;
}

intptr_t io_missing(bool as_null)
{
	return as_null ? 0 : -1;
}

#define RECORDS_MAX 1000

static struct {
	uint32_t type;
	int fd;
	int64_t offset, result;
} recorded[RECORDS_MAX];
static int count, answer;

void io_record_bytes_at(uint32_t type, const struct io_call *call, int64_t offset, int64_t result)
{
	assert_true(count < RECORDS_MAX);
	recorded[count].type = type;
	recorded[count].fd = call->fd;
	recorded[count].offset = offset;
	recorded[count++].result = result;
}

/* --- originals after which nothing of a request is left --- */

static int take(struct aiocb *request)
{
	memset(request, 0x5a, sizeof(*request));
	return answer;
}

static int take_list(int mode, struct aiocb *const *list, int length, struct sigevent *event)
{
	(void)mode;
	(void)event;
	for (int i = 0; i < length; i++)
		if (list[i])
			take(list[i]);
	memset((void *)(uintptr_t)list, 0x5a, (size_t)length * sizeof(*list));
	return answer;
}

static int set_up(void **state)
{
	recorder_gates->generation = 1;
	recorder_gates->gate[EVT_FAMILY_io] = 1;
	hook_real.aio_read = hook_real.aio_write = take;
	hook_real.lio_listio = take_list;
	count = answer = 0;
	return 0;
}

static void check(int at, uint32_t type, int number, int64_t result)
{
	assert_int_equal(recorded[at].type, type);
	assert_int_equal(recorded[at].fd, number);
	assert_int_equal(recorded[at].offset, number * 100);
	assert_int_equal(recorded[at].result, result);
}

static struct aiocb request_of(int number, int opcode)
{
	return (struct aiocb){ .aio_fildes = number,
			       .aio_offset = number * 100,
			       .aio_nbytes = (size_t)number,
			       .aio_lio_opcode = opcode };
}

TEST_SET_UP(single_requests, set_up)
{
	struct aiocb request = request_of(7, 0);

	assert_int_equal(aio_read(&request), 0);
	check(0, EVT_io_read_at, 7, 7);
	request = request_of(8, 0);
	assert_int_equal(aio_write(&request), 0);
	check(1, EVT_io_write_at, 8, 8);
	answer = -1;
	request = request_of(9, 0);
	assert_int_equal(aio_read(&request), -1);
	check(2, EVT_io_read_at, 9, -1);
	assert_int_equal(count, 3);
}

/*
 * All are recorded, however many; what a long list has beyond the first ones is taken to have been
 * accepted.
 */
TEST_SET_UP(lists, set_up)
{
	static struct aiocb request[RECORDS_MAX];
	static struct aiocb *list[RECORDS_MAX];
	static const int lengths[] = { 0, 1, 2, 10, 63, 64, 65, 66, 129, 900 };

	for (size_t i = 0; i < 2 * sizeof(lengths) / sizeof(lengths[0]); i++) {
		int length = lengths[i / 2], wanted = 0, place[RECORDS_MAX];

		count = 0;
		answer = i % 2 ? -1 : 0;
		for (int at = 0; at < length; at++) {
			request[at] = request_of(at, at % 3 ? LIO_WRITE : LIO_READ);
			list[at] = at % 10 == 5 ? NULL : &request[at];
			if (at % 10 == 6)
				request[at].aio_lio_opcode = LIO_NOP;
			place[at] = wanted;
			wanted += at % 10 != 5 && at % 10 != 6;
		}
		assert_int_equal(lio_listio(LIO_NOWAIT, list, length, NULL), answer);
		assert_int_equal(count, wanted);
		for (int at = 0; at < count; at++) {
			int number = recorded[at].fd;

			assert_true(number >= 0 && number < length && number % 10 != 5 &&
				    number % 10 != 6);
			check(at, number % 3 ? EVT_io_write_at : EVT_io_read_at, number,
			      answer && place[number] < 64 ? -1 : number);
		}
	}
}
