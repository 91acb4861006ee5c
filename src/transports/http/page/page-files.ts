/**
 * The files of the built page: `index.html`, an icon, and `assets/` with a hash in each name. Nothing is read before a
 * browser asks for it. Only names that the directory lists are opened, so no request can escape it.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export type PageFiles = {
  /** The text of `index.html`; null if the page is not built. */
  index(): Promise<string | null>;
  /** A file in `assets/`; null if it does not exist. */
  asset(name: string): Promise<FileContent | null>;
  /** A file next to `index.html`; null if it does not exist. */
  besideIndex(name: string): Promise<FileContent | null>;
};

export type FileContent = Uint8Array<ArrayBuffer>;

export function makePageFiles(directory: string): PageFiles {
  const beside = makeFolder(directory);
  const assets = makeFolder(join(directory, "assets"));
  return {
    async index() {
      // A newer build has other file names.
      beside.forget();
      assets.forget();
      const content = await beside.read("index.html");
      return content && new TextDecoder().decode(content);
    },
    asset: assets.read,
    besideIndex: beside.read,
  };
}

function makeFolder(directory: string) {
  let names: Promise<ReadonlySet<string>> | null = null;
  return {
    forget() {
      names = null;
    },
    async read(name: string): Promise<FileContent | null> {
      names ??= filesIn(directory);
      if (!(await names).has(name)) return null;
      return unlessMissing(() => readFile(join(directory, name)));
    },
  };
}

/** Leaves out hidden files and links. */
async function filesIn(directory: string): Promise<ReadonlySet<string>> {
  const entries = (await unlessMissing(() => readdir(directory, { withFileTypes: true }))) ?? [];
  return new Set(entries.filter((entry) => entry.isFile() && !entry.name.startsWith(".")).map(({ name }) => name));
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
