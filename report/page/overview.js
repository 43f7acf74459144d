/* SPDX-License-Identifier: MIT */
/* The overview: the verdict, bars of the run and of a step, the largest causes, the numbers of the run, and what was not recorded. */

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
	return el("section", {}, el("h2", {}, "Not in this recording"),
		el("ul", {}, [...said].map(([text, title]) => el("li", { title }, show(text) + "."))));
}

/* Parts: [label, value, colour, text]; those of nothing are left out. */
function barOf(label, parts, note) {
	const there = parts.filter(([, value]) => value > 0), all = there.reduce((sum, [, value]) => sum + value, 0);
	if (!all)
		return null;
	const piece = ([name, value, fill, text]) => {
		const node = el("i", { title: `${name}: ${text}`, "data-part": name, "data-value": value });
		node.style.background = fill;
		node.style.flexGrow = String(value / all);
		return node;
	};
	const mark = ([name, , fill, text]) => {
		const node = el("i");
		node.style.background = fill;
		return el("span", {}, node, `${name} ${text}`);
	};
	return el("section", { class: "bar" }, el("p", {}, el("b", {}, label), note ? el("span", { class: "dim" }, " " + note) : ""),
		el("div", { class: "parts" }, there.map(piece)), el("div", { class: "legend" }, there.map(mark)));
}

function runBar(totals) {
	if (totals.startup_ns === null || totals.startup_ns === undefined)
		return null;
	const part = (label, value, fill) => [label, value, fill, shownNumber(value, "ns")];
	return barOf("The run", [part("start", totals.startup_ns, "#e0a030"), part(`${shownNumber(totals.steps, "count")} steps`, totals.steps_ns, "#2ca02c"),
		part("after them", totals.after_ns, "#8c6bb1")], shownNumber(totals.wall_ns, "ns"));
}

/* Steps without the first ones of each process that take more than three times the median: report bottleneck calls them warm-up. */
function steadySteps(rows) {
	const sorted = [...rows].sort((a, b) => a.pid - b.pid || a.step - b.step), settled = new Set();
	const times = sorted.filter((row, at) => at && sorted[at - 1].pid === row.pid).map((row) => row.total_ns).sort((a, b) => a - b);
	const median = times.length >= 3 ? times[times.length >> 1] : Infinity;
	return sorted.filter((row) => {
		if (row.total_ns <= 3 * median || row.step >= 3)
			settled.add(row.pid);
		return settled.has(row.pid);
	});
}

async function stepBar(manifest, totals) {
	const table = await tableOf(manifest, "steps"), rows = table ? steadySteps(table.document.rows) : [];
	const sums = STEP_VIEWS[stepView(rows)].map(([name, label, fill]) => [label, rows.reduce((sum, row) => sum + (row[name] || 0), 0), fill]);
	const all = sums.reduce((sum, [, value]) => sum + value, 0), left = table ? table.document.rows.length - rows.length : 0;
	return barOf("A step", sums.map(([label, value, fill]) => [label, value, fill, shownNumber(100 * value / Math.max(1, all), "percent")]),
		`median ${shownNumber(totals.step_p50_ns || 0, "ns")}` + (left ? `, without the first ${left === 1 ? "step" : left + " steps"}` : ""));
}

async function firstAdvice(manifest) {
	const table = await tableOf(manifest, "bottleneck");
	const rows = table ? table.document.rows.slice(0, 3) : [];
	if (!rows.length)
		return null;
	return el("section", { class: "causes" }, el("h2", {}, "What to look at first, with the time at stake"), rows.map((row) => adviceOf(row, true)));
}

async function panelOverview(manifest, panel) {
	const summary = await tableOf(manifest, "summary");
	const answer = (summary.about.answer || "").split("\n").filter((line) => line);
	const rest = summary.about.head || "";
	const advice = await firstAdvice(manifest);
	panel.replaceChildren(
		el("div", { class: "answer" }, answer.map((line) => el("p", {}, show(line)))),
		el("div", { class: "bars" }, runBar(summary.document.totals) || "", await stepBar(manifest, summary.document.totals) || ""),
		advice || "", await requestBars(manifest) || "", cards(summary.document.totals), notRecorded(manifest) || "",
		rest ? el("details", {}, el("summary", {}, "The whole summary"), sentences(rest)) : "");
}
