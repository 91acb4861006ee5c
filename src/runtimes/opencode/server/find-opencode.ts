/**
 * Finds the OpenCode program: the configured one, else the one in PATH, else the package installed with Waybill. If the
 * configured program does not exist, that is an error; there is no fallback.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { AppError } from "../../../platform/app-error.ts";
import { packageFile } from "../../../platform/package-files.ts";
import { findProgram, programVersion } from "../../../platform/program.ts";
import facts from "../program.json" with { type: "json" };

/** The default of `opencodeBin`. */
const defaultProgram = facts.command;

export type FoundOpencode = { path: string; version: string };

export type FindOptions = {
  /** `opencodeBin`: a path, or a name in PATH. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** Tried in this order when no program is configured. */
  installedPaths?: readonly string[];
  deadlineMs: number;
  signal: AbortSignal;
};

export async function findOpencode(options: FindOptions): Promise<FoundOpencode> {
  const { env, deadlineMs, signal } = options;
  const path = requireOpencode(options);
  const version = await programVersion(path, env, { deadlineMs, signal });
  if (!version.ok) {
    throw new AppError({
      code: "opencode_unusable",
      message: `${path} does not report its OpenCode version: ${version.why}.`,
      hint: `Run \`${path} --version\` to see what is wrong, or set opencodeBin (OPENCODE_BIN) to another program.`,
    });
  }
  if (isTooOld(version.text)) throw tooOld(`${path} is`, version.text);
  return { path, version: version.text.replace(/^v/, "") };
}

/** Its path, without asking it for its version. */
export function requireOpencode(options: LocateOptions): string {
  const path = locateOpencode(options);
  if (path === null) throw notFound(options.program);
  return path;
}

export function tooOld(subject: string, version: string): AppError {
  return new AppError({
    code: "opencode_too_old",
    message: `${subject} OpenCode ${version}; Waybill needs ${oldestOpencode} or newer.`,
    hint: "Upgrade it with `opencode upgrade`, or with `npm install -g opencode-ai@latest`, and start it again.",
  });
}

type LocateOptions = Pick<FindOptions, "program" | "env" | "installedPaths">;

export function locateOpencode({
  program,
  env,
  installedPaths = defaultInstalledPaths(),
}: LocateOptions): string | null {
  const path = findProgram(program, env);
  if (path !== null || program !== defaultProgram) return path;
  return installedPaths.find((installed) => findProgram(installed, env) !== null) ?? null;
}

function notFound(program: string): AppError {
  const configured = program !== defaultProgram;
  return new AppError({
    code: "opencode_not_found",
    message: configured
      ? `opencodeBin names "${program}", but that program does not exist.`
      : "OpenCode is neither in PATH nor installed with Waybill.",
    hint: configured
      ? "Correct opencodeBin (OPENCODE_BIN), or leave it out; `npm install -g opencode-ai` installs OpenCode."
      : "Install it with `npm install -g opencode-ai`, or set opencodeBin (OPENCODE_BIN) to its path.",
  });
}

/** The copy that `npm start` installs for the demo, and an `opencode-ai` package installed with Waybill. */
function defaultInstalledPaths(): string[] {
  const paths = [packageFile(`${facts.testDirectory}/node_modules/.bin/${facts.command}`)];
  try {
    const manifest = createRequire(import.meta.url).resolve("opencode-ai/package.json");
    const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin?: Record<string, string> };
    if (bin?.opencode) paths.push(join(dirname(manifest), bin.opencode));
  } catch {
    // Usually it is not installed there.
  }
  return paths;
}

/** Older versions chose the prompt to answer by the order of message ids instead of the order of messages. */
export const oldestOpencode = "1.18.15";

/**
 * Reads `1.18.33`, `v1.18.33` and `opencode 1.18.33-beta.2`. A preview is older than its release. Text without a
 * version (`local`, `dev`) comes from a private build and is accepted.
 */
export function isTooOld(text: string): boolean {
  const [, version, preview] = /(?:^|[\sv])(\d+\.\d+\.\d+)(-[0-9a-z.-]+)?/i.exec(text) ?? [];
  const order = version?.localeCompare(oldestOpencode, "en", { numeric: true }) ?? 1;
  return order < 0 || (order === 0 && preview !== undefined);
}
