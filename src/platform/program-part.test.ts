import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { programPart } from "./program-part.ts";

test("a part whose file is missing reports that the program was replaced, and what to do", async () => {
  const { href } = pathToFileURL("/nowhere/part.js");
  await expect(programPart(() => import(/* @vite-ignore */ href))).rejects.toMatchObject({
    code: "program_replaced",
    hint: "Run `waybill restart`.",
  });
});

test("an error in a part is passed on unchanged", async () => {
  const error = new Error("broken");
  await expect(programPart(() => Promise.reject(error))).rejects.toBe(error);
});
