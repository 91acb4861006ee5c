/**
 * What every scene gives on the real OpenCode and through Waybill on every agent, as it stands in docs/opencode-api.md.
 * `node scripts/compare-opencode.mjs` plays them and writes it there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { withoutRepeatedSteps } from "./opencode-list.ts";
import { playedScenes, plays } from "./opencode-plays.ts";
import type { Played, Theatre } from "./opencode-stages.ts";
import { nativeTheatre, waybillTheatre } from "./opencode-stages.ts";
import { startAgents } from "./side-by-side.ts";

const path = new URL("../../docs/opencode-api.md", import.meta.url);
const [begins, ends] = ["<!-- side by side -->\n", "<!-- end of side by side -->\n"];

const about: Readonly<Record<string, string>> = {
  edits: "The agent reads a file, edits it, and says so.",
  rounds: "Ten rounds of tools, then the answer.",
  fails: "The provider refuses.",
  stops: "A person stops the turn while the model is thinking.",
  refuses: "A person refuses what the agent asks.",
  twice: "Two messages, one after the other.",
  meanwhile:
    "A message that comes during a turn. OpenCode lets it join the turn, Waybill gives it a turn of its own: so steps that look the same are listed once here.",
  dies: "The program is killed in mid-turn. A server that is killed says nothing more; Waybill says that the turn was cut off.",
};

/** One scene, as it is to be compared. */
export type Compared = { native: Played; others: ReadonlyMap<string, Played> };

export async function compared(scene: string, native: Theatre, others: readonly Theatre[]): Promise<Compared> {
  const play = async (theatre: Theatre) => comparable(scene, await theatre.play(scene));
  const [own, ...all] = await Promise.all([native, ...others].map(play));
  if (!own) throw new Error("nothing was played");
  return { native: own, others: new Map(others.map(({ name }, index) => [name, all[index] as Played])) };
}

/** What each is to give: all that OpenCode gives, and the end of a turn that a killed server cannot tell. */
export function expected(scene: string, { list, parts }: Played): Played {
  if (scene !== "dies") return { list, parts };
  return { list: [...list, "session.error", "message.updated", "session.status idle", "session.idle"], parts };
}

function comparable(scene: string, { list, parts }: Played): Played {
  if (scene === "meanwhile") return { list: withoutRepeatedSteps(list), parts: [] };
  return scene === "dies" ? { list, parts: [] } : { list, parts };
}

/** The block below the scene's heading. */
export function documented(scene: string): string {
  const [, section = ""] = readFileSync(path, "utf8").split(begins);
  const [, below = ""] = section.split(`### ${scene}\n`);
  return below.split(/^### |^<!-- /m)[0]?.trim() ?? "";
}

/** As it stands in the document. */
export function sectionOf(scene: string, { native, others }: Compared): string {
  const wanted = JSON.stringify(expected(scene, native));
  const [same, differ] = [[...others].filter(isSame), [...others].filter((one) => !isSame(one))];
  function isSame([, played]: readonly [string, Played]): boolean {
    return JSON.stringify(played) === wanted;
  }
  const names = same.map(([name]) => name).join(", ");
  const more =
    scene === "dies" ? ", and then `session.error`, `message.updated`, `session.status idle`, `session.idle`" : "";
  const blocks = [about[scene] ?? "", block([...native.list, ...spaced(native.parts)])];
  if (same.length > 0) blocks.push(`The same through Waybill on: ${names}${more}.`);
  for (const [name, { list, parts }] of differ)
    blocks.push(`Otherwise on ${name}:`, block([...list, ...spaced(parts)]));
  return blocks.join("\n\n");
}

export async function writeComparison(): Promise<void> {
  const agents = await startAgents(playedScenes);
  const native = await nativeTheatre();
  const others = await Promise.all(agents.map(waybillTheatre));
  const sections: string[] = [];
  try {
    for (const scene of Object.keys(plays)) {
      sections.push(`### ${scene}\n\n${sectionOf(scene, await compared(scene, native, others))}\n`);
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
