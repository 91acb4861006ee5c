/** The first configuration: its defaults, the check of each answer, and the text of the file. Writes nothing. */

import { existsSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { resolveLaneDirectory } from "../../daemon/config/allowed-directory.ts";
import { daemonSettings } from "../../daemon/config/settings.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { expandPath, waybillHome } from "../../platform/home.ts";
import { programVersion } from "../../platform/program.ts";
import { metaOf, portOrAny, slug } from "../../platform/setting-types.ts";
import { writeWholeFile } from "../../platform/whole-file.ts";
import { descriptorOf } from "../../runtimes/descriptor.ts";
import { inheritedEnvironment } from "../../runtimes/process/agent-environment.ts";
import { runtimeDescriptors, runtimeKinds } from "../../runtimes/registry.ts";
import type { TelegramAnswers } from "./telegram-answers.ts";

export type Answers = { runtime: string; directory: string; lane: string; port: number };

export const defaultPort = daemonSettings.port.parse(undefined);

/** The first one that is logged in, else the first that may be; null when none was found. */
export function proposedRuntime(agents: readonly FoundAgent[]): string | null {
  const loggedIn = agents.find(({ hasLogin }) => hasLogin) ?? agents.find(({ hasLogin }) => hasLogin === null);
  return (loggedIn ?? agents[0])?.kind ?? null;
}

export function noAgentFound(): AppError {
  return new AppError({
    code: "no_agent_found",
    message: "No agent program was found: neither OpenCode, Claude Code nor pi is installed.",
    hint: "Install one (`npm install -g opencode-ai`) and run `waybill init` again, or try Waybill without one: `npm start` in its repository, or `waybill init --runtime stub`.",
  });
}

export function proposedLane(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "");
  return slug.safeParse(name.slice(0, 64)).success ? name.slice(0, 64) : "main";
}

export function checkedRuntime(text: string): string {
  const runtime = runtimeKinds.find((kind) => kind === text.trim().toLowerCase());
  return runtime ?? wrong(`unknown agent program "${text}"; choose one of ${runtimeKinds.join(", ")}`);
}

/** Naming a directory here allows it, except for the state directory. */
export function checkedDirectory(text: string, env: NodeJS.ProcessEnv): string {
  const directory = expandPath(text.trim(), process.cwd(), env);
  return resolveLaneDirectory(directory, { allowed: ["/"], home: waybillHome(env) }, env);
}

export function checkedLane(text: string): string {
  const lane = text.trim();
  return slug.safeParse(lane).success ? lane : wrong(`"${lane}" is invalid: a lane's id must be ${metaOf(slug).words}`);
}

export function checkedPort(text: string): number {
  const port = portOrAny.safeParse(/^\d+$/.test(text.trim()) ? Number(text) : text);
  return port.success ? port.data : wrong(`"${text}" is invalid: it must be ${metaOf(portOrAny).words}`);
}

export function configText(
  { runtime, directory, lane, port }: Answers,
  telegram: TelegramAnswers | null,
  env: NodeJS.ProcessEnv,
): string {
  const modelProvider = descriptorOf(runtime, runtimeDescriptors).provider;
  const allowedDirectories = isAllowedByDefault(directory, env) ? {} : { allowedDirectories: ["~", directory] };
  const lanes = [{ id: lane, directory }];
  const content = { port, modelProvider, ...allowedDirectories, ...telegramContent(telegram), lanes };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function telegramContent(telegram: TelegramAnswers | null): object {
  if (telegram === null) return {};
  const { token, users, chats } = telegram;
  return {
    ...(token === null ? {} : { telegramBotToken: token }),
    telegramAllowedUsers: users,
    ...(chats.length > 0 ? { telegramAllowedChats: chats } : {}),
  };
}

function isAllowedByDefault(directory: string, env: NodeJS.ProcessEnv): boolean {
  try {
    resolveLaneDirectory(
      directory,
      { allowed: daemonSettings.allowedDirectories.parse(undefined), home: waybillHome(env) },
      env,
    );
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function wrong(what: string): never {
  throw new AppError({ code: "usage", message: what, hint: "See `waybill init --help`." });
}

export function refuseExisting(path: string): void {
  if (existsSync(path)) throw alreadyThere(path);
}

export function writeConfig(path: string, text: string, options: { replace: boolean }): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (options.replace) writeWholeFile(path, text);
    else linkNew(path, text);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && syscall === "link") throw alreadyThere(path);
    throw new AppError({
      code: "config_unwritable",
      message: `Could not write the configuration ${path}: ${messageOf(error)}.`,
      hint: "Choose another path with --config FILE, or make this one writable.",
      cause: error,
    });
  }
}

/** Unlike a rename, a link fails if the target exists, even if it appeared a moment ago. */
function linkNew(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeWholeFile(draft, text);
    linkSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function alreadyThere(path: string): AppError {
  return new AppError({
    code: "config_exists",
    message: `There is already a configuration at ${path}. It was not changed.`,
    hint: "Edit it, replace it with --force, or write another one with --config FILE.",
  });
}

export type FoundAgent = {
  kind: string;
  name: string;
  path: string;
  /** Null when it cannot be known without running the program. */
  hasLogin: boolean | null;
};

const versionTimeoutMs = 10_000;

export async function findAgents(env: NodeJS.ProcessEnv): Promise<FoundAgent[]> {
  const agents = runtimeDescriptors.map(async ({ kind, name, locate, hasLogin }) => {
    const path = locate?.(env) ?? null;
    return path === null ? [] : [{ kind, name, path, hasLogin: (await hasLogin?.(env)) ?? null }];
  });
  return (await Promise.all(agents)).flat();
}

/** Runs each program once: some write files of their own when they start. */
export async function agentLines(
  agents: readonly FoundAgent[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string[]> {
  const width = Math.max(...agents.map(({ kind }) => kind.length));
  // A program that only reports its version must not see Waybill's own keys.
  const safeEnv = inheritedEnvironment(env, () => true);
  return Promise.all(
    agents.map(async ({ kind, name, path, hasLogin }) => {
      const version = await programVersion(path, safeEnv, { deadlineMs: versionTimeoutMs, signal });
      const login = hasLogin === null ? "" : hasLogin ? ", logged in" : ", no login found";
      const words = version.ok ? numberIn(version.text) : `(does not report its version: ${version.why})`;
      return `  ${kind.padEnd(width)}  ${name} ${words}${login}`;
    }),
  );
}

/** Some programs also print their name. */
function numberIn(text: string): string {
  return /\d+(?:\.\d+)+\S*/.exec(text)?.[0] ?? text;
}
