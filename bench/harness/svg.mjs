/** Draws measurements as an SVG chart: one bar each, grouped by condition, with a line for the spread. Pure. */

const colours = ["#2f6fb0", "#d98326", "#4d9a5b", "#a44a8c", "#7a7a7a", "#b33a3a"];
const width = 760;
const left = 200;
const right = 110;
const bar = 18;
const gap = 14;

export function chartSvg(chart, measurements) {
  const subjects = [...new Set(measurements.map(({ subject }) => subject))];
  const conditions = [...new Set(measurements.map(({ condition }) => condition))];
  const top = Math.max(...measurements.map((one) => Math.max(one.median, upperEnd(one)))) || 1;
  const scale = (value) => (Math.min(value, top) / top) * (width - left - right);
  const parts = [];
  let y = 44;
  for (const condition of conditions) {
    parts.push(text(10, y + 10, condition, 'font-weight="600"'));
    y += bar;
    for (const one of measurements.filter((each) => each.condition === condition)) {
      const colour = colours[subjects.indexOf(one.subject) % colours.length];
      const middle = y + bar / 2;
      parts.push(
        text(left - 8, y + 13, one.subject, 'text-anchor="end"'),
        `<rect x="${left}" y="${y}" width="${fixed(Math.max(1, scale(one.median)))}" height="${bar - 3}" fill="${colour}"/>`,
        `<path d="M${fixed(left + scale(lowerEnd(one)))} ${middle - 1}H${fixed(left + scale(upperEnd(one)))}" stroke="#222" stroke-width="1.5"/>`,
        text(left + scale(Math.max(one.median, upperEnd(one))) + 6, y + 13, `${one.median} ${one.unit}`),
      );
      y += bar;
    }
    y += gap;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(chart)}</title>`,
    `<rect width="${width}" height="${y}" fill="#fff"/>`,
    text(10, 22, chart, 'font-size="15" font-weight="600"'),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function lowerEnd({ spread, least, median }) {
  return spread === "waits" ? median : least;
}

function upperEnd({ spread, most, p99 }) {
  return spread === "waits" ? p99 : most;
}

function text(x, y, words, more = "") {
  return `<text x="${fixed(x)}" y="${fixed(y)}" fill="#222" ${more}>${escaped(words)}</text>`;
}

function fixed(value) {
  return Number(value.toFixed(1));
}

function escaped(words) {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
