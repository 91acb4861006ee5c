import { expect, test } from "vitest";
import { observed } from "./proof.ts";
import type { Opened } from "./watched-session.ts";
import { openSession } from "./watched-session.ts";

export function crashes(opened: Opened): void {
  test("a program that dies mid-turn leaves an idle session, one interrupted turn, and no answer", async () => {
    const { deadTurn } = opened().facts;
    const session = await openSession(opened());
    const prompt = await session.send("dies");
    await session.until(({ rows }) => opened().runs(prompt.text) === 1 && rows.length > 0);
    opened().kill();
    const slice = await session.rests();
    expect(session.of("turn.started")).toHaveLength(1);
    expect(session.of("turn.ended")).toMatchObject([{ data: { reason: "interrupted" } }]);
    // A program that stores nothing before the first answer does not leave the prompt either.
    const left = deadTurn === "not_observed" ? [] : [{ id: session.idOf(prompt, slice) }];
    expect(slice.rows.filter(({ role }) => role === "user")).toMatchObject(left);
    expect(slice.rows.filter((row) => row.role === "assistant" && row.completedAt !== null)).toEqual([]);
    expect(observed(opened(), slice, prompt)).toMatchObject({ state: deadTurn, settled: true, turnEndedWell: false });

    const next = await session.playedAgain("answers");
    expect(next.slice.rows.at(-1)).toMatchObject({ parentId: session.idOf(next.prompt, next.slice), text: "It is 4." });
    expect(session.of("turn.ended").map(({ data }) => data.reason)).toEqual(["interrupted", "completed"]);
    expect(opened().runs(prompt.text)).toBe(1);
    const programs = opened().runtime.programs?.() ?? [];
    // A program that serves all lanes has no lane of its own. Programs of other lanes have not died.
    const own = programs.filter(({ laneId }) => laneId === null || laneId === session.lane.id);
    for (const { restarts } of own) expect(restarts).toBeGreaterThan(0);
  });
}
