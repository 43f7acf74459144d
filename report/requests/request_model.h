/* SPDX-License-Identifier: MIT */
/*
 * The model's part of requests: how long PyTorch's operators ran for them on the host, and how long
 * the GPU worked for what was launched meanwhile.
 *
 * Operators and launches of a thread belong to the requests that are open on it. Those of a thread
 * that has none (an executor's, a batcher's) belong to the requests that are open in its process.
 * Several requests share: each moment is divided among them, so that sums are right; no request
 * gets more than that moment. What happens while no request is open belongs to none.
 *
 * Memory grows with threads, open requests, and launches whose work has not been reported yet. One
 * thread.
 */
#ifndef REPORT_REQUESTS_REQUEST_MODEL_H
#define REPORT_REQUESTS_REQUEST_MODEL_H

#include "report/core/analysis.h"
#include "report/scopes/nest.h"

#define REQUEST_SHARERS_MAX 256u /* if more are open at once, work of the GPU is not divided */

/* Time of the GPU of a request of that row has become known. */
typedef void request_model_late(void *state, size_t row, uint64_t gpu_ns);

/* Of one request, up to its end. */
struct request_model_sum {
	uint64_t model_ns;
	uint64_t shared_ns; /* part of it: of threads without a request */
	uint64_t gpu_ns;    /* what is known up to now */
};

/* Each caller has a model of its own. */
struct request_model_options {
	request_model_late *late;
	void *state;
};
struct request_model;
ANALYSIS(request_model, struct request_model)

/* Returns the request's number until request_model_end(). */
size_t request_model_begin(struct request_model *model, const struct source_event *event);
/* `row`: where time of the GPU that is reported later belongs; SIZE_MAX: nowhere. */
struct request_model_sum request_model_end(struct request_model *model, size_t number,
					   uint64_t time_ns, size_t row);

/* Whether operators were recorded, each of them; whether single work of the GPU was. */
bool request_model_has_operators(const struct request_model *model);
bool request_model_has_gpu(const struct request_model *model);

#endif
