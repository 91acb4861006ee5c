import { expect, test } from "vitest";
import { statusLine } from "./status-line.ts";

test("on a terminal the status is overwritten, and cut to one line", () => {
  let written = "";
  const output = { isTTY: true, columns: 11, write: (text: string) => (written += text) };
  const line = statusLine(output, () => {});
  line.status("0.5s waiting for the agent");
  line.line("sent");
  line.clear();
  const again = "\r\u001b[2K";
  expect(written).toBe(`${again}0.5s wait…${again}sent\n${again}`);
});

test("elsewhere only lines are printed", () => {
  const lines: string[] = [];
  const line = statusLine({ write: () => expect.unreachable() }, (line) => lines.push(line));
  line.status("0.5s waiting for the agent");
  line.line("sent");
  line.clear();
  expect(lines).toEqual(["sent"]);
});
