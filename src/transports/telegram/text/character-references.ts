/** Decodes character references such as `&lt;` that agents write outside code. Unknown ones stay as written. */

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

export function decodeReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g, (whole, ...groups) => {
    const [decimal, hexadecimal, name] = groups;
    if (name !== undefined) return named[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number.parseInt(decimal, 10);
    return isScalar(code) ? String.fromCodePoint(code) : whole;
  });
}

/** Control characters and surrogates are not valid in a text. */
function isScalar(code: number): boolean {
  return code > 0x1f && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}
