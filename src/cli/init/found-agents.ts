/** The agent programs on this machine: where they are, which version, and whether they have an account to work with. */
import { programVersion } from "../../platform/program.ts";
import { inheritedEnvironment } from "../../runtimes/process/agent-environment.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";

export type FoundAgent = {
  kind: string;
  name: string;
  path: string;
  /** Null when it cannot be known without running the program. */
  hasLogin: boolean | null;
};

const versionTimeoutMs = 10_000;

export async function findAgents(env: NodeJS.ProcessEnv): Promise<FoundAgent[]> {
  const agents = runtimeDescriptors.map(async ({ kind, name, locate, hasLogin }) => {
    const path = locate?.(env) ?? null;
    return path === null ? [] : [{ kind, name, path, hasLogin: (await hasLogin?.(env)) ?? null }];
  });
  return (await Promise.all(agents)).flat();
}

/** Runs each program once: some write files of their own when they start. */
export async function agentLines(
  agents: readonly FoundAgent[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string[]> {
  const width = Math.max(...agents.map(({ kind }) => kind.length));
  // A program that only reports its version must not see Waybill's own keys.
  const safeEnv = inheritedEnvironment(env, () => true);
  return Promise.all(
    agents.map(async ({ kind, name, path, hasLogin }) => {
      const version = await programVersion(path, safeEnv, { deadlineMs: versionTimeoutMs, signal });
      const login = hasLogin === null ? "" : hasLogin ? ", logged in" : ", no login found";
      const words = version.ok ? numberIn(version.text) : `(does not report its version: ${version.why})`;
      return `  ${kind.padEnd(width)}  ${name} ${words}${login}`;
    }),
  );
}

/** Some programs also print their name. */
function numberIn(text: string): string {
  return /\d+(?:\.\d+)+\S*/.exec(text)?.[0] ?? text;
}
