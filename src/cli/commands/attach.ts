/** `waybill attach`: opens OpenCode's own terminal UI on this Waybill, whatever agent program the lane runs. */
import { spawn } from "node:child_process";
import { readConfig } from "../../daemon/config/config.ts";
import { httpFetch } from "../../platform/http-fetch.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";
import { sessionOf } from "../../transports/opencode-api/ids.ts";
import { openCodePath, openCodeUser } from "../../transports/opencode-api/opencode-path.ts";
import type { Command, CommandContext } from "../command.ts";
import { findDaemon, withDaemon } from "../connect.ts";
import { exitCodes, usageError } from "../errors.ts";

const help = `Usage: waybill attach [LANE]

Opens OpenCode's own terminal UI on this Waybill: in the lane's session, or on the start screen, where you can choose or
start a session. New sessions start in the lane's directory, or in the current one. The agent is the lane's own,
whichever program that is. OpenCode must be installed (opencodeBin, or \`opencode\` in PATH). It gets the daemon's token
through its environment, so the token never shows in a process list.

Exit codes: OpenCode's own, 5 no daemon is running, 2 invalid command line, 1 any other error.

Examples:
  waybill attach
  waybill attach chat`;

export const attach: Command = {
  name: "attach",
  summary: "open OpenCode's own terminal UI on a lane",
  help,
  options: {},
  maxArguments: 1,
  argumentChoices: "lanes",
  run(input, context) {
    const [lane] = input.positionals;
    if (context.json)
      throw usageError("attach has no --json; use `waybill follow LANE --json` to read turns", "attach");
    return withDaemon(context, async (client) => {
      const { url, token } = findDaemon(context.env);
      const base = `${(typeof url === "string" ? url : url()).replace(/\/+$/, "")}${openCodePath}`;
      const place =
        lane === undefined
          ? await workingDirectory(base, token, context)
          : ["--session", sessionOf(lane), "--dir", (await client.lane(lane)).directory];
      const args = ["attach", base, ...place];
      const { env, interrupted } = context;
      const terminal = runtimeDescriptors.find((runtime) => runtime.terminal);
      const path = (await terminal?.terminal?.(readConfig(env).runtimeSettings, { env, signal: interrupted })) ?? "";
      return runTerminal(path, args, token, context);
    });
  },
};

/** Where no lane may work, or on a machine other than the daemon's, the daemon's default directory is used. */
async function workingDirectory(
  base: string,
  token: string,
  { interrupted, printNote }: CommandContext,
): Promise<string[]> {
  const directory = process.cwd();
  const asked = `${base}/path?directory=${encodeURIComponent(directory)}`;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await httpFetch(asked, { method: "GET", headers, signal: interrupted });
  await answer.text();
  if (answer.ok) return ["--dir", directory];
  printNote(`waybill: No lane may work in ${directory}, so new sessions start in the daemon's default directory.`);
  return [];
}

/** Ctrl-C reaches OpenCode directly; SIGTERM is forwarded. */
function runTerminal(path: string, args: string[], token: string, { env, interrupted }: CommandContext) {
  const login = { OPENCODE_SERVER_USERNAME: openCodeUser, OPENCODE_SERVER_PASSWORD: token };
  const child = spawn(path, args, { stdio: "inherit", env: { ...env, ...login } });
  const passOn = () => child.kill("SIGTERM");
  interrupted.addEventListener("abort", passOn, { once: true });
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? exitCodes.interrupted));
  }).finally(() => interrupted.removeEventListener("abort", passOn));
}
