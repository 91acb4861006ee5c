/** `message_wait`: until a message that the caller sent is answered or has failed, or the time is over. */
import { z } from "zod";
import type { SentState } from "../../../service/agent-service.ts";
import { abortedBy } from "../../http/stream-answer.ts";
import { messageIdField } from "./fields.ts";
import { mailSchema, mailText, mailViews } from "./mail.ts";
import type { ToolContext } from "./tool.ts";
import { defineTool, readsOnly } from "./tool.ts";

export const defaultWaitSeconds = 45;
/** Clients give up after 60 s unless progress comes, which takes a stream: see mcp-app.ts. */
const maxWaitSeconds = 50;

export const messageWait = defineTool({
  name: "message_wait",
  title: "Wait for an answer",
  description: `Waits until a message that you sent is answered or has failed. Returns its state: answered (with the \
replies), failed (with the reason), or waiting when the time is over; call it again then, or go on with other work: the \
answer reaches you all the same. May return before timeoutSeconds are over.`,
  annotations: readsOnly,
  input: z.strictObject({
    messageId: messageIdField.meta({ description: "As message_send returned it." }),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(maxWaitSeconds)
      .default(defaultWaitSeconds)
      .meta({ description: "How long to wait." }),
  }),
  output: z.object({
    messageId: z.string(),
    state: z.enum(["answered", "failed", "waiting"]),
    reason: z.string().nullable().meta({ description: "Why it failed, or what it waits for." }),
    replies: z.array(mailSchema).meta({ description: "Oldest first; progress included." }),
    next: z.string().nullable().meta({ description: "What to do now." }),
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
    // Takes its listener off the signal of a server that lives long.
    end.abort();
  }
}

export function waitResult({ messageId, state, reason, replies }: SentState) {
  return { messageId, state, reason, replies: mailViews(replies), next: nextStep(state, messageId) };
}

function nextStep(state: SentState["state"], messageId: string): string | null {
  if (state === "answered") return null;
  if (state === "failed") return "Send it again if that can help, to somebody else if not, or go on without an answer.";
  return `Call message_wait again with messageId ${messageId}, or go on with other work: the answer reaches you all the same.`;
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
