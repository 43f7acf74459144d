/* SPDX-License-Identifier: MIT */
/* links: preload:io/descriptor.c,record/strings.c,record/recorder.c,record/last_name.c,record/rings.c,record/room.c,record/entry.c,base/clock.c,base/symbols.c format */
/* preload/io/descriptor.c: what a descriptor is found to be, and when it is not known any more. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "preload/io/descriptor.h"
#include "preload/record/trouble.h"
#include "preload/settings/settings.h"
#include "tests/unit/preload_region.h"

struct settings settings;

void trouble_watch(struct region_header *header)
{
	(void)header;
}

void trouble_look(void)
{
}

static struct recorder_lane *lane;

static int set_up(void **state)
{
	uint32_t entry = region_make(false);

	assert_int_equal(recorder_open(&region_made, entry, 1u << EVT_FAMILY_io), 0);
	lane = recorder_enter(EVT_FAMILY_io, RECORDER_IN_RECORD);
	assert_non_null(lane);
	return 0;
}

static int tear_down(void **state)
{
	region_unmake();
	return 0;
}

TEST(kinds)
{
	int end[2], pair[2], file = open("/proc/self/maps", O_RDONLY),
			     null = open("/dev/null", O_RDWR);

	assert_int_equal(pipe(end) | socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(descriptor_kind(file), DESCRIPTOR_FILE);
	assert_int_equal(descriptor_kind(null), DESCRIPTOR_OTHER);
	assert_int_equal(descriptor_kind(end[0]), DESCRIPTOR_PIPE);
	assert_int_equal(descriptor_kind(pair[0]), DESCRIPTOR_SOCKET);
	close(pair[0]);
	assert_int_equal(descriptor_kind(pair[0]), DESCRIPTOR_UNKNOWN);
	close(pair[1]);
	close(end[0]);
	close(end[1]);
	close(file);
	close(null);
}

TEST(paths)
{
	char room[DESCRIPTOR_PATH_BYTES];
	int null = open("/dev/null", O_RDWR), far;
	struct string path = descriptor_path(null, room);

	assert_int_equal(path.length, strlen("/dev/null"));
	assert_memory_equal(path.bytes, "/dev/null", path.length);
	far = fcntl(null, F_DUPFD, 1007);
	assert_int_equal(descriptor_path(far, room).length, strlen("/dev/null"));
	close(far);
	assert_int_equal(descriptor_path(far, room).length, 0);
	path = descriptor_path(null, room);
	settings.redact = 1u << REGION_REDACT_paths;
	path = descriptor_redacted(path);
	settings.redact = 0;
	assert_int_equal(path.length, 4);
	assert_memory_equal(path.bytes, "null", 4);
	assert_true(path.hash == string_hash("null", 4));
	close(null);
}

TEST(a_descriptor_is_introduced_once)
{
	int null = open("/dev/null", O_RDWR);
	uint64_t head = lane->head;

	assert_false(descriptor_is_known(null));
	descriptor_introduce(null, recorder_now(), lane);
	assert_true(descriptor_is_known(null));
	assert_true(lane->head > head);
	descriptor_forget(null);
	assert_false(descriptor_is_known(null));
	descriptor_know(null, DESCRIPTOR_OTHER);
	assert_true(descriptor_is_known(null));
	assert_false(descriptor_is_known(null + (int)DESCRIPTOR_SLOTS)); /* of the same slot */
	descriptor_forget(null + (int)DESCRIPTOR_SLOTS);
	assert_true(descriptor_is_known(null));
	descriptor_forget_all();
	assert_false(descriptor_is_known(null));
	close(null);
	head = lane->head;
	descriptor_introduce(null, recorder_now(), lane); /* closed */
	assert_false(descriptor_is_known(null));
	assert_true(lane->head == head);
	descriptor_forget(-1);
}

TEST_GROUP(set_up, tear_down)
