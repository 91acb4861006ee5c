/**
 * Finds the OpenCode program: the one that was named, else the one in PATH, else the package that was installed with
 * Waybill. One that was named and is not there is an error; nothing else is taken in its place.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../../app-error.ts";
import { findProgram, programVersion } from "../../../program.ts";
import { isTooOld, oldestOpencode } from "./version.ts";

/** The value of `opencodeBin` that nobody wrote. */
export const defaultProgram = "opencode";

export type FoundOpencode = { path: string; version: string };

export type FindOptions = {
  /** `opencodeBin`: a path, or a name in PATH. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** What else to try, in this order, when nobody named a program. */
  beside?: readonly string[];
  deadlineMs: number;
  signal: AbortSignal;
};

export async function findOpencode(options: FindOptions): Promise<FoundOpencode> {
  const { program, env, deadlineMs, signal } = options;
  const path = placeOf(options);
  if (path === null) throw notFound(program);
  const said = await programVersion(path, env, { deadlineMs, signal });
  if (!said.ok) {
    throw new AppError({
      code: "opencode_unusable",
      message: `${path} does not say which version of OpenCode it is: ${said.why}.`,
      hint: `Run \`${path} --version\` to see what is wrong with it, or name another program as opencodeBin (OPENCODE_BIN).`,
    });
  }
  if (isTooOld(said.text)) throw tooOld(`${path} is`, said.text);
  return { path, version: said.text.replace(/^v/, "") };
}

export function tooOld(what: string, version: string): AppError {
  return new AppError({
    code: "opencode_too_old",
    message: `${what} OpenCode ${version}; Waybill needs ${oldestOpencode} or newer.`,
    hint: "Upgrade it with `opencode upgrade`, or with `npm install -g opencode-ai@latest`, and start it again.",
  });
}

function placeOf({ program, env, beside = installedPlaces() }: FindOptions): string | null {
  const named = findProgram(program, env);
  if (named !== null || program !== defaultProgram) return named;
  return beside.find((place) => findProgram(place, env) !== null) ?? null;
}

function notFound(program: string): AppError {
  const named = program !== defaultProgram;
  return new AppError({
    code: "opencode_not_found",
    message: named
      ? `There is no program "${program}", which opencodeBin names.`
      : "OpenCode is neither in PATH nor installed beside Waybill.",
    hint: named
      ? "Correct opencodeBin (OPENCODE_BIN), or leave it out; `npm install -g opencode-ai` installs OpenCode."
      : "Install it with `npm install -g opencode-ai`, or say where it is with opencodeBin (OPENCODE_BIN).",
  });
}

/** The copy that `npm start` installs for the demo, and an `opencode-ai` that Waybill was installed together with. */
function installedPlaces(): string[] {
  const require = createRequire(import.meta.url);
  const places = [
    fileURLToPath(new URL("../../../../node_modules/.opencode/node_modules/.bin/opencode", import.meta.url)),
  ];
  try {
    const manifest = require.resolve("opencode-ai/package.json");
    const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin?: Record<string, string> };
    if (bin?.opencode) places.push(join(dirname(manifest), bin.opencode));
  } catch {
    // It is not installed there, which is how it usually is.
  }
  return places;
}
