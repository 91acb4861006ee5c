import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Lane } from "../../core/lane/lane.ts";
import { systemClock } from "../../platform/clock.ts";
import { claude } from "./descriptor.ts";
import { ClaudeRuntime } from "./runtime.ts";

test("a lane with a missing directory sends nothing, and the program still counts as healthy", async () => {
  const directory = mkdtempSync(join(tmpdir(), "claude-runtime-"));
  try {
    const runtime = new ClaudeRuntime({
      agent: claude.agent,
      program: process.execPath,
      env: { HOME: directory, PATH: "" },
      directory,
      clock: systemClock,
      idleMs: 1000,
      maxResting: 1,
      onError: () => {},
    });
    const lane = { id: "lane", directory: join(directory, "gone"), agent: null, model: null } as Lane;
    const ids = runtime.idsFrom("0123456789abcdef0123456789abcdef");
    const prompt = { ...ids, sessionId: await runtime.openSession(), text: "go", attachments: [] };
    const outcome = await runtime.submit(lane, prompt, new AbortController().signal);
    expect(outcome).toEqual({ outcome: "not_sent", reason: `directory_missing: ${lane.directory} does not exist` });
    expect(await runtime.health(new AbortController().signal, [lane])).toBeNull();
    await runtime.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
