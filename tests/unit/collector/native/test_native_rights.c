/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/native/rights.c: who is to blame for a refusal, by capabilities, the namespace, the
 * filter and perf_event_paranoid.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "collector/native/rights.h"

#define FIRST "         0          0 4294967295\n"
#define ROOTLESS "         0       1000          1\n         1     100000      65536\n"
#define ALL "000001ffffffffff"
#define DOCKER "00000000a80425fb"
#define PERFMON "0000004000000000"
#define SYS_ADMIN "0000000000200000"
#define NONE "0000000000000000"

static struct rights rights_with(const char *capabilities, char seccomp, const char *uid_map,
				 const char *paranoid)
{
	char status[256];

	snprintf(status, sizeof(status),
		 "Name:\tx\nCapPrm:\t" ALL "\nCapEff:\t%s\nCapBnd:\t" ALL
		 "\nSeccomp:\t%c\nSeccomp_filters:\t2\n",
		 capabilities, seccomp);
	return rights_of(status, uid_map, paranoid);
}

TEST(the_cause_is_what_the_kernel_goes_by)
{
	static const struct {
		const char *capabilities;
		char seccomp;
		const char *uid_map, *paranoid;
		enum evt_native_off eperm, eacces;
	} all[] = {
		/* root: perf_event_paranoid is never the cause */
		{ ALL, '0', FIRST, "2\n", EVT_NATIVE_OFF_BARRED, EVT_NATIVE_OFF_BARRED },
		{ ALL, '0', FIRST, "4\n", EVT_NATIVE_OFF_BARRED, EVT_NATIVE_OFF_BARRED },
		{ ALL, '2', FIRST, "4\n", EVT_NATIVE_OFF_FILTERED, EVT_NATIVE_OFF_BARRED },
		{ PERFMON, '0', FIRST, "4\n", EVT_NATIVE_OFF_BARRED, EVT_NATIVE_OFF_BARRED },
		{ SYS_ADMIN, '0', FIRST, "", EVT_NATIVE_OFF_BARRED, EVT_NATIVE_OFF_BARRED },
		/* root of a container */
		{ DOCKER, '2', FIRST, "2\n", EVT_NATIVE_OFF_FILTERED, EVT_NATIVE_OFF_BARRED },
		{ DOCKER, '2', FIRST, "4\n", EVT_NATIVE_OFF_FILTERED, EVT_NATIVE_OFF_PARANOID },
		{ DOCKER, '0', FIRST, "4\n", EVT_NATIVE_OFF_PARANOID, EVT_NATIVE_OFF_PARANOID },
		/* root of a user namespace has nothing outside of it */
		{ ALL, '0', ROOTLESS, "3\n", EVT_NATIVE_OFF_PARANOID, EVT_NATIVE_OFF_PARANOID },
		{ ALL, '0', ROOTLESS, "2\n", EVT_NATIVE_OFF_BARRED, EVT_NATIVE_OFF_BARRED },
		/* a user */
		{ NONE, '0', FIRST, "4\n", EVT_NATIVE_OFF_PARANOID, EVT_NATIVE_OFF_PARANOID },
		{ NONE, '0', FIRST, "2\n", EVT_NATIVE_OFF_BARRED, EVT_NATIVE_OFF_BARRED },
		{ NONE, '0', FIRST, "-1\n", EVT_NATIVE_OFF_BARRED, EVT_NATIVE_OFF_BARRED },
		{ NONE, '2', FIRST, "-1\n", EVT_NATIVE_OFF_FILTERED, EVT_NATIVE_OFF_BARRED },
		{ NONE, '1', FIRST, "-1\n", EVT_NATIVE_OFF_BARRED, EVT_NATIVE_OFF_BARRED },
		/* not known */
		{ NONE, '0', FIRST, "", EVT_NATIVE_OFF_REFUSED, EVT_NATIVE_OFF_REFUSED },
		{ NONE, '0', FIRST, "x", EVT_NATIVE_OFF_REFUSED, EVT_NATIVE_OFF_REFUSED },
		{ NONE, '0', "", "4\n", EVT_NATIVE_OFF_PARANOID, EVT_NATIVE_OFF_PARANOID },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct rights rights = rights_with(all[i].capabilities, all[i].seccomp,
						   all[i].uid_map, all[i].paranoid);

		if (rights_why_refused(&rights, -EPERM) != all[i].eperm ||
		    rights_why_refused(&rights, -EACCES) != all[i].eacces)
			fail_msg("row %zu", i);
	}
}

TEST(files_that_are_not_as_expected_give_nothing)
{
	static const char *const texts[] = { "",
					     "\n",
					     "\nCapEff:\t",
					     "\nCapEff:\tzz\nSeccomp:\t",
					     ("CapEff:\t" ALL),
					     "\nSeccomp:\t22\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct rights rights = rights_of(texts[i], "0 0", "99999999999999999999");

		assert_false(rights.is_capable);
		assert_false(rights.is_filtered);
		assert_int_equal(rights.paranoid, RIGHTS_PARANOID_UNKNOWN);
	}
}

TEST(this_process_is_read)
{
	struct rights rights = rights_read();

	if (access("/proc/sys/kernel/perf_event_paranoid", R_OK) == 0)
		assert_int_not_equal(rights.paranoid, RIGHTS_PARANOID_UNKNOWN);
}
