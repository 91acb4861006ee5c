/** What comes back for a message that was sent. */
import { z } from "zod";
import type { SendReceipt } from "../../../service/agent-service.ts";

export const receiptSchema = z.object({
  messageId: z.string(),
  to: z.string().meta({ description: "Who gets it." }),
  known: z.boolean().meta({ description: "Whether it had been sent before. Nothing is sent twice." }),
  waits: z.string().nullable().meta({ description: "Why it is not under way yet; null when it is." }),
});

export function receiptText({ messageId, to, known, waits }: SendReceipt): string {
  const sent = known
    ? `You had sent this to ${to} before, as message ${messageId}. It was not sent twice.`
    : `Sent to ${to} as message ${messageId}.`;
  return waits === null ? sent : `${sent} It waits: ${waits}`;
}
