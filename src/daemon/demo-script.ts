/** The messages of the demonstration, what the scripted agent does with each, and the short waits that it runs on. */
import type { Policy } from "../delivery/policy.ts";
import { defaultPolicy } from "../delivery/policy.ts";
import type { NewMessage } from "../mail/admission.ts";
import type { ScriptInput } from "../runtimes/stub/script.ts";

export type DemoScene = {
  title: string;
  lane: "chat" | "teammate";
  message: Pick<NewMessage, "id" | "text" | "actionMode">;
};

export const scenes: readonly DemoScene[] = [
  {
    title: "An answer is proof",
    lane: "chat",
    message: { id: "demo-answer", text: "What is six times seven?" },
  },
  {
    title: "An empty turn is not an answer: the agent is asked again",
    lane: "chat",
    message: { id: "demo-empty", text: "Is the build green?" },
  },
  {
    title: "A prompt that was accepted and lost is sent again, under the same ids",
    lane: "chat",
    message: { id: "demo-lost", text: "How many tests are there?" },
  },
  {
    title: "An acknowledgement is not an answer either",
    lane: "teammate",
    message: { id: "demo-ack", text: "Which port does the server use?", actionMode: "ask" },
  },
  {
    title: "A silent agent: the message fails out loud and stays unread",
    lane: "chat",
    message: { id: "demo-silent", text: "Please deploy it." },
  },
];

export const demoScripts: Record<DemoScene["lane"], ScriptInput> = {
  chat: {
    turns: [
      { when: "six times seven", steps: [{ wait: 200 }, { say: "Forty-two." }] },
      { when: "build green", steps: [{ think: "…" }] },
      { when: "build green", steps: [{ tool: "bash", output: "ok" }, { say: "Yes: 412 tests passed." }] },
      { when: "How many tests", arrival: "lost" },
      { when: "How many tests", steps: [{ say: "412, in 38 files." }] },
    ],
    always: [{ steps: [] }],
  },
  teammate: {
    turns: [
      { when: "Which port", steps: [{ reply: "Understood. Working on it." }] },
      { when: "Which port", steps: [{ tool: "grep", output: "8080" }, { reply: "It listens on port 8080." }] },
    ],
  },
};

/** Seconds instead of minutes, so that one can watch. */
export const demoPolicy: Policy = {
  ...defaultPolicy,
  maxAttempts: 2,
  retryDelaysMs: [600],
  graceMs: 500,
  rereadMs: 200,
  firstLookDelayMs: 300,
  maxLookDelayMs: 1000,
  lateLooksMs: [],
};
