import { test } from "vitest";
import { everyMessageEndsWhateverPeopleDo } from "../support/daemon/random-people.ts";

test("whatever people do, and whenever, every message ends and nothing is sent too often", async () => {
  await everyMessageEndsWhateverPeopleDo(40);
});
