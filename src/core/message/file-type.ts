/**
 * Detects a file's type from its first bytes, its name, or whether its content looks like text; and says which files a
 * runtime accepts.
 */
import type { Attachment } from "./message.ts";

/** The types that a file's first bytes prove. A file has one of them only if its bytes show it. */
export const provableTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"] as const;
export type ProvableType = (typeof provableTypes)[number];

/** How many leading bytes are enough to detect the type. */
export const headBytes = 512;

export const unknownType = "application/octet-stream";

const signatures: readonly [ProvableType, RegExp][] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF.{4}WEBP/s],
  ["application/pdf", /^%PDF-/],
];

export function provenType(head: Uint8Array): ProvableType | null {
  const text = String.fromCharCode(...head.subarray(0, 16));
  return signatures.find(([, signature]) => signature.test(text))?.[0] ?? null;
}

export function isProvable(type: string): type is ProvableType {
  return provableTypes.some((one) => one === type);
}

/** The type of a file, given the type that its sender claims. */
export function fileType(claimed: string, head: Uint8Array): string {
  const proven = provenType(head);
  if (proven !== null) return proven;
  const type = plainType(claimed);
  return isProvable(type) ? unknownType : type;
}

/** A media type without parameters, in lower case. */
function plainType(type: string): string {
  const plain = (type.split(";")[0] ?? "").trim().toLowerCase();
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(plain) ? plain : unknownType;
}

const otherTextTypes = new Set(
  "json ld+json xml yaml x-yaml toml javascript x-javascript typescript sql x-sh graphql x-ndjson"
    .split(" ")
    .map((name) => `application/${name}`),
);

/** Whether the content is text that a model can read as is. */
export function isTextType(type: string): boolean {
  return type.startsWith("text/") || otherTextTypes.has(type);
}

const typesByEnding: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  pdf: "application/pdf",
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  css: "text/css",
  json: "application/json",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml",
  zip: "application/zip",
  gz: "application/gzip",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
};

/** The type of a file, given only its name and its first bytes. */
export function guessType(name: string, head: Uint8Array): string {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const byName = typesByEnding[ending] ?? (looksLikeText(head) ? "text/plain" : unknownType);
  return fileType(byName, head);
}

function looksLikeText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    // In stream mode, because the last character may be cut off.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** `type` is a media type, or `text/*` for everything that a model can read as is. */
export type AcceptedFiles = { type: string; maxBytes: number };

/** Null if the runtime accepts all of them, else the reason, worded to follow the runtime's name. */
export function refusalOf(attachments: readonly Attachment[], accepted: readonly AcceptedFiles[]): string | null {
  for (const { name, mimeType, size } of attachments) {
    if (accepted.length === 0) return "takes no attachments";
    const rule = accepted.find(({ type }) => (type === "text/*" ? isTextType(mimeType) : type === mimeType));
    if (!rule) return `takes no files of type ${mimeType} ("${name}")`;
    if (size > rule.maxBytes)
      return `takes files of type ${mimeType} up to ${rule.maxBytes} bytes ("${name}" has ${size})`;
  }
  return null;
}

/** The types a runtime accepts, for people to read. */
export function acceptedTypes(accepted: readonly AcceptedFiles[]): string {
  return accepted.map(({ type }) => type).join(", ");
}
