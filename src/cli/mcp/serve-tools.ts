/** Serves the tools on standard input and output until the client closes them or the command is interrupted. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { requestRetryMs, withRetries } from "../../client/retry.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { makeMcpServer } from "../../transports/mcp/mcp-server.ts";
import type { Daemon } from "./daemon-request.ts";
import { DaemonGone, RequestRefused, requestDaemon } from "./daemon-request.ts";
import { makeForwarder } from "./forward-calls.ts";

type Serving = { interrupted: AbortSignal; printNote: (line: string) => void };

export async function serveTools(daemon: Daemon, { interrupted, printNote }: Serving): Promise<void> {
  const forward = makeForwarder(daemon);
  const onerror = (error: Error) => printNote(`waybill: ${messageOf(error)}`);
  const connection = serveStdio(() => makeMcpServer(daemon.version, forward), { onerror });
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve);
    if (interrupted.aborted) resolve();
    interrupted.addEventListener("abort", () => resolve(), { once: true });
  });
  await connection.close();
}

/** Checks at the start that a daemon is running and accepts the token, so that not every call fails later. */
export async function checkToken(daemon: Daemon, signal: AbortSignal): Promise<void> {
  const isGone = (error: unknown) => error instanceof DaemonGone;
  try {
    const ask = () => requestDaemon(daemon, { method: "server/discover", params: {}, signal });
    await withRetries(ask, { if: isGone, waits: requestRetryMs, signal });
  } catch (error) {
    throw startError(error);
  }
}

function startError(cause: unknown): unknown {
  if (cause instanceof DaemonGone) {
    const hint = "Start it with `waybill up`, or check WAYBILL_URL and WAYBILL_HOME.";
    return new AppError({ code: "no_daemon", message: cause.message, hint, cause });
  }
  if (!(cause instanceof RequestRefused)) return cause;
  const code = cause.status === 401 ? "unauthorized" : "unexpected_answer";
  return new AppError({ code, message: cause.message, cause });
}
