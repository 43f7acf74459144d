/* SPDX-License-Identifier: MIT */
/*
 * The list of limitations.def as numbers: preload notes them, the collector writes them, and
 * reports explain them.
 */
#ifndef COLLECTOR_FORMAT_LIMITATIONS_H
#define COLLECTOR_FORMAT_LIMITATIONS_H

enum limitation {
#define LIMITATION(name, family, sentence) LIMITATION_##name,
#include "collector/format/limitations.def"
	LIMITATIONS,
};

_Static_assert(LIMITATIONS <= 64, "each is a bit of a word");

#define LIMITATION_NO_SUBJECT "-"

#endif
