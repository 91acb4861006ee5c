import { expect, test } from "vitest";
import type { Sent } from "../../client/index.ts";
import { textProgress } from "./wait-progress.ts";

const sent: Sent = {
  messageId: "m1",
  deliveryId: "d1",
  status: "pending",
  responseState: "not_observed",
  responsePending: true,
  acceptanceUnknown: false,
  diagnostics: [],
};

/** What is written while the result goes to a terminal and progress to `output`. */
function progressTo(isTTY: boolean): string {
  const written: string[] = [];
  const context = {
    env: {},
    json: false,
    print: () => {},
    printNote: (line: string) => void written.push(line),
    paint: (_style: unknown, text: string) => `\u001b[2m${text}\u001b[22m`,
    interrupted: new AbortController().signal,
    loadCommands: async () => [],
  };
  const progress = textProgress(context, { isTTY, write: (text) => written.push(text) });
  progress.sent(sent);
  progress.stop();
  return written.join("");
}

test("progress that goes to a file has no colours, though the result is on a terminal", () => {
  expect(progressTo(false)).toMatch(/^ +0\.\ds {2}message m1$/);
});

test("progress that goes to a terminal has them", () => {
  expect(progressTo(true)).toContain("\u001b[2m");
});
