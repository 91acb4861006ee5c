import { expect, test } from "vitest";
import { idProblem, nameOfDirectory, slugOf, uniqueId } from "./lane-id.ts";

test.each([
  ["Backend API", "backend-api"],
  ["  --weird__name!! ", "weird__name"],
  ["Größe & Maß", "grosse-mass"],
  ["Ærø", "aero"],
  ["日本", ""],
  ["v2.0_final", "v2-0_final"],
  ["_private", "private"],
])("%j becomes %j", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test("a slug is never too long, and never ends in a dash", () => {
  expect(slugOf(`${"a".repeat(63)} b`)).toBe("a".repeat(63));
  expect(slugOf("b".repeat(100))).toHaveLength(64);
});

test("a taken id gets a number", () => {
  expect(uniqueId("api", new Set())).toBe("api");
  expect(uniqueId("api", new Set(["api"]))).toBe("api-2");
  expect(uniqueId("api", new Set(["api", "api-2"]))).toBe("api-3");
  expect(uniqueId("", new Set())).toBe("lane");
});

test("a long id makes room for its number", () => {
  const long = "a".repeat(64);
  const id = uniqueId(long, new Set([long]));
  expect(id).toBe(`${"a".repeat(62)}-2`);
  expect(idProblem(id, new Set([long]))).toBeNull();
});

test("every generated id is valid", () => {
  for (const name of ["Backend API", "日本", "_x", "A".repeat(200)]) {
    const id = uniqueId(slugOf(name), new Set(["lane"]));
    expect(idProblem(id, new Set(["lane"]))).toBeNull();
  }
});

test("an invalid id says why", () => {
  expect(idProblem("", new Set())).toMatch(/Give the lane an id/);
  expect(idProblem("Api", new Set())).toMatch(/begins with a letter/);
  expect(idProblem("-api", new Set())).toMatch(/begins with a letter/);
  expect(idProblem("api", new Set(["api"]))).toMatch(/already/);
  expect(idProblem("api", new Set())).toBeNull();
});

test("a lane is named after its directory", () => {
  expect(nameOfDirectory("/home/me/my project/")).toBe("my project");
  expect(nameOfDirectory("/")).toBe("");
});
