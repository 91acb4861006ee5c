/** The questions of `waybill init` about a Telegram bot: its token, and who may use it. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { ReadStream } from "node:tty";
import { GrammyError } from "grammy";
import { abortedAfter, sleep, systemClock } from "../../platform/clock.ts";
import { botApi, grammySignal } from "../../transports/telegram/bot-api.ts";
import { wantedUpdates } from "../../transports/telegram/updates/poller.ts";
import type { IncomingMessage } from "../../transports/telegram/updates/read-update.ts";
import { readUpdate } from "../../transports/telegram/updates/read-update.ts";
import { oneLine } from "../output/format.ts";
import type { BotAccess } from "../telegram/look-up-bot.ts";
import { lookUpBot } from "../telegram/look-up-bot.ts";
import type { Terminal } from "./questions.ts";
import type { TelegramAnswers } from "./telegram-answers.ts";
import { apiRootOf } from "./telegram-answers.ts";

const waitMs = 5 * 60_000;

/** Null if the person wants no bot, "aborted" if they pressed Ctrl-C at a question. */
export async function askTelegram(
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<TelegramAnswers | null | "aborted"> {
  const apiRoot = apiRootOf(env);
  let known = env.TELEGRAM_BOT_TOKEN?.trim() || null;
  for (;;) {
    const typed = known ?? (await question(terminal, tokenQuestion, { isHidden: true }));
    if (typed === null) return "aborted";
    if (typed === "") return null;
    const access = { token: typed, apiRoot };
    const lookup = await lookUpBot(access, terminal.interrupted);
    if (lookup.state === "found") {
      const { username } = lookup.bot;
      const allowed = await askPeople(access, username, terminal);
      return allowed === "aborted" ? allowed : { token: known === null ? typed : null, bot: username, ...allowed };
    }
    hideTyping(terminal);
    const origin = known === null ? "the token" : "the token in TELEGRAM_BOT_TOKEN";
    say(terminal, lookup.state === "refused" ? `Telegram refuses ${origin}.` : "Could not reach Telegram.");
    known = null;
  }
}

const tokenQuestion = "Telegram bot token from @BotFather? (hidden; press Return to skip) ";

type Allowed = Pick<TelegramAnswers, "users" | "chats">;
const nobody: Allowed = { users: [], chats: [] };
const notAllowedYet = "No one may use the bot yet: add numeric ids to telegramAllowedUsers.";

async function askPeople(access: BotAccess, bot: string, terminal: Terminal): Promise<Allowed | "aborted"> {
  say(terminal, `This is @${bot}. Send it a message in Telegram, from the account that will use it.`);
  say(terminal, `Waiting up to ${waitMs / 60_000} minutes for it. Press Ctrl-C to skip this.`);
  const refused = new Set<number>();
  const signal = abortedAfter(waitMs, terminal.interrupted);
  for (;;) {
    const first = await firstMessage(access, refused, signal);
    switch (first.state) {
      case "conflict":
        say(terminal, "Another program receives this bot's updates, so your message cannot arrive here.");
        say(terminal, notAllowedYet);
        return nobody;
      case "aborted":
        say(terminal, notAllowedYet);
        return nobody;
      case "found": {
        const allowed = await confirm(first.message, terminal);
        if (allowed !== null) return allowed;
        refused.add(first.message.from.id);
        break;
      }
      default:
        return first satisfies never;
    }
  }
}

/** Null if the sender is not allowed. */
async function confirm({ from, place }: IncomingMessage, terminal: Terminal): Promise<Allowed | null | "aborted"> {
  const person = await isYes(terminal, `Allow ${oneLine(from.name)} (id ${from.id}) to use the bot?`);
  if (person !== true) return person === null ? "aborted" : null;
  if (place.isPrivate) return { users: [from.id], chats: [] };
  const title = oneLine(place.title ?? "group");
  const group = await isYes(terminal, `And in the group ${title} (id ${place.chat})?`);
  return group === null ? "aborted" : { users: [from.id], chats: group ? [place.chat] : [] };
}

async function isYes(terminal: Terminal, words: string): Promise<boolean | null> {
  const answer = await question(terminal, `${words} [yes] `);
  return answer === null ? null : /^(y(es)?)?$/i.test(answer);
}

function say({ output }: Terminal, line: string): void {
  output.write(`${line}\n`);
}

/** Hide input before the question shows: after a refused token, the next one may already be pasted. */
function hideTyping({ input }: Terminal): void {
  if (input instanceof ReadStream && input.isTTY) input.setRawMode(true);
}

/** Null if the person aborted. With `isHidden`, the input is not echoed. */
async function question(
  { input, output, interrupted }: Terminal,
  words: string,
  { isHidden = false } = {},
): Promise<string | null> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = "isTTY" in input && input.isTTY === true;
  const lines = createInterface({ input, output: isHidden ? silent : output, terminal });
  const aborted = new AbortController();
  const signal = AbortSignal.any([interrupted, aborted.signal]);
  lines.on("SIGINT", () => aborted.abort()).on("close", () => aborted.abort());
  if (isHidden) output.write(words);
  try {
    return (await lines.question(isHidden ? "" : words, { signal })).trim();
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  } finally {
    lines.close();
    if (isHidden) output.write("\n");
  }
}

type FirstMessage =
  | { state: "found"; message: IncomingMessage }
  /** Another program is polling, or a webhook is set. */
  | { state: "conflict" }
  | { state: "aborted" };

const pollSeconds = 20;
/** Updates that were seen come again immediately, since they are not confirmed. */
const pauseMs = 1000;

/** The first message from a person who is not in `refused`. */
async function firstMessage(
  access: BotAccess,
  refused: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<FirstMessage> {
  const { polls } = botApi(access);
  while (!signal.aborted) {
    try {
      const wanted = { timeout: pollSeconds, allowed_updates: [...wantedUpdates] };
      const updates = await polls.getUpdates(wanted, grammySignal(signal));
      const message = updates
        .map(readUpdate)
        .find(
          (incoming): incoming is IncomingMessage =>
            incoming.kind === "message" && !incoming.from.isBot && !refused.has(incoming.from.id),
        );
      if (message) return { state: "found", message };
      if (updates.length > 0) await sleep(systemClock, pauseMs, signal);
    } catch (error) {
      if (error instanceof GrammyError && error.error_code === 409) return { state: "conflict" };
      await sleep(systemClock, pauseMs, signal);
    }
  }
  return { state: "aborted" };
}
