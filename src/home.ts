/** Where Waybill keeps its state and looks for its configuration, and how a path that a person wrote is read. */
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** State: the store, the token, what the daemon says about itself. */
export function waybillHome(env: NodeJS.ProcessEnv): string {
  if (env.WAYBILL_HOME) return expandPath(env.WAYBILL_HOME, process.cwd(), env);
  return join(xdgDirectory(env.XDG_STATE_HOME) ?? join(userHome(env), ".local", "state"), "waybill");
}

/** Where the configuration is looked for when none is named. */
export function defaultConfigPath(env: NodeJS.ProcessEnv): string {
  return join(xdgDirectory(env.XDG_CONFIG_HOME) ?? join(userHome(env), ".config"), "waybill", "config.json");
}

export function tokenPath(home: string): string {
  return join(home, "token");
}

/** What a running daemon writes down about itself. */
export function daemonFilePath(home: string): string {
  return join(home, "daemon.json");
}

/** Absolute: `~` is the user's home, and anything relative begins at `base`. */
export function expandPath(path: string, base: string, env: NodeJS.ProcessEnv): string {
  if (path === "~") return userHome(env);
  if (path.startsWith("~/")) return join(userHome(env), path.slice(2));
  return resolve(base, path);
}

function userHome(env: NodeJS.ProcessEnv): string {
  return env.HOME || homedir();
}

/** By the XDG rules a relative one is to be ignored. */
function xdgDirectory(path: string | undefined): string | null {
  return path !== undefined && isAbsolute(path) ? path : null;
}
