/** Sends an answer as its step wants it: late, in pieces, with an error in the middle, cut off, or never ending. */
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Asked } from "./asked.ts";
import type { Answer } from "./pick.ts";
import type { Api } from "./wire.ts";

export type Pace = { pieceMs: number; pieceLength: number };

/** Rejects with the signal's reason when the caller goes away. */
export async function play(
  api: Api,
  asked: Asked,
  answer: Answer,
  pace: Pace,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  if (answer.waitMs > 0) await wait(answer.waitMs, undefined, { signal: gone });
  if (answer.error) return sendError(api, answer.error, response);
  if (asked.stream) return playStream(api, asked, answer, pace, response, gone);
  switch (answer.breaks?.how) {
    case undefined:
      return sendJson(response, 200, api.whole(asked, answer));
    case "hang":
      return never(gone);
    case "cut":
      return void response.destroy();
    case "error":
      return sendError(api, { status: 500, message: answer.breaks?.message ?? brokenMessage }, response);
  }
}

async function playStream(
  api: Api,
  asked: Asked,
  answer: Answer,
  pace: Pace,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const { breaks } = answer;
  const { opening, pieces, closing } = api.stream(asked, answer, answer.pieceLength ?? pace.pieceLength);
  const pieceMs = answer.pieceMs ?? pace.pieceMs;
  const comes = breaks ? pieces.slice(0, breaks.afterPieces) : pieces;
  if (breaks?.afterPieces === 0 && breaks.how !== "error") return breakOff(breaks.how, response, gone);
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  await write(response, opening, gone);
  for (const [index, piece] of comes.entries()) {
    if (index > 0 && pieceMs > 0) await wait(pieceMs, undefined, { signal: gone });
    await write(response, piece, gone);
  }
  if (breaks?.how === "error") return void response.end(api.errorFrame(breaks.message ?? brokenMessage));
  if (breaks) return breakOff(breaks.how, response, gone);
  response.end(closing);
}

const brokenMessage = "The model broke off.";

async function breakOff(how: "cut" | "hang", response: ServerResponse, gone: AbortSignal): Promise<void> {
  if (how === "hang") return never(gone);
  response.destroy();
}

/** Settles once the frame was handed to the system, so that a cut does not take away what came before it. */
function write(response: ServerResponse, frame: string, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(frame, (error) => (error ? reject(gone.reason ?? error) : resolve()));
  });
}

function never(gone: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    gone.addEventListener("abort", () => reject(gone.reason), { once: true });
    if (gone.aborted) reject(gone.reason);
  });
}

export function sendError(api: Api, error: NonNullable<Answer["error"]>, response: ServerResponse): void {
  if (error.retryAfterS !== undefined) response.setHeader("Retry-After", String(error.retryAfterS));
  if (typeof error.body === "string") {
    const type = error.body.trimStart().startsWith("<") ? "text/html" : "text/plain";
    return void response.writeHead(error.status, { "Content-Type": type }).end(error.body);
  }
  sendJson(response, error.status, error.body ?? api.errorBody(error));
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
