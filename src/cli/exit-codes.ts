/** Exit codes, which scripts rely on. */
import type { Status } from "../client/index.ts";
import type { TurnEndReason } from "../core/turn/universal-event.ts";

export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  failed: 3,
  cancelled: 4,
  noDaemon: 5,
  timedOut: 124,
  interrupted: 130,
} as const;

export function exitCodeOfError({ code }: { code: string }): number {
  if (code === "usage") return exitCodes.usage;
  return code === "no_daemon" ? exitCodes.noDaemon : exitCodes.error;
}

export function exitCodeOfOutcome(status: Status): number {
  if (status === "failed_terminal") return exitCodes.failed;
  return status === "cancelled" ? exitCodes.cancelled : exitCodes.ok;
}

export function exitCodeOfTurn(reason: TurnEndReason): number {
  if (reason === "completed") return exitCodes.ok;
  return reason === "aborted" ? exitCodes.cancelled : exitCodes.failed;
}
