/** A request in a common format for both APIs, derived only from the request: no state is kept between calls. */
import { createHash } from "node:crypto";

export type RequestMessage = {
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  callIds?: readonly string[];
};

/** A file in a request: an image or a document. */
export type RequestFile = { type: string; bytes: number; sha256: string };

export type ModelRequest = {
  api: "openai" | "anthropic";
  model: string;
  stream: boolean;
  /** OpenAI sends the usage of a stream only on request. */
  wantsUsage: boolean;
  tools: readonly string[];
  /** The files of the whole conversation, in order. */
  files: readonly RequestFile[];
  system: string;
  /** The newest text of the user. */
  prompt: string;
  /** The user's texts before it. */
  earlier: string;
  /** How many answers the prompt already has: each was followed by tool results and another call. */
  answered: number;
  /** The ids of the tool calls in the newest of these answers. */
  callIds: readonly string[];
  /** The newest tool result in this turn. */
  result: string;
  /** In characters, to estimate tokens. */
  size: number;
};

export function createModelRequest(
  messages: readonly RequestMessage[],
  details: Pick<ModelRequest, "api" | "model" | "stream" | "wantsUsage" | "tools" | "files" | "size">,
): ModelRequest {
  const newest = messages.findLastIndex(({ role }) => role === "user");
  const turn = messages.slice(newest + 1);
  const answers = turn.filter(({ role }) => role === "assistant");
  const textsOf = (wanted: RequestMessage["role"], list: readonly RequestMessage[]) =>
    list.flatMap(({ role, text }) => (role === wanted ? [text] : []));
  return {
    ...details,
    system: textsOf("system", messages).join("\n"),
    prompt: withoutReminders(messages[newest]?.text ?? ""),
    earlier: textsOf("user", messages.slice(0, Math.max(0, newest))).join("\n"),
    answered: answers.length,
    callIds: answers.at(-1)?.callIds ?? [],
    result: textsOf("tool", turn).at(-1) ?? "",
  };
}

/** Agent programs add their own notes to the user's text. Text that is only a note is kept. */
function withoutReminders(text: string): string {
  return text.replace(/<system-reminder>.*?<\/system-reminder>/gs, "").trim() || text.trim();
}

/** Content is a string, or a list of parts, some of which are text. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part) => (typeof part?.text === "string" ? [part.text] : [])).join("\n");
}

/** The files among the parts of a message's content, in the formats of both APIs. */
export function contentFiles(content: unknown): RequestFile[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => {
    const { type, source, image_url, file } = Object(part) as Record<string, Record<string, unknown> | undefined>;
    if (source?.type === "base64") return [requestFile(String(source.media_type), String(source.data))];
    if (source?.type === "text")
      return [requestFile("text/plain", Buffer.from(String(source.data)).toString("base64"))];
    const url = String(image_url?.url ?? file?.file_data ?? "");
    const [, mime, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    return type === undefined || mime === undefined || data === undefined ? [] : [requestFile(mime, data)];
  });
}

function requestFile(type: string, base64: string): RequestFile {
  const content = Buffer.from(base64, "base64");
  return { type, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}

/** The length of the content. A file uses far fewer tokens than its bytes suggest, so it counts as a page of text. */
export function sizeOf(said: unknown): number {
  return JSON.stringify(said, (key, value) =>
    ["data", "url", "file_data"].includes(key) && String(value).length > pageLength ? "x".repeat(pageLength) : value,
  ).length;
}

const pageLength = 4000;
