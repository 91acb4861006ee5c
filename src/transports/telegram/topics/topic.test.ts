import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Binding } from "./topic.ts";
import {
  addressOf,
  bindingName,
  concerns,
  laneOf,
  laneTitle,
  migrated,
  newTopic,
  sessionKey,
  topicKey,
  topicOfKey,
  used,
} from "./topic.ts";

const place = fc.record({
  chat: fc.integer({ min: -(2 ** 52), max: 2 ** 52 }).filter((id) => id !== 0),
  thread: fc.option(fc.nat()),
});
const aTopic = newTopic({ chat: -5, thread: 2, isPrivate: false, title: "Work" }, 1);

describe("keys", () => {
  test("a key names its chat and its thread", () => {
    fc.assert(
      fc.property(place, (where) => {
        expect(topicOfKey(topicKey(where))).toMatchObject({ ...where, isPrivate: where.chat > 0 });
      }),
    );
  });

  test("an invalid key gives no topic", () => {
    for (const key of ["", "5", "5:", ":root", "a:root", "5:root:6", "5:-2"]) expect(topicOfKey(key)).toBeNull();
  });

  test("different topics and workspaces have different lanes", () => {
    const pair = fc.tuple(fc.string(), fc.string());
    fc.assert(
      fc.property(pair, pair, (one, other) => {
        const isSame = one[0] === other[0] && one[1] === other[1];
        expect(sessionKey(...one) === sessionKey(...other)).toBe(isSame);
        expect(laneOf(...one) === laneOf(...other)).toBe(isSame);
      }),
    );
  });
});

describe("workspaces", () => {
  test("the one in use comes first, each is listed once, and its lane stays", () => {
    const path = fc.constantFrom("/a", "/b", "/c");
    fc.assert(
      fc.property(fc.array(path, { minLength: 1 }), (paths) => {
        const topic = paths.reduce((before, one, at) => used(before, one, at), aTopic);
        const known = topic.workspaces.map((use) => use.path);
        expect(topic.activeWorkspace).toBe(paths.at(-1));
        expect(known).toEqual([...new Set(paths.toReversed())]);
        for (const use of topic.workspaces) expect(use.lane).toBe(laneOf(aTopic.key, use.path));
      }),
    );
  });

  test("a group that has become a supergroup keeps its lanes", () => {
    const before = used(aTopic, "/a", 1);
    const after = used(migrated(before, -100), "/a", 2);
    expect(after).toMatchObject({ key: "-100:2", chat: -100 });
    expect(after.workspaces.map(({ lane }) => lane)).toEqual(before.workspaces.map(({ lane }) => lane));
  });
});

test("a lane's title names the place and the directory, and is never long", () => {
  expect(laneTitle({ ...aTopic, name: "Bugs" }, "ann", "/code/site")).toBe("Work · Bugs · site");
  expect(laneTitle({ ...aTopic, isPrivate: true }, "ann", "/")).toBe("ann · /");
  expect(laneTitle({ ...aTopic, title: "x".repeat(500) }, "ann", "/a").length).toBe(120);
});

const lane = { id: "api", team: "shop", member: "ann" };

describe("a binding", () => {
  test.each<[string, Binding, unknown, string]>([
    ["to a lane sends to the lane", { lane: "api" }, { lane: "api" }, "api"],
    ["to a member sends to the member", { team: "shop", member: "ann" }, { team: "shop", member: "ann" }, "shop/ann"],
    ["to a team sends to its lead", { team: "shop" }, { team: "shop", member: "lead" }, "shop"],
  ])("%s", (_, binding, address, name) => {
    expect(addressOf(binding)).toEqual(address);
    expect(bindingName(binding)).toBe(name);
  });

  test.each<[string, Binding, boolean]>([
    ["to the lane", { lane: "api" }, true],
    ["to another lane", { lane: "web" }, false],
    ["to the lane's member", { team: "shop", member: "ann" }, true],
    ["to another member", { team: "shop", member: "ben" }, false],
    ["to the whole team", { team: "shop" }, true],
    ["to another team", { team: "bank" }, false],
  ])("%s concerns the lane: %#", (_, binding, expected) => {
    expect(concerns(binding, lane)).toBe(expected);
  });
});
