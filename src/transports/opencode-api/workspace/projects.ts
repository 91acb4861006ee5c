/** The project of a directory in OpenCode's sense: its repository, or `global` for everything else. */
import { createHash } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import { git } from "../../../service/workspace/workspace.ts";

export type Project = { id: string; worktree: string; vcs?: "git" };

export type Projects = { projectOf(directory: string): Promise<Project> };

export const noProject: Project = { id: "global", worktree: "/" };

/** Session lists and streams need many projects, and a repository seldom moves. */
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

/** OpenCode's id is the first commit, which would need a walk through the history; ours is derived from the path. */
async function findProject(directory: string): Promise<Project> {
  if (directory === noProject.worktree) return noProject;
  const found = await git(directory, ["rev-parse", "--show-toplevel"]);
  const worktree = found?.replace(/\n$/, "") ?? "";
  if (worktree === "") return noProject;
  return { id: createHash("sha1").update(worktree).digest("hex"), worktree, vcs: "git" };
}
