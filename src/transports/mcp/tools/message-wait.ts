/** `message_wait`: waits until a message from the caller is answered or has failed, or the time is over. */
import { z } from "zod";
import type { SentState } from "../../../service/agent-service.ts";
import { abortedBy } from "../../http/event-stream.ts";
import { mailSchema, mailText, mailViews } from "./mail.ts";
import { messageIdField } from "./messages.ts";
import type { ToolContext } from "./tool.ts";
import { defineTool, readsOnly } from "./tool.ts";

const defaultWaitSeconds = 45;
/** Clients give up after 60 s unless they get progress, which would need a stream: see mcp-app.ts. */
const maxWaitSeconds = 50;

export const messageWait = defineTool({
  name: "message_wait",
  title: "Wait for an answer",
  description: `Waits until a message that you sent is answered or has failed. Returns its state: answered (with the \
replies), failed (with the reason), or waiting when the time is up; call it again then, or continue with other work: \
the answer will still reach you. May return before timeoutSeconds have passed.`,
  annotations: readsOnly,
  input: z.strictObject({
    messageId: messageIdField.describe("The id that message_send returned."),
    timeoutSeconds: z.int().min(1).max(maxWaitSeconds).default(defaultWaitSeconds).describe("How long to wait."),
  }),
  output: z.object({
    messageId: z.string(),
    state: z.enum(["answered", "failed", "waiting"]),
    reason: z.string().nullable().describe("Why it failed, or what it waits for."),
    replies: z.array(mailSchema).describe("Oldest first; progress included."),
    next: z.string().nullable().describe("What to do now."),
  }),
  async run({ messageId, timeoutSeconds }, context) {
    const state = await waitFor(messageId, timeoutSeconds, context);
    const data = waitResult(state);
    return { data, text: waitText(data) };
  },
});

async function waitFor(messageId: string, seconds: number, context: ToolContext): Promise<SentState> {
  const { agents, caller, clock, signal } = context;
  const timeOver = new AbortController();
  const cancel = clock.at(clock.now() + seconds * 1000, () => timeOver.abort());
  const end = abortedBy(signal, timeOver.signal);
  try {
    return await agents.wait(caller, messageId, end.signal);
  } finally {
    cancel();
    // Removes its listener from the long-lived server's signal.
    end.abort();
  }
}

export function waitResult({ messageId, state, reason, replies }: SentState) {
  return { messageId, state, reason, replies: mailViews(replies), next: nextStep(state, messageId) };
}

function nextStep(state: SentState["state"], messageId: string): string | null {
  if (state === "answered") return null;
  if (state === "failed")
    return "Send it again if that can help, send it to someone else, or continue without an answer.";
  return `Call message_wait again with messageId ${messageId}, or continue with other work: the answer will still reach you.`;
}

export function waitText({ messageId, state, reason, replies, next }: ReturnType<typeof waitResult>): string {
  const outcome = {
    answered: `Message ${messageId} is answered.`,
    failed: `Message ${messageId} has failed`,
    waiting: `Message ${messageId} is not answered yet`,
  }[state];
  const why = state === "answered" ? "" : reason === null ? "." : `: ${reason}`;
  const head = [`${outcome}${why}`, next].filter(Boolean).join(" ");
  return [head, ...replies.map(mailText)].join("\n\n");
}
