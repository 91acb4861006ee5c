/** What is changed in the files of a place, compared with the last commit or with where the branch began: by git. */
import { resolve } from "node:path";
import type { VcsFileDiff } from "@opencode-ai/sdk/v2/types";
import { AppError } from "../../../../app-error.ts";
import type { WorkPlace } from "../../../port.ts";
import { git } from "./git.ts";
import { isShown } from "./path-inside.ts";
import { branchesOf } from "./projects.ts";
import type { RepositoryCopy } from "./repository-copy.ts";
import { withRepositoryCopy } from "./repository-copy.ts";

/** `git` compares with the last commit, `branch` with where the branch left the default one. */
export type Wanted = { mode: "git" | "branch"; context: number };

/** Below the place's directory, named from the top of the repository. Without a repository there is nothing to say. */
export async function changesIn(place: WorkPlace, wanted: Wanted): Promise<VcsFileDiff[]> {
  const changes = await withRepositoryCopy(place.directory, async (copy) => {
    const base = await baseOf(place.directory, wanted.mode, copy);
    if (base === null) return [];
    const untracked = await untrackedIn(place);
    if (untracked.length > 0) {
      // Only their names, and only in the copy: so that they are compared as new files.
      const add = ["add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"];
      await copy.ask(place.directory, add, untracked.join("\0"));
    }
    const found = await compared(place.directory, copy, base, wanted.context);
    return found.filter(({ file }) => isShown(place, resolve(copy.worktree, file)));
  });
  return changes ?? [];
}

/** Null where there is nothing to compare with: on the default branch, or when nobody knows which one that is. */
async function baseOf(directory: string, mode: Wanted["mode"], copy: RepositoryCopy): Promise<string | null> {
  if (mode === "branch") {
    const { branch, default_branch: main } = await branchesOf(directory);
    if (main === null || branch === main) return null;
    const bases = [`refs/remotes/origin/${main}`, `refs/heads/${main}`];
    const found = await Promise.all(bases.map((base) => git(directory, ["merge-base", "HEAD", base])));
    return found.find((base) => base !== null)?.trim() ?? null;
  }
  const head = await git(directory, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  // Before the first commit everything is new.
  return (head ?? (await copy.ask(directory, ["hash-object", "-t", "tree", "--stdin"])))?.trim() ?? null;
}

async function untrackedIn(place: WorkPlace): Promise<string[]> {
  const names = await git(place.directory, ["ls-files", "--others", "--exclude-standard", "-z"]);
  // What ends with a slash is another repository inside this one.
  const files = (names ?? "").split("\0").filter((name) => name !== "" && !name.endsWith("/"));
  return files.filter((name) => isShown(place, resolve(place.directory, name)));
}

async function compared(directory: string, copy: RepositoryCopy, base: string, context: number) {
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all"];
  const ask = (...parts: string[]) =>
    copy.ask(directory, ["diff", ...plain, "--numstat", "-z", ...parts, base, "--", "."]);
  // Without the patches where they are too large to be told.
  const printed = (await ask("--patch", `--unified=${context}`)) ?? (await ask());
  if (printed !== null) return changesFrom(printed);
  throw new AppError({
    code: "not_possible",
    message: "Git does not say what changed in this directory.",
    hint: "Look with `git diff` there.",
  });
}

/** Two names, each as long as a path can be, and some words: a long patch would take long to search. */
const longestHead = 2 * 4096 + 32;

/** From `--numstat -z`, with or without the patches behind it. */
export function changesFrom(printed: string): VcsFileDiff[] {
  const end = printed.indexOf("\0\0");
  const [numbers, patches] = end === -1 ? [printed, ""] : [printed.slice(0, end), printed.slice(end + 2)];
  // Within a patch no line of a file begins at the edge.
  const known = new Map<string, string[]>();
  for (const patch of patches.split(/^(?=diff --git )/m)) {
    const name = /^diff --git a\/(.+) b\/\1\n/s.exec(patch.slice(0, longestHead))?.[1] ?? "";
    known.set(name, [...(known.get(name) ?? []), patch]);
  }
  const rows = numbers.split("\0").filter((row) => row !== "");
  return rows.map((row) => {
    const [added = "", deleted = "", ...name] = row.split("\t");
    const file = name.join("\t");
    // Of a file that is no text there are no numbers.
    const change = { file, additions: Number(added) || 0, deletions: Number(deleted) || 0 };
    // Two of a file that became a link.
    const patch = (known.get(file) ?? []).join("");
    return patch === "" ? change : { ...change, patch, status: statusOf(patch) };
  });
}

function statusOf(patch: string): "added" | "deleted" | "modified" {
  const [head = ""] = patch.split(/^(?:@@|Binary) /m, 1);
  if (head.includes("\nnew file mode ")) return "added";
  return head.includes("\ndeleted file mode ") ? "deleted" : "modified";
}
