import { expect, test } from "vitest";
import { statusLine } from "./screen.ts";

test("on a terminal the status is written over, and cut to one line", () => {
  let written = "";
  const output = { isTTY: true, columns: 11, write: (text: string) => (written += text) };
  const screen = statusLine(output, () => {});
  screen.status("0.5s waiting for the agent");
  screen.line("sent");
  screen.clear();
  const again = "\r\u001b[2K";
  expect(written).toBe(`${again}0.5s wait…${again}sent\n${again}`);
});

test("elsewhere there are lines only", () => {
  const lines: string[] = [];
  const screen = statusLine({ write: () => expect.unreachable() }, (line) => lines.push(line));
  screen.status("0.5s waiting for the agent");
  screen.line("sent");
  screen.clear();
  expect(lines).toEqual(["sent"]);
});
