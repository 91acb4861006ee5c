/** The file changes of a workspace since the last commit, or since the branch began, according to git. */
import { resolve } from "node:path";
import type { Workspace } from "../service.ts";
import type { RepositoryCopy } from "./repository-copy.ts";
import { diffUnavailable, withRepositoryCopy } from "./repository-copy.ts";
import { branchesOf, git, isShown } from "./workspace.ts";

export type GitChange = {
  /** From the repository root. */
  file: string;
  additions: number;
  deletions: number;
  /** Left out if all patches together are too large, or if nothing but the numbers is known. */
  patch?: string;
  status?: "added" | "deleted" | "modified";
};

/** `git` compares with the last commit, `branch` with the point where it left the default branch. */
type DiffRequest = { mode: "git" | "branch"; context: number };

/** Changes inside the workspace's directory, with paths from the repository root. Empty without a repository. */
export async function changesIn(workspace: Workspace, request: DiffRequest): Promise<GitChange[]> {
  const changes = await withRepositoryCopy(workspace.directory, async (copy) => {
    const base = await baseOf(workspace.directory, request.mode, copy);
    if (base === null) return [];
    await addUntracked(workspace, copy);
    const found = await compare(workspace.directory, copy, base, request.context);
    return found.filter(({ file }) => isShown(workspace, resolve(copy.worktree, file)));
  });
  return changes ?? [];
}

/** Null if there is nothing to compare with: on the default branch, or when that is unknown. */
async function baseOf(directory: string, mode: DiffRequest["mode"], copy: RepositoryCopy): Promise<string | null> {
  if (mode === "branch") {
    const { branch, defaultBranch: main } = await branchesOf(directory);
    if (main === null || branch === main) return null;
    const bases = [`refs/remotes/origin/${main}`, `refs/heads/${main}`];
    const found = await Promise.all(bases.map((base) => git(directory, ["merge-base", "HEAD", base])));
    return found.find((base) => base !== null)?.trim() ?? null;
  }
  const head = await git(directory, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  // Before the first commit everything is new.
  return (head ?? (await copy.ask(directory, ["hash-object", "-t", "tree", "--stdin"])))?.trim() ?? null;
}

/**
 * Adds the names of untracked files to the copy, so that they are compared as new files. It adds them as empty files,
 * without reading them: a deleted file, or one whose name is not Unicode, does not prevent adding the others.
 */
async function addUntracked(workspace: Workspace, copy: RepositoryCopy): Promise<void> {
  const names = await git(workspace.directory, ["ls-files", "--others", "--exclude-standard", "--full-name", "-z"]);
  // A name with a trailing slash is another repository inside this one.
  const files = (names ?? "").split("\0").filter((name) => name !== "" && !name.endsWith("/"));
  const shown = files.filter((name) => isShown(workspace, resolve(copy.worktree, name)));
  if (shown.length === 0) return;
  const empty = (await copy.ask(workspace.directory, ["hash-object", "--stdin"]))?.trim();
  const entries = shown.map((name) => `100644 ${empty}\t${name}\0`);
  await copy.ask(workspace.directory, ["update-index", "-z", "--index-info"], entries.join(""));
}

async function compare(directory: string, copy: RepositoryCopy, base: string, context: number) {
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all"];
  const ask = (...parts: string[]) =>
    copy.ask(directory, ["diff", ...plain, "--numstat", "-z", ...parts, base, "--", "."]);
  // Without the patches if they are too large.
  const printed = (await ask("--patch", `--unified=${context}`)) ?? (await ask());
  if (printed === null) throw diffUnavailable();
  return changesFrom(printed);
}

/** Parses the output of `--numstat -z`, optionally followed by the patches. */
export function changesFrom(printed: string): GitChange[] {
  const end = printed.indexOf("\0\0");
  const [numbers, patches] = end === -1 ? [printed, ""] : [printed.slice(0, end), printed.slice(end + 2)];
  const known = new Map<string, string[]>();
  // Lines of a file are indented in a patch, but may contain characters that JavaScript treats as line ends.
  for (const patch of patches.split(/(?<![^\n])(?=diff --git )/)) {
    const head = patch.slice(0, patch.indexOf("\n"));
    known.set(head, [...(known.get(head) ?? []), patch]);
  }
  const rows = numbers.split("\0").filter((row) => row !== "");
  return rows.map((row) => {
    const [added = "", deleted = "", ...name] = row.split("\t");
    const file = name.join("\t");
    // Binary files have no numbers.
    const change = { file, additions: Number(added) || 0, deletions: Number(deleted) || 0 };
    // A file that became a link has two patches.
    const patch = (known.get(`diff --git ${quoted(`a/${file}`)} ${quoted(`b/${file}`)}`) ?? []).join("");
    return patch === "" ? change : { ...change, patch, status: statusOf(patch) };
  });
}

/** Quotes a name the way git does in a patch. */
function quoted(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git quotes exactly these
  const odd = /["\\\u0000-\u001f\u007f]/g;
  const escaped = name.replace(
    odd,
    (one) => `\\${shortEscapes[one] ?? one.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return escaped === name ? name : `"${escaped}"`;
}

const shortEscapes: Partial<Record<string, string>> = {
  "\u0007": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\",
};

function statusOf(patch: string): "added" | "deleted" | "modified" {
  const [head = ""] = patch.split(/^(?:@@|Binary) /m, 1);
  if (head.includes("\nnew file mode ")) return "added";
  return head.includes("\ndeleted file mode ") ? "deleted" : "modified";
}
