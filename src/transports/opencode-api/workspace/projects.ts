/** The project around a directory, as OpenCode has it: the repository, or one called `global` for all the rest. */
import { createHash } from "node:crypto";
import type { Clock } from "../../../clock.ts";
import { git } from "./git.ts";

export type Project = { id: string; worktree: string; vcs?: "git" };

export type Projects = { projectOf(directory: string): Promise<Project> };

export const noProject: Project = { id: "global", worktree: "/" };

/** Lists of sessions and streams ask for many of them, and a repository seldom moves. */
const freshMs = 10_000;
const maxCached = 500;

/** Only the first call waits for git; later ones get the cached project while it is read again. */
export function makeProjects(clock: Clock): Projects {
  const cache = new Map<string, { readAt: number; project: Promise<Project> }>();
  return {
    projectOf(directory) {
      const known = cache.get(directory);
      if (!known) {
        if (cache.size >= maxCached) cache.clear();
        const project = findProject(directory);
        cache.set(directory, { readAt: clock.now(), project });
        return project;
      }
      if (clock.now() - known.readAt < freshMs) return known.project;
      known.readAt = clock.now();
      void findProject(directory).then((project) => {
        known.project = Promise.resolve(project);
      });
      return known.project;
    },
  };
}

/** OpenCode's id is the first commit, which would take a walk through the history; this one is made from the path. */
async function findProject(directory: string): Promise<Project> {
  if (directory === noProject.worktree) return noProject;
  const found = await git(directory, ["rev-parse", "--show-toplevel"]);
  const worktree = found?.replace(/\n$/, "") ?? "";
  if (worktree === "") return noProject;
  return { id: createHash("sha1").update(worktree).digest("hex"), worktree, vcs: "git" };
}

type Branches = { branch: string | null; default_branch: string | null };

export const noBranches: Branches = { branch: null, default_branch: null };

export async function branchesOf(directory: string): Promise<Branches> {
  const refs = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];
  const [head, likely] = await Promise.all([
    git(directory, ["symbolic-ref", "--short", "--quiet", "HEAD"]),
    git(directory, ["for-each-ref", "--format=%(refname) %(symref)", ...refs]),
  ]);
  return { branch: head?.trim() || null, default_branch: defaultBranch(likely ?? "") };
}

/** The default branch of the remote, else one with a usual name. */
export function defaultBranch(refs: string): string | null {
  const remote = /^refs\/remotes\/origin\/HEAD refs\/remotes\/origin\/(.+)$/m.exec(refs)?.[1];
  return remote ?? /^refs\/heads\/(main|master) /m.exec(refs)?.[1] ?? null;
}
