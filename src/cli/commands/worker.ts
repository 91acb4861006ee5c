/** `waybill worker`: the process that the supervisor starts. You can also run it by hand to see its output. */
import type { Config } from "../../daemon/config/config.ts";
import { loadConfig } from "../../daemon/config/config.ts";
import type { Logger } from "../../daemon/logging.ts";
import { createLogger } from "../../daemon/logging.ts";
import type { StartedWorker } from "../../daemon/worker/worker.ts";
import { startWorker } from "../../daemon/worker/worker.ts";
import { runUntilStopped } from "../../daemon/worker/worker-lifecycle.ts";
import type { Command, CommandContext } from "../command.ts";
import { errorText } from "../errors.ts";
import { demoNotice, realModelCommands, startupBanner } from "../output/startup-banner.ts";
import { paintFor } from "../output/terminal.ts";

export const worker: Command = {
  name: "worker",
  summary: "the part of the daemon that does the work",
  help: `Usage: waybill worker

The part of the daemon that does the work. Use \`waybill up\`, which starts it and restarts it when it dies.`,
  options: {},
  hidden: true,
  ignoresClosedOutput: true,
  run(_input, context) {
    const { env, json, printNote } = context;
    let log: Logger | null = null;
    return runUntilStopped({
      async start({ restart, stopping }) {
        const config = loadConfig(env);
        log = await loggerFor(config, env);
        const running = await startWorker({ config, env, log, restart, stopping });
        const { url, opencodeApiUrl, runId } = running.ready;
        const profile = config.profile.kind;
        log.info({ event: "daemon_ready", url, opencodeApiUrl, runId, profile }, "Waybill is running.");
        announce(config, running, log, context);
        return running;
      },
      onStartRefused: (error) => printNote(errorText(error, { json, paint: paintFor(process.stderr, env) })),
      onError: (error) => log?.error({ err: error }, "The drain failed; unfinished deliveries are in the ledger."),
    });
  },
};

async function loggerFor({ logLevel: level }: Config, env: NodeJS.ProcessEnv): Promise<Logger> {
  const stream = process.stdout;
  if (!stream.isTTY) return createLogger({ level, stream });
  const { terminalLog } = await import("../../daemon/terminal-log.ts");
  const coloured = (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
  return createLogger({ level, stream: terminalLog({ coloured, stream }) });
}

/**
 * A terminal gets a banner with an address that signs a browser in. That address is secret and logs are kept, so a log
 * only says how to get one, and whether this is the demo.
 */
function announce(config: Config, worker: StartedWorker, log: Logger, { print, paint }: CommandContext): void {
  if (process.stdout.isTTY) {
    const addresses = { ...worker.ready, loginUrl: worker.newLoginUrl() };
    for (const line of startupBanner(config, addresses, paint)) print(line);
    return;
  }
  log.info({ event: "page_ready" }, "Open the page with `waybill open`.");
  if (config.profile.kind !== "demo") return;
  log.info({ event: "demo_profile" }, `${demoNotice} ${realModelCommands.join("; ")}`);
}
