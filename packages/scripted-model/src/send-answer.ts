/** Sends an answer as its step specifies: delayed, in pieces, with an error in the middle, cut off, or never ending. */
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Answer } from "./choose-answer.ts";
import type { ModelApi } from "./model-api.ts";
import type { ModelRequest } from "./model-request.ts";

export type AnswerTask = {
  api: ModelApi;
  request: ModelRequest;
  answer: Answer;
  /** The script's pace, used if the step has none. */
  pace: { pieceMs: number; pieceLength: number };
  response: ServerResponse;
  /** Aborted when the caller closes the connection. */
  closed: AbortSignal;
};

/** Rejects with the signal's reason when the caller closes the connection. */
export async function sendAnswer(task: AnswerTask): Promise<void> {
  const { api, request, answer, response, closed } = task;
  if (answer.waitMs > 0) await wait(answer.waitMs, undefined, { signal: closed });
  if (answer.error) return sendError(api, answer.error, response);
  if (request.stream) return sendStream(task);
  if (!answer.breaks) return sendJson(response, 200, api.whole(request, answer));
  const { how, message = breakMessage } = answer.breaks;
  if (how === "error") return sendError(api, { status: 500, message }, response);
  return cutOrHang(how, response, closed);
}

async function sendStream({ api, request, answer, pace, response, closed }: AnswerTask): Promise<void> {
  const { breaks, pieceMs = pace.pieceMs, pieceLength = pace.pieceLength } = answer;
  if (breaks?.afterPieces === 0 && breaks.how !== "error") return cutOrHang(breaks.how, response, closed);
  const { opening, pieces, closing } = api.stream(request, answer, pieceLength);
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  await write(response, opening, closed);
  for (const [index, piece] of pieces.slice(0, breaks?.afterPieces).entries()) {
    if (index > 0 && pieceMs > 0) await wait(pieceMs, undefined, { signal: closed });
    await write(response, piece, closed);
  }
  if (!breaks) response.end(closing);
  else if (breaks.how === "error") response.end(api.errorFrame(breaks.message ?? breakMessage));
  else await cutOrHang(breaks.how, response, closed);
}

const breakMessage = "The model broke off.";

async function cutOrHang(how: "cut" | "hang", response: ServerResponse, closed: AbortSignal): Promise<void> {
  if (how === "cut") return void response.destroy();
  await new Promise((_resolve, reject) => {
    closed.addEventListener("abort", () => reject(closed.reason), { once: true });
    if (closed.aborted) reject(closed.reason);
  });
}

/** Resolves once the frame was handed to the system, so that a cut does not drop the frames before it. */
function write(response: ServerResponse, frame: string, closed: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(frame, (error) => (error ? reject(closed.reason ?? error) : resolve()));
  });
}

export function sendError(api: ModelApi, error: NonNullable<Answer["error"]>, response: ServerResponse): void {
  if (error.retryAfterS !== undefined) response.setHeader("Retry-After", String(error.retryAfterS));
  if (typeof error.body !== "string") return sendJson(response, error.status, error.body ?? api.errorBody(error));
  const type = error.body.trimStart().startsWith("<") ? "text/html" : "text/plain";
  response.writeHead(error.status, { "Content-Type": type }).end(error.body);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
