/** The first configuration: its defaults, the check of each answer, and the text of the file. Writes nothing. */
import { basename } from "node:path";
import { resolveLaneDirectory } from "../../daemon/config/allowed-directory.ts";
import { daemonSettings } from "../../daemon/config/settings.ts";
import { AppError } from "../../platform/app-error.ts";
import { expandPath, waybillHome } from "../../platform/home.ts";
import { metaOf, portOrAny, slug } from "../../platform/setting-types.ts";
import { descriptorOf } from "../../runtimes/descriptor.ts";
import { runtimeDescriptors, runtimeKinds } from "../../runtimes/registry.ts";
import type { FoundAgent } from "./found-agents.ts";
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
