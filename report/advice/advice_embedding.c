/* SPDX-License-Identifier: MIT */
/*
 * The rule about embeddings whose gradient has all rows, where a step looks up few of them:
 * backward fills a tensor as large as the table, and the optimizer goes through it all.
 *
 * How many rows are used is the ratio of what aten::embedding returns to what
 * aten::embedding_dense_backward makes. Left out are tables that are the output layer as well
 * (language models): their gradient has all rows anyway, by a matrix product of that size. Only
 * where the loop runs on the CPU: its times are the host's.
 */
#include "report/advice/bottleneck.h"
#include "report/base/units.h"

#define USED_MAX 0.05
#define PRODUCTS_MAX 0.5 /* of the gradients' bytes */
#define TABLE_BYTES_MIN (1u << 20)

bool advice_dense_embedding(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	char table[UNIT_TEXT_BYTES];
	double bytes = (double)work->tables_bytes, used = (double)work->looked_up_bytes / bytes;

	if (bottleneck->sampled || bottleneck_gpu(bottleneck) || !work->looked_up_bytes ||
	    work->tables_bytes < TABLE_BYTES_MIN * work->tables || used > USED_MAX ||
	    (double)work->products_bytes > PRODUCTS_MAX * bytes)
		return false;
	if (!work->tables || !advice_exceeds(advice, bottleneck_share(bottleneck, work->tables_ns)))
		return false;
	advice->gain_ns = work->tables_ns + work->optimizer_ns;
	advice_say(advice,
		   "the gradients of embeddings have all rows, %s a table, of which the steps look "
		   "up %.2g %%. Making them takes %.1f %% of the steps' time, and the optimizer, "
		   "which goes through all rows, %.1f %%.",
		   unit_format_bytes(table, work->tables_bytes / work->tables), 100 * used,
		   advice->value, bottleneck_share(bottleneck, work->optimizer_ns));
	return true;
}
