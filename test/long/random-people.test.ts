import { test } from "vitest";
import { everyMessageEndsWhateverPeopleDo } from "../support/daemon/random-people.ts";

test("every message ends whatever people do, over a thousand runs", async () => {
  await everyMessageEndsWhateverPeopleDo(1000);
});
