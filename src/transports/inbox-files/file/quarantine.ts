/**
 * Keeps a copy of a damaged inbox file, so that repairing or removing the original loses nothing. Never touches the
 * original.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Per inbox; the newest stay. */
const maxCopies = 10;
let made = 0;

/**
 * `source` is the content, or the path of a file. Each distinct content of the inbox `name` is kept once, in a
 * directory that only its owner may enter. Returns the path of the copy.
 */
export async function keepCopy(source: Uint8Array | string, directory: string, name: string): Promise<string> {
  const bytes = typeof source === "string" ? await bytesOf(source) : source;
  const prefix = encodeURIComponent(name).slice(0, 100);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const copy = join(directory, `${prefix}.${hash}.json`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!(await stat(copy).catch(() => null))?.isFile()) await writeWhole(copy, bytes);
  await removeOldest(directory, prefix, copy);
  return copy;
}

async function bytesOf(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}-${++made}.new`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function removeOldest(directory: string, prefix: string, newest: string): Promise<void> {
  const copies = (await readdir(directory))
    .filter((name) => name.startsWith(`${prefix}.`) && /^[0-9a-f]{16}\.json$/.test(name.slice(prefix.length + 1)))
    .map((name) => join(directory, name))
    .filter((path) => path !== newest);
  // A copy that was removed since counts as the oldest.
  const madeAt = async (path: string) => (await stat(path).catch(() => null))?.mtimeMs ?? 0;
  const dated = await Promise.all(copies.map(async (path) => ({ path, at: await madeAt(path) })));
  const tooMany = dated.toSorted((one, other) => other.at - one.at).slice(maxCopies - 1);
  await Promise.all(tooMany.map(({ path }) => rm(path, { force: true })));
}
