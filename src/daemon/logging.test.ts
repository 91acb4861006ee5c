import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLogger } from "./logging.ts";
import { terminalLog } from "./terminal-log.ts";

function written(write: (log: ReturnType<typeof createLogger>) => void, terminal: boolean): string {
  let text = "";
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  write(createLogger({ level: "info", stream: terminal ? terminalLog({ coloured: false, stream }) : stream }));
  return text;
}

test("lines are JSON if a program reads them", () => {
  const line = JSON.parse(written((log) => log.info({ laneId: "lane" }, "started"), false));
  expect(line).toMatchObject({ level: 30, laneId: "lane", msg: "started" });
  expect(Date.parse(line.time)).not.toBeNaN();
});

test.each([
  { token: "s3cret" },
  { config: { telegramBotToken: "s3cret" } },
  { request: { headers: { authorization: "Bearer s3cret", cookie: "s3cret" } } },
  { settings: { opencode: { password: "s3cret" } } },
])("secrets are redacted: %j", (fields) => {
  const text = written((log) => log.info(fields), false);
  expect(text).not.toContain("s3cret");
  expect(text).toContain("[secret]");
});

test("lines below the level are not written", () => {
  expect(written((log) => log.debug("psst"), false)).toBe("");
});
