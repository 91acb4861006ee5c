/** Which URLs Telegram accepts in a link. It answers 400 for the whole message if one of them is invalid. */

/** The URL to send, or null if it has to stay in the text. */
export function linkTarget(href: string): string | null {
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return null;
  const url = new URL(href);
  if (!isPublicHost(url.hostname)) return null;
  return isPlain(href) ? href : url.href;
}

function isPublicHost(host: string): boolean {
  const labels = host.split(".");
  return labels.length > 1 && labels.every((label) => label !== "") && labels.at(-1) !== "localhost";
}

/** Every parser reads printable ASCII without a backslash in the same way. */
function isPlain(href: string): boolean {
  return /^[\x21-\x5b\x5d-\x7e]+$/.test(href);
}
