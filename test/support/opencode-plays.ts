/**
 * AgentTurns that are played through OpenCode's API: on the real OpenCode, and through Waybill on every agent. What people do
 * in them is said once, for all.
 */

import type { AgentTurns, Message } from "./agent-scripts.ts";
import type { SeenEvent } from "./opencode-list.ts";
import type { OpencodeSession } from "./opencode-session.ts";

const reads: Message = { do: { read: "README.md" } };
const asks: Message = { say: "May I?", do: { shell: "sh -c true" } };

/** `meanwhile` and `afterwards` are the two prompts of one scene. */
export const playedScenes: AgentTurns = {
  edits: [
    { say: "I read it.", do: { read: "README.md" } },
    { say: "I edit it.", do: { edit: "README.md", from: "One line.", to: "Two lines." } },
    { say: "It has 2 lines now." },
  ],
  rounds: [...Array<Message>(10).fill(reads), { say: "Read 10 times." }],
  fails: [{ error: "This cannot be done." }],
  stops: [{ say: "I begin.", ...reads }, { hangs: "stopped" }],
  refuses: [asks, { say: "Never said." }],
  dies: [{ say: "I begin.", ...reads }, { hangs: "dies" }],
  twice: [{ say: "That was 1." }],
  meanwhile: [asks, { say: "That was the 1st." }],
  afterwards: [{ say: "That was the 2nd." }],
};

export type Stage = {
  /** Ends the agent's program. */
  kill(): void;
  /** Resolves when the model is asked for the second time, and has nothing to say. */
  hangs(): Promise<void>;
};
export type Play = (session: OpencodeSession, stage: Stage) => Promise<SeenEvent[]>;

const simply =
  (scene: string): Play =>
  async (session) => {
    await session.prompt(scene);
    return session.untilRest();
  };

/** What failed is not tried again when nobody looks any more. A server that is gone cannot be told. */
const once =
  (play: Play): Play =>
  async (session, stage) => {
    const told = await play(session, stage);
    if (!session.isOver) await session.abort();
    return told;
  };

/** By scene; the one that ends the program is the last. */
export const plays: Readonly<Record<string, Play>> = {
  edits: simply("edits"),
  rounds: simply("rounds"),
  fails: once(async (session) => {
    await session.prompt("fails");
    return session.untilFailed();
  }),
  stops: async (session, stage) => {
    await session.prompt("stops");
    await session.hasSaid(1);
    await stage.hangs();
    await session.abort();
    return session.untilFailed();
  },
  refuses: async (session) => {
    await session.prompt("refuses");
    await session.reply("reject");
    return session.untilRest();
  },
  twice: async (session) => {
    await session.prompt("twice");
    await session.untilRest();
    await session.prompt("twice");
    return session.untilRest(2);
  },
  meanwhile: async (session) => {
    await session.prompt("meanwhile");
    await session.asks();
    await session.prompt("afterwards");
    await session.reply("once");
    return session.untilRest();
  },
  dies: once(async (session, stage) => {
    await session.prompt("dies");
    await session.hasSaid(1);
    await stage.hangs();
    stage.kill();
    return session.untilRest();
  }),
};
