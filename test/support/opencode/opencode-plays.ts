/**
 * Agent turns that are played through OpenCode's API: on the real OpenCode, and through Waybill on every agent. What people
 * do in them is defined once for all.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { AgentTurns, Message } from "../agents/agent-scripts.ts";
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
  empty: [{ once: true }, { say: "Now it is 1." }],
  silent: [
    { do: { read: "README.md" }, once: true },
    { do: { edit: "README.md", from: "# Project", to: "# Projects" }, once: true },
    { once: true },
    { say: "The title has 1 letter more." },
  ],
  three: [{ say: "Never asked for." }],
  "interrupts-ask": [asks, { say: "Never said." }],
  "interrupts-tool": [{ say: "It takes long.", do: { shell: "sh -c 'sleep 600'" } }, { say: "Never said." }],
  aborts: [{ say: `I work on it, ${"and on ".repeat(40)}and now it is done.`, slowly: true }],
  dies: [{ say: "I begin.", ...reads }, { hangs: "dies", once: true }, { say: "I went on, and it is 1." }],
  twice: [{ say: "That was 1." }],
  meanwhile: [asks, { say: "That was the 1st." }],
  afterwards: [{ say: "That was the 2nd." }],
};

export type Stage = {
  /** Kills the agent's program. */
  kill(): void;
  /** Resolves when the model is called for the second time and does not answer. */
  hangs(): Promise<void>;
};
export type Play = (session: OpencodeSession, stage: Stage) => Promise<SeenEvent[]>;

const simply =
  (scene: string): Play =>
  async (session) => {
    await session.prompt(scene);
    return session.untilRest();
  };

/** After the prompt was sent. */
const abortsAfterMs = [0, 5, 50, 200, 600];

/** For these, only the number of messages and of idle events can be compared: the rest depends on timing. */
export const countedScenes: readonly string[] = ["three", "aborts"];

/** By scene; the one that kills the program is the last. */
export const plays: Readonly<Record<string, Play>> = {
  edits: simply("edits"),
  rounds: simply("rounds"),
  empty: simply("empty"),
  silent: simply("silent"),
  fails: async (session) => {
    await session.prompt("fails");
    return session.untilFailed();
  },
  stops: async (session, stage) => {
    await session.prompt("stops");
    await session.hasSaid(1);
    await stage.hangs();
    await session.abort();
    return session.untilFailed();
  },
  "interrupts-ask": async (session) => {
    await session.prompt("interrupts-ask");
    await session.asks();
    await session.abort();
    return session.untilFailed();
  },
  "interrupts-tool": async (session) => {
    await session.prompt("interrupts-tool");
    await session.reply("once");
    await session.runs("sleep 600");
    await session.abort();
    return session.untilFailed();
  },
  aborts: async (session) => {
    for (const [index, ms] of abortsAfterMs.entries()) {
      await session.prompt("aborts");
      await wait(ms);
      await session.abort();
      await session.untilRest(index + 1);
    }
    return session.events;
  },
  three: async (session) => {
    await Promise.all(["twice", "afterwards", "fails"].map((text) => session.prompt(text)));
    await session.untilRest();
    return session.events;
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
    await session.hasAsked(2);
    await session.reply("once");
    return session.untilRest();
  },
  dies: async (session, stage) => {
    await session.prompt("dies");
    await session.hasSaid(1);
    await stage.hangs();
    stage.kill();
    return session.untilRest();
  },
};
