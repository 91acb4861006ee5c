/**
 * What every runtime must do, whatever program it drives. Written against the port alone; a program's own test file runs
 * it on the real thing, with one world for all tests and a session for each. What differs between programs is a named
 * fact of the harness, and no test asks which program it runs on.
 */
import { afterAll, beforeAll, describe } from "vitest";
import type { ResponseState } from "../../src/core/delivery/record.ts";
import type { Lane } from "../../src/core/lane/lane.ts";
import type { TranscriptSlice } from "../../src/core/transcript/transcript.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import type { ProcessIdentity } from "../../src/runtimes/process/process-tree.ts";
import type { AgentTurns } from "../support/agent-scripts.ts";
import { aLane } from "../support/waybill.ts";
import { asks } from "./runtime/asks.ts";
import { attachments } from "./runtime/attachments.ts";
import { crashes } from "./runtime/crashes.ts";
import { endings } from "./runtime/endings.ts";
import { forks } from "./runtime/forks.ts";
import { listing } from "./runtime/listing.ts";
import { proof } from "./runtime/proof.ts";
import { restarts } from "./runtime/restarts.ts";
import { sessions } from "./runtime/sessions.ts";
import { submitting } from "./runtime/submitting.ts";
import { turns } from "./runtime/turns.ts";
import { working } from "./runtime/working.ts";

/** What the agent does, by a word in the prompt. Every harness plays these. */
export const conformanceScenes: AgentTurns = {
  answers: [{ say: "It is 4." }],
  works: [{ say: "I read it.", do: { read: "README.md" } }, { say: "It has one line." }],
  hangs: [{ say: "I begin.", do: { read: "README.md" } }, { hangs: "stopped" }],
  permission: [{ say: "May I?", do: { shell: "sh -c true" } }, { say: "It is done." }],
  question: [{ say: "Tell me.", do: { asks: ["Which colour?"] } }, { say: "Thank you." }],
  dies: [{ hangs: "dies" }],
};

export type Facts = {
  /** How a session reads whose id the program has never heard. */
  unknownSession: TranscriptSlice["status"];
  /** What a program that died before the agent's first word leaves to be seen of its turn. */
  deadTurn: ResponseState;
  /** Whether the transcript says what a turn has cost, also after a restart. */
  keepsCost: boolean;
  /** Whether there is a process of its own. */
  isProgram: boolean;
};

export type RuntimeHarness = {
  readonly facts: Facts;
  /** Another one after each start. */
  readonly runtime: Runtime;
  /** Where all sessions are. */
  readonly lane: Lane;
  /** How often the agent began to work on a prompt with these words, by the word of whoever plays its model. */
  runs(words: string): number;
  /** What the user had said before a prompt, by the same word; null where there is no model. */
  earlier(prompt: string): string | null;
  /** What the agent's instructions were at each call of the model for a prompt with these words, by the same word. */
  instructions(words: string): readonly string[];
  /** What the model got at its last call for a prompt with these words: hashes of files, and the prompt; null without a model. */
  received(words: string): { files: readonly string[]; text: string } | null;
  /** Ends the program in mid-turn. One that is no process dies by its script. */
  kill(): void;
  /** Takes the session away behind the runtime's back. */
  loseSession(sessionId: string): Promise<void>;
  /** What the runtime has written down about programs that it started. */
  programs(): readonly ProcessIdentity[];
  /** Closes the runtime; `start` makes another one on the same state, as after a restart of Waybill. */
  stop(options?: { keep: boolean }): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
};

export function conformingLane(runtime: string, directory: string): Lane {
  return {
    ...aLane({ runtime, directory }),
    pausedReason: null,
    teamHold: null,
    sessionId: null,
    generation: 1,
    version: 1,
  };
}

const topics = {
  submitting,
  attachments,
  working,
  asks,
  endings,
  proof,
  turns,
  sessions,
  listing,
  forks,
  crashes,
  restarts,
};

export function runtimeConformance(name: string, open: () => Promise<RuntimeHarness>): void {
  describe(`runtime: ${name}`, () => {
    let harness: RuntimeHarness | null = null;
    const opened = () => {
      if (!harness) throw new Error("the harness is not open yet");
      return harness;
    };
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness?.dispose());
    for (const [topic, behaviours] of Object.entries(topics)) describe(topic, () => behaviours(opened));
  });
}
