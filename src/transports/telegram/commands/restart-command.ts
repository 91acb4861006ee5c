/**
 * Restarts the worker. The update is handled before the worker ends, so that the next one does not restart again, and says in
 * the same chat that it is back.
 */
import { z } from "zod";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import { say } from "../outgoing/say.ts";
import type { Command } from "./command.ts";
import { answer, both } from "./command.ts";

export const restartKey = "restart";

const pendingRestart = z.object({ chat: z.number(), thread: z.number().nullable(), update: z.string() });

export const restart: Command = {
  name: "restart",
  description: "Restart Waybill's worker",
  adminOnly: true,
  async run(call, { service, sent }) {
    const { place } = call.message;
    const pending = { chat: place.chat, thread: place.thread, update: call.update.id };
    return both(
      {
        state: [{ key: restartKey, value: pending }],
        after: async () => {
          await sent(place.chat);
          service.restart();
        },
      },
      answer(call, "Restarting. Running turns get time to end; nothing is lost."),
    );
  },
};

/** What a new worker says about the restart that somebody asked for. */
export function backAgain(state: ReadonlyMap<string, unknown>): NewOutboxRow[] {
  const pending = pendingRestart.safeParse(state.get(restartKey));
  return pending.success ? [say(pending.data, `restarted:${pending.data.update}`, "Waybill is back.")] : [];
}
