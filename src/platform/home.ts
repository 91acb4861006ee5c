/** The paths of state and configuration, and how a path from a person is resolved. */
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** The state directory: the store, the token, daemon.json. */
export function waybillHome(env: NodeJS.ProcessEnv): string {
  if (env.WAYBILL_HOME) return expandPath(env.WAYBILL_HOME, process.cwd(), env);
  return join(xdgDirectory(env.XDG_STATE_HOME) ?? join(userHome(env), ".local", "state"), "waybill");
}

export function defaultConfigPath(env: NodeJS.ProcessEnv): string {
  return join(xdgDirectory(env.XDG_CONFIG_HOME) ?? join(userHome(env), ".config"), "waybill", "config.json");
}

export function tokenPath(home: string): string {
  return join(home, "token");
}

export function daemonFilePath(home: string): string {
  return join(home, "daemon.json");
}

/** Makes a path absolute: `~` is the user's home, and a relative path starts at `base`. */
export function expandPath(path: string, base: string, env: NodeJS.ProcessEnv): string {
  if (path === "~") return userHome(env);
  if (path.startsWith("~/")) return join(userHome(env), path.slice(2));
  return resolve(base, path);
}

function userHome(env: NodeJS.ProcessEnv): string {
  return env.HOME || homedir();
}

/** The XDG specification says to ignore relative paths. */
function xdgDirectory(path: string | undefined): string | null {
  return path !== undefined && isAbsolute(path) ? path : null;
}
