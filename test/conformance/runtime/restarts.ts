import { expect, test } from "vitest";
import type { TranscriptRow, TranscriptSlice } from "../../../src/core/transcript/transcript.ts";
import { processTable } from "../../../src/runtimes/process/process-table.ts";
import { processTreeOf } from "../../../src/runtimes/process/process-tree.ts";
import { listed } from "./listing.ts";
import type { Opened } from "./watched-session.ts";
import { openSession } from "./watched-session.ts";

function withoutCost(row: TranscriptRow) {
  return { ...row, usage: row.usage?.tokens };
}

/** The last test leaves the runtime closed, because another start of a real program would take long. */
export function restarts(opened: Opened): void {
  test("another runtime on the same state lists the session, reads the same rows, and continues in it", async () => {
    const session = await openSession(opened());
    const { slice: before } = await session.played("works");
    await opened().stop({ keep: true });
    await opened().start();
    session.watch();
    if (opened().runtime.sessionsIn) expect(await listed(opened())).toContain(session.id);
    const read = await session.until(() => true);
    const { keepsCost } = opened().facts;
    const kept = ({ rows }: TranscriptSlice) => (keepsCost ? rows : rows.map(withoutCost));
    expect(kept(read)).toEqual(kept(before));
    expect(read.status).toBe("idle");
    const { prompt, slice } = await session.played("answers");
    expect(kept(slice).slice(0, -2)).toEqual(kept(before));
    expect(slice.rows.at(-1)).toMatchObject({ parentId: session.idOf(prompt, slice), text: "It is 4." });
  });

  test("closing mid-turn ends every process that was started", async () => {
    const session = await openSession(opened(), { closes: true });
    await session.send("hangs");
    await session.until(({ rows }) => rows.some(({ text }) => text === "I begin."));
    const programs = opened().programs();
    const family = async () => {
      const table = await processTable();
      return programs.flatMap((program) => processTreeOf(program, table, process.pid));
    };
    expect((await family()).length > 0).toBe(opened().facts.isProgram);
    await opened().stop();
    expect(await family()).toEqual([]);
    expect(opened().programs()).toEqual([]);
  });
}
