/** Files in a prompt's `data:` URLs, such as pasted pictures: they become attachments of its message. */

import type { Attachment } from "../../../../core/message/message.ts";
import { AppError } from "../../../../platform/app-error.ts";
import type { Service } from "../../../../service/service.ts";
import type { FilePart } from "./file-parts.ts";

export function isDataFile({ url }: FilePart): boolean {
  return /^data:/i.test(url);
}

/** Safe to repeat: a prompt that is sent again has the same attachments. */
export async function storeDataFiles(
  files: readonly FilePart[],
  { storeAttachment }: Pick<Service, "storeAttachment">,
): Promise<Attachment[]> {
  const decoded = files.map(({ filename, mime, url }) => ({
    name: filename ?? "file",
    mimeType: mime,
    bytes: bytesIn(url),
  }));
  const stored: Attachment[] = [];
  for (const file of decoded) stored.push(await storeAttachment(file));
  return stored;
}

function bytesIn(url: string): Uint8Array {
  const [, parameters = "", data] = /^data:([^,]*),(.*)$/is.exec(url) ?? [];
  try {
    if (data !== undefined)
      return Buffer.from(decodeURIComponent(data), /;base64$/i.test(parameters) ? "base64" : "utf8");
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new AppError({ code: "invalid_request", message: "A file has an invalid `data:` URL." });
}
