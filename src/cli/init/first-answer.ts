/** Proves a new configuration: starts a daemon with it, asks the agent one question, and stops the daemon again. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readDaemonFile } from "../../daemon/supervisor/daemon-file.ts";
import { AppError } from "../../platform/app-error.ts";
import { waybillHome } from "../../platform/home.ts";
import { writeWholeFile } from "../../platform/whole-file.ts";
import { startChildDaemon } from "../child-daemon.ts";
import type { CommandContext } from "../command.ts";
import { waitWhileStarting, withDaemon } from "../connect.ts";
import { exitCodes } from "../errors.ts";
import { sendAndWait } from "../send-and-wait.ts";
import type { Answers } from "./first-config.ts";
import { configText } from "./first-config.ts";

const question = 'This is a test message. Reply with the single word "ready" and do nothing else.';
const startTimeoutMs = 60_000;
const answerTimeoutMs = 120_000;

/** Returns the exit code of the send. The daemon listens on any free port and serves no chats, so that it disturbs nothing. */
export async function firstAnswer(answers: Answers, context: CommandContext): Promise<number> {
  const home = waybillHome(context.env);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const config = join(home, `init-${process.pid}.json`);
  writeWholeFile(config, configText({ ...answers, port: 0 }, null, context.env));
  // A bot's token may also come from the environment, and an empty variable counts as not set.
  const env = { ...context.env, WAYBILL_CONFIG: config, PORT: "", TELEGRAM_BOT_TOKEN: "" };
  const warnings: string[] = [];
  const daemon = startChildDaemon({ env, home, onWarning: (line) => warnings.push(line) });
  const ended = new AbortController();
  void daemon.ended.then(() => ended.abort());
  const isStarting = () => {
    const file = readDaemonFile(home);
    return file?.supervisorPid !== daemon.pid || file?.url === null;
  };
  try {
    const signal = AbortSignal.any([context.interrupted, ended.signal]);
    await waitWhileStarting({ directory: home, isStarting, timeoutMs: startTimeoutMs, signal });
    if (context.interrupted.aborted) return exitCodes.interrupted;
    if (isStarting()) throw didNotStart(warnings);
    const message = { to: { lane: answers.lane }, text: question, actionMode: "ask" as const, source: "cli" as const };
    const local = { ...context, env: { ...context.env, WAYBILL_URL: "" } };
    return await withDaemon(local, async (client) => {
      // An earlier test may have paused the lane, for example because the agent had no login.
      await client.resumeLane(answers.lane);
      return sendAndWait(client, message, answerTimeoutMs, local);
    });
  } finally {
    await daemon.stop();
    rmSync(config, { force: true });
  }
}

function didNotStart(warnings: readonly string[]): AppError {
  return new AppError({
    code: "daemon_not_started",
    message: `The configuration is written, but the daemon did not start with it: ${warnings.at(-1) ?? "it printed nothing"}`,
    hint: "Run `waybill doctor` to see what is wrong, then `waybill up`.",
  });
}
