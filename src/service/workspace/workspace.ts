/**
 * The directory that a client sees: one in which a lane may work, without Waybill's own state. And git in it, only to
 * read names and refs: an agent can write a repository's configuration, so no command may run a program named there
 * (filters, hooks, a file system monitor). repository-copy.ts compares contents.
 */
import { execFile } from "node:child_process";
import type { Lane } from "../../core/lane/lane.ts";
import { AppError } from "../../platform/app-error.ts";
import { isInside } from "../../platform/inside.ts";
import type { Workspace } from "../service.ts";

type DirectoryRules = {
  resolveDirectory: (path: string) => string;
  allowedDirectories: readonly string[];
  stateDirectories: readonly string[];
  lanes: readonly Lane[];
};

export function workspace(path: string | undefined, rules: DirectoryRules): Workspace {
  const directory = path === undefined ? defaultDirectory(rules) : rules.resolveDirectory(path);
  return { directory, denied: rules.stateDirectories };
}

function defaultDirectory({ resolveDirectory, allowedDirectories, lanes }: DirectoryRules): string {
  const oldestFirst = lanes.toSorted((a, b) => a.createdAt - b.createdAt).map(({ directory }) => directory);
  for (const path of [...oldestFirst, ...allowedDirectories]) {
    try {
      return resolveDirectory(path);
    } catch {
      // Moved away, or no longer allowed.
    }
  }
  throw new AppError({
    code: "directory_missing",
    message: "None of the allowed directories exist.",
    hint: "Create one of them, or add another one to allowedDirectories in the configuration.",
  });
}

/**
 * Whether a path is in the workspace and in no denied directory. A workspace that is itself inside the state directory
 * is not denied because of that.
 */
export function isShown({ directory, denied }: Workspace, path: string): boolean {
  if (!isInside(path, directory)) return false;
  return !denied.some((state) => !isInside(directory, state) && isInside(path, state));
}

const gitTimeoutMs = 5000;
const maxBytes = 16 * 1024 * 1024;

type GitInput = { input?: string | undefined; env?: NodeJS.ProcessEnv };

/** Git's output, or null: no repository, no git, too much output, or a timeout. */
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
    // If git ends early or never starts, its exit reports that.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

/**
 * Leaves out variables that would point git to another repository than the one around the directory. Missing objects
 * are not fetched, because the repository names the program that would fetch them. Versions before git 2.45 only
 * support the list of protocols, which no configuration overrides.
 */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const fetchesNothing = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
  return { ...Object.fromEntries(kept), ...fetchesNothing, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
}

type Branches = { branch: string | null; defaultBranch: string | null };

/** The current branch of a directory's repository, and the default one. */
export async function branchesOf(directory: string): Promise<Branches> {
  const refs = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];
  const [head, likely] = await Promise.all([
    git(directory, ["symbolic-ref", "--short", "--quiet", "HEAD"]),
    git(directory, ["for-each-ref", "--format=%(refname) %(symref)", ...refs]),
  ]);
  return { branch: head?.trim() || null, defaultBranch: defaultBranch(likely ?? "") };
}

/** The default branch of the remote, otherwise a branch with a usual name. */
export function defaultBranch(refs: string): string | null {
  const remote = /^refs\/remotes\/origin\/HEAD refs\/remotes\/origin\/(.+)$/m.exec(refs)?.[1];
  return remote ?? /^refs\/heads\/(main|master) /m.exec(refs)?.[1] ?? null;
}
