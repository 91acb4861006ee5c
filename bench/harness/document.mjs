/** Formats the results as a document with charts. Pure: returns the content of the files. */
import { rounded } from "./measurement.mjs";
import { chartSvg } from "./svg.mjs";
import { grouped, spreadOf } from "./table.mjs";

/** `results` by the name of their benchmark. Charts are in a folder `benchmarks` next to the document. */
export function documentOf(results, goals) {
  const all = Object.values(results);
  const charts = new Map();
  const sections = all.map((result) => sectionOf(result, charts));
  const text = [
    "# Benchmarks",
    "",
    "`npm run bench` measures all of this again, in about a quarter of an hour; `npm run bench -- NAME` measures one part.",
    "Programs for comparison are installed into `bench/.peers` when they are first needed. This document and its charts",
    "are generated from `bench/results` by `node bench/document.mjs`; the goals and their remarks are in `bench/goals.mjs`.",
    "Machines differ: ratios within one run say more than any figure alone.",
    "",
    ...(all.length > 0 ? machineOf(all) : []),
    "## Goals",
    "",
    "| measure | before | goal | measured | |",
    "|---|---|---|---|---|",
    ...goals.map((goal) => goalRow(goal, results)),
    "",
    ...sections.flat(),
  ].join("\n");
  return { text: `${text.trimEnd()}\n`, charts };
}

/** Goals that were measured and missed without an explanation. */
export function unexplained(results, goals) {
  return goals.filter(({ figure, isMet, remark }) => {
    const value = figure(results);
    return value !== undefined && !isMet(value) && remark === null;
  });
}

function machineOf(all) {
  const [{ machine }] = all;
  const versions = Object.assign({}, ...all.map((result) => result.versions));
  const { processor, cores, memoryGb, system, filesystem } = machine;
  return [
    "## Machine and versions",
    "",
    `${processor}, ${cores} cores, ${memoryGb} GB of memory, ${system}, files on ${filesystem}.`,
    "",
    "| program | version |",
    "|---|---|",
    ...Object.entries(versions).map(([name, version]) => `| ${name} | ${version} |`),
    "",
  ];
}

function goalRow({ measure, before, goal, figure, unit, isMet, remark }, results) {
  const value = figure(results);
  const verdict = value === undefined ? "" : isMet(value) ? "met" : "**not met**";
  const measured = value === undefined ? "not measured" : `${rounded(value)} ${unit}`.trim();
  return `| ${measure} | ${before} | ${goal} | ${measured} | ${[verdict, remark].filter(Boolean).join(": ")} |`;
}

function measuredWhen({ ranAt, seconds, loadBefore, machine }) {
  const isBusy = loadBefore > machine.cores / 2;
  const busy = isBusy ? ` **The machine was busy** (a load of ${loadBefore} before it began): measure it again.` : "";
  return `Measured on ${ranAt.slice(0, 10)} in ${seconds} s.${busy}`;
}

function sectionOf(
  { name, title, description, measurements, ratios = [], differences = [], notes = [], ...run },
  charts,
) {
  const lines = [`## ${title}`, "", description, "", measuredWhen(run), ""];
  for (const [chart, rows] of grouped(measurements)) {
    const file = `${name}-${chart
      .replaceAll(/[^a-z0-9]+/gi, "-")
      .replaceAll(/^-|-$/g, "")
      .toLowerCase()}.svg`;
    charts.set(file, chartSvg(chart, rows));
    lines.push(`![${chart}](benchmarks/${file})`, "");
    lines.push(`| ${chart} | | median | spread | |`, "|---|---|---|---|---|");
    for (const row of rows) {
      lines.push(`| ${row.subject} | ${row.condition} | ${row.median} | ${spreadOf(row)} | ${row.unit} |`);
    }
    lines.push("");
  }
  const compared = [
    ...ratios.filter(({ value }) => value !== null).map(({ label, value }) => `- ${label}: ${value} ×`),
    ...differences.map(({ label, value, unit }) => `- ${label}: ${value} ${unit}`),
    ...notes.map((note) => `- ${note}`),
  ];
  return [...lines, ...compared, ...(compared.length > 0 ? [""] : [])];
}
