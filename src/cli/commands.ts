/** All commands, in the order in which they are listed. Each is loaded only when it runs, to keep the start fast. */
import type { Command } from "./command.ts";

const loaders: Record<string, () => Promise<Command>> = {
  up: async () => (await import("./commands/up.ts")).up,
  worker: async () => (await import("./commands/worker.ts")).worker,
  init: async () => (await import("./commands/init.ts")).init,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  demo: async () => (await import("./commands/demo.ts")).demo,
  send: async () => (await import("./commands/send.ts")).send,
  watch: async () => (await import("./commands/watch.ts")).watch,
  follow: async () => (await import("./commands/follow.ts")).follow,
  lanes: async () => (await import("./commands/lanes.ts")).lanes,
  teams: async () => (await import("./commands/teams/teams.ts")).teams,
  inbox: async () => (await import("./commands/teams/inbox.ts")).inbox,
  messages: async () => (await import("./commands/messages.ts")).messages,
  deliveries: async () => (await import("./commands/deliveries.ts")).deliveries,
  show: async () => (await import("./commands/show.ts")).show,
  why: async () => (await import("./commands/why.ts")).why,
  retry: async () => (await import("./commands/change-delivery.ts")).retry,
  cancel: async () => (await import("./commands/change-delivery.ts")).cancel,
  withdraw: async () => (await import("./commands/change-delivery.ts")).withdraw,
  asks: async () => (await import("./commands/asks.ts")).asks,
  answer: async () => (await import("./commands/asks.ts")).answer,
  holds: async () => (await import("./commands/teams/holds.ts")).holds,
  open: async () => (await import("./commands/open.ts")).open,
  restart: async () => (await import("./commands/restart.ts")).restart,
  attach: async () => (await import("./commands/attach.ts")).attach,
  mcp: async () => (await import("./commands/teams/mcp.ts")).mcp,
  store: async () => (await import("./commands/store.ts")).store,
  completion: async () => (await import("./commands/completion.ts")).completion,
};

export const commandNames: readonly string[] = Object.keys(loaders);

/** Null for an unknown command. */
export async function loadCommand(name: string): Promise<Command | null> {
  return Object.hasOwn(loaders, name) ? ((await loaders[name]?.()) ?? null) : null;
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(loaders).map((load) => load()));
}
