/** Telegram's limits for bots: one message a second in a chat, and 20 a minute in a group. Edits also count. */
import type { Clock } from "../clock.ts";

export type FloodLimits = {
  /** Counts a message, or returns how many seconds the bot has to wait. */
  take(chatId: number, isGroup: boolean): number | undefined;
};

export const noFloodLimits: FloodLimits = { take: () => undefined };

export function createFloodLimits(clock: Clock): FloodLimits {
  const sent = new Map<number, number[]>();
  return {
    take(chatId, isGroup) {
      const now = clock.now();
      const recent = (sent.get(chatId) ?? []).filter((time) => time > now - 60_000);
      sent.set(chatId, recent);
      const freeAt = Math.max((recent.at(-1) ?? 0) + 1000, isGroup ? (recent.at(-20) ?? 0) + 60_000 : 0);
      if (freeAt > now) return Math.ceil((freeAt - now) / 1000);
      recent.push(now);
      return undefined;
    },
  };
}
