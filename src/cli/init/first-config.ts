/** The first configuration: what is proposed, how each answer is checked, and the text of the file. Writes nothing. */
import { basename } from "node:path";
import { AppError } from "../../app-error.ts";
import { resolveLaneDirectory } from "../../daemon/config/allowed-directory.ts";
import { slug } from "../../daemon/config/kinds.ts";
import { runtimeOfProvider } from "../../daemon/config/lane-settings.ts";
import { settings } from "../../daemon/config/settings.ts";
import { expandPath, waybillHome } from "../../home.ts";
import { findProgram } from "../../program.ts";
import { agentRuntimes } from "../doctor/agent-program.ts";

export type Runtime = (typeof runtimes)[number];
export type Answers = { runtime: Runtime; directory: string; lane: string; port: number };

export const runtimes = [...agentRuntimes, "stub"] as const;

/** The first agent program that is installed; the scripted agent where there is none. */
export function proposedRuntime(env: NodeJS.ProcessEnv): Runtime {
  return agentRuntimes.find((program) => findProgram(program, env) !== null) ?? "stub";
}

export function proposedLane(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "");
  return slug.schema.safeParse(name.slice(0, 64)).success ? name.slice(0, 64) : "main";
}

export function checkedRuntime(text: string): Runtime {
  const runtime = runtimes.find((one) => one === text.trim().toLowerCase());
  return runtime ?? wrong(`there is no agent program "${text}"; choose one of ${runtimes.join(", ")}`);
}

/** The person who names a directory here allows it by doing so; the state directory stays forbidden. */
export function checkedDirectory(text: string, env: NodeJS.ProcessEnv): string {
  const directory = expandPath(text.trim(), process.cwd(), env);
  return resolveLaneDirectory(directory, { allowed: ["/"], home: waybillHome(env) }, env);
}

export function checkedLane(text: string): string {
  const lane = text.trim();
  return slug.schema.safeParse(lane).success ? lane : wrong(`"${lane}" does not fit: a lane's id is ${slug.words}`);
}

export function checkedPort(text: string): number {
  const { kind } = settings.port;
  const port = kind.schema.safeParse(kind.fromText?.(text));
  return port.success ? port.data : wrong(`"${text}" does not fit: it must be ${kind.words}`);
}

export function configText({ runtime, directory, lane, port }: Answers, env: NodeJS.ProcessEnv): string {
  const modelProvider = Object.entries(runtimeOfProvider).find(([, one]) => one === runtime)?.[0];
  const allowedDirectories = isAllowedByDefault(directory, env) ? {} : { allowedDirectories: ["~", directory] };
  const content = { port, modelProvider, ...allowedDirectories, lanes: [{ id: lane, directory }] };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function isAllowedByDefault(directory: string, env: NodeJS.ProcessEnv): boolean {
  try {
    resolveLaneDirectory(directory, { allowed: settings.allowedDirectories.default, home: waybillHome(env) }, env);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function wrong(what: string): never {
  throw new AppError({ code: "usage", message: what, hint: "Run `waybill init --help` for what it takes." });
}
