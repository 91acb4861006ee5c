/** Hands a prompt over. What the server answers proves nothing: that the message is stored is acceptance. */
import { messageOf } from "../../../app-error.ts";
import type { Clock } from "../../../clock.ts";
import type { Prompt, SubmitOutcome } from "../../port.ts";
import type { OpencodeApi } from "../server/opencode-api.ts";
import { OpencodeError } from "../server/opencode-api.ts";
import type { Choice } from "./choice.ts";

/** What goes with a prompt beside its text. */
export type PromptSettings = Choice & { system?: string };

/** How long after its answer the server may take to store a prompt, and how often that is looked at. */
const storedWithinMs = 3000;
const storedLookMs = 50;

export type Sending = {
  api: OpencodeApi;
  clock: Clock;
  /** Takes notice of what a healthy server would not say. */
  asking: <T>(call: Promise<T>) => Promise<T>;
};

export async function sendPrompt(
  sending: Sending,
  { sessionId, messageId, partId, text }: Prompt,
  settings: PromptSettings,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const { api, asking } = sending;
  try {
    const body = { messageID: messageId, parts: [{ id: partId, type: "text" as const, text }], ...settings };
    await asking(api.prompt(sessionId, body, signal));
  } catch (error) {
    signal.throwIfAborted();
    return notTaken(error);
  }
  return (await asking(isStored(sending, sessionId, messageId, signal)))
    ? { outcome: "accepted" }
    : { outcome: "unknown", reason: "prompt_not_stored_yet" };
}

/** The server answers before it stores. */
async function isStored(
  { api, clock }: Sending,
  sessionId: string,
  messageId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const until = clock.now() + storedWithinMs;
  for (;;) {
    if (await api.message(sessionId, messageId, signal)) return true;
    if (clock.now() >= until) return false;
    await new Promise<void>((resolve) => void clock.at(clock.now() + storedLookMs, resolve));
  }
}

function notTaken(error: unknown): SubmitOutcome {
  const reason = messageOf(error);
  if (!(error instanceof OpencodeError)) return { outcome: "not_sent", reason };
  // A session that is gone shows as stale at the next look; anything else that it will never take is said so.
  if (error.status === 400) return { outcome: "refused", reason };
  return error.status === 0 || error.status >= 500 ? { outcome: "unknown", reason } : { outcome: "not_sent", reason };
}
