/**
 * Runs git in a directory, only to read names and refs: an agent can write a repository's configuration, so nothing may
 * run a program named there (filters, hooks, a file system monitor). Contents are compared in repository-copy.ts.
 */
import { execFile } from "node:child_process";

const gitTimeoutMs = 5000;
const maxBytes = 16 * 1024 * 1024;

type GitInput = { input?: string | undefined; env?: NodeJS.ProcessEnv };

/** Git's output, or null: no repository, no git, too much output, or no answer in time. */
export function git(directory: string, args: readonly string[], { input, env }: GitInput = {}): Promise<string | null> {
  const settings = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"];
  const options = {
    cwd: directory,
    env: { ...environment(), ...env },
    timeout: gitTimeoutMs,
    maxBuffer: maxBytes,
  } as const;
  return new Promise((resolve) => {
    const child = execFile("git", [...settings, ...args], { ...options, killSignal: "SIGKILL" }, (error, stdout) =>
      resolve(error === null ? stdout : null),
    );
    // Git that ended early, or never began, reports that by its exit.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

/**
 * Variables that would lead git to another repository than the one around the directory are left out. Objects that a
 * repository lacks are not fetched: it names the program that would bring them. Older ones than git 2.45 know only the
 * list of transports, which no configuration overrides.
 */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const fetchesNothing = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
  return { ...Object.fromEntries(kept), ...fetchesNothing, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
}
