/* SPDX-License-Identifier: MIT */
/* What is wrong and what to change: the rows of report bottleneck as text, titled by what is wrong. */

function baseOf(place) {
	return show(place.replace(/^.*\//, ""));
}

const MADE_UP_FUNCTIONS = ["<module>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"];

/* "tokenizer.py:15 (wordpiece), called from train.py:25", by so many samples; a function without a line; "" where nothing is known. */
function adviceLine(row) {
	if (!row.line)
		return row.function ? show(row.function) : "";
	const name = row.function && !MADE_UP_FUNCTIONS.includes(row.function) ? ` (${show(row.function)})` : "";
	const waits = row.waits_at && row.waits_at !== row.line ? `${baseOf(row.waits_at)} waits while others are in ` : "";
	const count = row.samples ? ` · ${shownNumber(row.samples, "count")} sample${row.samples === 1 ? "" : "s"}${row.samples < 20 ? ": a guess" : ""}` : "";
	return waits + baseOf(row.line) + name + (row.caller ? ", called from " + baseOf(row.caller) : "") +
		(row.library ? ", mostly in " + show(row.library) : "") + count;
}

function adviceStake(row) {
	if (!row.stake_ns)
		return "";
	const share = row.stake_percent ? `, ${shownNumber(row.stake_percent, "percent")} of the ${show(row.stake_of)}` : "";
	return shownNumber(row.stake_ns, "ns") + share;
}

function adviceHead(row) {
	const stake = adviceStake(row), line = adviceLine(row);
	return [el("h3", {}, show(row.title || row.id), stake ? el("span", { class: "stake" }, " · " + stake) : ""), line ? el("p", { class: "line" }, line) : ""];
}

function adviceBody(row) {
	return [el("p", {}, show(row.text || "")), row.todo ? el("p", {}, show(row.todo)) : null,
		row.command ? el("p", { class: "dim" }, "More: ", el("code", {}, "prof-report " + show(row.command).replace(/^prof-report /, ""))) : null];
}

/* With `isShort` the sentences are folded away. */
function adviceOf(row, isShort) {
	const kind = ["problem", "warning"].includes(row.severity) ? row.severity : "note";
	return el("div", { class: "advice " + kind, "data-advice": row.id }, ...adviceHead(row),
		isShort ? el("details", {}, el("summary", {}, "Figures, and what to do"), ...adviceBody(row).filter((one) => one)) : adviceBody(row));
}

async function panelAdvice(manifest, panel) {
	const table = await tableOf(manifest, "bottleneck");
	const rows = table ? table.document.rows : [];
	panel.replaceChildren(
		rows.length ? el("div", {}, rows.map((row) => adviceOf(row, false))) : el("p", { class: "empty" }, "No rule found anything to change."),
		table && table.about.head ? el("details", {}, el("summary", {}, "The report as text"), sentences(table.about.head)) : "");
}
