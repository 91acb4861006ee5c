import { expect, test } from "vitest";
import { attemptDigest } from "../../../src/core/delivery/attempt.ts";
import type { Opened } from "./watched-session.ts";
import { openSession, soon } from "./watched-session.ts";

export function submitting(opened: Opened): void {
  test("the same digest gives the same ids, and another digest gives others", () => {
    const { runtime } = opened();
    const [one, other] = [attemptDigest("one", 1, 1), attemptDigest("one", 1, 2)];
    expect(runtime.idsFrom(one)).toEqual(runtime.idsFrom(one));
    expect(runtime.idsFrom(one).messageId).not.toBe(runtime.idsFrom(other).messageId);
    expect(runtime.idsFrom(one).partId).not.toBe(runtime.idsFrom(other).partId);
  });

  test("an accepted prompt is in the transcript under one id, with its text", async () => {
    const session = await openSession(opened());
    const { prompt, slice } = await session.played("answers");
    const users = slice.rows.filter(({ role }) => role === "user");
    expect(users).toMatchObject([{ id: session.idOf(prompt, slice), text: prompt.text }]);
  });

  test("sending the same ids again after their turn adds no second row and no second run", async () => {
    const session = await openSession(opened());
    const { prompt } = await session.played("answers first");
    expect(await opened().runtime.submit(session.lane, prompt, soon())).toEqual({ outcome: "accepted" });
    // Anything that the second one might have started comes before the end of this turn.
    const turns = session.of("turn.ended").length + 1;
    const next = await session.send("answers next");
    const slice = await session.rests(turns);
    const [first, second] = [session.idOf(prompt, slice), session.idOf(next, slice)];
    expect(first).not.toBe(second);
    const owners = slice.rows.map(({ id, role, parentId }) => (role === "user" ? id : parentId));
    expect(owners).toEqual([first, first, second, second]);
    expect(opened().runs(prompt.text)).toBe(1);
  });

  test("a prompt's extra instructions apply to its turn alone, if the runtime takes any", async () => {
    const session = await openSession(opened());
    if (!opened().runtime.traits.takesSystem) {
      await session.played("answers first", "The word of the day is heron.");
      expect((await session.read()).rows.map(({ text }) => text).join()).not.toContain("heron");
      return;
    }
    const instructions = async (text: string, system?: string) => {
      const { prompt } = await session.played(text, system);
      return opened().instructions(prompt.text);
    };
    const [before = ""] = await instructions("answers first");
    const [during = ""] = await instructions("answers second", "The word of the day is heron.");
    const [after = ""] = await instructions("answers third");
    expect(during).toContain("The word of the day is heron.");
    expect(during.length).toBeGreaterThan(before.length);
    for (const other of [before, after]) expect(other).not.toContain("heron");
    expect((await session.read()).rows).toHaveLength(6);
  });
}
