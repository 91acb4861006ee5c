/** Whether Waybill can work, in words. Pure. */
import type { Readiness } from "waybill/client";

export type ReadinessState = "ready" | "degraded" | "not_ready";

export function readinessState({ ready, degraded }: Readiness): ReadinessState {
  if (!ready) return "not_ready";
  return degraded ? "degraded" : "ready";
}

/** `about`: the part after the colon, usually a runtime. */
type Words = (about: string) => string;

const words: Readonly<Record<string, Words>> = {
  draining: () => "Waybill is stopping: running turns get time to finish, and no new messages are accepted.",
  store_unwritable: () => "The store cannot be written. The disk may be full; free some space.",
  store_unavailable: () => "The store cannot be reached.",
  store_locked: () => "Another process holds the store.",
  store_closed: () => "The store is closed.",
  store_corrupt: () => "The store is damaged. Restore a backup with `waybill store restore`.",
  store_replaced: () => "The store's file was replaced while Waybill was running. Restart Waybill.",
  internal: () => "An internal error occurred. The log has details.",
  runtime_not_active: (runtime) => `${runtime} is used by lanes but not set up. Run the doctor below.`,
  runtime_not_ready: (runtime) => `${runtime} cannot be reached. Messages to its lanes wait.`,
  automatic_retry_is_off: () => "Automatic retries are turned off.",
  events_unusable: (runtime) =>
    `Events from ${runtime} are missing. Waybill checks periodically instead, which is slower.`,
  events_out_of_order: (runtime) => `Events from ${runtime} arrive out of order.`,
  program_failing: (runtime) => `${runtime} does not start in some lanes.`,
  tools_unavailable: (runtime) => `${runtime} agents currently have no tools to write to others.`,
  agent_unknown: (runtime) => `A lane names an agent that ${runtime} does not know.`,
  model_unknown: (runtime) => `A lane names a model that ${runtime} does not know.`,
  telegram_unreachable: () => "Telegram cannot be reached.",
  telegram_conflict: () => "Another program uses the same Telegram bot.",
  telegram_token_refused: () => "Telegram rejects the bot's token. Set a new one.",
  telegram_store: () => "Updates from Telegram cannot be stored.",
};

/** An unknown reason is shown unchanged. */
export function readinessWords(reason: string): string {
  const [code = "", about = ""] = reason.split(/:(.*)/s);
  if (about === "inbox_files")
    return `A team's inbox file cannot be used: ${code.replaceAll("_", " ")}. See the teams below.`;
  const known = words[code];
  if (known) return known(about === "" ? "A runtime" : about);
  const plain = code.replaceAll("_", " ");
  return about === "" ? plain : `${plain} (${about})`;
}
