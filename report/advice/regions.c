/* SPDX-License-Identifier: MIT */
/* Regions of torch.compile: see regions.h. The names are made in torch/_dynamo/convert_frame.py. */
#include "report/advice/regions.h"

#include <string.h>

enum region_kind region_kind_of(const char *name, size_t length)
{
	static const char begin[] = "Torch-Compiled Region: ";
	const char *number;

	if (length < sizeof(begin) || memcmp(name, begin, sizeof(begin) - 1))
		return REGION_NONE;
	number = memrchr(name, '/', length);
	if (!number || number + 1 == name + length || number[1] < '1' || number[1] > '9')
		return REGION_FIRST;
	return REGION_AGAIN;
}

void regions_open(struct regions *regions)
{
	if (!regions->open)
		*regions = (struct regions){ 0 };
	regions->breaks += regions->open > 0;
	regions->open++;
}

void regions_record_gradient(struct regions *regions)
{
	regions->records_gradient |= regions->open > 0;
}

bool regions_close(struct regions *regions, uint64_t self_ns)
{
	if (!regions->open)
		return false;
	regions->self_ns += self_ns;
	return !--regions->open && regions->records_gradient;
}
