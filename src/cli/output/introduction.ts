/** What somebody who just started Waybill wants to know: where it is, what runs in it, and what to try. Pure. */

import type { Config } from "../../daemon/config/config.ts";
import type { Paint } from "./terminal.ts";

export const demoWords =
  "Nothing is configured, so this is the demo. Its answers are scripted. Two lines connect a real model:";
export const realModelLines = ["npx waybill init", "npx waybill up"];

export function introduction(config: Pick<Config, "lanes" | "profile">, url: string, paint: Paint): string[] {
  const lanes = config.lanes.map((lane) => lane.id);
  const demo = config.profile.kind === "demo" ? [`  ${demoWords}`, ...realModelLines.map((line) => `    ${line}`)] : [];
  return [
    "",
    `  ${paint("bold", "Waybill")} is at ${paint("cyan", url)}`,
    ...demo,
    ...(lanes.length > 0
      ? whatToTry(lanes)
      : ["  There are no lanes yet: `npx waybill lanes add --help` says how to make one."]),
    "  Ctrl-C stops it.",
    "",
  ];
}

function whatToTry(lanes: readonly string[]): string[] {
  const sends = lanes.slice(0, 2).map((lane) => `    npx waybill send --lane ${lane} --wait "Is the build green?"`);
  return ["  In another terminal:", ...sends, "    npx waybill watch"];
}
