/* SPDX-License-Identifier: MIT */
/* The run beside earlier ones: what changed, by how much, and whether that is more than noise, as report diff has it. */

const COMPARE_ALL = "all columns";
const COMPARE_COLUMNS = [
	tableColumn("what", "what", "text", "the total or the row"),
	tableColumn("metric", "column", "text", "the column or total", 1),
	tableColumn("before", "before", "amount", "its value in the run before; with several runs, their mean"),
	tableColumn("after", "after", "amount", "its value in the run after"),
	tableColumn("change", "change", "amount", "after minus before"),
	tableColumn("percent", "change%", "change", "the same as a share of before"),
	tableColumn("noise", "noise", "amount", "the smallest change that is more than noise; - where that is not known", 1),
	tableColumn("verdict", "verdict", "text", "longer, shorter, more, less, same, noise, new or gone; - where the runs do not tell"),
];
const COMPARE_HOW = "prof-report page AFTER.evt --against BEFORE.evt -o run.html compares two runs here; several runs before tell more of what is noise.";

/* A row of the document; the whole name of a total, and what the row is joined by. */
function compareRow(row) {
	return { ...row, what: row.what || "", verdict: row.verdict || null };
}

function compareMetrics(rows) {
	return [...new Set(rows.filter((row) => row.row !== null).map((row) => row.metric))];
}

/* The totals, and the rows of one column, or of all. */
function compareChoose(rows, metric) {
	return rows.filter((row) => row.row === null || metric === COMPARE_ALL || row.metric === metric);
}

/* Where several reports are shown, `what` has the column too. */
function compareTable(place, rows, metric, withColumn) {
	const table = new DataTable(COMPARE_COLUMNS.filter((column) => withColumn || column.name !== "metric"), compareChoose(rows, metric), { mark: (row) => (row.verdict ? "verdict-" + row.verdict : "") });
	place.replaceChildren(table.node);
	return table;
}

function compareSelect(label, names, chosen, pick) {
	const select = el("select", { "aria-label": label, onchange: () => pick(select.value) }, names.map((name) => el("option", { value: name, selected: name === chosen }, name)));
	return select;
}

async function panelCompare(manifest, panel, route) {
	const entries = manifest.pieces.filter((one) => one.kind === "compare" && (one.rows || !one.name));
	if (!entries.length) {
		panel.replaceChildren(el("p", { class: "empty" }, "This page is of one run. " + COMPARE_HOW));
		return;
	}
	const entry = entries.find((one) => (one.name || "") === (route[0] || "")) || entries[0];
	const label = (one) => (one.kind === "compare-flame" ? "flame graph of " + show(one.title) : one.name || "what changed most");
	const flames = manifest.pieces.filter((one) => one.kind === "compare-flame" && one.rows);
	const all = [...entries, ...flames], hash = (one) => (one.kind === "compare-flame" ? one.id : one.name || "");
	const choice = (chosen) => compareSelect("Report", all.map(label), label(chosen), (name) => { location.hash = "compare/" + encodeURIComponent(hash(all.find((one) => label(one) === name) || {})); });
	const flame = flames.find((one) => one.id === route[0]);
	if (flame) {
		await flameDiffShow(panel, flame, choice(flame));
		return;
	}
	const { document: doc, head, foot } = entry.left_out ? { document: { rows: [] } } : await piece(entry.id);
	const rows = doc.rows.map(compareRow), metrics = entry.name ? compareMetrics(rows) : [], place = el("div", { class: "changes" });
	const first = metrics.includes(route[1]) ? route[1] : metrics.includes(entry.metric) ? entry.metric : metrics[0] || COMPARE_ALL;
	const draw = (metric) => { panel.table = compareTable(place, rows, metric, !!entry.name); };
	panel.replaceChildren(el("div", { class: "tools" },
		choice(entry),
		metrics.length > 1 ? compareSelect("Column", [...metrics, COMPARE_ALL], first, draw) : ""),
		sentences(head) || "", entry.shown < entry.rows ? el("p", { class: "dim" }, `The page has ${entry.shown.toLocaleString("en-US")} of ${entry.rows.toLocaleString("en-US")} changes; prof-report diff has all.`) : "",
		rows.length ? place : entry.left_out ? noRoom("these changes", "prof-report diff has them.") : el("p", { class: "empty" }, "Nothing that both runs recorded has changed."), sentences(foot) || "");
	draw(first);
}
