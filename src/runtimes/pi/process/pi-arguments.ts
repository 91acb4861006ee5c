/** The flags that a pi program of a lane is started with, and the rules of the gate inside. Pure. */
import { fileURLToPath } from "node:url";
import type { Lane } from "../../../core/lane/lane.ts";
import { isInside } from "../../../inside.ts";
import type { GateRules } from "../extension/gate-protocol.ts";

export type PiPermissions = {
  /** What the tools may do without asking. A table is OpenCode's, and means `safe` here. */
  policy: "safe" | "trusted";
  stateDirectories: readonly string[];
  otherDirectories: readonly string[];
};

export type ArgumentsFor = {
  lane: Lane;
  sessionFile: string;
  provider: string;
  /** Of lanes that name none. */
  model: string;
  systemPrompt: string | null;
};

/** pi loads what is written in TypeScript as it is, and what was built from it. */
const isBuilt = import.meta.url.endsWith(".js");
const gatePath = fileURLToPath(new URL(`../extension/gate.${isBuilt ? "js" : "ts"}`, import.meta.url));

export function piArguments({ lane, sessionFile, provider, model, systemPrompt }: ArgumentsFor): string[] {
  return [
    ...["--mode", "rpc", "--session", sessionFile, "--extension", gatePath],
    ...["--provider", provider, "--model", lane.model ?? model],
    ...(systemPrompt === null ? [] : ["--append-system-prompt", systemPrompt]),
  ];
}

export function gateRules(directory: string, permissions: PiPermissions | null, maxSteps: number): GateRules {
  if (!permissions) return { policy: "safe", denied: [], maxSteps };
  const { policy, stateDirectories, otherDirectories } = permissions;
  const others = otherDirectories.filter((other) => !isInside(other, directory) && !isInside(directory, other));
  return { policy, denied: [...new Set([...stateDirectories, ...others])], maxSteps };
}
