/* SPDX-License-Identifier: MIT */
/*
 * Chooses the clock of the records: the CPUID flag first, then the kernel's clock source. The
 * collector measures the rate of the TSC; the library does not need it.
 */
#include "preload/base/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

PRELOAD_HOT bool clock_is_tsc;

/*
 * The kernel compares the TSC with other clocks and stops using it as clock source when it
 * misbehaves. "kvm-clock" and "hyperv" are built on a good TSC. If the file cannot be read (a
 * sandbox), the TSC is trusted.
 */
static bool clock_kernel_trusts_tsc(void)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return true;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return true;
	return strncmp(text, "acpi_pm", 7) != 0 && strncmp(text, "hpet", 4) != 0 &&
	       strncmp(text, "jiffies", 7) != 0;
}

void clock_init(void)
{
	clock_is_tsc = arch_ticks_are_steady() && clock_kernel_trusts_tsc();
}
