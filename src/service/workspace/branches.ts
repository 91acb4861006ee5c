/** The current branch of a directory's repository, and the default one. */
import { git } from "./git.ts";

type Branches = { branch: string | null; defaultBranch: string | null };

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
