/**
 * A program of the tests in one file: Node 20 cannot run TypeScript, and loading hundreds of modules takes longer than many
 * of these programs run. The bundle is kept, named by its contents, inside the repository, where it finds its packages.
 */
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const bundles = new Map<string, Promise<string>>();

/** The path of the bundle. */
export function bundled(file: string): Promise<string> {
  const made = bundles.get(file) ?? bundle(file);
  bundles.set(file, made);
  return made;
}

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: [file], bundle: true, packages: "external", write: false },
    ...{ platform: "node", format: "esm", target: "node20" },
  });
  const text = outputFiles[0]?.text ?? "";
  const directory = join(root, "node_modules/.cache/waybill-test");
  mkdirSync(directory, { recursive: true });
  const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const program = join(directory, `${basename(file, extname(file))}-${name}.mjs`);
  // Renamed, because another process may be running it.
  const written = `${program}.${process.pid}`;
  writeFileSync(written, text);
  renameSync(written, program);
  return program;
}
