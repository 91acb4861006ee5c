/**
 * The results of every scene on the real OpenCode and through Waybill on every agent, as in docs/opencode-api.md.
 * `node scripts/compare-opencode.mjs` plays the scenes and writes the results there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { startAgents } from "../agents/side-by-side.ts";
import { collapsed, withoutRepeatedSteps } from "./opencode-list.ts";
import { playedScenes, plays } from "./opencode-plays.ts";
import type { Played, Theatre } from "./opencode-stages.ts";
import { nativeTheatre, waybillTheatre } from "./opencode-stages.ts";

const path = new URL("../../../docs/opencode-api.md", import.meta.url);
const [begins, ends] = ["<!-- side by side -->\n", "<!-- end of side by side -->\n"];

const about: Readonly<Record<string, string>> = {
  edits: "The agent reads a file, edits it, and reports that.",
  rounds: "Ten rounds of tools, then the answer.",
  empty:
    "The turn ends without text. OpenCode accepts that. Waybill retries: the status is `retry` with the reason and the time, the later prompt is synthetic, and the session becomes idle once it is answered. Claude Code retries its model itself.",
  silent:
    "The agent edits a file and writes nothing about it. Waybill retries, as after an empty turn; its prompt says that the work need not be repeated.",
  fails: "The provider rejects the request (400), which is not retried.",
  stops: "A person stops the turn while the model is thinking.",
  "interrupts-ask":
    "A person stops the turn during an ask. Events between the ask and the stop are left out: Waybill closes the ask with `permission.replied` (`reject`, because clients know no better value), OpenCode leaves it open.",
  "interrupts-tool":
    "A person stops the turn while a tool runs that they allowed. How the tool ends depends on the program, and is left out.",
  aborts:
    "Five prompts in one session, aborted 0, 5, 50, 200 and 600 ms after they were sent. In tests, OpenCode itself produced 5 user messages, 4 or 5 aborted messages and 7 times `session.idle`: an early abort leaves no message, or becomes idle twice.",
  three:
    "Three prompts at the same time, one of which the provider rejects. OpenCode itself lets all of them join one turn, and answers once; through Waybill each has its own turn.",
  refuses: "A person rejects a permission.",
  twice: "Two messages, one after the other.",
  meanwhile:
    "A message that arrives during a turn. OpenCode lets it join the turn, Waybill gives it its own turn, so identical steps are listed once here.",
  dies: "The program is killed mid-turn. A killed server sends nothing more. Waybill shows in the message that the turn was cut off, retries, and the session becomes idle when that is answered. If it waits before the retry, the status is `retry`, which is left out here.",
};

const rests = ["session.status idle", "session.idle"];
const prompts = ["message.updated", "message.part.updated"];
const step = ["message.updated", "message.part.updated"];
const speaks = [...step, "message.part.delta", "message.part.updated", "message.updated"];
const spoken = "assistant: step-start, text, step-finish";

/** Waybill's result where OpenCode's own result depends on timing. */
const counts: Readonly<Record<string, readonly string[]>> = {
  aborts: ["session.idle: 5", "assistant MessageAbortedError: 5", "user: 5"],
  three: ["session.idle: 1", "assistant APIError: 1", "assistant: 2", "user: 3"],
};

/** The agents that cannot play a scene: the stub runs no tools that need permission. */
export function canPlay(scene: string, agent: string): boolean {
  return scene !== "interrupts-tool" || agent !== "stub";
}

/** One scene, prepared for the comparison. */
export type Compared = { native: Played; others: ReadonlyMap<string, Played> };

export async function compared(scene: string, native: Theatre, others: readonly Theatre[]): Promise<Compared> {
  const play = async (theatre: Theatre) => comparable(scene, await theatre.play(scene));
  const [own, ...all] = await Promise.all([native, ...others].map(play));
  if (!own) throw new Error("nothing was played");
  return { native: own, others: new Map(others.map(({ name }, index) => [name, all[index] as Played])) };
}

/** The expected result: OpenCode's result, plus what follows from a message that is asked again. */
export function expected(scene: string, { list, parts }: Played, agent: string): Played {
  switch (scene) {
    case "aborts":
    case "three":
      return { list: [...(counts[scene] ?? [])], parts };
    case "empty":
    case "silent": {
      if (agent === "Claude Code") return spokenAtLast({ list, parts });
      const again = ["session.status retry", ...prompts, ...speaks];
      return { list: [...list.slice(0, -2), ...again, ...rests], parts: [...parts, "user: text", spoken] };
    }
    case "dies":
      return { list: collapsed([...list, ...prompts, ...speaks, ...speaks.slice(1), ...rests]), parts };
    default:
      return { list, parts };
  }
}

/** The same, except for text in the last message, which was empty. */
function spokenAtLast({ list, parts }: Played): Played {
  const words = ["message.part.delta", "message.part.updated"];
  return { list: [...list.slice(0, -3), ...words, ...list.slice(-3)], parts: [...parts.slice(0, -1), spoken] };
}

function comparable(scene: string, { list, parts }: Played): Played {
  switch (scene) {
    case "meanwhile":
      return { list: withoutRepeatedSteps(list), parts: [] };
    case "interrupts-ask":
      return { list: withoutBetween(list, "permission.asked", "session.error"), parts };
    case "interrupts-tool":
      return { list: withoutBetween(list, "permission.replied", "message.updated"), parts: parts.map(withoutState) };
    case "dies":
      return { list: collapsed(list.filter((line) => line !== "session.status retry")), parts: [] };
    default:
      return { list, parts };
  }
}

function withoutBetween(list: readonly string[], from: string, to: string): string[] {
  const [begin, end] = [list.indexOf(from), list.lastIndexOf(to)];
  return list.filter((_, index) => index <= begin || index >= end);
}

function withoutState(part: string): string {
  return part.replace(/(tool \w+) \w+/, "$1");
}

/** The block below the scene's heading. */
export function documented(scene: string): string {
  const [, section = ""] = readFileSync(path, "utf8").split(begins);
  const [, below = ""] = section.split(`### ${scene}\n`);
  return below.split(/^### |^<!-- /m)[0]?.trim() ?? "";
}

/** As in the document. */
export function sectionOf(scene: string, { native, others }: Compared): string {
  const isCounted = scene in counts;
  const ways = new Map<string, string[]>(isCounted ? [] : [[blockOf(native), []]]);
  for (const [name, played] of others) {
    const shown = blockOf(played);
    ways.set(shown, [...(ways.get(shown) ?? []), name]);
  }
  const blocks = [...ways].map(([shown, names], index) => {
    const isNative = index === 0 && !isCounted;
    const same = names.length === 0 ? "" : `\n\nThe same through Waybill on: ${names.join(", ")}.`;
    return isNative ? `${shown}${same}` : `Through Waybill on ${names.join(", ")}:\n\n${shown}`;
  });
  return [about[scene] ?? "", ...blocks].join("\n\n");
}

function blockOf({ list, parts }: Played): string {
  return block([...list, ...spaced(parts)]);
}

export async function writeComparison(): Promise<void> {
  const agents = await startAgents(playedScenes);
  const native = await nativeTheatre();
  const others = await Promise.all(agents.map(waybillTheatre));
  const sections: string[] = [];
  try {
    for (const scene of Object.keys(plays)) {
      const playing = others.filter(({ name }) => canPlay(scene, name));
      sections.push(`### ${scene}\n\n${sectionOf(scene, await compared(scene, native, playing))}\n`);
      process.stderr.write(`${scene}\n`);
    }
  } finally {
    await Promise.all([native, ...others].map((theatre) => theatre.dispose()));
    await Promise.all(agents.map((agent) => agent.dispose()));
  }
  const document = readFileSync(path, "utf8");
  const [before = "", rest = ""] = document.split(begins);
  const [, after = ""] = rest.split(ends);
  writeFileSync(path, `${before}${begins}\n${sections.join("\n")}\n${ends}${after}`);
}

function block(lines: readonly string[]): string {
  return ["```", ...lines, "```"].join("\n");
}

function spaced(parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : ["", ...parts];
}
