import { expect, test } from "vitest";
import { TurnTracker } from "../../../src/core/turn/turn-tracker.ts";
import type { Draft } from "../../../src/core/turn/universal-event.ts";
import type { Opened } from "./watched-session.ts";
import { openSession, soon } from "./watched-session.ts";

/** The complete turn: its prompt, its items in the order in which they ended, and its end. */
function wholeTurn(drafts: readonly Draft[]): unknown[] {
  return drafts.flatMap((draft): object[] => {
    if (draft.type === "turn.started") return [draft.data];
    if (draft.type === "turn.ended") return [draft.data];
    if (draft.type !== "item.completed" || draft.data.item.kind === "status") return [];
    const { id, kind, role, name, parent, status } = draft.data.item;
    return [{ id, kind, role, name, parent, status }];
  });
}

export function turns(opened: Opened): void {
  test("each prompt gives one turn that ends once", async () => {
    const session = await openSession(opened());
    const first = await session.played("works");
    const second = await session.played("answers");
    const prompts = [first, second].map(({ prompt, slice }) => ({ data: { prompt: session.idOf(prompt, slice) } }));
    expect(session.of("turn.started")).toMatchObject(prompts);
    const ends = session.of("turn.ended");
    expect(ends).toMatchObject([{ data: { reason: "completed" } }, { data: { reason: "completed" } }]);
  });

  test("a resync adds nothing", async () => {
    const session = await openSession(opened());
    await session.played("works");
    const before = wholeTurn(session.told);
    const count = session.told.length;
    await opened().runtime.resync(session.lane, session.id, soon());
    await opened().runtime.resync(session.lane, session.id, soon());
    expect(session.told.slice(count)).toEqual([]);
    expect(wholeTurn(session.told)).toEqual(before);
  });

  test("a resync gives a new reader the newest turn with the same items and its end", async () => {
    const session = await openSession(opened());
    await session.played("answers");
    const count = session.told.length;
    await session.played("works");
    const tracker = new TurnTracker();
    const again: Draft[] = [];
    const stop = opened().runtime.onSignal((_lane, signal) => {
      if (signal.session === session.id) again.push(...tracker.take(signal));
    });
    await opened().runtime.resync(session.lane, session.id, soon());
    stop();
    expect(wholeTurn(again)).toEqual(wholeTurn(session.told.slice(count)));
  });
}
