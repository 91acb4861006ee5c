import { test } from "vitest";
import { everyMessageEndsWhateverPeopleDo } from "../support/random-people.ts";

test("whatever people do, for much longer", async () => {
  await everyMessageEndsWhateverPeopleDo(1000);
});
