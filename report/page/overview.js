/* SPDX-License-Identifier: MIT */
/* The overview: the summary's answer, the numbers of the run, what to change first, and what was not recorded. */

const CARDS = [
	["wall_ns", "wall time", "ns"], ["cpu_ns", "CPU time", "ns"], ["steps", "steps", "count"], ["step_p50_ns", "median step", "ns"],
	["memory_peak_bytes", "peak of a process", "bytes"], ["peak_bytes", "peak of the heap", "bytes"],
	["bytes_allocated", "allocated", "bytes"], ["allocations", "allocations", "count"], ["operators", "operators", "count"],
	["cuda_calls", "CUDA calls", "count"], ["device_peak_bytes", "peak of devices", "bytes"], ["processes", "processes", "count"],
	["threads", "threads", "count"], ["events", "events", "count"], ["events_lost", "events lost", "count"],
	["profiler_cpu_ns", "CPU time of the profiler", "ns"],
];

function cards(totals) {
	return el("div", { class: "cards" }, CARDS.filter(([name]) => totals[name]).map(([name, label, unit]) =>
		el("div", { class: "card", "data-fact": name, "data-value": totals[name] }, el("b", {}, shownNumber(totals[name], unit)), el("span", {}, label))));
}

function notRecorded(manifest) {
	const said = new Map();
	for (const entry of manifest.pieces)
		if (entry.empty && !said.has(entry.empty))
			said.set(entry.empty, entry.title);
	if (!said.size)
		return null;
	return el("section", {}, el("h2", {}, "What this recording has nothing of"),
		el("ul", {}, [...said].map(([text, title]) => el("li", { title }, show(text) + "."))));
}

async function firstAdvice(manifest) {
	const table = await tableOf(manifest, "bottleneck");
	const rows = table ? table.document.rows.slice(0, 3) : [];
	if (!rows.length)
		return null;
	return el("section", {}, el("h2", {}, "What to change first"), rows.map((row) => adviceOf(row)));
}

async function panelOverview(manifest, panel) {
	const summary = await tableOf(manifest, "summary");
	const answer = (summary.about.answer || "").split("\n").filter((line) => line);
	const rest = summary.about.head || "";
	const advice = await firstAdvice(manifest);
	panel.replaceChildren(
		el("div", { class: "answer" }, answer.map((line) => el("p", {}, show(line)))),
		cards(summary.document.totals), advice || "", notRecorded(manifest) || "",
		rest ? el("details", {}, el("summary", {}, "The whole summary"), sentences(rest)) : "");
}
