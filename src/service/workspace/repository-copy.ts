/**
 * A temporary repository for one comparison: it uses the objects of the real one and a copy of its index, but not its
 * configuration. An agent can write that, and it may name programs that git runs on the compared files (filters,
 * drivers). Nothing is written to the real repository.
 */
import { constants, createWriteStream } from "node:fs";
import { mkdtemp, open, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../platform/app-error.ts";
import { git } from "./workspace.ts";

/** The index of a repository with a million files is smaller. */
const maxIndexBytes = 256 * 1024 * 1024;

export type RepositoryCopy = {
  /** The top directory of the real repository's files. */
  worktree: string;
  /** Runs git for a directory in there, with this repository. */
  ask(directory: string, args: readonly string[], input?: string): Promise<string | null>;
};

/** Returns null if the directory is not inside a repository with a worktree. */
export async function withRepositoryCopy<T>(
  directory: string,
  work: (copy: RepositoryCopy) => Promise<T>,
): Promise<T | null> {
  const asked = ["--show-toplevel", "--show-object-format", "--git-path", "index", "--git-path", "objects"];
  const real = await git(directory, ["rev-parse", "--path-format=absolute", ...asked]);
  const [worktree, format, index, objects] = real?.split("\n") ?? [];
  if (!worktree || !format || !index || !objects) return null;
  const copy = await mkdtemp(join(tmpdir(), "waybill-changes-"));
  try {
    const own = join(copy, ".git");
    const env = {
      GIT_DIR: own,
      GIT_WORK_TREE: worktree,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_LITERAL_PATHSPECS: "1",
    };
    const output = await git(copy, ["init", "--quiet", "--template=", `--object-format=${format}`, copy]);
    if (output === null) throw diffUnavailable();
    await writeFile(join(own, "objects", "info", "alternates"), `${objects}\n`);
    await copyIndex(index, join(own, "index"));
    return await work({
      worktree,
      ask: (where, args, input) => git(where, ["-c", "core.quotePath=false", ...args], { input, env }),
    });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * Preserves the modification time: git compares times to the second, and reads a file of the same second and size only
 * if the index is not newer. With a newer index it would miss a change right after a file was added.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  // Opening a pipe without a writer would block one of the daemon's few threads forever.
  const index = await open(from, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: NodeJS.ErrnoException) => {
    // The index does not exist before the first file is added.
    if (cause.code === "ENOENT") return null;
    throw diffUnavailable(cause);
  });
  if (index === null) return;
  try {
    const found = await index.stat();
    if (!found.isFile() || found.size > maxIndexBytes) throw diffUnavailable();
    const end = Math.max(found.size - 1, 0);
    await pipeline(index.createReadStream({ end, autoClose: false }), createWriteStream(to));
    const seconds = Math.floor(found.mtimeMs / 1000);
    await utimes(to, seconds, seconds);
  } finally {
    await index.close();
  }
}

export function diffUnavailable(cause?: unknown): AppError {
  return new AppError({
    code: "not_possible",
    message: "Git cannot report the changes in this directory.",
    hint: "Run `git diff` there.",
    cause,
  });
}
