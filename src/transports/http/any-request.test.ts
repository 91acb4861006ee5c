/** Random requests generated from the OpenAPI document, against a complete Waybill: none of them breaks anything. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyRequest } from "../../../test/support/core/arbitrary-requests.ts";
import { settled } from "../../../test/support/core/manual-clock.ts";
import { deliveryOf } from "../../../test/support/core/records.ts";
import { undocumented } from "../../../test/support/daemon/documented-answers.ts";
import { anApiOn } from "../../../test/support/daemon/http-api.ts";
import { startWorld } from "../../../test/support/daemon/waybill.ts";
import { pageBuild } from "../../../test/support/page/page-build.ts";
import { AppError } from "../../platform/app-error.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";
import { createService } from "../../service/create-service.ts";

const script = { always: [{ steps: [{ ask: "permission" as const }, { say: "Yes: 412." }] }] };
const known = {
  lane: ["lane", "tool"],
  lanes: ["lane", "tool", "fresh"],
  messages: ["m1", "m2"],
  messageId: ["m1", "m2", "m3"],
  deliveries: ["d1"],
  asks: ["a1"],
};

test("no request causes an internal error, and every response matches the OpenAPI document", async () => {
  const world = await startWorld({ script, lanes: [{}, { id: "tool", contract: "tool" }] });
  const service = createService({
    engine: world.waybill,
    resolveDirectory(path) {
      if (path.startsWith("/")) return path;
      throw new AppError({ code: "directory_not_allowed", message: "Not there." });
    },
    allowedDirectories: [],
    stateDirectories: [],
    runtimeDescriptors,
    defaults: { runtime: "stub", model: null },
    restart: () => {},
    checkRestart: () => {},
    now: () => world.clock.now(),
    draining: new AbortController().signal,
    retriesAreOff: false,
  });
  const { ask, errors } = anApiOn(service, { closing: AbortSignal.abort(), pageDirectory: pageBuild() });
  const first = await service.send({ id: "m1", to: { lane: "lane" }, from: "user", text: "hello" });
  const succeeded = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest(known), { minLength: 1, maxLength: 15 }), async (requests) => {
      for (const { operation, path, headers, body } of requests) {
        const askId = world.waybill.asks.list()[0]?.id ?? "none";
        const here = path.replace("/d1", `/${deliveryOf(first).id}`).replace("/a1", `/${askId}`);
        const { method } = operation;
        const answer = await ask(here, { method, headers, ...(method === "GET" ? {} : { body }) });
        expect(undocumented(operation, answer)).toBeNull();
        // An earlier request may have created a lane whose agent program is missing; then /ready rightly answers 503.
        if (operation.operationId !== "ready") expect(answer.status).toBeLessThan(500);
        if (answer.status < 400) succeeded.add(operation.operationId);
      }
      await world.clock.advance(100);
      await settled();
    }),
    { numRuns: 200 },
  );
  expect(errors).toEqual([]);
  // Guards against a run in which every request is rejected at the gates.
  expect(succeeded.size).toBeGreaterThan(10);
});
