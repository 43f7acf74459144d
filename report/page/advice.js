/* SPDX-License-Identifier: MIT */
/* What to change: the rows of report bottleneck as text. */

function adviceOf(row) {
	const stake = row.stake_ns ? " · up to " + shownNumber(row.stake_ns, "ns") +
		(row.stake_percent ? " (" + shownNumber(row.stake_percent, "percent") + ")" : "") : "";
	return el("div", { class: "advice " + (["problem", "warning"].includes(row.severity) ? row.severity : "note"), "data-advice": row.id },
		el("h3", {}, show(row.severity || "") + stake), el("p", {}, show(row.text || "")),
		row.todo ? el("p", {}, show(row.todo)) : null,
		row.command ? el("p", { class: "dim" }, "More: ", el("code", {}, "prof-report " + show(row.command).replace(/^prof-report /, ""))) : null);
}

async function panelAdvice(manifest, panel) {
	const table = await tableOf(manifest, "bottleneck");
	const rows = table ? table.document.rows : [];
	panel.replaceChildren(
		rows.length ? el("div", {}, rows.map(adviceOf)) : el("p", { class: "empty" }, "No rule found anything to change."),
		table && table.about.head ? el("details", {}, el("summary", {}, "The report as text"), sentences(table.about.head)) : "");
}
