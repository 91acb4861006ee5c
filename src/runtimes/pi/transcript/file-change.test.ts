import { expect, test } from "vitest";
import { piFileChange } from "./file-change.ts";

const diffOf = (...lines: string[]) => piFileChange("edit", { path: "a.txt" }, { diff: lines.join("\n") })?.diff;

test("an edit becomes a unified diff", () => {
  expect(diffOf(" 1 alpha", "-2 beta", "+2 gamma", "+3 delta", " 3 end")).toBe(
    "--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n alpha\n-beta\n+gamma\n+delta\n end\n",
  );
});

test("a gap between two changes starts another hunk, with line numbers for both files", () => {
  const shown = ["+  1 new", "   1 a", "     ...", "   9 b", "- 10 c", "+ 11 d"];
  expect(diffOf(...shown)).toBe("--- a.txt\n+++ a.txt\n@@ -1,1 +1,2 @@\n+new\n a\n@@ -9,2 +10,2 @@\n b\n-c\n+d\n");
});

test("a line may be empty, or contain something that looks like a sign", () => {
  expect(diffOf("-1 ", "+1 - 2 x")).toBe("--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-\n+- 2 x\n");
});

test("a written file may or may not be new, and other tools change no known file", () => {
  const written = { type: "file", path: "a.txt", change: "unknown", diff: null };
  expect(piFileChange("write", { path: "a.txt", content: "x" }, {})).toEqual(written);
  expect(piFileChange("edit", { path: "a.txt" }, {})).toMatchObject({ change: "modified", diff: null });
  expect(piFileChange("bash", { command: "rm a.txt" }, {})).toBeNull();
});
