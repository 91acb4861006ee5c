import { test } from "vitest";
import { rowsOfOthersStay } from "../support/teams/foreign-rows.ts";

test("other programs' rows keep their bytes and order, cause no prompt, and no message is lost silently", async () => {
  await rowsOfOthersStay(25);
});
