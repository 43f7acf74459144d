/* SPDX-License-Identifier: MIT */
/* Requests of a server in the overview: for the endpoints with most of their time a bar of where it went, with rate and percentiles. */

const REQUEST_BARS = 8;
const REQUEST_PARTS = [
	["queue_ns", "queue", "#8c6bb1"], ["cpu_ns", "on a CPU", "#2ca02c"], ["gil_ns", "GIL", "#d62728"], ["lock_ns", "locks", "#e377c2"],
	["io_ns", "I/O", "#17becf"], ["sleep_ns", "sleep", "#bcbd22"], ["await_ns", "awaiting", "#e0a030"],
];

function requestBar(row, all) {
	const parts = REQUEST_PARTS.map(([name, label, fill]) => [label, row[name] || 0, fill]);
	const known = parts.reduce((sum, [, value]) => sum + value, 0);
	const note = [`${shownNumber(row.requests, "count")} requests`, row.per_second ? `${row.per_second.toFixed(1)} a second` : "",
		`p50 ${shownNumber(row.p50_ns, "ns")}`, `p99 ${shownNumber(row.p99_ns, "ns")}`, `${shownNumber(100 * row.total_ns / Math.max(1, all), "percent")} of the requests' time`,
		row.errors ? `${shownNumber(row.errors, "count")} that the server failed` : ""];
	parts.push(["not known", Math.max(0, row.total_ns - known), "#8c8c8c"]);
	return barOf(show(`${row.method || ""} ${row.endpoint || ""}`.trim()), parts.map(([label, value, fill]) =>
		[label, value, fill, shownNumber(100 * value / Math.max(1, row.total_ns, known), "percent")]), note.filter((text) => text).join(", "));
}

async function requestBars(manifest) {
	const table = await tableOf(manifest, "requests");
	const rows = table ? table.document.rows.filter((row) => row.requests) : [];
	if (!rows.length)
		return null;
	const most = [...rows].sort((a, b) => b.total_ns - a.total_ns), all = table.document.totals.total_ns;
	return el("section", { class: "requests" }, el("h2", {}, "Requests, by endpoint, and where their time went"), most.slice(0, REQUEST_BARS).map((row) => requestBar(row, all)),
		most.length > REQUEST_BARS ? el("p", { class: "dim" }, `${most.length - REQUEST_BARS} more in Tables, requests.`) : null);
}
