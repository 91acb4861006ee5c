/** Where Waybill keeps its state, and what of it others may look for. */
import { homedir } from "node:os";
import { join } from "node:path";

export function waybillHome(env: NodeJS.ProcessEnv): string {
  if (env.WAYBILL_HOME) return env.WAYBILL_HOME;
  return join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "waybill");
}

export function storePath(env: NodeJS.ProcessEnv): string {
  return join(waybillHome(env), "waybill.db");
}

export function tokenPath(env: NodeJS.ProcessEnv): string {
  return join(waybillHome(env), "token");
}

/** Written by the daemon that runs: its process ids, its address, its run. */
export function daemonFilePath(env: NodeJS.ProcessEnv): string {
  return join(waybillHome(env), "daemon.json");
}
