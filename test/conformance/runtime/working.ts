import { expect, test } from "vitest";
import type { Opened } from "./watched-session.ts";
import { openSession } from "./watched-session.ts";

export function working(opened: Opened): void {
  test("is busy while the agent works, and its rows grow", async () => {
    const session = await openSession(opened());
    const prompt = await session.send("hangs");
    const slice = await session.until(({ rows }) => rows.some(({ text }) => text === "I begin."));
    expect(slice.status).toBe("busy");
    expect(slice.rows.find(({ text }) => text === "I begin.")?.parentId).toBe(session.idOf(prompt, slice));
  });

  test("shows the running program, if there is one, with its events connected", async () => {
    const session = await openSession(opened());
    await session.send("hangs");
    await session.until(({ rows }) => rows.some(({ text }) => text === "I begin."));
    const shown = opened().runtime.programs?.() ?? [];
    expect(shown.map(({ pid }) => pid)).toEqual(
      opened()
        .programs()
        .map(({ pid }) => pid),
    );
    expect(shown.length > 0).toBe(opened().facts.isProgram);
    for (const program of shown) {
      expect(program).toMatchObject({ events: "connected", restarts: expect.any(Number) });
      expect(program.startedAt).toBeGreaterThan(Date.now() - 600_000);
      if (program.laneId !== null) {
        const { id: laneId, directory } = opened().lane;
        expect(program).toMatchObject({ laneId, directory, sessionId: session.id });
      }
    }
  });

  test("at rest, rows belong to the prompt, tools have input and output, and the newest ends the turn", async () => {
    const session = await openSession(opened());
    const { prompt, slice } = await session.played("works");
    expect(slice).toMatchObject({ sessionId: session.id, status: "idle", asks: [], complete: true });
    const [, first, last, ...more] = slice.rows;
    expect(more).toEqual([]);
    const whole = {
      role: "assistant",
      parentId: session.idOf(prompt, slice),
      error: null,
      completedAt: expect.any(Number),
    };
    expect(first).toMatchObject({ ...whole, text: "I read it.", finish: "tool-calls" });
    expect(last).toMatchObject({ ...whole, text: "It has one line.", tools: [] });
    expect(last?.finish).not.toBe("tool-calls");
    expect(first?.tools).toMatchObject([{ name: expect.stringMatching(/^read$/i), status: "completed" }]);
    expect(Object.values(first?.tools[0]?.input ?? {}).join()).toContain("README.md");
    expect(first?.tools[0]?.output).not.toBe("");
    for (const row of [first, last]) {
      expect(row?.usage?.tokens).toBeGreaterThan(0);
      expect(row?.firstActivityAt).toBeGreaterThanOrEqual(row?.createdAt ?? Number.POSITIVE_INFINITY);
      expect(row?.completedAt).toBeGreaterThanOrEqual(row?.firstActivityAt ?? Number.POSITIVE_INFINITY);
    }
    expect(slice.lastActivityAt).not.toBeNull();
  });

  test("a limit returns the newest rows, and whether they are all", async () => {
    const session = await openSession(opened());
    const { slice } = await session.played("works");
    const newest = await session.read(2);
    expect(newest.rows).toEqual(slice.rows.slice(-2));
    expect(newest.complete).toBe(false);
    const all = await session.read(10);
    expect(all.rows).toEqual(slice.rows);
    expect(all.complete).toBe(true);
  });
}
