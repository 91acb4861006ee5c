/** The words that demo agents react to. Each shows how Waybill handles one case. Pure. */
import type { Lane } from "waybill/client";

export type DemoCase = { lane: "demo" | "sleepy"; text: string; shows: string };

const plain: DemoCase = {
  lane: "demo",
  text: "Is the build green?",
  shows: "A plain question: accepted, then answered, and the answer is the proof.",
};

const words: readonly DemoCase[] = [
  { lane: "demo", text: "empty", shows: "The agent says nothing. Waybill notices, and asks it again." },
  {
    lane: "demo",
    text: "ack",
    shows: 'The agent only says "Got it". That is not an answer, so it is asked to continue.',
  },
  { lane: "demo", text: "slow", shows: "The agent takes its time. It is not asked again while it works." },
  { lane: "demo", text: "permission", shows: "The agent wants to run a command. You decide at the top of the page." },
  { lane: "demo", text: "question", shows: "The agent asks you a question, and waits for your answer." },
  { lane: "demo", text: "edit", shows: "The agent writes a file. Waybill checks that the file exists." },
];

const sleepy: DemoCase = {
  lane: "sleepy",
  text: "Are you awake?",
  shows: "To the second agent, which is always silent at first.",
};

/** Without OpenCode the demo agent has no model, and gives one answer to everything. */
export function hasScriptedModel(lanes: readonly Pick<Lane, "id" | "runtime">[]): boolean {
  return lanes.some(({ id, runtime }) => id === "demo" && runtime !== "stub");
}

export function demoCases(lanes: readonly Pick<Lane, "id" | "runtime">[]): readonly DemoCase[] {
  const all = hasScriptedModel(lanes) ? [plain, ...words, sleepy] : [plain, sleepy];
  return all.filter(({ lane }) => lanes.some(({ id }) => id === lane));
}

export function demoWords(lane: string): readonly string[] {
  if (lane === "demo") return [plain, ...words].map(({ text }) => text);
  return lane === "sleepy" ? [sleepy.text] : [];
}
