import { expect, test } from "vitest";
import type { Opened } from "./watched-session.ts";
import { openSession, soon } from "./watched-session.ts";

export function endings(opened: Opened): void {
  test("an aborted turn comes to rest, is reported as aborted, and the next prompt is answered", async () => {
    const session = await openSession(opened());
    const stopped = await session.send("hangs");
    await session.until(({ rows }) => rows.some(({ text }) => text === "I begin."));
    await opened().runtime.abort(session.lane, session.id, soon());
    await session.rests();
    expect(session.of("turn.ended")).toMatchObject([{ data: { reason: "aborted" } }]);
    const { prompt, slice } = await session.played("answers");
    expect(slice.rows.at(-1)).toMatchObject({ parentId: session.idOf(prompt, slice), text: "It is 4." });
    expect(opened().runs(stopped.text)).toBe(1);
  });

  test("aborting twice concurrently is safe, and removes the open ask", async () => {
    const session = await openSession(opened());
    await session.send("permission");
    await session.asked();
    const { runtime } = opened();
    await Promise.all([1, 2].map(() => runtime.abort(session.lane, session.id, soon())));
    expect((await session.rests()).asks).toEqual([]);
    expect(session.of("turn.ended")).toHaveLength(1);
  });

  test("aborting at rest does nothing", async () => {
    const session = await openSession(opened());
    const { slice } = await session.played("answers");
    await opened().runtime.abort(session.lane, session.id, soon());
    expect((await session.read()).rows).toEqual(slice.rows);
    expect((await session.read()).status).toBe("idle");
    expect(session.of("turn.ended")).toMatchObject([{ data: { reason: "completed" } }]);
  });
}
