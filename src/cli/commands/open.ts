/** `waybill open`: opens the page in a browser, signed in. */
import { spawn } from "node:child_process";
import type { Command } from "../command.ts";
import { flagOption, printResult } from "../command.ts";
import { withDaemon } from "../connect.ts";

export const open: Command = {
  name: "open",
  summary: "open the page in the browser",
  help: {
    usage: "[--print]",
    description:
      "Opens the page in the browser. The address carries a code that works once and for a short time, not the token.",
    json: 'one line: {"url","expiresAt"}; opens nothing',
    exitCodes: "0 done, 5 no daemon runs, 1 any other error.",
    examples: `waybill open
ssh -L 7717:127.0.0.1:7717 host waybill open --print`,
  },
  options: { print: flagOption("only print the address; this is the default without a terminal") },
  run(input, context) {
    return withDaemon(context, async (client) => {
      const { code, expiresAt } = await client.login();
      const url = `${client.url}/login?code=${encodeURIComponent(code)}`;
      const exitCode = printResult(context, { url, expiresAt }, url);
      const onlyPrint = context.json || input.flag("print") || !process.stdout.isTTY;
      if (!onlyPrint && !(await openInBrowser(url)))
        context.printNote("No browser could be started; open the address yourself.");
      return exitCode;
    });
  },
};

/** Other users may see the arguments of a process; the code is worth nothing once the browser used it. */
function openInBrowser(url: string): Promise<boolean> {
  const [program, ...args] = browserCommand(url);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.on("error", () => resolve(false));
    child.on("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

function browserCommand(url: string): [string, ...string[]] {
  if (process.platform === "darwin") return ["open", url];
  return process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler", url] : ["xdg-open", url];
}
