/** What changed in the files of a workspace since the last commit, or since the branch began, by git. */
import { resolve } from "node:path";
import type { VcsFileDiff } from "@opencode-ai/sdk/v2/types";
import type { Workspace } from "../../../service/service.ts";
import { git } from "./git.ts";
import { isShown } from "./path-inside.ts";
import { branchesOf } from "./projects.ts";
import type { RepositoryCopy } from "./repository-copy.ts";
import { diffUnavailable, withRepositoryCopy } from "./repository-copy.ts";

/** `git` compares with the last commit, `branch` with where the branch left the default one. */
type DiffRequest = { mode: "git" | "branch"; context: number };

/** Below the workspace's directory, named from the top of the repository. Nothing without a repository. */
export async function changesIn(workspace: Workspace, request: DiffRequest): Promise<VcsFileDiff[]> {
  const changes = await withRepositoryCopy(workspace.directory, async (copy) => {
    const base = await baseOf(workspace.directory, request.mode, copy);
    if (base === null) return [];
    await addUntracked(workspace, copy);
    const found = await compare(workspace.directory, copy, base, request.context);
    return found.filter(({ file }) => isShown(workspace, resolve(copy.worktree, file)));
  });
  return changes ?? [];
}

/** Null where there is nothing to compare with: on the default branch, or when that is not known. */
async function baseOf(directory: string, mode: DiffRequest["mode"], copy: RepositoryCopy): Promise<string | null> {
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

/**
 * Adds their names to the copy, so that they are compared as new files. As empty ones, and without reading them: a file
 * that is gone by now, or whose name is not Unicode, does not keep the others from being added.
 */
async function addUntracked(workspace: Workspace, copy: RepositoryCopy): Promise<void> {
  const names = await git(workspace.directory, ["ls-files", "--others", "--exclude-standard", "--full-name", "-z"]);
  // What ends with a slash is another repository inside this one.
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
  // Without the patches where they are too large.
  const printed = (await ask("--patch", `--unified=${context}`)) ?? (await ask());
  if (printed === null) throw diffUnavailable();
  return changesFrom(printed);
}

/** From `--numstat -z`, with or without the patches behind it. */
export function changesFrom(printed: string): VcsFileDiff[] {
  const end = printed.indexOf("\0\0");
  const [numbers, patches] = end === -1 ? [printed, ""] : [printed.slice(0, end), printed.slice(end + 2)];
  const known = new Map<string, string[]>();
  // Lines of a file are indented in a patch, but may contain what JavaScript takes for the end of a line.
  for (const patch of patches.split(/(?<![^\n])(?=diff --git )/)) {
    const head = patch.slice(0, patch.indexOf("\n"));
    known.set(head, [...(known.get(head) ?? []), patch]);
  }
  const rows = numbers.split("\0").filter((row) => row !== "");
  return rows.map((row) => {
    const [added = "", deleted = "", ...name] = row.split("\t");
    const file = name.join("\t");
    // Of a file that is no text there are no numbers.
    const change = { file, additions: Number(added) || 0, deletions: Number(deleted) || 0 };
    // Two of a file that became a link.
    const patch = (known.get(`diff --git ${quoted(`a/${file}`)} ${quoted(`b/${file}`)}`) ?? []).join("");
    return patch === "" ? change : { ...change, patch, status: statusOf(patch) };
  });
}

/** As git writes a name in a patch. */
function quoted(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
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
