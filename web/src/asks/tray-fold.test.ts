import { expect, test } from "vitest";
import { isTrayFolded } from "./tray-fold.ts";

const wide = { chosen: null, isStart: false, hasOwnAsk: false, isSmallScreen: false };
const small = { ...wide, isSmallScreen: true };

test("asks are open on the start view and in their own conversation, and one line elsewhere", () => {
  expect(isTrayFolded({ ...wide, isStart: true })).toBe(false);
  expect(isTrayFolded({ ...wide, hasOwnAsk: true })).toBe(false);
  expect(isTrayFolded(wide)).toBe(true);
});

test("on a small screen they leave the room to their conversation", () => {
  expect(isTrayFolded({ ...small, hasOwnAsk: true })).toBe(true);
  expect(isTrayFolded(small)).toBe(true);
  expect(isTrayFolded({ ...small, isStart: true })).toBe(false);
});

test("what a person chose counts in every view", () => {
  for (const view of [wide, small, { ...small, isStart: true, hasOwnAsk: true }]) {
    expect(isTrayFolded({ ...view, chosen: false })).toBe(false);
    expect(isTrayFolded({ ...view, chosen: true })).toBe(true);
  }
});
