/* SPDX-License-Identifier: MIT */
/*
 * Chooses the clock of the records: the CPUID flag first, then the kernel's clock source. The
 * collector measures the rate of the TSC; the library does not need it.
 */
#include "preload/base/clock.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/symbols.h"

static int clock_by_call(clockid_t clock, struct timespec *ret_time)
{
	return (int)arch_call3(SYS_clock_gettime, clock, (long)(uintptr_t)ret_time, 0);
}

PRELOAD_HOT bool clock_is_tsc;
int (*clock_of_kernel)(clockid_t clock, struct timespec *ret_time) = clock_by_call;

/* NULL if the kernel has given the process no vDSO, or one without that function. */
static void *clock_in_vdso(void)
{
	const uint8_t *start = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
	struct dl_phdr_info module = { 0 };
	struct symbols symbols;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	module.dlpi_addr = (ElfW(Addr))start; /* it is linked to 0 */
	module.dlpi_phdr = (const ElfW(Phdr) *)(start + header->e_phoff);
	module.dlpi_phnum = header->e_phnum;
	if (!symbols_of_module(&module, &symbols))
		return NULL;
	return symbols_address(&symbols, ARCH_VDSO_CLOCK);
}

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
	void *function = clock_in_vdso();

	if (function)
		*(void **)&clock_of_kernel = function;
	clock_is_tsc = arch_ticks_are_steady() && clock_kernel_trusts_tsc();
}
