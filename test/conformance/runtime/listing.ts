import { mkdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Lane } from "../../../src/core/lane/lane.ts";
import type { RuntimeHarness } from "../runtime-conformance.ts";
import type { Opened } from "./watched-session.ts";
import { openSession, soon } from "./watched-session.ts";

export async function listed({ runtime, lane }: RuntimeHarness, of: Lane = lane, since?: number) {
  const sessions = await runtime.sessionsIn?.(of, soon(), since);
  if (!sessions) throw new Error("this runtime does not list sessions");
  return sessions;
}

/** In a directory whose name differs only by a separator, which programs leave out of their folder names. */
function laneElsewhere({ lane }: RuntimeHarness): Lane {
  const directory = `${dirname(lane.directory)}-${basename(lane.directory)}`;
  mkdirSync(directory);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { ...lane, id: "elsewhere", directory };
}

export function listing(opened: Opened): void {
  test("prompted sessions are listed, most recently changed first", async (context) => {
    if (!opened().runtime.sessionsIn) context.skip();
    const [one, other] = [await openSession(opened()), await openSession(opened())];
    await one.played("answers");
    await other.played("answers");
    expect((await listed(opened())).slice(0, 2)).toEqual([other.id, one.id]);
    await one.played("answers");
    expect((await listed(opened())).slice(0, 2)).toEqual([one.id, other.id]);
  });

  test("a session of another directory is not listed, however similar the names", async (context) => {
    if (!opened().runtime.sessionsIn) context.skip();
    const lane = laneElsewhere(opened());
    const session = await openSession({ ...opened(), runtime: opened().runtime, lane });
    await session.played("answers");
    expect(await listed(opened(), lane)).toEqual([session.id]);
    expect(await listed(opened())).not.toContain(session.id);
  });

  test("a removed session is not listed", async (context) => {
    if (!opened().runtime.sessionsIn) context.skip();
    const session = await openSession(opened());
    await session.played("answers");
    await opened().loseSession(session.id);
    expect(await listed(opened())).not.toContain(session.id);
  });

  test("sessions that have not changed since the given time are left out", async (context) => {
    if (!opened().runtime.sessionsIn) context.skip();
    const session = await openSession(opened());
    const { slice } = await session.played("answers");
    const promptedAt = slice.rows[0]?.createdAt ?? 0;
    // The clock of a filesystem lags a little.
    expect(await listed(opened(), undefined, promptedAt - 1000)).toContain(session.id);
    expect(await listed(opened(), undefined, Date.now() + 60_000)).toEqual([]);
  });
}
