/**
 * A repository made for one comparison: it borrows the objects of the real one and a copy of its index, and none of its
 * configuration. An agent can write that, and it may name programs that git runs on the files which it compares
 * (filters, drivers). Nothing is written to the real repository.
 */
import { constants, createWriteStream } from "node:fs";
import { mkdtemp, open, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../../app-error.ts";
import { git } from "./git.ts";

/** That of a repository with a million files is smaller. */
const largestIndex = 256 * 1024 * 1024;

export type RepositoryCopy = {
  /** The uppermost directory of the real repository's files. */
  worktree: string;
  /** Asks git about a directory in there, in this repository. */
  ask(directory: string, args: readonly string[], input?: string): Promise<string | null>;
};

/** Gives null where there is no repository with files around the directory. */
export async function withRepositoryCopy<T>(
  directory: string,
  work: (copy: RepositoryCopy) => Promise<T>,
): Promise<T | null> {
  const asked = ["--show-toplevel", "--show-object-format", "--git-path", "index", "--git-path", "objects"];
  const real = await git(directory, ["rev-parse", "--path-format=absolute", ...asked]);
  const [worktree, format, index, objects] = real?.split("\n") ?? [];
  if (!worktree || !format || !index || !objects) return null;
  const place = await mkdtemp(join(tmpdir(), "waybill-changes-"));
  try {
    const own = join(place, ".git");
    const env = {
      GIT_DIR: own,
      GIT_WORK_TREE: worktree,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_LITERAL_PATHSPECS: "1",
    };
    const made = await git(place, ["init", "--quiet", "--template=", `--object-format=${format}`, place]);
    if (made === null) throw untold();
    await writeFile(join(own, "objects", "info", "alternates"), `${objects}\n`);
    await copyIndex(index, join(own, "index"));
    return await work({
      worktree,
      ask: (where, args, input) => git(where, ["-c", "core.quotePath=false", ...args], { input, env }),
    });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/**
 * With its age: git knows times to the second, and looks into a file of the same second and size only if the index is
 * not newer. Beside one that looks newer it would take a file for unchanged that was changed right after it was added.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  // A pipe that nobody writes to would keep whoever opens it, and one of the daemon's few threads, for ever.
  const index = await open(from, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: NodeJS.ErrnoException) => {
    // There is none before the first file was added.
    if (cause.code === "ENOENT") return null;
    throw untold(cause);
  });
  if (index === null) return;
  try {
    const found = await index.stat();
    if (!found.isFile() || found.size > largestIndex) throw untold();
    const end = Math.max(found.size - 1, 0);
    await pipeline(index.createReadStream({ end, autoClose: false }), createWriteStream(to));
    const seconds = Math.floor(found.mtimeMs / 1000);
    await utimes(to, seconds, seconds);
  } finally {
    await index.close();
  }
}

export function untold(cause?: unknown): AppError {
  return new AppError({
    code: "not_possible",
    message: "Git does not say what changed in this directory.",
    hint: "Look with `git diff` there.",
    cause,
  });
}
