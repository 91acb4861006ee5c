/** Looks at the directories and files that a configuration names, and refuses those that a start could not use. */
import { statSync } from "node:fs";
import { AppError } from "../../app-error.ts";
import { resolveLaneDirectory } from "./allowed-directory.ts";
import type { Config } from "./config.ts";
import type { Origin } from "./config-error.ts";
import { badSetting } from "./config-error.ts";
import type { Origins } from "./values.ts";

export function withCheckedPlaces(config: Config, origins: Origins, env: NodeJS.ProcessEnv): Config {
  const { profile, systemPromptPath, assistantRepoPath } = config;
  const rules = { allowed: config.allowedDirectories, home: config.home };
  const checked = (path: string, origin: Origin) => {
    try {
      return resolveLaneDirectory(path, rules, env);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw badSetting(origin, `does not fit: ${error.message.replace(/\.$/, "")}`, error.hint, error);
    }
  };
  if (systemPromptPath !== null && origins.systemPromptPath) {
    refuseMissingFile(systemPromptPath, origins.systemPromptPath);
  }
  const repository =
    assistantRepoPath !== null && origins.assistantRepoPath
      ? checked(assistantRepoPath, origins.assistantRepoPath)
      : assistantRepoPath;
  // The demo's directory is Waybill's own, and made at the start.
  if (profile.kind === "demo") return { ...config, assistantRepoPath: repository };
  const lanes = config.lanes.map((lane, place) => {
    const origin: Origin = { kind: "file", file: profile.path, key: `lanes[${place}].directory` };
    return { ...lane, directory: checked(lane.directory, origin) };
  });
  return { ...config, assistantRepoPath: repository, lanes };
}

function refuseMissingFile(path: string, origin: Origin): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  throw badSetting(origin, `names ${path}, and there is no such file`, "Write the file, or leave the setting out.");
}
