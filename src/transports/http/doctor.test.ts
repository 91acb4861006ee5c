import { describe, expect, it } from "vitest";
import { anApi } from "../../../test/support/daemon/http-api.ts";

describe("the doctor", () => {
  it("runs on each request, and its report is the response", async () => {
    const warning = {
      name: "config",
      status: "warning" as const,
      detail: "The demo runs.",
      fix: "Run `waybill init`.",
    };
    const ok = { name: "node", status: "ok" as const, detail: "Node.js 22." };
    let asked = 0;
    const doctor = async () => {
      asked += 1;
      return { checks: [ok, { ...warning, secret: "not in the schema" }] };
    };
    const { ask } = anApi({ doctor });
    for (const times of [1, 2]) {
      const answer = await ask("/v1/doctor");
      expect([answer.status, answer.json(), asked]).toEqual([200, { checks: [ok, warning] }, times]);
    }
  });

  it("that throws is an internal error", async () => {
    const { ask, errors } = anApi({ doctor: () => Promise.reject(new Error("broken")) });
    expect(await ask("/v1/doctor")).toMatchObject({ status: 500 });
    expect(errors).toEqual([expect.objectContaining({ message: "broken" })]);
  });
});
