/** The receipt for a sent message. */
import { z } from "zod";
import type { SendReceipt } from "../../../service/agent-service.ts";

export const receiptSchema = z.object({
  messageId: z.string(),
  to: z.string().meta({ description: "The recipient." }),
  known: z.boolean().meta({ description: "Whether you had already sent it. Nothing is sent twice." }),
  waits: z
    .string()
    .nullable()
    .meta({ description: "Why it has not been sent to its recipient yet; null if nothing blocks it." }),
});

export function receiptText({ messageId, to, known, waits }: SendReceipt): string {
  const sent = known
    ? `You already sent this to ${to}, as message ${messageId}. It was not sent again.`
    : `Sent to ${to} as message ${messageId}.`;
  return waits === null ? sent : `${sent} It is waiting: ${waits}`;
}
