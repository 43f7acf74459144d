/* SPDX-License-Identifier: MIT */
/* aarch64: see x86_64/calls.h. From the kernel's headers: the calls of both with the same name. */
#ifndef COLLECTOR_ARCH_AARCH64_CALLS_H
#define COLLECTOR_ARCH_AARCH64_CALLS_H

#include <stdint.h>

/* From this number on all architectures have the same. */
#define ARCH_CALLS_COMMON 424

static inline long arch_call_number(long native)
{
	/* by number here: the number on x86-64, plus 1; 0: it has none */
	static const uint16_t number[] = {
		207, 208, 210, 211, 209, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200,
		80,  213, 291, 292, 234, 282, 33,  293, 73,  295, 255, 256, 17,  252, 253, 74,  260,
		259, 264, 267, 266, 265, 167, 166, 156, 181, 138, 139, 77,  78,  286, 270, 81,  82,
		162, 92,  269, 261, 94,  258, 4,   154, 294, 180, 218, 9,   1,   2,   20,  21,  18,
		19,  296, 297, 41,  271, 272, 290, 279, 276, 277, 268, 263, 6,   163, 75,  76,  278,
		284, 287, 288, 281, 164, 126, 127, 136, 61,  232, 248, 219, 273, 203, 274, 275, 36,
		37,  39,  247, 176, 177, 223, 225, 226, 224, 227, 228, 229, 230, 231, 104, 102, 143,
		145, 146, 144, 204, 205, 25,  147, 148, 149, 220, 63,  201, 235, 132, 131, 14,  15,
		128, 129, 130, 16,  142, 141, 170, 115, 107, 114, 106, 118, 119, 120, 121, 123, 124,
		101, 110, 122, 125, 113, 116, 117, 64,  171, 172, 98,  161, 99,  96,  158, 310, 97,
		165, 160, 40,  111, 103, 108, 105, 109, 187, 100, 241, 242, 243, 244, 245, 246, 69,
		72,  71,  70,  65,  67,  221, 66,  30,  32,  31,  68,  42,  54,  50,  51,  44,  43,
		52,  53,  45,  46,  55,  56,  49,  47,  48,  188, 13,  12,  26,  249, 250, 251, 57,
		60,  10,  222, 168, 169, 11,  27,  150, 151, 152, 153, 28,  29,  217, 238, 240, 239,
		257, 280, 298, 299, 289, 300, 0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
		0,   0,   0,   0,   0,   62,  303, 301, 302, 304, 305, 306, 307, 309, 308, 311, 312,
		313, 314, 315, 316, 317, 318, 319, 320, 322, 323, 324, 325, 326, 327, 328, 329, 330,
		331, 332, 333, 334, 335, 321,
	};
	const long count = sizeof(number) / sizeof(number[0]);

	if (native >= ARCH_CALLS_COMMON)
		return native;
	return native >= 0 && native < count ? (long)number[native] - 1 : -1;
}

/* O_DIRECTORY, O_NOFOLLOW, O_DIRECT and O_LARGEFILE have other bits. */
static inline int arch_open_flags(int native)
{
	static const struct {
		int native, common;
	} moved[] = {
		{ 040000, 0200000 }, { 0100000, 0400000 }, { 0200000, 040000 }, { 0400000, 0100000 }
	};
	int flags = native & ~0740000;

	for (unsigned int i = 0; i < sizeof(moved) / sizeof(moved[0]); i++)
		flags |= native & moved[i].native ? moved[i].common : 0;
	return flags;
}

#endif
