import { expect, test } from "vitest";
import type { SentDelivery } from "../client/index.ts";
import { textProgress } from "./send-and-wait.ts";

const sent: SentDelivery = {
  messageId: "m1",
  deliveryId: "d1",
  status: "pending",
  responseState: "not_observed",
  responsePending: true,
  acceptanceUnknown: false,
  diagnostics: [],
};

/** What is written to `output` while the result goes to a terminal. */
function progressTo(isTTY: boolean, change: Partial<SentDelivery> = {}): string {
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
  progress.sent({ ...sent, ...change });
  progress.stop();
  return written.join("\n");
}

test("progress in a file has no colours, even if the result goes to a terminal", () => {
  expect(progressTo(false)).toMatch(/^ +0\.\ds {2}message m1$/);
});

test("progress on a terminal has colours", () => {
  expect(progressTo(true)).toContain("\u001b[2m");
});

test("a message behind an open ask says that a person is needed", () => {
  const waits = "chat is waiting for a permission from a person";
  expect(progressTo(false, { queuedBehindMessageId: "m0", waits }).split("\n")).toEqual([
    expect.stringMatching(/message m1, behind message m0$/),
    expect.stringMatching(/waiting: chat is waiting for a permission from a person$/),
  ]);
});
