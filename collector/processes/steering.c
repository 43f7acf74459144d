/* SPDX-License-Identifier: MIT */
/*
 * The program switches at the edges of steps: the last step before a window and the first one
 * behind it hold the cost of the switch, so they are compared apart. An edge is examined SIDE + 1
 * steps later, when both sides are known.
 */
#include "collector/processes/steering.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 4u       /* steps on each side of an edge that are compared, at most */
#define SIDE_MIN 2u   /* at least */
#define EDGES_MIN 8u  /* before that many differences the first share holds */
#define BLOCK_STEPS 4 /* of a window: preload/settings/budget.c */
#define WHOLE ((double)(1ull << 32))
#define SHARE_FIRST (1u << 29)             /* one step in eight */
#define SHARE_MIN (1u << 20)               /* one step in 4,096 */
#define SHARE_MAX (UINT32_MAX / 64u * 63u) /* some steps must be without */
#define CHANGE_MIN 0.1                     /* relative: smaller changes of the share are noise */
#define MILLION 1e6

void steering_init(struct steering *steering, uint64_t parts_per_million, uint64_t full_until_ns)
{
	*steering = (struct steering){ .parts_per_million = parts_per_million,
				       .full_until_ns = full_until_ns,
				       .has_detail = true,
				       .share = SHARE_FIRST };
}

void steering_take_edge(struct steering *steering, bool begins)
{
	steering->has_detail = begins;
}

void steering_share_with_gpu(struct steering *steering)
{
	if (!steering->shares_with_gpu)
		steering->parts_per_million /= 2;
	steering->shares_with_gpu = true;
}

static int steering_compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

/* Sorts the numbers. */
static int64_t steering_median(int64_t *number, unsigned int count)
{
	qsort(number, count, sizeof(*number), steering_compare);
	return (number[(count - 1) / 2] + number[count / 2]) / 2;
}

static int64_t ring_median(const int64_t ring[STEERING_EDGES], uint64_t edges)
{
	int64_t number[STEERING_EDGES];
	unsigned int count = edges < STEERING_EDGES ? (unsigned int)edges : STEERING_EDGES;

	memcpy(number, ring, count * sizeof(*number));
	return steering_median(number, count);
}

/* Returns the step that ended `back` steps ago; 0: the last one. */
static const struct steering_step *step_back(const struct steering *steering, unsigned int back)
{
	return &steering->step[(steering->steps - 1 - back) % STEERING_STEPS];
}

/*
 * Collects steps that are alike, from `back` on in direction `way`, without one that holds a
 * switch. Returns the number.
 */
static unsigned int side_collect(const struct steering *steering, unsigned int back, int way,
				 int64_t ns[SIDE])
{
	bool has_detail = step_back(steering, back)->has_detail;
	unsigned int count = 0;

	for (; count < SIDE; back = (unsigned int)((int)back + way)) {
		const struct steering_step *step = step_back(steering, back);

		if (step->has_detail != has_detail)
			return count - (count && !has_detail);
		ns[count++] = (int64_t)step->ns;
		if (!back)
			break;
	}
	return count;
}

/* The edge lies between the steps that ended SIDE + 2 and SIDE + 1 steps ago. */
static bool edge_measure(struct steering *steering)
{
	unsigned int before = SIDE + 2, after = SIDE + 1;
	bool begins = step_back(steering, after)->has_detail;
	/* the step without detail beside the edge holds the switch */
	unsigned int switching = begins ? before : after;
	int64_t with[SIDE], without[SIDE], plain_ns;
	unsigned int with_count, without_count,
		at = (unsigned int)(steering->edges % STEERING_EDGES);

	if (begins) {
		with_count = side_collect(steering, after, -1, with);
		without_count = side_collect(steering, before + 1, 1, without);
	} else {
		with_count = side_collect(steering, before, 1, with);
		without_count = side_collect(steering, after - 1, -1, without);
	}
	if (with_count < SIDE_MIN || without_count < SIDE_MIN)
		return false;
	plain_ns = steering_median(without, without_count);
	steering->plain_ns[at] = plain_ns;
	steering->cost_ns[at] = steering_median(with, with_count) - plain_ns;
	steering->edge_ns[at] = (int64_t)step_back(steering, switching)->ns - plain_ns;
	steering->edges++;
	return true;
}

static uint32_t steering_share_of(const struct steering *steering)
{
	double plain_ns = (double)ring_median(steering->plain_ns, steering->edges);
	double edge_ns = (double)ring_median(steering->edge_ns, steering->edges);
	double cost_ns = (double)ring_median(steering->cost_ns, steering->edges);
	double budget = (double)steering->parts_per_million / MILLION, share;

	/* a window has two edges */
	cost_ns += edge_ns > 0 ? 2 * edge_ns / BLOCK_STEPS : 0;
	if (cost_ns <= 0 || plain_ns <= 0)
		return SHARE_MAX;
	share = budget * plain_ns / (cost_ns * (1 - budget)) * WHOLE;
	if (share >= (double)SHARE_MAX)
		return SHARE_MAX;
	return share < (double)SHARE_MIN ? SHARE_MIN : (uint32_t)share;
}

static void steer(struct steering *steering)
{
	uint32_t share;
	double change;

	if (steering->edges < EDGES_MIN)
		return;
	share = steering_share_of(steering);
	change = (double)share / (double)steering->share;
	if (change > 1 + CHANGE_MIN || change < 1 - CHANGE_MIN || share == SHARE_MAX)
		steering->share = share;
}

uint32_t steering_take_step(struct steering *steering, uint64_t time_ns)
{
	struct steering_step *step = &steering->step[steering->steps % STEERING_STEPS];

	if (steering->step_ns && time_ns >= steering->step_ns) {
		*step = (struct steering_step){ time_ns - steering->step_ns,
						steering->has_detail &&
							steering->began_with_detail };
		steering->steps++;
		if (steering->steps >= STEERING_STEPS &&
		    step_back(steering, SIDE + 1)->has_detail !=
			    step_back(steering, SIDE + 2)->has_detail &&
		    edge_measure(steering))
			steer(steering);
	}
	steering->step_ns = time_ns;
	steering->began_with_detail = steering->has_detail;
	return time_ns < steering->full_until_ns ? STEERING_ALL : steering->share;
}
