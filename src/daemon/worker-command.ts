/** `waybill worker`: what the supervisor starts. It can be run by hand as well, to see what it says. */
import type { AppError } from "../app-error.ts";
import type { Command, CommandContext } from "../transports/cli/command.ts";
import { refuseMore } from "../transports/cli/command.ts";
import { failureText } from "../transports/cli/failure.ts";
import { paintFor } from "../transports/cli/terminal.ts";
import type { Config } from "./config/config.ts";
import { loadConfig } from "./config/config.ts";
import { demoWords, introduction, realModelLines } from "./introduction.ts";
import type { Logger } from "./logging.ts";
import { makeLogger } from "./logging.ts";
import { startWorker } from "./worker.ts";
import { runUntilStopped } from "./worker-lifecycle.ts";

const help = `Usage: waybill worker

The part of the daemon that does the work. \`waybill up\` starts it and starts it again when it dies; use that.`;

export const workerCommand: Command = {
  name: "worker",
  summary: "the part of the daemon that does the work",
  help,
  options: {},
  hidden: true,
  outlivesReaders: true,
  run(input, context) {
    refuseMore(input, 0, "worker");
    let log: Logger | null = null;
    return runUntilStopped({
      async start({ restart, stopping }) {
        const config = loadConfig(context.env);
        log = loggerFor(config, context);
        const worker = await startWorker({ config, env: context.env, log, restart, stopping });
        const { url, runId } = worker.ready;
        log.info({ event: "daemon_ready", url, runId, profile: config.profile.kind }, "Waybill is running.");
        introduce(config, url, log, context);
        return worker;
      },
      onRefused: (error: AppError) => {
        const wording = { json: context.json, paint: paintFor(process.stderr, context.env) };
        context.remark(failureText(error, wording));
      },
      onTrouble: (error) => log?.error({ err: error }, "Not everything ended in good order; the ledger has it."),
    });
  },
};

function loggerFor(config: Config, { env }: CommandContext): Logger {
  const terminal = process.stdout.isTTY === true;
  const colours = terminal && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
  return makeLogger({ level: config.logLevel, terminal, colours });
}

/** In a terminal as a page to read; elsewhere the log has to say at least that nothing here is real. */
function introduce(config: Config, url: string, log: Logger, { print, paint }: CommandContext): void {
  if (process.stdout.isTTY) for (const line of introduction(config, url, paint)) print(line);
  else if (config.profile.kind === "demo") {
    log.info({ event: "demo_profile" }, `${demoWords} ${realModelLines.join("; ")}`);
  }
}
