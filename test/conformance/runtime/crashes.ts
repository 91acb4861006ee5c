import { expect, test } from "vitest";
import { observed } from "./proof.ts";
import type { Opened } from "./watched-session.ts";
import { openSession } from "./watched-session.ts";

export function crashes(opened: Opened): void {
  test("a program that dies in mid-turn leaves a session at rest, one turn that was interrupted, and no answer", async () => {
    const session = await openSession(opened());
    const prompt = await session.send("dies");
    await session.until(({ rows }) => opened().runs(prompt.text) === 1 && rows.length > 0);
    opened().kill();
    const slice = await session.rests();
    expect(session.of("turn.started")).toHaveLength(1);
    expect(session.of("turn.ended")).toMatchObject([{ data: { reason: "interrupted" } }]);
    expect(slice.rows.filter(({ role }) => role === "user")).toMatchObject([{ id: prompt.messageId }]);
    expect(slice.rows.filter((row) => row.role === "assistant" && row.completedAt !== null)).toEqual([]);
    const { deadTurn } = opened().facts;
    expect(observed(opened(), slice, prompt)).toMatchObject({ state: deadTurn, settled: true, turnEndedWell: false });

    await session.ready();
    const next = await session.played("answers");
    expect(next.slice.rows.at(-1)).toMatchObject({ parentId: next.prompt.messageId, text: "It is 4." });
    expect(session.of("turn.ended").map(({ data }) => data.reason)).toEqual(["interrupted", "completed"]);
    expect(opened().runs(prompt.text)).toBe(1);
  });
}
