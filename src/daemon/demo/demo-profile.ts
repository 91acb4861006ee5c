/**
 * The profile that runs when nothing is configured, with waits of seconds: a lane with a real OpenCode whose model is
 * scripted (demo-opencode.ts), and a lane with a scripted agent that is silent at first, to show a retry. Nothing here
 * counts messages, so it works for any number of them.
 */
import { join } from "node:path";
import type { Policy } from "../../core/delivery/policy.ts";
import { defaultPolicy } from "../../core/delivery/policy.ts";
import type { StubScriptInput } from "../../runtimes/stub/script.ts";
import type { NewLane } from "../../store/port.ts";

/** Separate from the state of a configured Waybill, so that the demo leaves no lanes behind in it. */
export function demoDirectory(home: string): string {
  return join(home, "demo");
}

export function demoLanes(directory: string): (Omit<NewLane, "createdAt"> & { displayName: string })[] {
  const common = { team: null, member: null, directory, agent: null, model: null, contract: "text" } as const;
  return [
    { id: "demo", displayName: "Demo agent", ...common, runtime: "opencode" },
    { id: "sleepy", displayName: "Demo agent that is silent at first", ...common, runtime: "stub" },
  ];
}

/** Used if OpenCode is not installed: a scripted demo agent. */
export function withoutOpencode<L extends { runtime: string }>(lane: L): L {
  return { ...lane, runtime: "stub" };
}

const scripts: Readonly<Record<"demo" | "sleepy", StubScriptInput>> = {
  demo: {
    always: [
      {
        steps: [
          { wait: 400 },
          {
            say: "This is the demo agent: your message reached me, and this answer is the proof of it. To have a real agent answer, run `waybill init`, then start Waybill again.",
          },
        ],
      },
    ],
  },
  sleepy: {
    always: [
      {
        // Only the text of a retry has these words; see texts.ts.
        when: "nothing shows that you acted on it",
        steps: [
          { wait: 400 },
          { say: "This is the sleepy demo agent: I missed your message at first, and Waybill asked me again." },
        ],
      },
      { steps: [{ wait: 200 }] },
    ],
  },
};

export const demoLaneScripts = { demo: { script: scripts.demo }, sleepy: { script: scripts.sleepy } };

/** Seconds instead of minutes, so that people can watch. */
export const demoPolicy: Policy = {
  ...defaultPolicy,
  maxAttempts: 2,
  retryDelaysMs: [600],
  graceMs: 1500,
  rereadMs: 200,
  firstReconcileDelayMs: 300,
  maxReconcileDelayMs: 20_000,
  lateReconcileDelaysMs: [],
  // OpenCode takes long for its first prompt on a slow machine. The demo should not begin with a doubt.
  submitLimitMs: 60_000,
};
