import { expect, test } from "vitest";
import { locate } from "./message-location.ts";

const inLane = (lane: string) => ({ lane, member: null });
const withNate = { lane: null, member: { team: "crew", name: "nate" } };

test("a message is in this conversation, in another one, or in none", () => {
  expect(locate([inLane("chat")], "chat")).toEqual({ in: "this" });
  expect(locate([inLane("build")], "chat")).toEqual({ in: "other", conversation: "build" });
  expect(locate([], "chat")).toEqual({ in: "none" });
  expect(locate([{ lane: null, member: null }], "chat")).toEqual({ in: "none" });
});

test("if several conversations have a message with this id, this one counts first", () => {
  expect(locate([inLane("build"), inLane("chat")], "chat")).toEqual({ in: "this" });
  expect(locate([inLane("build"), withNate], "crew/nate")).toEqual({ in: "this" });
});

test("what an agent wrote to a member that runs elsewhere is in both conversations", () => {
  const written = { ...withNate, lane: "chat" };
  expect(locate([written], "chat")).toEqual({ in: "this" });
  expect(locate([written], "crew/nate")).toEqual({ in: "this" });
});
