/** How Waybill handles a misbehaving pi, played by a program that speaks part of its protocol. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Lane } from "../../src/core/lane/lane.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { pi } from "../../src/runtimes/pi/descriptor.ts";
import { PiRuntime } from "../../src/runtimes/pi/runtime.ts";
import { readProcessRecords } from "../../src/runtimes/process-pool/process-record.ts";

let directory = "";
let runtime: PiRuntime;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "waybill-pi-")));
  mkdirSync(join(directory, "work"));
});
afterEach(async () => {
  await runtime.close();
  rmSync(directory, { recursive: true });
});

/** Answers every command except the named ones. */
function pretend(silentOn: string): void {
  const program = join(directory, "pi");
  const gate = { type: "extension_ui_request", id: "1", method: "setStatus", statusKey: "waybill", statusText: "gate" };
  // A shell script, since it has to start well within pi's start time, however busy the machine is.
  const script = `#!/bin/sh
    field() { value=\${line#*\\"$1\\":\\"}; value=\${value%%\\"*}; }
    echo '${JSON.stringify(gate)}'
    while read -r line; do
      field type; type=$value
      field id; id=$value
      [ "$type" = ${silentOn} ] ||
        echo '{"type":"response","id":"'$id'","command":"'$type'","success":true,"data":{"isStreaming":false}}'
    done`;
  writeFileSync(program, script, { mode: 0o755 });
  runtime = new PiRuntime({
    agent: pi.agent,
    ...{ program, env: { HOME: directory, PATH: "" }, directory, clock: systemClock, times: { startMs: 8000 } },
    ...{ provider: "p", model: "m", apiKey: null, maxSteps: 5, idleMs: 60_000, maxResting: 5, onError: () => {} },
  });
}

const lane = () => ({ id: "lane", directory: join(directory, "work"), agent: null, model: null }) as Lane;

const submit = (sessionId: string) => {
  const prompt = { messageId: sessionId, partId: "p", sessionId, text: "go", attachments: [] };
  return runtime.submit(lane(), prompt, AbortSignal.timeout(60_000));
};
async function rests(sessionId: string): Promise<void> {
  for (;;) {
    let stop = () => {};
    const told = new Promise<void>((resolve) => {
      stop = runtime.onHint(() => resolve());
    });
    const { status } = await runtime.read(lane(), sessionId, null);
    if (status !== "idle") await told;
    stop();
    if (status === "idle") return;
  }
}

const programs = () =>
  readProcessRecords(join(directory, "programs")).map(({ pid, sessionId }) => ({ pid, sessionId }));

test("a pi that does not switch to another session is replaced", async () => {
  pretend("switch_session");
  expect(await submit("one")).toEqual({ outcome: "accepted" });
  await rests("one");
  const [first] = programs();
  // A caller that arrives during the switch does not get a program with another session.
  const [second, meanwhile] = await Promise.all([submit("two"), submit("two")]);
  expect(second).toEqual({ outcome: "accepted" });
  expect(meanwhile).toMatchObject({ outcome: "not_sent", reason: expect.stringContaining("did not switch") });
  expect(programs()).toEqual([{ sessionId: "two", pid: expect.any(Number) }]);
  expect(programs()[0]?.pid).not.toBe(first?.pid);
});
