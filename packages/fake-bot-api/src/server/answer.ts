/** Builds the response to a call, and what a fault turns it into. Nothing is sent here. */
import { BotApiError, tooManyRequests } from "../bot-api-error.ts";
import type { Fault } from "./faults.ts";

/** `text` is for bodies that Telegram would not send. */
export type Answer = { status: number; body: unknown } | { status: number; text: string };

export type Effect = { type: "answer"; answer: Answer } | { type: "cut" } | { type: "hang" };

export const success = (result: unknown): Answer => ({ status: 200, body: { ok: true, result } });

export function failure(error: unknown): Answer {
  if (!(error instanceof BotApiError)) {
    const description = `Internal Server Error: ${error instanceof Error ? error.message : String(error)}`;
    return { status: 500, body: { ok: false, error_code: 500, description } };
  }
  const { code, message: description, parameters } = error;
  return { status: code, body: { ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) } };
}

/** What happens to a call that a fault keeps from being handled. */
export function insteadOfHandling(fault: Fault): Effect | undefined {
  switch (fault.type) {
    case "tooManyRequests":
      return { type: "answer", answer: failure(tooManyRequests(fault.retryAfterS)) };
    case "error":
      return { type: "answer", answer: failure(new BotApiError(fault.code, fault.description, fault.parameters)) };
    case "badGateway":
      return { type: "answer", answer: { status: 502, text: "<html><body><h1>502 Bad Gateway</h1></body></html>" } };
    case "cut":
    case "hang":
      return fault.when === "before" ? { type: fault.type } : undefined;
    case "delay":
    case "garbage":
      return undefined;
    default:
      return fault satisfies never;
  }
}

/** What happens to a call after it was handled. */
export function afterHandling(fault: Fault, answer: Answer): Effect {
  switch (fault.type) {
    case "cut":
    case "hang":
      return { type: fault.type };
    case "garbage":
      return { type: "answer", answer: { status: 200, text: '{"ok":true,"resu' } };
    case "delay":
    case "tooManyRequests":
    case "error":
    case "badGateway":
      return { type: "answer", answer };
    default:
      return fault satisfies never;
  }
}
