/** `waybill open`: opens the web page in a browser and signs it in. */
import { spawn } from "node:child_process";
import { loginUrl } from "../../transports/http/page/login-codes.ts";
import type { Command } from "../command.ts";
import { flagOption, printResult } from "../command.ts";
import { withDaemon } from "../connect.ts";

export const open: Command = {
  name: "open",
  summary: "open Waybill's web page in the browser",
  help: {
    usage: "[--print]",
    description:
      "Opens Waybill's web page in the browser. The address contains a code that works once, within ten\n" +
      "minutes, and never the token. The browser stays signed in until the page has not been opened for\n" +
      "seven days.",
    json: 'one line: {"url","expiresAt"}; opens nothing',
    exitCodes: "0 done, 5 no daemon is running, 2 invalid command line, 1 any other error.",
    examples: `waybill open
ssh -L 7717:127.0.0.1:7717 host waybill open --print`,
  },
  options: { print: flagOption("print the address and open nothing; the default without a terminal") },
  run(input, context) {
    return withDaemon(context, async (client) => {
      const { code, expiresAt } = await client.login();
      const url = loginUrl(client.url, code);
      const exitCode = printResult(context, { url, expiresAt }, url);
      const onlyPrint = context.json || input.flag("print") || !process.stdout.isTTY;
      if (!onlyPrint && !(await openInBrowser(url)))
        context.printNote("Could not start a browser; open the address yourself.");
      return exitCode;
    });
  },
};

/** Other users may see a process's arguments, but the code is worthless once the browser has used it. */
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
