/**
 * Forwards a client's calls to the daemon, even across a daemon restart: a call that was not executed or is safe to repeat is
 * made again, and a wait continues.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { endlessRetryMs, requestRetryMs, waitBeforeRetry, withRetries } from "../../client/retry.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { refusal, unknownTool } from "../../transports/mcp/call-tool.ts";
import type { IncomingCall } from "../../transports/mcp/mcp-server.ts";
import { makeMcpServer } from "../../transports/mcp/mcp-server.ts";
import { messageWait, waitResult, waitText } from "../../transports/mcp/tools/message-wait.ts";
import { findTool } from "../../transports/mcp/tools/registry.ts";
import { isRepeatable } from "../../transports/mcp/tools/tool.ts";
import type { Daemon } from "./daemon-request.ts";
import { DaemonGone, RequestRefused, requestDaemon } from "./daemon-request.ts";

/** Clients give up after 60 s. */
const giveUpMs = 45_000;

export function makeForwarder(daemon: Daemon): (call: IncomingCall) => Promise<CallToolResult> {
  return async (call) => {
    const tool = findTool(call.name);
    if (!tool) throw unknownTool(call.name);
    try {
      return call.name === messageWait.name
        ? await forwardWait(daemon, call)
        : await forward(daemon, call, isRepeatable(tool));
    } catch (error) {
      if (error instanceof RequestRefused) return refusal(error.message);
      if (error instanceof DaemonGone) return refusal(goneText(error));
      throw error;
    }
  };
}

function forward(daemon: Daemon, call: IncomingCall, repeatable: boolean): Promise<CallToolResult> {
  return withRetries(() => callOnce(daemon, call), {
    if: (error) => error instanceof DaemonGone && (repeatable || !error.mayBeDone),
    waits: retriesUntil(Date.now() + giveUpMs),
    signal: call.signal,
  });
}

async function callOnce(daemon: Daemon, { name, args, signal }: IncomingCall, takesMs = 0): Promise<CallToolResult> {
  const request = { method: "tools/call", params: { name, arguments: args }, signal, takesMs };
  return (await requestDaemon(daemon, request)) as CallToolResult;
}

/** A stopping daemon answers that the message is still waiting, and the next daemon continues the wait. */
async function forwardWait(daemon: Daemon, call: IncomingCall): Promise<CallToolResult> {
  const parsed = messageWait.input.safeParse(call.args);
  // The daemon reports what is wrong with the call.
  if (!parsed.success) return forward(daemon, call, true);
  const { messageId, timeoutSeconds } = parsed.data as { messageId: string; timeoutSeconds: number };
  const until = Date.now() + timeoutSeconds * 1000;
  let waits = endlessRetryMs();
  let last = waiting(messageId, "Waybill's daemon cannot be reached.");
  for (;;) {
    const left = Math.ceil((until - Date.now()) / 1000);
    if (left <= 0) return last;
    try {
      last = await callOnce(daemon, { ...call, args: { messageId, timeoutSeconds: left } }, left * 1000);
      if (last.isError || Object(last.structuredContent).state !== "waiting") return last;
      waits = endlessRetryMs();
    } catch (error) {
      if (!(error instanceof DaemonGone)) throw error;
      last = waiting(messageId, error.message);
    }
    await waitBeforeRetry(Math.min(waits.next().value, Math.max(0, until - Date.now())), call.signal);
  }
}

function waiting(messageId: string, reason: string): CallToolResult {
  const data = waitResult({ messageId, state: "waiting", reason, replies: [] });
  return { content: [{ type: "text", text: waitText(data) }], structuredContent: data };
}

function* retriesUntil(end: number): Generator<number> {
  for (const ms of endlessRetryMs()) {
    if (Date.now() + ms > end) return;
    yield ms;
  }
}

function goneText({ message, mayBeDone }: DaemonGone): string {
  const words = message.endsWith(".") ? message : `${message}.`;
  return mayBeDone
    ? `${words} This may or may not have been done: message_list with box "sent" shows what was sent.`
    : `${words} Nothing was done. Try again later.`;
}

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
