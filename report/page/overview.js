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

/* The parts of a step as on the first screen: by phase, and what of them is none. */
const stepParts = () => [
	...STEP_VIEWS.phase.map(([name, label, fill]) => [name.replace("other_phase", "other"), label, fill]),
	["gc_ns", "garbage collection", "#d62728"], ["outside_ns", "outside of operators", "#c7c7c7"], ["gpu_wait_ns", "waits for the GPU", "#e0a030"],
];

function stepBar(totals) {
	const ofGpu = stepParts().some(([name]) => totals["gpu_step_" + name]), left = totals.warm_up_steps;
	const sums = stepParts().map(([name, label, fill]) => [label, totals[(ofGpu ? "gpu_step_" : "step_") + name] || 0, fill]);
	const all = sums.reduce((sum, [, value]) => sum + value, 0);
	return barOf("A step", sums.map(([label, value, fill]) => [label, value, fill, shownNumber(100 * value / Math.max(1, all), "percent")]),
		`median ${shownNumber(totals.step_p50_ns || 0, "ns")}` + (ofGpu ? ", GPU time" : "") + (left ? `, without the first ${left === 1 ? "step" : left + " steps"}` : ""));
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
		el("div", { class: "bars" }, runBar(summary.document.totals) || "", stepBar(summary.document.totals) || ""),
		advice || "", await requestBars(manifest) || "", cards(summary.document.totals), notRecorded(manifest) || "",
		rest ? el("details", {}, el("summary", {}, "The whole summary"), sentences(rest)) : "");
}
