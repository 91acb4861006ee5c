import { expect, test } from "vitest";
import type { LaneDraft } from "./lane-draft.ts";
import { emptyDraft, idOf, nameOf, newLaneOf, problemsOf } from "./lane-draft.ts";

const none: ReadonlySet<string> = new Set();
const draft = (fields: Partial<LaneDraft> = {}): LaneDraft => ({
  ...emptyDraft,
  directory: "/home/me/My App",
  ...fields,
});

test("a lane is named after its directory until a name is typed", () => {
  expect(nameOf(draft())).toBe("My App");
  expect(nameOf(draft({ name: "Shop" }))).toBe("Shop");
  expect(nameOf(draft({ name: "" }))).toBe("");
  expect(nameOf(emptyDraft)).toBe("");
});

test("its id follows its name until one is typed", () => {
  expect(idOf(draft(), none)).toBe("my-app");
  expect(idOf(draft(), new Set(["my-app"]))).toBe("my-app-2");
  expect(idOf(draft({ id: "own" }), new Set(["own"]))).toBe("own");
});

test("says what is missing", () => {
  expect(problemsOf(emptyDraft, none)).toEqual({ directory: expect.stringContaining("Choose the directory") });
  expect(problemsOf(draft({ id: "Own" }), none)).toEqual({ id: expect.stringContaining("An id has") });
  expect(problemsOf(draft({ id: "own" }), new Set(["own"]))).toEqual({ id: expect.stringContaining("already") });
  expect(problemsOf(draft(), none)).toEqual({});
});

test("leaves unset choices to the daemon", () => {
  expect(newLaneOf(draft({ name: "api", model: "  " }), none)).toEqual({ id: "api", directory: "/home/me/My App" });
});

test("uses the chosen values", () => {
  const chosen = draft({ runtime: "claude", model: " opus ", agent: "plan", contract: "tool" });
  expect(newLaneOf(chosen, none)).toEqual({
    ...{ id: "my-app", displayName: "My App", directory: "/home/me/My App" },
    ...{ runtime: "claude", model: "opus", agent: "plan", contract: "tool" },
  });
});
