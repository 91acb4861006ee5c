import { expect, test } from "vitest";
import type { TranscriptRow } from "../../../src/core/transcript/transcript.ts";
import type { RuntimeHarness } from "../runtime-conformance.ts";
import type { Opened } from "./watched-session.ts";
import { openSession, soon, watchSession } from "./watched-session.ts";

const said = (rows: readonly TranscriptRow[]) =>
  rows.map(({ role, text, tools }) => ({ role, text, tools: tools.map(({ name, output }) => [name, output]) }));

async function fork({ runtime, lane }: RuntimeHarness, sessionId: string, before: string | null) {
  const forked = await runtime.fork?.(lane, { sessionId, before }, soon());
  if (!forked) throw new Error("this runtime does not fork sessions");
  return forked;
}

export function forks(opened: Opened): void {
  test("a forked session continues from the original, and leaves the original unchanged", async (context) => {
    if (!opened().runtime.fork) context.skip();
    const session = await openSession(opened());
    const { prompt, slice } = await session.played("works");
    const { sessionId, renamed } = await fork(opened(), session.id, null);
    const copy = watchSession(opened(), sessionId);
    const { rows } = await copy.read();
    expect(said(rows)).toEqual(said(slice.rows));
    expect(rows.map(({ id }) => id)).toEqual(slice.rows.map(({ id }) => renamed.get(id) ?? id));
    const answered = await copy.played("answers");
    expect(answered.slice.rows.slice(0, -2)).toEqual(rows);
    expect(answered.slice.rows.at(-1)).toMatchObject({ text: "It is 4.", parentId: answered.slice.rows.at(-2)?.id });
    const earlier = opened().earlier(answered.prompt.text);
    if (earlier !== null) expect(earlier).toContain(prompt.text);
    expect((await session.read()).rows).toEqual(slice.rows);
    await session.played("answers");
    expect((await copy.read()).rows).toEqual(answered.slice.rows);
  });

  test("a fork before a prompt does not know that prompt, and one before the first knows none", async (context) => {
    if (!opened().runtime.fork) context.skip();
    const session = await openSession(opened());
    const first = await session.played("works");
    const second = await session.played("answers");
    const before = session.idOf(second.prompt, second.slice) ?? "";
    const copy = watchSession(opened(), (await fork(opened(), session.id, before)).sessionId);
    expect(said((await copy.read()).rows)).toEqual(said(first.slice.rows));
    const answered = await copy.played("answers");
    const earlier = opened().earlier(answered.prompt.text);
    if (earlier !== null)
      expect([earlier.includes(first.prompt.text), earlier.includes(second.prompt.text)]).toEqual([true, false]);
    const empty = await fork(opened(), session.id, session.idOf(first.prompt, first.slice) ?? "");
    expect(await watchSession(opened(), empty.sessionId).read()).toMatchObject({ status: "idle", rows: [] });
  });

  test("a fork before an unknown prompt is refused", async (context) => {
    if (!opened().runtime.fork) context.skip();
    const session = await openSession(opened());
    await session.played("answers");
    const { messageId } = opened().runtime.idsFrom("0123456789abcdef0123456789abcdef");
    await expect(fork(opened(), session.id, messageId)).rejects.toMatchObject({ code: "message_unknown" });
  });

  test("a resync of a forked session uses only the new ids", async (context) => {
    if (!opened().runtime.fork) context.skip();
    const session = await openSession(opened());
    const { slice } = await session.played("works");
    const { sessionId, renamed } = await fork(opened(), session.id, null);
    const copy = watchSession(opened(), sessionId);
    await opened().runtime.resync(copy.lane, copy.id, soon());
    const messages = copy.told.flatMap(({ type, data }) =>
      type === "item.completed" && data.item.kind === "message" ? [data.item.id] : [],
    );
    expect(messages).toEqual(slice.rows.map(({ id }) => renamed.get(id) ?? id));
  });
}
