/**
 * Checks the whole store once, some time after the start, in a separate process of low priority. The start itself checks
 * only as much as it can do quickly.
 */
import { z } from "zod";
import type { Finding } from "../../store/port.ts";
import type { OwnCommand } from "./own-command.ts";
import { runOwnCommand } from "./own-command.ts";

export type BackgroundCheckOptions = {
  storePath: string;
  env: NodeJS.ProcessEnv;
  delayMs?: number;
  onFinding: (finding: Finding) => void;
};

const checked = z.object({ findings: z.array(z.object({ subject: z.string(), problem: z.string() })) });

/** Returns a function that stops it. */
export function startBackgroundCheck({ storePath, env, delayMs = 5000, onFinding }: BackgroundCheckOptions) {
  let check: OwnCommand | null = null;
  const timer = setTimeout(async () => {
    check = runOwnCommand(["store", "check", storePath, "--json"], { env });
    const [finding] = findingsIn(await check.output);
    if (finding) onFinding(finding);
  }, delayMs);
  timer.unref();
  return () => {
    clearTimeout(timer);
    check?.kill("SIGKILL");
  };
}

/** Empty if the check did not run or was stopped, which says nothing about the store. */
function findingsIn(output: string): readonly Finding[] {
  try {
    return checked.safeParse(JSON.parse(output)).data?.findings ?? [];
  } catch {
    return [];
  }
}
