import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Opened } from "./watched-session.ts";
import { openSession, soon } from "./watched-session.ts";

export function sessions(opened: Opened): void {
  test("a new session is empty and idle", async () => {
    const session = await openSession(opened());
    expect(await session.read()).toMatchObject({ status: "idle", asks: [], rows: [], complete: true });
  });

  test("a removed session reads as stale", async () => {
    const session = await openSession(opened());
    await session.played("answers");
    await opened().loseSession(session.id);
    expect(await session.read()).toMatchObject({ sessionId: session.id, status: "stale" });
  });

  test("a session that the program does not know has no rows", async () => {
    const { runtime, lane, facts } = opened();
    const id = `ses_${randomUUID()}`;
    expect(await runtime.read(lane, id, null, soon())).toMatchObject({ status: facts.unknownSession, rows: [] });
  });

  test("events in one session do not appear in another", async () => {
    const [one, other] = [await openSession(opened()), await openSession(opened())];
    const { prompt, slice } = await one.played("answers");
    const { prompt: elsewhere, slice: apart } = await other.played("works");
    expect(apart.rows.map(({ id, parentId }) => parentId ?? id)).toEqual(Array(3).fill(other.idOf(elsewhere, apart)));
    expect((await one.read()).rows).toEqual(slice.rows);
    expect(slice.rows[0]?.id).toBe(one.idOf(prompt, slice));
    expect(one.of("turn.ended")).toHaveLength(1);
  });
}
