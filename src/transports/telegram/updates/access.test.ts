import fc from "fast-check";
import { expect, test } from "vitest";
import { isAdmin, mayUse } from "./access.ts";

const place = (chat: number, isPrivate: boolean) => ({ chat, isPrivate, title: null, thread: null });
const rules = (allowedUsers: number[], allowedChats: number[] = [], admins: number[] = []) => {
  return { allowedUsers, allowedChats, admins };
};

test("empty lists allow no one", () => {
  const id = fc.integer();
  fc.assert(
    fc.property(id, id, fc.boolean(), fc.option(id), (user, chat, isPrivate, former) => {
      expect(mayUse(rules([]), place(chat, isPrivate), user, former)).toBe(false);
      expect(mayUse(rules([user]), place(chat, false), user, former)).toBe(false);
    }),
  );
});

test.each([
  ["a listed user in their own chat", rules([1]), place(1, true), 1, null, true],
  ["a listed user in someone else's chat", rules([1, 2]), place(2, true), 1, null, false],
  ["a listed user in a listed group", rules([1], [-5]), place(-5, false), 1, null, true],
  ["a listed user in another group", rules([1], [-5]), place(-6, false), 1, null, false],
  ["a stranger in a listed group", rules([1], [-5]), place(-5, false), 2, null, false],
  ["a group that was listed under its former id", rules([1], [-5]), place(-100, false), 1, -5, true],
])("%s", (_, given, where, user, former, expected) => {
  expect(mayUse(given, where, user, former)).toBe(expected);
});

test("every allowed user is an administrator unless some are listed", () => {
  expect([isAdmin(rules([1]), 1), isAdmin(rules([1, 2], [], [2]), 1), isAdmin(rules([1, 2], [], [2]), 2)]).toEqual([
    true,
    false,
    true,
  ]);
});
