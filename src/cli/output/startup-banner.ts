/** What a person sees when Waybill has started: its address, its lanes, and commands to try. Pure. */
import type { Config } from "../../daemon/config/config.ts";
import type { Paint } from "./terminal.ts";

export const demoNotice =
  "Nothing is configured, so this is the demo. Its answers are scripted. To connect a real model, run:";
export const realModelCommands = ["npx waybill init", "npx waybill up"];

export type Addresses = {
  url: string;
  /** Signs one browser in. */
  loginUrl: string;
  opencodeApiUrl: string | null;
};

export function startupBanner(
  config: Pick<Config, "lanes" | "profile">,
  { url, loginUrl, opencodeApiUrl }: Addresses,
  paint: Paint,
): string[] {
  const demo = [`  ${demoNotice}`, ...realModelCommands.map((command) => `    ${command}`)];
  const sends = config.lanes
    .slice(0, 2)
    .map(({ id }) => `    npx waybill send --lane ${id} --wait "Is the build green?"`);
  return [
    "",
    `  ${paint("bold", "Waybill")} is at ${paint("cyan", url)}`,
    `  ${paint("bold", "Open the page:")} ${paint("cyan", loginUrl)}`,
    "    (works once, for 10 minutes; `npx waybill open` makes a new one)",
    ...(opencodeApiUrl === null ? [] : [`  OpenCode's clients connect to ${paint("cyan", opencodeApiUrl)}`]),
    ...(config.profile.kind === "demo" ? demo : []),
    ...(sends.length > 0
      ? ["  In another terminal:", ...sends, "    npx waybill watch"]
      : ["  There are no lanes yet. `npx waybill lanes add --help` shows how to add one."]),
    "  Press Ctrl-C to stop.",
    "",
  ];
}
