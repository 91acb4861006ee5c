/** The flags that start pi for a lane, and the rules of its gate. Pure. */
import type { Lane } from "../../core/lane/lane.ts";
import { packageFile } from "../../platform/package-files.ts";
import { deniedToAgent } from "../lane-directories.ts";
import type { LaunchSettings } from "../process-pool/process-runtime.ts";
import type { GateRules } from "./extension/gate-protocol.ts";

export type PiArguments = {
  lane: Lane;
  sessionFile: string;
  provider: string;
  /** For lanes that name none. */
  model: string;
  systemPrompt: string | null;
};

/** pi can load both the source and the built file. */
const isBuilt = import.meta.url.endsWith(".js");
const gatePath = packageFile(isBuilt ? "dist/pi-gate.js" : "src/runtimes/pi/extension/gate.ts");

export function piArguments({ lane, sessionFile, provider, model, systemPrompt }: PiArguments): string[] {
  return [
    ...["--mode", "rpc", "--session", sessionFile, "--extension", gatePath],
    ...["--provider", provider, "--model", lane.model ?? model],
    ...(systemPrompt === null ? [] : ["--append-system-prompt", systemPrompt]),
  ];
}

export function gateRules(
  directory: string,
  { permissions, toolsPath }: Pick<LaunchSettings, "permissions" | "toolsPath">,
  maxSteps: number,
): GateRules {
  const tools = toolsPath === null ? {} : { toolsPath };
  if (!permissions) return { policy: "safe", denied: [], maxSteps, ...tools };
  return { policy: permissions.policy, denied: deniedToAgent(directory, permissions), maxSteps, ...tools };
}
