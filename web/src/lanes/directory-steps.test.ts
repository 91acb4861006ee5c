import { expect, test } from "vitest";
import { crumbsOf, stepOf } from "./directory-steps.ts";

test("the path starts at the allowed directory, shown in full", () => {
  expect(crumbsOf("/home/me/code/shop", ["/home/me/code"])).toEqual([
    { name: "/home/me/code", path: "/home/me/code" },
    { name: "shop", path: "/home/me/code/shop" },
  ]);
  expect(crumbsOf("/a/b", ["/"])).toEqual([
    { name: "/", path: "/" },
    { name: "a", path: "/a" },
    { name: "b", path: "/a/b" },
  ]);
});

test("of nested allowed directories the innermost counts", () => {
  expect(crumbsOf("/code/shop/web", ["/code", "/code/shop"]).map(({ name }) => name)).toEqual(["/code/shop", "web"]);
});

test("a name that begins like an allowed directory is not inside", () => {
  expect(crumbsOf("/code-old/x", ["/code"])).toEqual([{ name: "/code-old/x", path: "/code-old/x" }]);
});

const names = ["api", "App", "docs", "web"];

test("arrows move and stay inside", () => {
  expect(stepOf("ArrowDown", names, 0)).toEqual({ to: "row", index: 1 });
  expect(stepOf("ArrowDown", names, 3)).toEqual({ to: "row", index: 3 });
  expect(stepOf("ArrowUp", names, 0)).toEqual({ to: "row", index: 0 });
  expect(stepOf("End", names, 0)).toEqual({ to: "row", index: 3 });
  expect(stepOf("Home", names, 2)).toEqual({ to: "row", index: 0 });
});

test("right opens, left and backspace go up", () => {
  expect(stepOf("ArrowRight", names, 0)).toEqual({ to: "open" });
  expect(stepOf("ArrowLeft", names, 0)).toEqual({ to: "parent" });
  expect(stepOf("Backspace", names, 0)).toEqual({ to: "parent" });
});

test("a letter jumps to the next name that begins with it, wrapping around", () => {
  expect(stepOf("a", names, 0)).toEqual({ to: "row", index: 1 });
  expect(stepOf("a", names, 1)).toEqual({ to: "row", index: 0 });
  expect(stepOf("W", names, 0)).toEqual({ to: "row", index: 3 });
  expect(stepOf("x", names, 0)).toBeNull();
  expect(stepOf("Tab", names, 0)).toBeNull();
  expect(stepOf(" ", names, 0)).toBeNull();
});
