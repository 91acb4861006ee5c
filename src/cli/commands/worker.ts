/** `waybill worker`: what the supervisor starts. It can be run by hand as well, to see what it says. */
import type { AppError } from "../../app-error.ts";
import type { Config } from "../../daemon/config/config.ts";
import { loadConfig } from "../../daemon/config/config.ts";
import type { Logger } from "../../daemon/logging.ts";
import { makeLogger } from "../../daemon/logging.ts";
import { startWorker } from "../../daemon/worker/worker.ts";
import { runUntilStopped } from "../../daemon/worker/worker-lifecycle.ts";
import type { Command, CommandContext } from "../command.ts";
import { refuseMore } from "../command.ts";
import { failureText } from "../failure.ts";
import { demoWords, introduction, realModelLines } from "../output/introduction.ts";
import { paintFor } from "../output/terminal.ts";

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
      onError: (error) => log?.error({ err: error }, "Not everything ended in good order; the ledger has it."),
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
