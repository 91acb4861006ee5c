/** How many columns a text takes in a monospaced font: two for wide characters and emoji, none for combining marks. */

const narrow = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const noWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const wide =
  /^(?:\p{Emoji_Presentation}|\p{RI}|.\u{fe0f}|[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{a960}-\u{a97f}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}])/u;

export function displayWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (noWidth.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}
