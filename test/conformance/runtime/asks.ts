import { expect, test } from "vitest";
import type { Opened } from "./watched-session.ts";
import { openSession } from "./watched-session.ts";

export function asks(opened: Opened): void {
  test("a permission is shown with its title, a hint comes, and the turn continues once it is allowed", async () => {
    const session = await openSession(opened());
    await session.send("permission");
    const ask = await session.asked();
    expect(ask).toMatchObject({ kind: "permission", sessionId: session.id });
    expect(ask.title).toMatch(/^bash: sh -c true$/i);
    await session.hears(() => session.hints > 0);
    await opened().runtime.answer(session.lane, ask.id, { decision: "once" });
    const { asks: open, rows } = await session.rests();
    expect(open).toEqual([]);
    expect(rows.at(-1)?.text).toBe("It is done.");
    expect(rows.flatMap(({ tools }) => tools)).toMatchObject([{ status: "completed", rejected: false }]);
    expect(session.of("permission.resolved")).toMatchObject([{ data: { ask: ask.id, outcome: "once" } }]);
  });

  test("a refusal ends the turn, with the call marked as refused and no further text", async () => {
    const session = await openSession(opened());
    await session.send("permission");
    await opened().runtime.answer(session.lane, (await session.asked()).id, { decision: "reject" });
    const { asks: open, rows } = await session.rests();
    expect(open).toEqual([]);
    expect(rows.flatMap(({ tools }) => tools)).toMatchObject([{ status: "error", rejected: true }]);
    expect(rows.map(({ text }) => text)).not.toContain("It is done.");
    expect(session.of("turn.ended")).toMatchObject([{ data: { reason: "aborted" } }]);
  });

  test("a second answer is refused and changes nothing", async () => {
    const session = await openSession(opened());
    await session.send("permission");
    const { id } = await session.asked();
    await opened().runtime.answer(session.lane, id, { decision: "once" });
    const again = opened().runtime.answer(session.lane, id, { decision: "reject" });
    await expect(again).rejects.toMatchObject({ code: "ask_unknown" });
    expect((await session.rests()).rows.at(-1)?.text).toBe("It is done.");
  });

  test("a question is answered with the person's choice, and the agent receives it", async () => {
    const session = await openSession(opened());
    await session.send("question");
    const ask = await session.asked();
    expect(ask).toMatchObject({ kind: "question", title: expect.stringContaining("Which colour?") });
    await opened().runtime.answer(session.lane, ask.id, { decision: "once", answers: [["Red"]] });
    const { rows } = await session.rests();
    expect(rows.at(-1)?.text).toBe("Thank you.");
    expect(rows.flatMap(({ tools }) => tools)).toMatchObject([
      { status: "completed", rejected: false, output: expect.stringContaining("Red") },
    ]);
    const data = { ask: ask.id, outcome: "answered", answers: [["Red"]] };
    expect(session.of("question.resolved")).toMatchObject([{ data }]);
  });
}
