import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { providerErrors } from "../proof/provider-error.ts";
import { explainedReasons, reasonClause, reasons } from "./reasons.ts";

test("every reason why a turn is not an answer has words, and so does every provider error", () => {
  const codes = [...Object.values(reasons), ...providerErrors.map((error) => `provider_${error}`)];
  expect(codes.filter((code) => !explainedReasons.includes(code))).toEqual([]);
});

test("every reason listed in docs/operations.md has words", () => {
  const document = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const [, below = ""] = document.split("These may need a person:");
  const rows = (below.split("\n\n")[1] ?? "").split("\n").slice(2);
  // The reason why a lane waits belongs to the lane, and a missing directory is named in a sentence.
  const ofDeliveries = rows.filter(
    (row) => !row.includes("(why a lane waits)") && !row.includes("`directory_missing`"),
  );
  const codes = ofDeliveries.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([a-z_]+)/g)].map(([, code]) => code),
  );
  expect(codes.length).toBeGreaterThan(15);
  expect(codes.filter((code) => !explainedReasons.includes(code ?? ""))).toEqual([]);
});

test("a reason may have details, and may be a program's own words", () => {
  expect(reasonClause("reply_not_delivered: there is no member bob.")).toBe(
    "The agent's reply did not arrive (there is no member bob)",
  );
  expect(reasonClause("connect ECONNREFUSED 127.0.0.1:4096")).toBe("connect ECONNREFUSED 127.0.0.1:4096");
  expect(reasonClause("The directory /x does not exist.")).toBe("The directory /x does not exist");
  expect(reasonClause("some_code_of_tomorrow")).toBeNull();
});
