/* SPDX-License-Identifier: MIT */
/* Numbers as prof-report shows them: 1.23 ms, 4.50 MiB, 12.3 %, 1,234. */

const SCALES = {
	ns: [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9], ["min", 60e9], ["h", 3600e9]],
	bytes: [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40], ["PiB", 2 ** 50]],
};

function digits(value) {
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

function scaled(scale, value) {
	let at = 0;
	for (; at + 1 < scale.length; at++) {
		const step = scale[at + 1][1] / scale[at][1];
		if (value / scale[at][1] + (step >= 1000 ? 0.5 : 0) < step)
			break;
	}
	const number = value / scale[at][1];
	return number.toFixed(at ? digits(number) : 0) + " " + scale[at][0];
}

function shownNumber(value, unit) {
	if (value < 0 && unit === "change")
		return "-" + shownNumber(-value, unit).slice(1);
	if (value < 0)
		return "-" + shownNumber(-value, unit);
	if (unit === "ns" && value >= 60e9 && value < 120e9)
		return (value / 1e9).toFixed(digits(value / 1e9)) + " s";
	if (unit === "ns" || unit === "bytes")
		return scaled(SCALES[unit], value);
	if (unit === "bytes/s")
		return (value / 1e9).toPrecision(3) + " GB/s";
	if (unit === "percent")
		return value > 0 && value < 0.05 ? "<0.1 %" : value.toFixed(1) + " %";
	if (unit === "change")
		return (value > 0 ? "+" : "") + (Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : value.toFixed(1)) + " %";
	if (unit === "id")
		return String(value);
	return Number.isInteger(value) ? value.toLocaleString("en-US") : value.toPrecision(4);
}

/* A cell of a document's row. */
function shownCell(value, unit) {
	if (value === null || value === undefined)
		return "-";
	if (Array.isArray(value))
		return value.map(shownFrame).join(" ← ");
	return typeof value === "number" ? shownNumber(value, unit) : show(value);
}

function shownFrame(frame) {
	const place = frame.file ? frame.file.split("/").pop() + (frame.line ? ":" + frame.line : "") : "";
	if (frame.function)
		return show(frame.function) + (place ? " (" + show(place) + ")" : "");
	return show((frame.module || "?").split("/").pop() + "+0x" + frame.offset.toString(16));
}
