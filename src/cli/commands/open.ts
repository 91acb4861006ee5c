/** `waybill open`: the page in a browser, already signed in. */
import { spawn } from "node:child_process";
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";

const help = `Usage: waybill open [--print]

Opens the page in the browser. The address carries a code that is good once and for a short time, not the token.

Options:
  --print    only print the address; so it is without a terminal
  --json     one line: {"url","expiresAt"}; opens nothing

Exit codes: 0 done, 5 no daemon runs, 1 any other error.

Examples:
  waybill open
  ssh -L 7717:127.0.0.1:7717 host waybill open --print`;

export const open: Command = {
  name: "open",
  summary: "open the page in the browser",
  help,
  options: { print: { type: "boolean" } },
  run(input, context) {
    const { json, print, remark } = context;
    refuseMore(input, 0, "open");
    return talk(context, async (client) => {
      const { code, expiresAt } = await client.login();
      const url = `${client.url}/login?code=${encodeURIComponent(code)}`;
      print(json ? JSON.stringify({ url, expiresAt }) : url);
      if (json || input.flag("print") || !process.stdout.isTTY) return exitCodes.ok;
      if (!(await openInBrowser(url))) remark("No browser could be started; open the address yourself.");
      return exitCodes.ok;
    });
  },
};

/** Others may see the arguments of a process; the code is worth nothing once the browser used it. */
function openInBrowser(url: string): Promise<boolean> {
  const [program, ...args] = opener(url);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.on("error", () => resolve(false));
    child.on("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

function opener(url: string): [string, ...string[]] {
  if (process.platform === "darwin") return ["open", url];
  return process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler", url] : ["xdg-open", url];
}
