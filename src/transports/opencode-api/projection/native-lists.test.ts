/**
 * Converts recorded streams of the real OpenCode to universal events and back, and expects what OpenCode published. See
 * test/support/opencode/opencode-list.ts for what counts as the same.
 */
import { describe, expect, test } from "vitest";
import { fixture, fixtureNames, session, Watcher } from "../../../../test/support/opencode/opencode-fixture.ts";
import type { SeenEvent } from "../../../../test/support/opencode/opencode-list.ts";
import { partList, typeList } from "../../../../test/support/opencode/opencode-list.ts";
import { SessionProjection } from "./session-projection.ts";
import type { SessionMessage } from "./session-view.ts";

/** The recordings that come back differently, and why. */
const otherwise: Readonly<Record<string, string>> = {
  "abort-in-tool": "the result of the stopped tool comes before the abort itself",
  compaction: "a compaction's own messages are a status, and are not shown as a person's",
  "files-in-prompt": "files in a prompt are not shown",
  "prompt-in-mid-turn": "OpenCode lets a prompt join the turn; Waybill never sends one into a turn",
  "read-and-edit-without-git": "OpenCode reports a patch only in a git repository",
  "unknown-model": "OpenCode has no message to show the error in when the model is missing",
};

const settings = { lane: "1", directory: "/project", providerID: "opencode", modelID: "scripted", agent: "build" };

function projected(name: string): { published: SeenEvent[]; projection: SessionProjection } {
  const recorded = fixture(name);
  const projection = new SessionProjection(settings);
  const drafts = new Watcher(recorded).hear(recorded.events).drafts;
  const published = drafts.flatMap((draft, seq) =>
    projection.take({ id: `e${seq}`, seq, lane: "1", ...draft, time: seq }),
  );
  return { published, projection };
}

describe("a recorded stream", () => {
  test.each(fixtureNames.filter((name) => otherwise[name] === undefined))("%s comes back in the same order", (name) => {
    const { events } = fixture(name);
    expect(typeList(projected(name).published, session)).toEqual(typeList(events as SeenEvent[], session));
  });

  test.each(fixtureNames.filter((name) => otherwise[name] === undefined))(
    "%s comes back with the same parts",
    (name) => {
      const { rows } = fixture(name);
      expect(partList(projected(name).projection.messages())).toEqual(
        partList((rows[session] ?? []) as SessionMessage[]),
      );
    },
  );

  test.each(Object.entries(otherwise))("%s comes back differently: %s", (name) => {
    const { events, rows } = fixture(name);
    const { published, projection } = projected(name);
    const same =
      JSON.stringify(typeList(published, session)) === JSON.stringify(typeList(events as SeenEvent[], session));
    const parts = JSON.stringify(partList(projection.messages()));
    expect(same && parts === JSON.stringify(partList((rows[session] ?? []) as SessionMessage[]))).toBe(false);
  });

  test.each(fixtureNames)("%s is busy once and idle once per turn", (name) => {
    const { published, projection } = projected(name);
    const own = published.filter(({ properties }) => properties.sessionID === session);
    const statuses = own.flatMap(({ type, properties }) =>
      type === "session.status"
        ? [(properties.status as { type: string }).type]
        : type === "session.idle"
          ? [type]
          : [],
    );
    const changes = statuses.filter((one) => one !== "retry").filter((one, index, all) => one !== all[index - 1]);
    const turns = changes.filter((one) => one === "busy").length;
    expect(changes).toEqual(Array.from({ length: turns }, () => ["busy", "idle", "session.idle"]).flat());
    expect(projection.isBusy).toBe(false);
  });
});
