/** Reads the parameters of a request: from the URL, JSON, a form, or a form with files. */
import { badRequest } from "../bot-api-error.ts";
import type { UploadedFile } from "../methods/method.ts";

export type RequestBody = { params: Record<string, unknown>; files: Map<string, UploadedFile> };

export function readBody(contentType: string, query: URLSearchParams, body: Buffer): RequestBody {
  const params: Record<string, unknown> = Object.fromEntries(query);
  const files = new Map<string, UploadedFile>();
  if (body.length === 0) return { params, files };
  if (contentType.startsWith("application/json")) Object.assign(params, readJson(body));
  else if (contentType.startsWith("application/x-www-form-urlencoded")) {
    Object.assign(params, Object.fromEntries(new URLSearchParams(body.toString())));
  } else if (contentType.startsWith("multipart/form-data")) {
    for (const { name, filename, bytes } of parts(contentType, body)) {
      if (filename === undefined) params[name] = bytes.toString();
      else files.set(name, { name: filename, bytes });
    }
  }
  return { params, files };
}

function readJson(body: Buffer): object {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    throw badRequest("can't parse JSON");
  }
}

type Part = { name: string; filename: string | undefined; bytes: Buffer };

/** By hand, because fetch's parser refuses unquoted file names, which grammY sends. */
function* parts(contentType: string, body: Buffer): Generator<Part> {
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType);
  const delimiter = Buffer.from(`--${boundary?.[1] ?? boundary?.[2]}`);
  let start = body.indexOf(delimiter);
  while (start !== -1) {
    const next = body.indexOf(delimiter, start + delimiter.length);
    if (next === -1) return;
    const headerEnd = body.indexOf("\r\n\r\n", start);
    const header = body.subarray(start + delimiter.length, headerEnd).toString();
    const name = /[;\s]name="([^"]*)"/i.exec(header)?.[1];
    const filename = /filename=(?:"([^"]*)"|([^\r\n;]*))/i.exec(header);
    if (name !== undefined && headerEnd !== -1 && headerEnd < next) {
      const bytes = body.subarray(headerEnd + 4, next - 2);
      yield { name, filename: filename ? (filename[1] ?? filename[2] ?? "") : undefined, bytes: Buffer.from(bytes) };
    }
    start = next;
  }
}
