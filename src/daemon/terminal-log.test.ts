import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createLogger } from "./logging.ts";
import { terminalLog } from "./terminal-log.ts";

test("a line break or a terminal code in a message cannot forge a line", async () => {
  const output = new PassThrough();
  const log = createLogger({ level: "info", stream: terminalLog({ coloured: false, stream: output }) });
  log.info({ event: "client_log" }, "Harmless.\n[12:00:00] INFO: Waybill is running.\u001b[2J\u009b2J\u2028");
  const [chunk] = (await output.iterator().next()).value.toString().split("\n");
  expect(chunk).toContain("Harmless.\\u000a[12:00:00] INFO: Waybill is running.\\u001b[2J\\u009b2J\\u2028");
});
