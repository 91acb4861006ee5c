import { test } from "vitest";
import { rowsOfOthersStay } from "../support/foreign-rows.ts";

test("whatever others write, their rows keep their bytes and their order, nobody is prompted, and no message is lost silently", async () => {
  await rowsOfOthersStay(25);
});
