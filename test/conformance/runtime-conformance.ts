/**
 * What every runtime must do, whatever program it drives. Written against the port alone. A program's own test file
 * runs it on the real program, with one world for all tests and a session for each. Differences between programs are
 * named facts of the harness; no test asks which program it runs on.
 */
import { afterAll, beforeAll, describe } from "vitest";
import type { ResponseState } from "../../src/core/delivery/record.ts";
import type { Lane } from "../../src/core/lane/lane.ts";
import type { TranscriptSlice } from "../../src/core/transcript/transcript.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import type { ProcessIdentity } from "../../src/runtimes/process/process-tree.ts";
import type { AgentTurns } from "../support/agents/agent-scripts.ts";
import { aLane } from "../support/daemon/waybill.ts";
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

/** What the agent does, selected by a word in the prompt. Every harness plays these. */
export const conformanceScenes: AgentTurns = {
  answers: [{ say: "It is 4." }],
  works: [{ say: "I read it.", do: { read: "README.md" } }, { say: "It has one line." }],
  hangs: [{ say: "I begin.", do: { read: "README.md" } }, { hangs: "stopped" }],
  permission: [{ say: "May I?", do: { shell: "sh -c true" } }, { say: "It is done." }],
  question: [{ say: "Tell me.", do: { asks: ["Which colour?"] } }, { say: "Thank you." }],
  dies: [{ hangs: "dies" }],
};

export type Facts = {
  /** The status of a session whose id the program does not know. */
  unknownSession: TranscriptSlice["status"];
  /** The observed state of a turn whose program died before the agent's first word. */
  deadTurn: ResponseState;
  /** Whether the transcript keeps the cost of a turn, even across a restart. */
  keepsCost: boolean;
  /** Whether the agent runs in its own process. */
  isProgram: boolean;
};

export type RuntimeHarness = {
  readonly facts: Facts;
  /** Replaced by each start. */
  readonly runtime: Runtime;
  /** The lane of all sessions. */
  readonly lane: Lane;
  /** How often the agent began to work on a prompt with these words, according to its model. */
  runs(words: string): number;
  /** What the user had written before a prompt, according to the model; null without a model. */
  earlier(prompt: string): string | null;
  /** The agent's instructions at each model call for a prompt with these words. */
  instructions(words: string): readonly string[];
  /**
   * The model's input at its last call for a prompt with these words: file hashes and the prompt; null without a model.
   */
  received(words: string): { files: readonly string[]; text: string } | null;
  /** Kills the program mid-turn. Without a process, its script makes it die. */
  kill(): void;
  /** Removes the session without the runtime knowing. */
  loseSession(sessionId: string): Promise<void>;
  /** The programs that the runtime has recorded as started. */
  programs(): readonly ProcessIdentity[];
  /** Closes the runtime; `start` opens another one on the same state, as after a restart of Waybill. */
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
