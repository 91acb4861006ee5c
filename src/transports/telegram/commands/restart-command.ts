/**
 * Restarts the worker. The update is marked as handled before the worker exits, so that the next worker does not
 * restart again. That worker reports in the same chat that it is back.
 */
import { z } from "zod";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import { AppError } from "../../../platform/app-error.ts";
import { say } from "../outgoing/chat-row.ts";
import { both } from "../telegram-context.ts";
import type { Command } from "./command.ts";
import { answer } from "./command.ts";

export const restartKey = "restart";

const pendingRestart = z.object({ chat: z.number(), thread: z.number().nullable(), update: z.string() });

export const restart: Command = {
  name: "restart",
  description: "Restart Waybill's worker",
  adminOnly: true,
  async run(call, { service, sent }) {
    const { place } = call.message;
    try {
      service.checkRestart();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return answer(call, `Not restarted: ${error.message}`);
    }
    const pending = { chat: place.chat, thread: place.thread, update: call.update.id };
    return both(
      {
        state: [{ key: restartKey, value: pending }],
        after: async () => {
          await sent(place.chat);
          service.restart();
        },
      },
      answer(call, "Restarting. Running turns get time to finish; nothing is lost."),
    );
  },
};

/** The new worker's report in the chat that asked for the restart. */
export function backAgain(state: ReadonlyMap<string, unknown>): NewOutboxRow[] {
  const pending = pendingRestart.safeParse(state.get(restartKey));
  return pending.success ? [say(pending.data, `restarted:${pending.data.update}`, "Waybill is back.")] : [];
}
