/* SPDX-License-Identifier: MIT */
/* links: preload:base/loaded.c */
/*
 * preload/base/loaded.c: an object's code reaches from the first page of its segments to the last,
 * whatever the size of the kernel's pages.
 */
#include "tests/unit/unit.h"
#include "collector/arch/pages.h"
#include "preload/base/loaded.h"

#define BASE 0xaaaa12340000ull /* where an object with pages of up to 64 KiB may be */

static uint64_t page;

/* In the place of libc's. */
unsigned long getauxval(unsigned long type)
{
	return type == AT_PAGESZ ? page : 0;
}

TEST(addresses_are_rounded_to_pages)
{
	for (page = 4096; page <= 65536; page *= 4) {
		assert_int_equal(arch_page_down(0), 0);
		assert_int_equal(arch_page_up(0), 0);
		assert_int_equal(arch_page_down(page - 1), 0);
		assert_int_equal(arch_page_up(1), page);
		assert_int_equal(arch_page_down(BASE + page), BASE + page);
		assert_int_equal(arch_page_up(BASE + page), BASE + page);
		assert_int_equal(arch_page_up(BASE + page + 1), BASE + 2 * page);
		assert_int_equal(arch_page_up(UINT64_MAX), 0); /* mmap() refuses it */
	}
}

/* As readelf shows them in an object of aarch64: code, then data in another page of 64 KiB. */
TEST(a_span_is_of_whole_pages)
{
	const Elf64_Phdr segment[] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x0, .p_filesz = 0x1234 },
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_W,
		  .p_vaddr = 0x1fcb8,
		  .p_filesz = 0x5350,
		  .p_memsz = 0x9000 },
		{ .p_type = PT_NOTE, .p_vaddr = 0x900000 },
	};
	const struct dl_phdr_info object = { .dlpi_addr = BASE,
					     .dlpi_phdr = segment,
					     .dlpi_phnum = 3 };
	static const uint64_t ends[] = { 0x26000, 0x28000, 0x30000 };
	unsigned int i = 0;

	for (page = 4096; page <= 65536; page *= 4) {
		struct loaded_span span;

		assert_true(loaded_span(&object, &span));
		assert_int_equal(span.bias, BASE);
		assert_int_equal(span.start, BASE);
		assert_int_equal(span.end, BASE + ends[i++]);
	}
}
